"""The review page in a real browser: every view, for everybody, in every size and light."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.service.serving import TOKEN

from reticent import surfaces

pytest.importorskip("playwright.sync_api", reason="no Playwright")

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Opens = Callable[..., Page]

VIEWS = ["/", "/surfaces/logs", "/surfaces/task_store", "/diff", "/lab"]


@pytest.mark.parametrize("path", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 320])
def test_view_is_accessible_and_fits(open_page: Opens, path: str, scheme: str, width: int) -> None:
    """No view breaks a rule of axe, and none is wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    # The checker is put into the page, which the page's own policy forbids.
    page = open_page(path, color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True)
    if path == "/lab":
        page.get_by_role("button", name="A message with signed thinking").click()
    told = axe.Axe().run(page)

    assert [] == [(item["id"], item["nodes"][0]["html"][:120]) for item in told.response["violations"]]
    assert width >= page.evaluate("document.documentElement.scrollWidth")


def test_table_is_the_landing_view(open_page: Opens) -> None:
    """The first page lists every surface with its verdict and path, and leads to each."""
    page = open_page("/")
    row = page.get_by_role("row").filter(has_text="log_aggregator")

    assert 8 + 1 == page.get_by_role("row").count()
    assert "strip" in row.inner_text()
    row.get_by_role("link", name="logs").click()
    assert "logs strip" == page.get_by_role("heading", level=1).inner_text()


def test_graph_lights_the_path(open_page: Opens) -> None:
    """The path that decides is lit, and arrows that a condition cuts are crossed out."""
    logs, store = open_page("/surfaces/logs"), open_page("/surfaces/task_store")

    assert 2 == logs.locator("polyline.lit").count()
    assert 0 == store.locator("polyline.lit").count()
    assert "excluded_from_warehouse cuts warehouse" in store.locator(".rests").inner_text()
    assert "decides" not in store.locator("figcaption").inner_text()
    assert "decides" in logs.locator("figcaption").inner_text()
    assert "excluded_from_warehouse" in store.locator("g.stop title").all_text_contents()
    logs.get_by_text("The same in words").click()
    assert "log_aggregator" in logs.locator("pre.words").inner_text()


def test_diff_names_who_is_reached(open_page: Opens) -> None:
    """A proposed table is compared with the plan in force, and what opens comes first."""
    text = Path(surfaces.__file__).with_name("default.yaml").read_text("utf-8")
    page = open_page("/diff")
    page.get_by_label("The proposed table").fill(
        text.replace("flows:   [support_agents]", "flows:   []").replace(
            "support_console:\n    verdict: strip", "support_console:\n    verdict: pass"
        )
    )
    page.get_by_role("button", name="Compare").click()

    assert "Something opens" == page.locator("#result").inner_text()
    assert "support_console" in page.locator("section.opens").inner_text()


def test_faults_of_a_proposed_table_have_places(open_page: Opens) -> None:
    """A table that cannot be used is answered with its faults and their lines."""
    page = open_page("/diff")
    page.get_by_label("The proposed table").fill("version: 1\nsurfaces: {x: {verdict: maybe}}")
    page.get_by_role("button", name="Compare").click()

    assert "2:" in page.locator(".faults").inner_text()


def test_lab_marks_what_went(open_page: Opens) -> None:
    """The lab shows a payload side by side: whole where it passes, struck out where it does not, with the rule."""
    page = open_page("/lab")
    page.get_by_label("JSON, an event stream").fill('{"reasoning_content":"secret thought","content":"Done."}')
    page.get_by_role("button", name="Show", exact=True).click()
    stripped, passed = page.locator("section.card").nth(4), page.locator("section.card").nth(0)

    assert "secret thought" in stripped.locator("del").inner_text()
    assert 0 == passed.locator("del").count()
    assert "reasoning_content" in stripped.locator(".removals").inner_text()


def test_lab_shows_markup_as_text(open_page: Opens) -> None:
    """What is pasted is shown and never run."""
    page = open_page("/lab")
    page.get_by_label("JSON, an event stream").fill("</textarea><script>document.title='run'</script><img src=x>")
    page.get_by_role("button", name="Show", exact=True).click()

    assert "Message lab · reticent" == page.title()
    assert 0 == page.locator("main img").count()


@pytest.mark.parametrize("path", VIEWS)
def test_view_needs_no_script(open_page: Opens, path: str) -> None:
    """Every view says what it has to say without JavaScript."""
    page = open_page(path, java_script_enabled=False)

    assert page.get_by_role("heading", level=1).inner_text()
    if path == "/lab":
        page.get_by_role("button", name="Text with inline tags").click()
        assert 8 == page.locator("section.card").count()


def test_keyboard_reaches_everything(open_page: Opens) -> None:
    """The first stop skips to the content, and each link and button can be reached and used with the keyboard."""
    page = open_page("/lab")
    page.keyboard.press("Tab")
    assert "Skip to content" == page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    stops = []
    for _ in range(8):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.tagName"))

    assert ["TEXTAREA", "BUTTON"] == stops[:2]


def test_counters_are_live(open_page: Opens) -> None:
    """The counters of the landing view move without a reload."""
    page = open_page("/")
    cell = page.locator('[data-counter="logs.removals"]')
    before = int(cell.inner_text())
    page.request.post(
        f"{page.url}v1/surfaces/logs/filter",
        data={"role": "assistant", "reasoning_content": "x", "content": "y"},
        headers={"authorization": f"Bearer {TOKEN}"},
    )
    page.wait_for_function(
        "([name, n]) => +document.querySelector(name).textContent > n", arg=['[data-counter="logs.removals"]', before]
    )

    assert before + 1 == int(cell.inner_text())
