"""Who may do what, decided by the rules in ``rego/reticent_access`` when callers or plan change, never per request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import orjson

from reticent.errors import ConfigurationError, EngineAnswerInvalid, EngineUnavailable

if TYPE_CHECKING:
    from datetime import date

    from opapywasm import OpaWasmPolicy

    from reticent.compiler import Plan
    from reticent.compiler.opa_server import OpaServer
    from reticent_service.callers import Callers

MODULE: Final = Path(__file__).with_name("access.wasm")
SURFACE_VERBS: Final = frozenset({"read", "filter", "reasoning", "break-glass", "approve"})
SERVICE_VERBS: Final = frozenset({"plan", "propose", "history", "metrics", "tasks", "restore"})

_REASONING: Final = ("text", "summary", "opaque")
_Document = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Grants:
    """What one caller may do: verbs of the service, and for each surface its verbs."""

    service: frozenset[str]
    surfaces: Mapping[str, frozenset[str]]

    def allows(self, verb: str, surface: str | None = None) -> bool:
        """Whether the caller may; what is not granted is denied."""
        return verb in (self.service if surface is None else self.surfaces.get(surface, frozenset()))


NOTHING: Final = Grants(frozenset(), {})


class AccessEngine(Protocol):
    """Answers both entrypoints of package ``reticent_access``."""

    def decide(self, document: _Document) -> Mapping[str, object]:
        """``{"grants": …, "faults": …}``, not yet checked.

        Raises:
            EngineUnavailable: it could not be asked.
        """
        ...


def decide_access(engine: AccessEngine, callers: Callers, plan: Plan, today: date) -> Mapping[str, Grants]:
    """The grants of every caller.

    Raises:
        ConfigurationError: the callers file grants a verb or names a surface that does not exist.
        EngineError: the engine gave no usable answer.
    """
    document = {
        "today": today.isoformat(),
        "callers": callers.granted,
        "surfaces": {name: {"reasoning": _shows_reasoning(plan, name)} for name in plan.surfaces},
    }
    answer = engine.decide(document)
    faults = _list(answer.get("faults"))
    if faults:
        told = sorted(f"{fault['caller']}: {fault['code']} {fault['name']!r}" for fault in faults)
        raise ConfigurationError(f"the callers file: {'; '.join(told)}")
    grants = answer.get("grants")
    if not isinstance(grants, dict) or set(grants) != set(callers.granted):
        raise EngineAnswerInvalid("the engine left out what some callers may do")
    return {name: _grants(told, plan) for name, told in grants.items()}


def access_engine(server: OpaServer | None) -> AccessEngine:
    """An OPA server, or the rules in this process."""
    return EmbeddedAccess() if server is None else ServerAccess(server)


class EmbeddedAccess:
    """The rules as WebAssembly, in this process."""

    def decide(self, document: _Document) -> Mapping[str, object]:
        """Both answers; see ``AccessEngine``."""
        from opapywasm import OpaWasmError

        question = orjson.dumps(document)
        try:
            return {name: _result(_module().evaluate_raw(question, f"reticent_access/{name}")) for name in _ENTRYPOINTS}
        except (OpaWasmError, OSError) as error:
            raise EngineUnavailable(f"the rules about callers cannot be run ({type(error).__name__})") from None


class ServerAccess:
    """The rules on an OPA server, loaded there with those about tables."""

    def __init__(self, server: OpaServer) -> None:
        """Ask the server."""
        self._server = server

    def decide(self, document: _Document) -> Mapping[str, object]:
        """Both answers; see ``AccessEngine``."""
        return self._server.query("reticent_access", document, _ENTRYPOINTS)


_ENTRYPOINTS: Final = ("grants", "faults")


@lru_cache(maxsize=1)
def _module() -> OpaWasmPolicy:
    from opapywasm import OpaWasmPolicy, PolicyConfig

    return OpaWasmPolicy.from_wasm_bytes(MODULE.read_bytes(), PolicyConfig(pool_size=1))


def _result(results: object) -> object:
    if not isinstance(results, list) or len(results) != 1 or "result" not in results[0]:
        raise EngineAnswerInvalid("the rules about callers left something undefined")
    return cast("object", results[0]["result"])


def _shows_reasoning(plan: Plan, name: str) -> bool:
    classes = plan.decision(name).classes
    return any(classes[item] == "pass" for item in _REASONING)


def _grants(told: object, plan: Plan) -> Grants:
    if not isinstance(told, dict) or not isinstance(told.get("surfaces"), dict):
        raise EngineAnswerInvalid("the engine's answer about a caller is not what it should be")
    surfaces = {name: _words(verbs, SURFACE_VERBS) for name, verbs in told["surfaces"].items()}
    if not surfaces.keys() <= set(plan.surfaces):
        raise EngineAnswerInvalid("the engine granted a surface that the plan does not have")
    return Grants(_words(told.get("service"), SERVICE_VERBS), surfaces)


def _words(told: object, known: frozenset[str]) -> frozenset[str]:
    words = frozenset(map(str, _list(told)))
    if not words <= known:
        raise EngineAnswerInvalid("the engine granted a verb that nobody knows")
    return words


def _list(told: object) -> list[Any]:
    if not isinstance(told, list):
        raise EngineAnswerInvalid("the engine's answer about callers has a hole")
    return told
