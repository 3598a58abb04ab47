"""A real Chromium, and the review page of a real service."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from tests.service.exits import watched_run as watched_run  # noqa: PLC0414 - a fixture is found by its name
from tests.service.serving import TOKEN, serving, settings

from reticent_service.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Not for the session: while Playwright runs, no test of this process can run an event loop of its own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the Chromium that RETICENT_CHROMIUM or the PATH names."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright")
    found = os.environ.get("RETICENT_CHROMIUM") or shutil.which("chromium")
    if not found:
        pytest.skip("no Chromium: neither RETICENT_CHROMIUM nor the PATH has one")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Run the service on the table that ships."""
    with serving(create_app(settings())) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Give a function that opens a page; whatever the page logs or refuses to load fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def opened(path: str, **options: object) -> Page:
        context = browser.new_context(
            http_credentials={"username": "reviewer", "password": TOKEN},
            **options,  # type: ignore[arg-type]  # whatever a test asks for
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [] == complaints
