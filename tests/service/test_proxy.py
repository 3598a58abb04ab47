"""Whole conversations through the proxy: the provider accepts every request, and the client never saw a thought."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.proxying import Place, proxying
from tests.service.talking import TALKERS, Talker
from tests.simulator.upstream import Upstream


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where store and keys are."""
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="module")
def place(folder: Path) -> Iterator[Place]:
    """One proxy for all tests of this file."""
    with proxying(folder, Upstream(steps=4, chunk=97)) as running:
        yield running


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("talker", TALKERS)
def test_a_client_that_saw_no_reasoning_goes_on(place: Place, folder: Path, talker: type[Talker], stream: bool) -> None:
    """A task with parallel calls ends, and neither the client nor the store's files have a word of the reasoning."""
    upstream = place.upstream
    with talker(place.url) as talk:
        assert upstream.steps + 1 == talk.talk(stream=stream)
        assert [] == upstream.refused
        assert [] == [word for word in upstream.secrets if word.encode() in talk.client.seen]
        assert 1 == len(talk.tasks)
    stored = b"".join(path.read_bytes() for path in folder.iterdir())
    assert [] == [word for word in upstream.secrets if word.encode() in stored]
    assert len(upstream.secrets) > upstream.steps
