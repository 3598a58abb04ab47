"""An OpenTelemetry Collector: attributes that hold reasoning are deleted in every pipeline.

The shape of the file: https://opentelemetry.io/docs/collector/configuration/ (read 2026-11-29).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import model_validator

from reticent.verify.probes._yaml import read_yaml
from reticent.verify.probing import NotHeld, Settings, ShippedProbe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from reticent.verify.probing import Probe


class CollectorSettings(Settings):
    """The file, and what each of its pipelines must do.

    ``deletes`` are attributes that a processor of the pipeline has to delete (the processors ``attributes`` with
    ``action: delete``, and ``redaction`` with a list of allowed keys). ``processors`` have to stand in each pipeline.
    ``exporters`` are the only ones that may. ``pipelines`` narrows it to some, by name or signal (``traces``).
    """

    path: Path
    deletes: tuple[str, ...] = ()
    processors: tuple[str, ...] = ()
    exporters: tuple[str, ...] = ()
    pipelines: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not (self.deletes or self.processors or self.exporters):
            msg = "say what pipelines must do"
            raise ValueError(msg)
        return self


def configured(settings: CollectorSettings) -> str:
    """Every pipeline does what it must."""
    config = read_yaml(settings.path)
    found = _mapping(_mapping(config, "service"), "pipelines")
    judged = {name: told for name, told in found.items() if _meant(str(name), settings.pipelines)}
    if not judged:
        raise NotHeld("not-found", "no such pipeline")
    for name, told in judged.items():
        _judge(str(name), told, config, settings)
    return f"{len(judged)} pipelines"


def _judge(name: str, told: Any, config: Any, settings: CollectorSettings) -> None:
    standing = _names(told, "processors")
    defined: dict[str, Any] = config.get("processors") or {}
    unknown = [one for one in standing if one not in defined]
    missing = [one for one in settings.processors if one not in standing]
    if unknown or missing:
        raise NotHeld("unprocessed", f"{name} lacks {', '.join([*missing, *unknown])}")
    kept = [key for key in settings.deletes if not any(_deletes(one, defined[one], key) for one in standing)]
    if kept:
        raise NotHeld("unprocessed", f"{name} keeps {', '.join(kept)}")
    more = [one for one in _names(told, "exporters") if settings.exporters and one not in settings.exporters]
    if more:
        raise NotHeld("exported", f"{name} exports to {', '.join(more)}")


def _deletes(name: str, told: Any, key: str) -> bool:
    """Whether a processor takes the attribute out of everything that comes by."""
    kind, facts = name.partition("/")[0], told if isinstance(told, dict) else {}
    if kind == "attributes":
        # With include or exclude it looks at some spans only.
        everything = "include" not in facts and "exclude" not in facts
        actions = facts.get("actions") or ()
        return everything and any(
            isinstance(one, dict) and one.get("action") == "delete" and one.get("key") == key for one in actions
        )
    if kind == "redaction":
        return facts.get("allow_all_keys") is not True and key not in (facts.get("allowed_keys") or ())
    return False


def _mapping(value: Any, key: str) -> dict[str, Any]:
    inner = value.get(key) if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        raise NotHeld("unreadable", f"no {key}")
    return inner


def _names(told: Any, key: str) -> list[str]:
    names = (told.get(key) or []) if isinstance(told, dict) else []
    return [str(name) for name in names] if isinstance(names, list) else []


def _meant(name: str, wanted: Iterable[str]) -> bool:
    chosen = tuple(wanted)
    return not chosen or name in chosen or name.partition("/")[0] in chosen


PROBES: Final[Mapping[str, Probe]] = {"otel-collector": ShippedProbe(CollectorSettings, configured)}
