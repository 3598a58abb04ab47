"""Looks at the real things that a table's conditions speak of, and writes down what it found as signed evidence.

.. code-block:: python

    from reticent.evidence import SigningKey
    from reticent.surfaces import load_table
    from reticent.verify import verify

    evidence = verify(load_table("surfaces.yaml"), key=SigningKey.load("ops.pem"))

A probe that hangs, raises, lacks rights or meets a server it was not written for shows nothing: the condition is
stated not to hold, with the reason, and the other probes still run.
"""

from __future__ import annotations

from reticent.verify.looking import look
from reticent.verify.probing import Finding, NotHeld, Probe, find_probe, probe_names
from reticent.verify.verifying import state, verify
from reticent.verify.watching import next_look, watch, write_evidence

__all__ = [
    "Finding",
    "NotHeld",
    "Probe",
    "find_probe",
    "look",
    "next_look",
    "probe_names",
    "state",
    "verify",
    "watch",
    "write_evidence",
]
