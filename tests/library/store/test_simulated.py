"""Against a provider that enforces its rules: what is restored is accepted, what the client has is not."""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.library.store.worker import Worker
from tests.simulator.dialects import RENDERERS
from tests.simulator.provider import Provider
from tests.simulator.providers import Refused
from tests.simulator.runs import Call, Results, Run, Turn, conversations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reticent.store import Keyset, Tasks

PROFILES = {
    "anthropic-messages": "anthropic-prefix-bound",
    "openai-responses": "openai-responses",
    "openai-chat": "deepseek-v4",
    "gemini": "gemini-3.5",
    "bedrock-converse": "anthropic-prefix-bound",
}
MODELS = {
    "anthropic-messages": "claude-opus-5-1",
    "openai-responses": "gpt-5.5",
    "openai-chat": "deepseek-v4",
    "gemini": "gemini-3.5-flash",
    "bedrock-converse": "us.anthropic.claude-opus-5-1-v1:0",
}
STEPS = {"anthropic-messages": 50}
"""Steps of a long task; in the other dialects a dozen, because nothing in the store depends on the dialect."""
numbers = itertools.count()


def step(number: int) -> tuple[Turn, Results]:
    """One step of a tool loop: a thought, and one or two calls with their results."""
    calls = tuple(Call(f"call_{number}_{at}", "get_order", f'{{"n":{number}}}') for at in range(1 + number % 2))
    turn = Turn("t", reasoning=f"thought{number} PRIVATE", text="" if number % 3 else "Still at it.", calls=calls)
    return turn, Results("t", tuple((call, f"result {number}") for call in calls))


@pytest.fixture(params=["sqlite", "postgresql", "redis"])
def workers(
    request: pytest.FixtureRequest, new_url: Callable[[str], str], tmp_path: Path, keys: Keyset
) -> Iterator[tuple[Worker, Worker]]:
    """Give two processes with one store."""
    keys.save(tmp_path / "keys.json")
    url = new_url(request.param)
    with ExitStack() as stack:
        one = stack.enter_context(Worker(url, tmp_path / "keys.json"))
        yield one, stack.enter_context(Worker(url, tmp_path / "keys.json"))


@pytest.mark.parametrize("workers", ["postgresql"], indirect=True)
def test_two_processes_carry_long_tasks(workers: tuple[Worker, Worker]) -> None:
    """Long tasks alternate between two processes, and the provider accepts each request, in every dialect."""
    for dialect, profile in PROFILES.items():
        provider = Provider(dialect, profile)
        shown: list[Any] = [provider.renderer.user("Where is order 7?")]
        for number in range(STEPS.get(dialect, 12)):
            worker = workers[number % 2]
            sent = worker("restore", dialect, shown) if number else shown
            turn, results = step(number)
            entries = provider.answer(sent, turn)
            shown += workers[(number + 1) % 2]("hold", dialect, entries)
            shown += provider.renderer.results(results)
        sent = workers[0]("restore", dialect, shown)
        provider.answer(sent, Turn("t", text="It is here."))
        assert "PRIVATE" not in str(shown)
        assert STEPS.get(dialect, 12) == str(sent).count("PRIVATE")


@pytest.mark.parametrize("workers", ["redis"], indirect=True)
def test_two_processes_share_a_task(workers: tuple[Worker, Worker]) -> None:
    """What one process held, another restores."""
    provider = Provider("anthropic-messages", "anthropic-prefix-bound")
    shown: list[Any] = [provider.renderer.user("Where is order 7?")]
    for number in range(3):
        turn, results = step(number)
        sent = workers[1]("restore", "t", shown) if number else shown
        shown += workers[0]("hold", "t", provider.answer(sent, turn)) + provider.renderer.results(results)

    provider.answer(workers[1]("restore", "t", shown), Turn("t", text="It is here."))


# Responses take items without the ids that pair them with reasoning; the answers get worse, and nobody says so.
@pytest.mark.parametrize("dialect", [name for name in PROFILES if name != "openai-responses"])
def test_what_the_client_has_is_refused(dialect: str, local: Tasks) -> None:
    """The simulator does enforce its rules: the history without reasoning is refused where reasoning is owed."""
    provider = Provider(dialect, PROFILES[dialect])
    asked = provider.renderer.user("Where is order 7?")
    turn, results = step(2)
    entries = provider.answer([asked], turn)
    shown = [asked, *local.hold("t", entries), *provider.renderer.results(results)]

    with pytest.raises(Refused):
        provider.answer(shown, Turn("t", text="It is here."))
    provider.answer(local.restore("t", shown), Turn("t", text="It is here."))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(run=conversations(max_tasks=2), dialect=st.sampled_from(sorted(RENDERERS)), told=st.booleans())
def test_every_history_comes_back(run: Run, dialect: str, told: bool, local: Tasks) -> None:
    """Whatever was said, each request of a whole conversation is restored to what the provider issued."""
    renderer = RENDERERS[dialect](dialect=dialect)
    task, shown, held = f"task-{next(numbers)}", list[Any](), False
    for event in run.events:
        before = len(renderer.entries)
        if isinstance(event, Turn):
            sent = local.restore(task, shown) if held else shown
            assert renderer.entries == sent
            renderer.add(event)
            request = {"messages": shown} if told else None
            shown += local.hold(task, renderer.entries[before:], model=MODELS[dialect], request=request)
            held = True
        else:
            renderer.add(event)
            shown += renderer.entries[before:]
    assert not held or renderer.entries == local.restore(task, shown)
    assert "PRIVATE" not in str(shown)
