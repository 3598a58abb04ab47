"""The processor as a server: it follows its table and evidence, tells its health, speaks TLS, renews certificates."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub
from tests.evidence import TABLE, evidence
from tests.integrations.envoy_client import body, exchange, headers, kinds, out, serving, talk
from tests.servers.certificates import Authority
from tests.service.serving import wait_until

from reticent import surfaces
from reticent.cli import build_app
from reticent.cli._exit import CONFIGURATION, run
from reticent.compiler import load_plan
from reticent.compiler.compiling import DEFAULT_PLAN
from reticent.compiler.following import FollowedPlan
from reticent.errors import ConfigurationError, TableError, UnknownSurface
from reticent.integrations._envoy_health import Health
from reticent.integrations._envoy_messages import SERVICE
from reticent.integrations._grpc_tls import credentials
from reticent.integrations.envoy import Tls
from reticent.verify import write_evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT = Path(surfaces.__file__).with_name("default.yaml").read_text("utf-8")
TIGHTER = DEFAULT.replace("vocabulary:\n  reasoning: []", "vocabulary:\n  reasoning: [{type: my_scratchpad}]")
BROKEN = {
    "half": DEFAULT[:900],
    "disagrees": DEFAULT.replace("verdict: strip", "verdict: pass"),
    "without the surface": TIGHTER.replace("  browser_stream:", "  browser:"),
}
OWN = b'{"content":[{"type":"my_scratchpad","text":"x"},{"type":"text","text":"Done."}]}'
LESS = b'{"content":[{"type":"text","text":"Done."}]}'


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Give a table file under which the block of `OWN` is visible."""
    path = tmp_path / "surfaces.yaml"
    replace_with(path, DEFAULT.replace("visible:   []", "visible: [my_scratchpad]"))
    return path


def replace_with(path: Path, text: str | bytes) -> None:
    """Write a file beside it, then over it."""
    fresh = path.with_suffix(".new")
    fresh.write_bytes(text.encode() if isinstance(text, str) else text)
    fresh.replace(path)


def judged(address: str, **options: Any) -> bytes:
    """Give what becomes of a body."""
    return out(talk(address, exchange("application/json", OWN), **options))


def test_a_changed_table_counts_for_the_next_exchange(table: Path) -> None:
    """What changes in the table is in force without a restart; an exchange under way ends as it began."""
    go, asked = threading.Event(), exchange("application/json", OWN[:20], OWN[20:])
    answers: list[Any] = []

    def slow() -> Iterator[Any]:
        yield from asked[:3]
        assert go.wait(30)
        yield from asked[3:]

    with serving(plan=table, poll_seconds=0.02) as address:
        under_way = threading.Thread(target=lambda: answers.extend(talk(address, slow())))
        under_way.start()
        assert OWN == judged(address)
        replace_with(table, TIGHTER)
        wait_until(lambda: judged(address) == LESS)
        go.set()
        under_way.join(30)

    assert OWN == out(answers)


@pytest.mark.parametrize("fault", BROKEN)
def test_what_cannot_be_loaded_leaves_the_last_good_plan(
    table: Path, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A table that is wrong, or has the surface no more, changes nothing until it is mended, and that is logged."""
    with serving(plan=table, poll_seconds=0.02) as address:
        replace_with(table, BROKEN[fault])
        wait_until(lambda: "the plan in force stays" in caplog.text)
        assert OWN == judged(address)
        replace_with(table, TIGHTER)
        wait_until(lambda: judged(address) == LESS)


def test_there_is_no_start_without_a_plan(table: Path) -> None:
    """A table with faults, a file that is not there and a surface that nobody knows are errors at start."""
    with pytest.raises(UnknownSurface):
        FollowedPlan(table, surfaces=["browser"])
    replace_with(table, BROKEN["disagrees"])
    with pytest.raises(TableError):
        FollowedPlan(table)
    with pytest.raises(ConfigurationError):
        FollowedPlan(table.with_name("missing.yaml"))


# --- certificates -----------------------------------------------------------------------------------------------------


def trusting(authority: Authority) -> grpc.ChannelCredentials:
    """Give what a client trusts."""
    return grpc.ssl_channel_credentials(authority.file.read_bytes())


def refused(address: str, trust: grpc.ChannelCredentials) -> bool:
    """Whether no connection comes about."""
    try:
        talk(address, [headers("request", _method="GET", end=True)], trust)
    except grpc.RpcError as error:
        return error.code() is grpc.StatusCode.UNAVAILABLE
    return False


def test_a_renewed_certificate_is_used(tmp_path: Path) -> None:
    """New files count for the next connection; as long as they do not fit together, the last pair is used."""
    (tmp_path / "other").mkdir()
    first, second = Authority(tmp_path), Authority(tmp_path / "other")
    pair, renewed = (one.issue("processor", "127.0.0.1") for one in (first, second))
    told = [headers("request", _method="POST"), *body(b"", side="request")]
    with serving(tls=Tls(pair.certificate, pair.key)) as address:
        assert refused(address, trusting(second))
        replace_with(pair.certificate, renewed.certificate.read_bytes())
        assert kinds(talk(address, told, trusting(first)))
        replace_with(pair.key, renewed.key.read_bytes())
        wait_until(lambda: not refused(address, trusting(second)))
        assert refused(address, trusting(first))


def _wrong(folder: Path) -> dict[str, Tls]:
    ours, other = Authority(folder), Authority(folder, "other")
    good, another = ours.issue("good", "127.0.0.1"), other.issue("another", "127.0.0.1")
    return {
        "missing": Tls(folder / "nowhere.crt", good.key),
        "swapped": Tls(good.key, good.certificate),
        "another's key": Tls(good.certificate, another.key),
        "no key": Tls(good.certificate, good.certificate),
        "no authority": Tls(good.certificate, good.key, client_ca=good.key),
    }


@pytest.mark.parametrize("name", ["missing", "swapped", "another's key", "no key", "no authority"])
def test_files_that_are_wrong_are_refused_at_start(tmp_path: Path, name: str) -> None:
    """A certificate without its key, a file of something else and a missing one are named; nothing of a key is told."""
    with pytest.raises(ConfigurationError) as told:
        credentials(_wrong(tmp_path)[name])

    assert str(tmp_path) in str(told.value)
    assert "BEGIN" not in str(told.value)


@pytest.mark.parametrize("options", [["--tls-cert", "a"], ["--tls-key", "a"], ["--client-ca", "a"]])
def test_the_command_wants_files_that_go_together(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Half of what TLS needs is a usage error, and nothing is served without encryption instead."""
    assert CONFIGURATION == run(build_app(), ["ext-proc", "--surface", "logs", *options])
    assert "--tls-key" in capsys.readouterr().err


# --- evidence ---------------------------------------------------------------------------------------------------------


def test_evidence_opens_and_closes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Evidence beside the table is followed: while it shows nothing the surface strips, and exchanges go on."""
    path, moment = tmp_path / "evidence.json", int(time.time())
    looked: dict[str, Any] = {"observed": moment, "since": moment}
    thought = b'{"reasoning_content":"x","content":"Done."}'

    def passes() -> bool:
        return out(talk(address, exchange("application/json", thought))) == thought

    held = evidence(sealed=looked, encrypted=looked)
    write_evidence(held, path)
    followed = FollowedPlan(TABLE, evidence=path, surfaces=["tasks"])
    with serving("tasks", plan=followed, poll_seconds=0.02) as address:
        assert passes()
        write_evidence(evidence(sealed=looked, encrypted={**looked, "held": False, "code": "plaintext"}), path)
        wait_until(lambda: not passes())
        write_evidence(held, path)
        wait_until(passes)
        replace_with(path, b"{}")
        wait_until(lambda: not passes())
        assert followed.unusable is not None
        assert followed.failure is None
        assert "the evidence cannot be used" in caplog.text


def test_the_command_takes_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Evidence for a plan that is already compiled is a usage error, as everywhere."""
    path, compiled = tmp_path / "evidence.json", tmp_path / "plan.json"
    write_evidence(evidence(), path)
    compiled.write_bytes(DEFAULT_PLAN.read_bytes())
    told = ["ext-proc", "--surface", "logs", "--table", str(compiled), "--evidence", str(path)]

    assert CONFIGURATION == run(build_app(), told)
    assert "give evidence with a table" in capsys.readouterr().err


# --- health -----------------------------------------------------------------------------------------------------------


def health(address: str, service: str) -> bool:
    """Ask as a probe does."""
    channel = grpc.insecure_channel(address)
    try:
        told = HealthStub(channel).Check(HealthCheckRequest(service=service), timeout=30)
    finally:
        channel.close()
    return told.status == HealthCheckResponse.SERVING


def test_health_tells_a_stale_plan(table: Path) -> None:
    """The server is healthy with the last good plan; the plan is not until what is on disk is in force again."""
    with serving(plan=table, poll_seconds=0.02) as address:
        assert [True] * 3 == [health(address, name) for name in ("", SERVICE, "plan")]
        replace_with(table, BROKEN["disagrees"])
        wait_until(lambda: not health(address, "plan"))
        assert health(address, "")
        replace_with(table, TIGHTER)
        wait_until(lambda: health(address, "plan"))


def test_health_knows_no_other_service() -> None:
    """A name that nobody serves is an error of the protocol, not healthy."""
    with serving() as address, pytest.raises(grpc.RpcError) as failed:
        health(address, "somebody")

    assert grpc.StatusCode.NOT_FOUND is failed.value.code()


def test_nothing_is_healthy_once_it_ends() -> None:
    """From the moment it is told to stop the server says so, and probes send nobody there."""

    async def told() -> list[bool]:
        server = grpc.aio.server()
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        own = Health(server, SERVICE)
        async with own.telling(load_plan(), 30):
            await server.start()
            seen = [await asyncio.to_thread(health, address, name) for name in ("", "plan")]
            await own.ending()
            seen += [await asyncio.to_thread(health, address, name) for name in ("", SERVICE, "plan")]
            await server.stop(None)
        return seen

    assert [True, True, False, False, False] == asyncio.run(told())
