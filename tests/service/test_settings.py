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
