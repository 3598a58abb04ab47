"""``POST /v1/history/fold``: the prompt in one request, the fold in the next, and nothing kept between them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.service.serving import client as open_client
from tests.simulator.folds import TOOLS, work
from tests.simulator.summarisers import filled

from reticent.history.scratchpad import Scratchpad, from_json, to_json
from reticent.history.summaries import FOLD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

SOURCES = {"tools": {"get_order": {"kind": "external"}}, "identifiers": [r"\bORD-\d+\b"]}
MESSAGES = json.dumps(work())
REQUEST = f'{{"model": "claude-opus-4-5", "max_tokens": 1.50, "tools": {json.dumps(TOOLS)}, "messages": {MESSAGES}}}'


@pytest.fixture(scope="module", name="client")
def _client() -> Iterator[TestClient]:
    """The service with its default table."""
    with open_client() as found:
        yield found


def body(**members: Any) -> bytes:
    """A body whose request keeps its spelling."""
    rest = "".join(f', "{name}": {json.dumps(value)}' for name, value in {"sources": SOURCES, **members}.items())
    return f'{{"request": {REQUEST}{rest}}}'.encode()


def asked(client: TestClient, **query: Any) -> dict[str, Any]:
    """The first of the two requests."""
    response = client.post("/v1/history/fold", content=body(), params=query)
    assert 200 == response.status_code, response.text
    found: dict[str, Any] = response.json()
    return found


def test_two_requests_make_a_fold(client: TestClient) -> None:
    """The first gives the prompt and its range; the second the request, else byte for byte, and the facts."""
    wanted = asked(client)
    assert "summary-wanted" == wanted["status"]
    assert "## Request and intent\n" in wanted["prompt"]
    summary = {"text": filled("done as asked", FOLD), "handle": wanted["handle"]}
    response = client.post("/v1/history/fold", content=body(summary=summary))
    answer = response.json()
    assert ("folded", 6) == (answer["status"], answer["report"]["results"])
    assert b'"request":{"model": "claude-opus-4-5", "max_tokens": 1.50, "tools": ' in response.content
    assert work()[-9:] == answer["request"]["messages"][-9:]
    pad = from_json(answer["scratchpad"])
    assert (("ORD-4921",), 1) == (pad.literals, len(pad.notes))


def test_a_summary_for_another_range_is_refused(client: TestClient) -> None:
    """The history moved on between the two requests: both come back as they were, and the reason is a word."""
    summary = {"text": filled("x", FOLD), "handle": "sha256:0"}
    answer = client.post("/v1/history/fold", content=body(summary=summary)).json()
    assert ("refused", "range-changed") == (answer["status"], answer["report"]["reason"])
    assert work() == answer["request"]["messages"]
    assert to_json(Scratchpad()) == {**answer["scratchpad"], "facts": (), "attempts": (), "notes": ()}


@pytest.mark.parametrize(
    ("summary", "reason"),
    [
        ({"text": " "}, "summary-blank"),
        ({"text": "CANARY"}, "sections-missing"),
        ({"text": filled("x", FOLD), "stop": "continue"}, "summary-cut-off"),
        ({"text": filled("x", FOLD), "stop": "tool"}, "summariser-called-a-tool"),
        ({"text": filled("x", FOLD), "stop": "refused"}, "summary-refused"),
        ({"text": filled("x" * 50_000, FOLD)}, "summary-not-shorter"),
    ],
)
def test_a_bad_summary_changes_nothing(client: TestClient, summary: dict[str, Any], reason: str) -> None:
    """The request comes back as it was; the answer names the fault by type."""
    given = {**summary, "handle": asked(client)["handle"]}
    response = client.post("/v1/history/fold", content=body(summary=given))
    answer = response.json()
    assert ("refused", reason, work()) == (answer["status"], answer["report"]["reason"], answer["request"]["messages"])
    assert "CANARY" not in response.text


def test_what_is_not_due_costs_no_prompt(client: TestClient) -> None:
    """Below the window nothing is asked for; with nothing behind the latest results there is nothing to fold."""
    assert ("not-due", "below-auto-threshold") == _word(asked(client, window=1_000_000))
    assert ("refused", "nothing-to-fold") == _word(asked(client, keep=50))


def _word(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["status"], answer["report"]["reason"]


def test_each_step_is_told_on_a_line(client: TestClient) -> None:
    """With ``accept: application/x-ndjson`` the steps come as they are done, and the answer is the last line."""
    summary = {"text": filled("x", FOLD), "handle": asked(client)["handle"]}
    headers = {"accept": "application/x-ndjson"}
    response = client.post("/v1/history/fold", content=body(summary=summary), headers=headers)
    lines = [json.loads(line) for line in response.text.splitlines()]
    steps = ["analysed", "facts-flushed", "attempts-flushed", "compacted", "reinjected"]
    assert steps == [line["step"] for line in lines[:-1]]
    assert "folded" == lines[-1]["status"]
    broken = client.post("/v1/history/fold", content=b'{"request": CANARY}', headers=headers)
    assert "urn:reticent:problem:malformed-input" == json.loads(broken.text)["type"]
    assert "CANARY" not in broken.text


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"[]", 422),
        (b"CANARY", 422),
        (b"{}", 422),
        (b'{"request": 7}', 400),
        (b'{"request": {"messages": []}, "CANARY": 1}', 400),
        (body(sources={"tools": {"a": {"kind": "CANARY"}}}), 400),
        (body(context={"nudges": "CANARY"}), 400),
        (body(scratchpad={"version": 9}), 400),
        (body(scratchpad={"version": 1, "facts": [{"key": "k", "literal": "CANARY"}]}), 422),
        (body(summary={"text": 7}), 400),
        (body(summary="CANARY"), 400),
    ],
)
def test_a_bad_body_is_a_problem(client: TestClient, content: bytes, status: int) -> None:
    """A body of the wrong form is refused as a problem document that quotes nothing of it."""
    response = client.post("/v1/history/fold", content=content)
    assert (status, "application/problem+json") == (response.status_code, response.headers["content-type"])
    assert "CANARY" not in response.text
