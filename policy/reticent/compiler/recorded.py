"""An engine that gives answers from a file, for tests and for machines where no rules may run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from reticent.compiler._json import is_mapping
from reticent.errors import EngineAnswerInvalid, EngineUnavailable

if TYPE_CHECKING:
    from reticent.compiler.engine import Answer, Document, Engine


class RecordedEngine:
    """Answers what was once answered; a table that nobody recorded is refused, never guessed."""

    name = "recorded"

    def __init__(self, path: str | Path) -> None:
        """Read recordings from ``path``.

        Raises:
            EngineUnavailable: the file is missing or is no recording.
        """
        try:
            content = orjson.loads(Path(path).read_bytes())
            self._digest: str = content["policy_digest"]
            self._answers: Mapping[str, Any] = content["answers"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            msg = f"{path}: not a recording of an engine"
            raise EngineUnavailable(msg) from error

    @property
    def policy_digest(self) -> str:
        """The digest of the rules of the engine that was recorded."""
        return self._digest

    def decide(self, document: Document) -> Answer:
        """The recorded answer for exactly this table on exactly this day.

        Raises:
            EngineAnswerInvalid: there is none.
        """
        answer = self._answers.get(_key(document))
        if not is_mapping(answer):
            msg = "this table was not recorded"
            raise EngineAnswerInvalid(msg)
        return answer


def record(engine: Engine, documents: list[Document], path: str | Path) -> None:
    """Ask ``engine`` about each of ``documents`` and write the answers to ``path``."""
    answers = {_key(document): engine.decide(document) for document in documents}
    content = {"policy_digest": engine.policy_digest, "answers": answers}
    Path(path).write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


def _key(document: Document) -> str:
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()
