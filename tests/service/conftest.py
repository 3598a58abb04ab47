"""A real OPA with the rules about tables and about callers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conftest import _serving
from tests.service.exits import watched_run as watched_run  # noqa: PLC0414 - a fixture is found by its name

from reticent._resources import policy_sources, rego_root

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def opa_access_url(opa_binary: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a real OPA server with every rule that ships."""
    rules = [str(rego_root() / path) for path in policy_sources()]
    rules.append(str(rego_root() / "reticent_access" / "access.rego"))
    with _serving(opa_binary, rules, tmp_path_factory.mktemp("opa") / "log") as url:
        yield url
