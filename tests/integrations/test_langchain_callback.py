"""LangChain: what callbacks of a model are told; this needs langchain-core alone, of any release that is taken."""

from __future__ import annotations

from uuid import uuid4

import pytest
from tests.integrations.langchain_models import Model, Recorder, Tags
from tests.integrations.reasoning import VISIBLE, clean

from reticent.errors import UnknownSurface
from reticent.integrations.langchain import ReticentCallback
from reticent.testing import canary


def test_an_unknown_surface_fails_at_start() -> None:
    """A callback for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentCallback("log", Recorder())


def test_an_answer_is_told_without_reasoning() -> None:
    """The request and the answer of a model reach another handler without reasoning."""
    secret = canary()
    inner = Recorder()
    Model(secret=secret, turns=1).invoke(
        [{"role": "assistant", "content": [{"type": "thinking", "thinking": secret, "signature": secret}]}],
        config={"callbacks": [ReticentCallback("logs", inner)]},
    )

    assert clean(repr(inner.told), secret)
    assert VISIBLE in repr(inner.told)


def test_tokens_of_one_run_are_one_stream() -> None:
    """A tag that is cut between tokens is found, and the text behind it arrives."""
    secret = canary()
    inner = Recorder()
    list(Tags(secret=secret).stream("hi", config={"callbacks": [ReticentCallback("browser_stream", inner)]}))

    assert clean(repr((inner.tokens, inner.told)), secret)
    assert VISIBLE in "".join(inner.tokens)


def test_errors_are_told_without_content() -> None:
    """An error that quotes an answer reaches the handler without it."""
    secret = canary()
    inner = Recorder()
    error = ValueError(f"bad answer: {{'type': 'thinking', 'thinking': '{secret}', 'signature': 'x'}}")
    ReticentCallback("logs", inner).on_llm_error(error, run_id=uuid4())

    assert clean(repr([str(one) for one in inner.told[0]]), secret)
