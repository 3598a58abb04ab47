"""The default engine: the rules as WebAssembly, made by OPA's own compiler, run in this process.

No server, no binary and no network. The module needs no function of its host but memory, so nothing of Python can
change an answer.
"""

from __future__ import annotations

import hashlib
import os
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from reticent.compiler._json import is_list
from reticent.compiler.engine import ENTRYPOINTS, Answer, Document
from reticent.errors import EngineAnswerInvalid, EngineUnavailable

if TYPE_CHECKING:
    from opapywasm import OpaWasmPolicy

MODULE = Path(__file__).with_name("policy.wasm")
STAMP = Path(__file__).with_name("policy.json")

MAX_BYTES = 8_000_000
"""The longest table, as JSON, that the module is given."""

TIMEOUT_SECONDS = 30.0


def stamp() -> dict[str, str]:
    """What the shipped module was made from: ``opa`` (version), ``sources`` and ``module`` (digests).

    Raises:
        EngineUnavailable: the installation is without it.
    """
    try:
        return dict(orjson.loads(STAMP.read_bytes()))
    except (OSError, ValueError) as error:
        msg = "the embedded engine's stamp is missing or broken"
        raise EngineUnavailable(msg) from error


class EmbeddedEngine:
    """Runs the shipped module. Safe to share between threads; compiling it takes a moment, once in a process."""

    name = "embedded"

    def __init__(self, module: Path = MODULE) -> None:
        """Take the module at ``module``; it is read and compiled at the first question."""
        self._path = module
        self._lock = threading.Lock()
        self._policy: OpaWasmPolicy | None = None
        self._process = 0

    @property
    def policy_digest(self) -> str:
        """The digest of the rules that the module was built from."""
        return stamp()["sources"]

    def decide(self, document: Document) -> Answer:
        """Both answers for one table.

        Raises:
            EngineUnavailable: the module cannot be loaded, or took too long.
            EngineAnswerInvalid: an entrypoint was undefined.
        """
        from opapywasm import OpaWasmError

        question = _asked(document)
        policy = self._loaded()
        try:
            return {
                name: _defined(policy.evaluate_raw(question, f"reticent/main/{name}"), name) for name in ENTRYPOINTS
            }
        except OpaWasmError as error:
            msg = f"the embedded engine failed: {type(error).__name__}"
            raise EngineUnavailable(msg) from error

    def _loaded(self) -> OpaWasmPolicy:
        with self._lock:
            if self._policy is None or self._process != os.getpid():
                # a forked process has none of the runtime's threads, so it loads the module for itself
                self._policy, self._process = _load(self._path), os.getpid()
            return self._policy


@lru_cache(maxsize=1)
def default_engine() -> EmbeddedEngine:
    """The one embedded engine of this process."""
    return EmbeddedEngine()


def _asked(document: Document) -> bytes:
    try:
        return orjson.dumps(document)
    except TypeError as error:
        msg = "the table has a value that has no JSON form"
        raise EngineUnavailable(msg) from error


def _load(path: Path) -> OpaWasmPolicy:
    from opapywasm import OpaWasmError, OpaWasmPolicy, PolicyConfig

    try:
        module = path.read_bytes()
    except OSError as error:
        msg = "the embedded engine's module is missing"
        raise EngineUnavailable(msg) from error
    if f"sha256:{hashlib.sha256(module).hexdigest()}" != stamp()["module"]:
        msg = "the embedded engine's module is not the one that was shipped"
        raise EngineUnavailable(msg)
    config = PolicyConfig(pool_size=2, max_input_bytes=MAX_BYTES, eval_timeout_seconds=TIMEOUT_SECONDS)
    try:
        return OpaWasmPolicy.from_wasm_bytes(module, config)
    except OpaWasmError as error:
        msg = f"the embedded engine's module cannot be loaded: {type(error).__name__}"
        raise EngineUnavailable(msg) from error


def _defined(results: Any, name: str) -> object:
    if not is_list(results) or len(results) != 1 or "result" not in results[0]:
        msg = f"the embedded engine left {name!r} undefined"
        raise EngineAnswerInvalid(msg)
    return results[0]["result"]
