"""Who may do what: tokens, certificates, scopes, and what happens to everybody else."""

from __future__ import annotations

import base64
import secrets
from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.service.serving import THOUGHT, callers_file, client, settings

from reticent.compiler import load_plan
from reticent.compiler.opa_server import OpaServer, ServerSettings
from reticent.errors import ConfigurationError, EngineError
from reticent_service.access import EmbeddedAccess, ServerAccess, decide_access
from reticent_service.callers import Callers, Identifier, hash_of, read_callers
from reticent_service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CALLERS: dict[str, dict[str, object]] = {
    "console": {"may": [{"verbs": ["read", "filter"], "surfaces": ["support_console", "task_store"]}]},
    "worker": {"may": [{"verbs": ["filter", "reasoning"], "surfaces": ["task_store"]}]},
    "reviewer": {"may": [{"verbs": ["plan", "propose"]}]},
    "former": {"expires": "2020-01-01", "may": [{"verbs": ["filter"], "surfaces": ["*"]}]},
}


def status(folder: Path, token: str | None, method: str, path: str) -> int:
    """Give the status of one request."""
    chosen = settings(callers=callers_file(folder, CALLERS))
    with client(chosen, token=token) as caller:
        return caller.request(method, path, json=THOUGHT if method == "POST" else None).status_code


@pytest.mark.parametrize(
    ("token", "method", "path", "expected"),
    [
        ("console", "POST", "/v1/surfaces/support_console/filter", 200),
        ("console", "POST", "/v1/surfaces/logs/filter", 403),
        ("console", "POST", "/v1/surfaces/task_store/filter", 403),
        ("worker", "POST", "/v1/surfaces/task_store/filter", 200),
        ("former", "POST", "/v1/surfaces/logs/filter", 403),
        ("nobody", "POST", "/v1/surfaces/logs/filter", 401),
        (None, "POST", "/v1/surfaces/logs/filter", 401),
        (None, "POST", "/v1/surfaces/lgos/filter", 401),
        ("console", "GET", "/v1/surfaces/support_console", 200),
        ("console", "GET", "/v1/surfaces/logs", 404),
        ("console", "GET", "/v1/plan", 403),
        ("reviewer", "GET", "/v1/plan", 200),
        ("console", "GET", "/metrics", 403),
        (None, "GET", "/metrics", 401),
        ("console", "POST", "/v1/history/boundary", 403),
        ("console", "POST", "/v1/table/check", 403),
        (None, "GET", "/livez", 200),
        (None, "GET", "/readyz", 200),
    ],
)
def test_only_what_was_granted(tmp_path: Path, token: str | None, method: str, path: str, expected: int) -> None:
    """A caller may do what its grants name and nothing else; reasoning needs a grant of its own."""
    assert expected == status(tmp_path, token, method, path)


def test_surfaces_are_listed_as_far_as_they_may_be_read(tmp_path: Path) -> None:
    """The list of surfaces holds those that the caller may read about."""
    with client(settings(callers=callers_file(tmp_path, CALLERS)), token="console") as caller:
        listed = [row["surface"] for row in caller.get("/v1/surfaces").json()["surfaces"]]

    assert ["task_store", "support_console"] == listed


def identifier(**values: object) -> Identifier:
    """Give an identifier that knows one token and one certificate."""
    callers = Callers({hash_of("t"): "by-token"}, {"ab" * 32: "by-certificate"}, {})
    return Identifier(callers, Settings.model_validate(values))


XFCC = b"x-forwarded-client-cert"
ELEMENT = b'By=spiffe://a;Hash=%s;Subject="CN=x"' % (b"ab" * 32)
OTHER = b"Hash=%s" % (b"cd" * 32)


@pytest.mark.parametrize(
    ("headers", "peer", "expected"),
    [
        ([(b"authorization", b"Bearer t")], "192.0.2.1", "by-token"),
        ([(b"authorization", b"bearer  t")], "192.0.2.1", "by-token"),
        ([(b"authorization", b"Basic " + base64.b64encode(b"any:t"))], "192.0.2.1", "by-token"),
        ([(b"authorization", b"Basic not-base64")], "192.0.2.1", None),
        ([(b"authorization", b"Bearer T")], "192.0.2.1", None),
        ([(b"authorization", b"Bearer \xff")], "192.0.2.1", None),
        ([(b"authorization", b"Digest t")], "192.0.2.1", None),
        ([(XFCC, ELEMENT)], "192.0.2.9", "by-certificate"),
        ([(XFCC, OTHER + b"," + ELEMENT)], "192.0.2.9", "by-certificate"),
        ([(XFCC, ELEMENT + b"," + OTHER)], "192.0.2.9", None),
        ([(XFCC, ELEMENT)], "192.0.2.1", None),
        ([(XFCC, ELEMENT), (b"authorization", b"Bearer wrong")], "192.0.2.9", None),
        ([], "127.0.0.1", None),
        ([], None, None),
    ],
)
def test_credentials(headers: list[tuple[bytes, bytes]], peer: str | None, expected: str | None) -> None:
    """A caller is known by its token, or by a certificate that a trusted proxy tells of."""
    assert expected == identifier(trusted_proxies="192.0.2.9, 192.0.2.8")(headers, peer)


@pytest.mark.parametrize(
    ("peer", "expected"), [("127.0.0.1", "development"), ("::1", "development"), ("192.0.2.1", None)]
)
def test_development_mode_is_for_this_machine(peer: str, expected: str | None) -> None:
    """Without a token only the loopback interface may, and only in the development mode."""
    assert expected == identifier(development=True)([], peer)
    assert identifier(development=True)([(b"authorization", b"Bearer wrong")], peer) is None


def test_token_is_kept_nowhere(tmp_path: Path) -> None:
    """Neither the callers nor their repr hold a token or a hash."""
    token = secrets.token_hex(16)
    callers = read_callers(settings(callers=callers_file(tmp_path, {token: {"may": []}})))

    assert hash_of(token) not in repr(callers)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("version: 2\ncallers: {}", "version: literal_error"),
        ("version: 1\ncallers: {a: {may: [{verbs: [admin]}]}}", "unknown-verb 'admin'"),
        ("version: 1\ncallers: {a: {may: [{verbs: [read], surfaces: [lgos]}]}}", "unknown-surface 'lgos'"),
        ("version: 1\ncallers: {a: {token: secret, may: []}}", "callers.a.token: extra_forbidden"),
        ("version: 1\ncallers: {operator: {may: []}}", "own word"),
        ("version: [", "not YAML"),
        (
            "version: 1\ncallers: {a: {token_sha256: [X], may: []}, b: {token_sha256: [X], may: []}}".replace(
                "X", "a" * 64
            ),
            "have the same token",
        ),
    ],
)
def test_wrong_callers_file_stops_the_service(tmp_path: Path, content: str, told: str) -> None:
    """A callers file with a fault is a configuration error that names it and quotes no credential."""
    path = tmp_path / "callers.yaml"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=told) as caught:
        client(settings(callers=path))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"faults": [], "grants": None},
        {"faults": [], "grants": {}},
        {"faults": [], "grants": {"a": {"service": [], "surfaces": None}}},
        {"faults": [], "grants": {"a": {"service": ["root"], "surfaces": {}}}},
        {"faults": [], "grants": {"a": {"service": [], "surfaces": {"lgos": ["read"]}}}},
        {"faults": [], "grants": {"a": {"service": [], "surfaces": {"logs": ["write"]}}}},
    ],
)
def test_an_answer_with_a_hole_grants_nothing(answer: Mapping[str, object]) -> None:
    """An engine that leaves something out, or says a word nobody knows, is not believed."""

    class Engine:
        """Answers what the row says."""

        def decide(self, document: Mapping[str, object]) -> Mapping[str, object]:
            """Answer."""
            assert document
            return answer

    with pytest.raises(EngineError):
        decide_access(Engine(), Callers({}, {}, {"a": {"expires": None, "may": []}}), load_plan(), date(2026, 11, 29))


@pytest.mark.opa
def test_engines_agree_about_callers(opa_access_url: str, tmp_path: Path) -> None:
    """An OPA server and the embedded rules grant the same."""
    callers, plan, day = (
        read_callers(settings(callers=callers_file(tmp_path, CALLERS))),
        load_plan(),
        date(2026, 11, 29),
    )

    embedded = decide_access(EmbeddedAccess(), callers, plan, day)
    assert embedded == decide_access(ServerAccess(OpaServer(ServerSettings(url=opa_access_url))), callers, plan, day)
