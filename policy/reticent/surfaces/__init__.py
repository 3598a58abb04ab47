"""The surface table: what it may say, how it is read, and the one that ships with reticent.

``SurfaceTable`` is the model, :func:`load_table` reads YAML into it and reports every fault at once,
:func:`templates` lists documented rows for exits that teams forget.
"""

from __future__ import annotations

from reticent.surfaces.exits import Template, templates
from reticent.surfaces.load import TableReading, load_table, read_table
from reticent.surfaces.table import (
    BlockName,
    Condition,
    Holding,
    Limits,
    Place,
    ReasoningName,
    SignedException,
    Signer,
    Surface,
    SurfaceTable,
    Vocabulary,
    WantedEvidence,
)

__all__ = [
    "BlockName",
    "Condition",
    "Holding",
    "Limits",
    "Place",
    "ReasoningName",
    "SignedException",
    "Signer",
    "Surface",
    "SurfaceTable",
    "TableReading",
    "Template",
    "Vocabulary",
    "WantedEvidence",
    "load_table",
    "read_table",
    "templates",
]
