"""The settings and what they say when they are wrong."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from reticent.errors import ConfigurationError
from reticent_service.settings import Settings


def test_reads_only_its_own_variables() -> None:
    """Variables without the prefix are ignored, and an empty value counts as unset."""
    settings = Settings.from_environment(
        {"PATH": "/bin", "RETICENT_CI": "1", "RETICENT_SERVICE_TABLE": "surfaces.yaml", "RETICENT_SERVICE_OPA": ""}
    )

    assert Settings(table=Path("surfaces.yaml")) == settings


def test_wrong_value_is_named_but_not_shown() -> None:
    """A wrong value is reported by the name of its variable and stays out of the message and its causes."""
    canary = secrets.token_hex(8)

    with pytest.raises(ConfigurationError, match="RETICENT_SERVICE_OPA") as caught:
        Settings.from_environment({"RETICENT_SERVICE_OPA": f"://{canary}"})

    assert canary not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_unknown_setting_suggests_the_nearest() -> None:
    """A mistyped setting is refused, with the one that was probably meant."""
    with pytest.raises(ConfigurationError, match=r"RETICENT_SERVICE_OPPA is no setting\. Did you mean '\w+_OPA'"):
        Settings.from_environment({"RETICENT_SERVICE_OPPA": "http://127.0.0.1:8181"})


SECRETS = {"STORE": "redis://:pass@127.0.0.1/0", "OPA_TOKEN": "token", "HASH_KEY": "key"}


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_can_stand_in_a_file(tmp_path: Path, name: str) -> None:
    """A secret is read from the file that a variable names, less the end of its line, and is that of the variable."""
    file = tmp_path / "secret"
    file.write_text(SECRETS[name] + "\n", encoding="utf-8")

    from_file = Settings.from_environment({f"RETICENT_SERVICE_{name}_FILE": str(file)})
    assert Settings.from_environment({f"RETICENT_SERVICE_{name}": SECRETS[name]}) == from_file


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"OPA_TOKEN_FILE": "FOLDER/none"}, "OPA_TOKEN_FILE names a file that cannot be read"),
        ({"OPA_TOKEN_FILE": "FOLDER/binary"}, "OPA_TOKEN_FILE names a file that cannot be read"),
        ({"OPA_TOKEN_FILE": "FOLDER/binary", "OPA_TOKEN": "t"}, "two values for one setting"),
        ({"TABLE_FILE": "FOLDER/none"}, "TABLE_FILE is no setting"),
    ],
)
def test_files_of_secrets_that_are_wrong(tmp_path: Path, variables: dict[str, str], told: str) -> None:
    """A file that cannot be read, a second value, and a file for what is no secret are refused by name."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    named = {f"RETICENT_SERVICE_{k}": value.replace("FOLDER", str(tmp_path)) for k, value in variables.items()}

    with pytest.raises(ConfigurationError, match=told):
        Settings.from_environment(named)
