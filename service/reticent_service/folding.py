"""A fold over HTTP, in two requests: what to send to the model, and what its summary makes of the history.

The service calls no model. Whoever asks makes that call, with a client and a key of its own, so a summary is never
written under other rights than the task's. Nothing is kept between the two requests: the second one repeats the first
and names the range it was asked about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import orjson

from reticent.errors import ConfigurationError, MalformedInput

if TYPE_CHECKING:
    from reticent.history.document import Document
    from reticent.history.fold import FoldOutcome, Prepared
    from reticent.history.progress import Progress

MEMBERS = ("request", "scratchpad", "sources", "context", "summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldQuery:
    """What the query of a fold says."""

    keep: int | None = None
    window: int | None = None
    mode: str | None = None
    profile: str | None = None
    model: str | None = None
    dialect: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    document: Document
    members: Mapping[str, Any] = field(repr=False)


def folded(body: bytes, query: FoldQuery, *, progress: Progress) -> bytes:
    """The answer to one request, as JSON.

    Raises:
        MalformedInput: the body is no JSON object, or holds no request.
        ConfigurationError: a member is unknown or not what it should be.
        UnsourcedValue: a fact of the scratchpad names no source.
    """
    asked = _read(body)
    found = _prepared(asked, query, progress)
    summary = asked.members.get("summary")
    from reticent.history.fold import FoldOutcome

    if isinstance(found, FoldOutcome):
        return _outcome(asked.document, found)
    if summary is None:
        wanted = {"status": "summary-wanted", "handle": found.report.handle, "prompt": found.prompt}
        return orjson.dumps({**wanted, "report": found.report.to_json()})
    return _outcome(asked.document, _finished(found, summary, progress))


def _read(body: bytes) -> _Asked:
    from reticent.history.document import members_of, read_document

    members = members_of(body)
    for name in members:
        if name not in MEMBERS:
            raise ConfigurationError(f"a member is unknown; known: {', '.join(MEMBERS)}")
    if "request" not in members:
        raise MalformedInput("the body has no member 'request'")
    document = read_document(members["request"])
    if document.lines:
        raise ConfigurationError("'request' is a JSON array of entries or a request body")
    return _Asked(document=document, members={name: orjson.loads(data) for name, data in members.items()})


def _prepared(asked: _Asked, query: FoldQuery, progress: Progress) -> Prepared | FoldOutcome:
    from reticent.history.context_json import read_context
    from reticent.history.fold import Mode, prepare, request_of
    from reticent.history.fold.automatic import untouched
    from reticent.history.keeping import Keeping
    from reticent.history.scope import Scope
    from reticent.history.scratchpad import Scratchpad, from_json, read_sources

    members = asked.members
    pad = from_json(members["scratchpad"]) if members.get("scratchpad") else Scratchpad()
    sources = read_sources(members.get("sources") or {})
    request = request_of(asked.document)
    resting = untouched(request, pad, query.window)
    if resting is not None:
        return resting
    return prepare(
        request,
        pad,
        Keeping(sources=sources, scope=Scope(tenant=pad.tenant)),
        keep=query.keep,
        mode=None if query.mode is None else Mode(query.mode),
        progress=progress,
        profile=query.profile,
        model=query.model or asked.document.model,
        dialect=query.dialect,
        context=read_context(members.get("context") or {}),
    )


def _finished(found: Prepared, summary: object, progress: Progress) -> FoldOutcome:
    from reticent.history import Summary
    from reticent.history.entries import StopClass
    from reticent.history.fold import finish

    given = cast("Mapping[str, Any]", summary) if isinstance(summary, Mapping) else {}
    text, handle, stop = given.get("text"), given.get("handle"), given.get("stop", StopClass.NATURAL.value)
    if not isinstance(text, str) or not isinstance(handle, str) or stop not in set(StopClass):
        raise ConfigurationError("'summary' has a text, the handle it was asked for, and a stop word of ours")
    if handle != found.report.handle:
        return found.refused("range-changed", "the summary was written for another range")
    return asyncio.run(finish(found, Summary(text, StopClass(stop)), progress=progress))


def _outcome(document: Document, outcome: FoldOutcome) -> bytes:
    from reticent.history.scratchpad import to_json

    # The request is written between its neighbours as the bytes it is.
    parts = (
        b'{"status":' + orjson.dumps(outcome.report.status),
        b'"request":' + document.rewritten(outcome.changes),
        b'"scratchpad":' + orjson.dumps(to_json(outcome.pad)),
        b'"report":' + orjson.dumps(outcome.report.to_json()) + b"}",
    )
    return b",".join(parts)
