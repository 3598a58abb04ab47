"""Data keys wrapped by AWS KMS: the real client of boto3, against a KMS in this process."""

from __future__ import annotations

import traceback
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber
from moto import mock_aws
from tests.library.store.turns import anthropic

from reticent.cli import _exit, build_app
from reticent.errors import ConfigurationError, KeyDenied, KeyServiceAway, KeyUnavailable
from reticent.store import AwsKms, KeyWrapper, Tasks, envelope, open_keys, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reticent.compiler.plan import Plan

REGION = "eu-central-1"
AT = envelope.place("acme", "task-1")
FAILING = {
    "ThrottlingException": KeyServiceAway,
    "KMSInternalException": KeyServiceAway,
    "SomethingNew": KeyServiceAway,
    "AccessDeniedException": KeyDenied,
    "ExpiredTokenException": KeyDenied,
    "InvalidCiphertextException": KeyUnavailable,
    "DisabledException": KeyUnavailable,
    "KMSInvalidStateException": KeyUnavailable,
}


def client(**options: Any) -> Any:
    """A client as an application makes one."""
    return boto3.client(
        "kms", region_name=REGION, aws_access_key_id="testing", aws_secret_access_key="testing", **options
    )


@pytest.fixture
def kms() -> Iterator[Any]:
    """Give a client of a KMS that has one key, called ``alias/tasks``."""
    with mock_aws():
        made = client()
        made.create_alias(AliasName="alias/tasks", TargetKeyId=made.create_key()["KeyMetadata"]["KeyId"])
        yield made


def arn(kms: Any, key: str = "alias/tasks") -> str:
    """The ARN of a key."""
    return str(kms.describe_key(KeyId=key)["KeyMetadata"]["Arn"])


def test_a_task_over_two_workers(kms: Any, plan: Plan, tmp_path: Path) -> None:
    """A worker with a client of its own restores what another held; no store file has a canary or a data key."""
    url, case = f"sqlite:///{tmp_path}/tasks.db", anthropic()
    with open_store(url, keys=AwsKms(kms, "alias/tasks")) as store:
        shown = Tasks(store, plan=plan, tenant="acme").hold("task-1", case.answer)
    with open_store(url, keys=AwsKms(client(), "alias/tasks")) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        back = tasks.restore("task-1", [shown])
        assert [arn(kms)] == [task.key_id for task in store.tasks()]
        tasks.finish("task-1", "completed")

    resting = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert [case.answer] == back
    assert case.canaries
    assert not any(canary.encode() in resting for canary in case.canaries)


@pytest.mark.parametrize("at", [envelope.place("other", "task-1"), envelope.place("acme", "task-2")])
def test_a_wrapped_key_opens_for_its_task_alone(kms: Any, at: bytes) -> None:
    """Tenant and task are the encryption context: for another one KMS does not decrypt, and no error tells the key."""
    keys: KeyWrapper = AwsKms(kms, "alias/tasks", remember=timedelta())
    data_key = envelope.new_data_key()
    key_id, wrapped = keys.wrap(data_key, AT)

    assert data_key == keys.unwrap(key_id, wrapped, AT)
    with pytest.raises(KeyUnavailable, match="or the row was moved") as told:
        keys.unwrap(key_id, wrapped, at)
    assert "tenant" not in "".join(traceback.format_exception(told.value))


@pytest.mark.parametrize(("code", "kind"), FAILING.items(), ids=FAILING)
def test_what_kms_refuses(code: str, kind: type[Exception]) -> None:
    """Away, denied and unusable are told apart, by the code of KMS, and its message is not passed on."""
    refusing = client()
    stub = Stubber(refusing)
    status = 500 if kind is KeyServiceAway else 400
    stub.add_client_error("decrypt", code, "the-message", status)
    with stub, pytest.raises(kind) as told:
        AwsKms(refusing, "k").unwrap("k", b"wrapped", AT)

    assert kind is type(told.value)
    assert "the-message" not in "".join(traceback.format_exception(told.value))


def test_a_kms_that_is_away() -> None:
    """Where nothing listens, the store learns that the key service is away, and nothing is kept."""
    away = client(endpoint_url="http://127.0.0.1:9", config=Config(retries={"max_attempts": 0}, connect_timeout=2))

    with pytest.raises(KeyServiceAway, match="try again"):
        AwsKms(away, "alias/tasks").wrap(envelope.new_data_key(), AT)


def test_without_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that finds no credentials is denied, not away."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    nobody: Any = boto3.Session().client("kms", region_name=REGION)

    with pytest.raises(KeyDenied):
        AwsKms(nobody, "alias/tasks").wrap(envelope.new_data_key(), AT)


def test_rotation(kms: Any, plan: Plan, tmp_path: Path) -> None:
    """Once the alias is at a new key, rewrap puts live tasks under it, and the old key can be disabled."""
    old = arn(kms)
    turn = anthropic().answer
    with open_store(f"sqlite:///{tmp_path}/tasks.db", keys=AwsKms(kms, "alias/tasks", remember=timedelta())) as store:
        tasks = Tasks(store, plan=plan, tenant="acme")
        shown = tasks.hold("task-1", turn)
        new = kms.create_key()["KeyMetadata"]["KeyId"]
        kms.update_alias(AliasName="alias/tasks", TargetKeyId=new)

        assert 1 == store.rewrap()
        assert 0 == store.rewrap()
        kms.disable_key(KeyId=old.rpartition("/")[2])
        assert [turn] == tasks.restore("task-1", [shown])
        assert [arn(kms, new)] == [task.key_id for task in store.tasks()]


def test_a_data_key_is_remembered_for_a_while(kms: Any) -> None:
    """A second turn within the time asks KMS for nothing; after it, and for another row, KMS is asked."""
    now = [0.0]
    keys = AwsKms(kms, "alias/tasks", remember=timedelta(seconds=60), clock=lambda: now[0])
    asked: list[str] = []
    kms.meta.events.register("before-call.kms", lambda model, **_: asked.append(model.name))
    data_key = envelope.new_data_key()
    key_id, wrapped = keys.wrap(data_key, AT)
    for moment in (1.0, 59.0, 61.0, 62.0):
        now[0] = moment
        assert data_key == keys.unwrap(key_id, wrapped, AT)
    with pytest.raises(KeyUnavailable):
        keys.unwrap(key_id, wrapped, envelope.place("acme", "task-2"))

    assert ["Encrypt", "Decrypt", "Decrypt"] == asked
    assert "AwsKms('alias/tasks')" == repr(keys)


def test_commands_take_a_key_of_kms(
    kms: Any, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--keys aws-kms:ALIAS`` lists, rotates behind the alias, says what may be disabled, and ends tasks."""
    for name, word in (("ACCESS_KEY_ID", "testing"), ("SECRET_ACCESS_KEY", "testing"), ("DEFAULT_REGION", REGION)):
        monkeypatch.setenv(f"AWS_{name}", word)
    store = f"sqlite:///{tmp_path}/tasks.db"
    where = ("--keys", "aws-kms:alias/tasks", "--store", store)
    with open_store(store, keys=open_keys(where[1])) as opened:
        Tasks(opened, plan=plan, tenant="acme").hold("task-1", anthropic().answer)
    old, new = arn(kms), kms.create_key()["KeyMetadata"]["KeyId"]

    def told(*words: str) -> tuple[int, str]:
        return _exit.run(build_app(), ("tasks", *words)), capsys.readouterr().out

    assert "1 turns" in told("list", *where)[1]
    assert 1 == told("retire-key", old, *where)[0]
    kms.update_alias(AliasName="alias/tasks", TargetKeyId=new)
    assert "1 live tasks are under it" in told("rotate-keys", *where)[1]
    assert (0, f"no live task is under {old}; disable it in the key service\n") == told("retire-key", old, *where)
    assert 0 == told("finish", "acme", "task-1", "completed", *where)[0]


def test_no_client_without_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where boto3 can make no client, the configuration is wrong, and the error says what to set."""
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")

    with pytest.raises(ConfigurationError, match="set a region"):
        open_keys("aws-kms:alias/tasks")


def test_a_key_is_proved_by_kms_itself(kms: Any) -> None:
    """A proof encrypts and decrypts, from no memory; a key that may not be used is told at once."""
    asked: list[str] = []
    kms.meta.events.register("before-call.kms", lambda model, **_: asked.append(model.name))
    AwsKms(kms, "alias/tasks").prove()
    refusing = client()
    stub = Stubber(refusing)
    stub.add_client_error("encrypt", "AccessDeniedException", "the-message", 400)
    with stub, pytest.raises(KeyDenied):
        AwsKms(refusing, "alias/tasks").prove()

    assert ["Encrypt", "Decrypt"] == asked
