"""A real OPA behind TLS: with an authority of its own, a token, and certificates of clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.servers.opa import TOKEN

from reticent.cli import build_app
from reticent.cli._exit import CLEAN, CONFIGURATION, run
from reticent.compiler import Engine, load_plan
from reticent.errors import ConfigurationError, EngineUnavailable

if TYPE_CHECKING:
    from datetime import date

    from tests.servers.opa import OpaOverTls

pytestmark = pytest.mark.opa


def test_it_decides_for_who_has_the_token(opa_over_tls: OpaOverTls, embedded: Engine, today: date) -> None:
    """With the authority and the token the plan is that of the embedded engine, and the rules are told."""
    server = opa_over_tls.engine(opa_over_tls.token, token=TOKEN)

    assert load_plan(engine=embedded, today=today).digest == load_plan(engine=server, today=today).digest
    assert embedded.policy_digest == server.policy_digest


def test_it_decides_for_who_has_a_certificate(opa_over_tls: OpaOverTls, embedded: Engine, today: date) -> None:
    """A client that shows a certificate gets a plan; it may stand in one file with its key."""
    pair = str(opa_over_tls.client.certificate), str(opa_over_tls.client.key)
    one = opa_over_tls.folder / "one.pem"
    one.write_bytes(opa_over_tls.client.certificate.read_bytes() + opa_over_tls.client.key.read_bytes())
    wanted = load_plan(engine=embedded, today=today).digest

    for shown in (pair, str(one)):
        assert (
            wanted == load_plan(engine=opa_over_tls.engine(opa_over_tls.mutual, client_cert=shown), today=today).digest
        )


def _refusals(opa_over_tls: OpaOverTls) -> dict[str, tuple[str, dict[str, Any], str]]:
    stranger = (str(opa_over_tls.stranger.certificate), str(opa_over_tls.stranger.key))
    named = opa_over_tls.token.replace("127.0.0.1", "localhost")
    return {
        "no authority": (opa_over_tls.token, {"token": TOKEN, "ca_file": None}, "not trusted"),
        "another authority": (
            opa_over_tls.token,
            {"token": TOKEN, "ca_file": str(opa_over_tls.other.file)},
            "not trusted",
        ),
        "another name": (named, {"token": TOKEN}, "not trusted"),
        "no token": (opa_over_tls.token, {}, "status 401"),
        "a wrong token": (opa_over_tls.token, {"token": "guessed"}, "status 401"),
        "no TLS": (opa_over_tls.token.replace("https", "http"), {"token": TOKEN}, "OPA server"),
        "no certificate": (opa_over_tls.mutual, {}, "OPA server"),
        "a stranger's certificate": (opa_over_tls.mutual, {"client_cert": stranger}, "OPA server"),
    }


@pytest.mark.parametrize(
    "name",
    [
        "no authority",
        "another authority",
        "another name",
        "no token",
        "a wrong token",
        "no TLS",
        "no certificate",
        "a stranger's certificate",
    ],
)
def test_whatever_does_not_fit_gives_no_plan(opa_over_tls: OpaOverTls, today: date, name: str) -> None:
    """A server that is not trusted is told nothing, one that does not trust us decides nothing, and errors are bare."""
    url, settings, told = _refusals(opa_over_tls)[name]

    with pytest.raises(EngineUnavailable, match=told) as refused:
        load_plan(engine=opa_over_tls.engine(url, **settings), today=today)
    assert TOKEN not in f"{refused.value!r}{refused.value.__cause__!r}"


def test_the_environment_changes_nothing(
    opa_over_tls: OpaOverTls, today: date, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither authorities, passwords nor proxies that other programs use stand in for what was set."""
    netrc = opa_over_tls.folder / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password wrong\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(opa_over_tls.other.file))
    assert load_plan(engine=opa_over_tls.engine(opa_over_tls.token, token=TOKEN), today=today).surfaces

    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(opa_over_tls.ours.file))
    with pytest.raises(EngineUnavailable, match="not trusted"):
        load_plan(
            engine=opa_over_tls.engine(opa_over_tls.token, token=TOKEN, ca_file=str(opa_over_tls.other.file)),
            today=today,
        )


def test_the_command_line_speaks_tls(
    opa_over_tls: OpaOverTls, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--opa` takes the authorities, the token and the certificate from variables, and says when they do not fit."""
    monkeypatch.setenv("RETICENT_OPA_CA", str(opa_over_tls.ours.file))
    monkeypatch.setenv("RETICENT_OPA_TOKEN", TOKEN)
    assert CLEAN == run(build_app(), ["table", "--opa", opa_over_tls.token])
    monkeypatch.setenv("RETICENT_OPA_CERTIFICATE", str(opa_over_tls.client.certificate))
    monkeypatch.setenv("RETICENT_OPA_KEY", str(opa_over_tls.client.key))
    assert CLEAN == run(build_app(), ["table", "--opa", opa_over_tls.mutual])
    monkeypatch.setenv("RETICENT_OPA_TOKEN", "guessed")
    assert CONFIGURATION == run(build_app(), ["table", "--opa", opa_over_tls.token])
    monkeypatch.delenv("RETICENT_OPA_CERTIFICATE")
    assert CONFIGURATION == run(build_app(), ["table", "--opa", opa_over_tls.mutual])
    said = capsys.readouterr()

    assert 2 == said.out.count("\nbrowser_stream ")
    assert "a key for the OPA server goes with a certificate" in said.err
    assert "status 401" in said.err


def test_files_that_are_missing_are_named_at_start(opa_over_tls: OpaOverTls) -> None:
    """A certificate that is not there is a fault of the configuration, told before anybody is asked."""
    with pytest.raises(ConfigurationError, match=r"nowhere\.pem"):
        opa_over_tls.engine(opa_over_tls.mutual, client_cert=(str(opa_over_tls.client.certificate), "nowhere.pem"))
