"""A table with one condition, for one probe."""

from __future__ import annotations

from typing import Any

from tests.evidence import KEY

from reticent.surfaces import SurfaceTable
from reticent.verify import state


def one_condition(probe: str, settings: dict[str, Any], **more: Any) -> SurfaceTable:
    """Describe a store with one condition that ``probe`` has to show."""
    return SurfaceTable.model_validate(
        {
            "version": 1,
            "places": {"support": {"kind": "person"}},
            "signers": {"ops": {"key": KEY.public, "owner": "platform"}},
            "surfaces": {
                "task_store": {
                    "verdict": "pass",
                    "holds": {"kind": "store", "lifetime": "task"},
                    "flows": ["support"],
                    "conditions": {
                        "sealed": {
                            "cuts": ["support"],
                            "evidence": {"probe": probe, "settings": settings, "max_age": "1h", **more},
                        }
                    },
                    "owner": "agents",
                    "why": "another worker goes on",
                }
            },
        }
    )


def code(probe: str, settings: dict[str, Any]) -> str:
    """Look once, and tell the code of what was found."""
    return state(one_condition(probe, settings))[0].code
