"""Every fault of a table as a value, and the forms in which editors and CI want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reticent.compiler.compiling import compile_reading, trusted_evidence

if TYPE_CHECKING:
    from reticent.compiler.compiling import EvidenceSource
    from reticent.compiler.decision import Condition
    from reticent.compiler.engine import Engine
    from reticent.compiler.plan import Plan
    from reticent.errors import Fault

RULES: Mapping[str, str] = {
    "not-yaml": "The file cannot be read as YAML.",
    "too-large": "The table is too large, or refers to itself.",
    "duplicate-key": "A key stands twice in one mapping.",
    "missing-key": "A fact that a verdict rests on is left out.",
    "unknown-key": "A key that tables do not have.",
    "unknown-word": "A word that has no meaning where it stands.",
    "unknown-name": "A surface or place that nobody declared.",
    "wrong-shape": "A value of the wrong type.",
    "wrong-name": "A name that cannot be used.",
    "wrong-age": "An age that is not a whole number and a unit.",
    "wrong-date": "A date that is not year, month and day.",
    "cut-without-flow": "A condition cuts an arrow that its row does not draw.",
    "idle-condition": "A condition cuts nothing and bounds nothing.",
    "name-clash": "One name for a surface and for a place.",
    "producer-unclear": "It is not clear which one system is the producer.",
    "verdict-disagrees": "A row says one verdict and the proof says the other.",
    "derived-disagrees": "A row that passes everything asks for derived text to be stripped.",
    "condition-not-shown": "A condition asks for evidence and is not shown to hold.",
    "exception-expired": "A signed exception has ended.",
}
"""Every code that a check can report, with one sentence."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """``faults`` make a table unusable; ``warnings`` do not. ``plan`` is None exactly when there are faults."""

    file: str
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    plan: Plan | None

    @property
    def clean(self) -> bool:
        """True when the table can be used."""
        return not self.faults


def check_table(
    source: str | Path | None = None,
    *,
    engine: Engine | None = None,
    today: date | None = None,
    evidence: EvidenceSource = (),
) -> CheckReport:
    """Validate and prove the table at ``source`` (default: the one that ships).

    Conditions that ask for evidence and are not shown to hold by ``evidence`` are warnings.

    Raises:
        ConfigurationError: the file or the evidence cannot be read.
        EngineError: the engine gave no usable answer.
    """
    from reticent.surfaces import read_table

    return check_reading(read_table(source), engine=engine, today=today, evidence=evidence)


def check_text(
    text: str, file: str = "table", *, engine: Engine | None = None, today: date | None = None
) -> CheckReport:
    """The same for YAML that is already in memory; ``file`` is used in messages."""
    from reticent.surfaces.load import read_text

    return check_reading(read_text(text, file), engine=engine, today=today)


def check_reading(
    reading: Any, *, engine: Engine | None = None, today: date | None = None, evidence: EvidenceSource = ()
) -> CheckReport:
    """The same for a table that was read with ``reticent.surfaces.read_table``."""
    day = today or date.today()  # noqa: DTZ011 - expiry is a civil date where the plan is used
    files = trusted_evidence(evidence, reading.table) if reading.table is not None else ()
    compilation = compile_reading(reading, engine, today=day, evidence=files)
    warnings = _expired(reading, day) if reading.table is not None else []
    if compilation.plan is not None:
        warnings += [_not_shown(reading, condition) for condition in compilation.plan.lost]
    return CheckReport(reading.positions.file, compilation.faults, tuple(warnings), compilation.plan)


def _not_shown(reading: Any, condition: Condition) -> Fault:
    from reticent.compiler.explain import evidence_text

    fault: Fault = reading.positions.fault(
        ("surfaces", condition.surface, "conditions", condition.name, "evidence"),
        "condition-not-shown",
        f"{condition.surface}.{condition.name} is taken not to hold: {evidence_text(condition)}",
        "run `reticent verify`, and repair what it finds",
    )
    return fault


def _expired(reading: Any, day: date) -> list[Fault]:
    return [
        reading.positions.fault(
            ("exceptions", index, "expires"),
            "exception-expired",
            f"the exception for {exception.surface} ended on {exception.expires}",
            "remove it, or have it signed again",
        )
        for index, exception in enumerate(reading.table.exceptions)
        if exception.expires <= day
    ]
