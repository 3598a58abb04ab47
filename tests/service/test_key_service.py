"""Keys of tasks in AWS KMS, behind the service and the proxy: boto3's own client, against a KMS in this process."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import boto3
import pytest
from moto import mock_aws
from tests.service.proxying import proxying, settings
from tests.service.serving import client, serving
from tests.service.serving import settings as service_settings
from tests.service.talking import Anthropic
from tests.simulator.upstream import Upstream

from reticent.cli import _exit, build_app
from reticent.errors import ConfigurationError
from reticent_service.proxy.app import create_proxy
from reticent_service.routes.tasks import EXAMPLE_HISTORY, EXAMPLE_RESTORED, EXAMPLE_TURN, EXAMPLE_VISIBLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REGION = "eu-central-1"
KEYS = "aws-kms:alias/tasks"
SECRET: Final = "clients-key-canary-7716-" * 2
COMMANDS: Final = {"serve": (), "proxy": ("--upstream", "http://127.0.0.1:9")}


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give a client of a KMS that has one key, called ``alias/tasks``, and an environment of one's own."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    for name, word in (("ACCESS_KEY_ID", "testing"), ("SECRET_ACCESS_KEY", "testing"), ("DEFAULT_REGION", REGION)):
        os.environ[f"AWS_{name}"] = word
    with mock_aws():
        made: Any = boto3.client("kms", region_name=REGION)
        made.create_alias(AliasName="alias/tasks", TargetKeyId=made.create_key()["KeyMetadata"]["KeyId"])
        yield made


def test_a_task_over_two_proxies(kms: Any, tmp_path: Path) -> None:
    """A second proxy with the key and the secret of the first goes on with its tasks; the client sees no thought."""
    upstream = Upstream(steps=2)
    key = kms.describe_key(KeyId="alias/tasks")["KeyMetadata"]["Arn"]
    with proxying(tmp_path, upstream, keys=KEYS, clients_key=SECRET) as first, Anthropic(first.url) as talk:
        talk.say("How many?")
        talk.answer(talk.turn(stream=False))
        with serving(create_proxy(first.settings)) as port, Anthropic(f"http://127.0.0.1:{port}") as other:
            other.history = talk.history
            while calls := other.turn(stream=True):
                other.answer(calls)
            assert other.tasks == talk.tasks
    seen = talk.client.seen + other.client.seen
    resting = b"".join(path.read_bytes() for path in tmp_path.iterdir())

    assert [] == upstream.refused
    assert key.encode() in resting
    assert [] == [word for word in upstream.secrets if word.encode() in seen + resting]


@pytest.mark.usefixtures("kms")
def test_the_service_holds_tasks(tmp_path: Path) -> None:
    """A turn that was held over HTTP comes back, and its key is wrapped by KMS."""
    with client(service_settings(store=f"sqlite:///{tmp_path}/tasks.db", keys=KEYS)) as caller:
        shown = caller.post("/v1/tasks/t1/turns", json={"turn": EXAMPLE_TURN["turn"]})
        back = caller.post("/v1/tasks/t1/restore", json=EXAMPLE_HISTORY)

    assert 200 == shown.status_code
    assert EXAMPLE_VISIBLE == shown.json()
    assert EXAMPLE_RESTORED == back.json()
    thought = EXAMPLE_TURN["turn"]["reasoning_content"].encode()
    assert [] == [path for path in tmp_path.iterdir() if thought in path.read_bytes()]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        ("no such key", _exit.REFUSED, "key-unavailable"),
        ("no boto3", _exit.CONFIGURATION, "reticent[aws-kms]"),
    ],
)
@pytest.mark.usefixtures("kms")
def test_no_start_with_a_key_that_cannot_be_used(  # noqa: PLR0913, PLR0917 - fixtures
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    fault: str,
    code: int,
    said: str,
) -> None:
    """The command ends before it listens, and says what is wrong with the key, not what the secret is."""
    os.environ["RETICENT_SERVICE_CLIENTS_KEY" if command == "proxy" else "RETICENT_SERVICE_HASH_KEY"] = SECRET
    keys = "aws-kms:alias/other" if fault == "no such key" else KEYS
    if fault == "no boto3":
        monkeypatch.setitem(sys.modules, "boto3", None)
    told = [command, "--store", f"sqlite:///{tmp_path}/tasks.db", "--keys", keys, *COMMANDS[command]]

    assert code == _exit.run(build_app(), told)
    out = capsys.readouterr()
    assert said in out.err
    assert SECRET not in out.err + out.out
    assert not (tmp_path / "tasks.db").exists()


@pytest.mark.usefixtures("kms")
def test_a_proxy_needs_a_secret_beside_the_key(tmp_path: Path) -> None:
    """Without one, and with one that is short, it does not start: names of clients would be told by nobody's secret."""
    with pytest.raises(ConfigurationError, match="RETICENT_SERVICE_CLIENTS_KEY"):
        create_proxy(settings(tmp_path, "http://127.0.0.1:9", keys=KEYS))
    with pytest.raises(ValueError, match="clients_key") as told:
        settings(tmp_path, "http://127.0.0.1:9", keys=KEYS, clients_key="short-canary")
    assert "short-canary" not in str(told.value)
