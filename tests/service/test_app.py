"""The application as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from reticent.errors import ConfigurationError
from reticent_service.app import create_app
from reticent_service.settings import Settings

PATHS = {
    "/livez",
    "/readyz",
    "/metrics",
    "/v1/plan",
    "/v1/break-glass",
    "/v1/break-glass/{name}/approve",
    "/v1/break-glass/{name}/close",
    "/v1/break-glass/{name}/show",
    "/v1/surfaces",
    "/v1/surfaces/{surface}",
    "/v1/surfaces/{surface}/explain",
    "/v1/surfaces/{surface}/filter",
    "/v1/table/check",
    "/v1/table/diff",
    "/v1/history/boundary",
    "/v1/history/compact",
    "/v1/history/fold",
    "/v1/tasks/{task}",
    "/v1/tasks/{task}/finish",
    "/v1/tasks/{task}/restore",
    "/v1/tasks/{task}/turns",
}


def test_livez_answers_without_a_plan() -> None:
    """``GET /livez`` is 200 as long as the process turns."""
    with TestClient(create_app(Settings())) as client:
        response = client.get("/livez")

    assert (200, {"status": "alive"}) == (response.status_code, response.json())


def test_factory_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """``create_app()`` refuses to start on a setting nobody knows."""
    monkeypatch.setenv("RETICENT_SERVICE_TABEL", "surfaces.yaml")

    with pytest.raises(ConfigurationError, match="Did you mean 'RETICENT_SERVICE_TABLE'"):
        create_app()


def test_openapi_describes_every_path() -> None:
    """Each path the application serves is in its OpenAPI document, the data path too, and each says how it can fail."""
    app = create_app(Settings())
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    assert PATHS == set(paths)
    open_to_all = {"/livez", "/readyz"}
    for path in paths.keys() - open_to_all:
        assert all("401" in operation["responses"] for operation in paths[path].values()), path
