"""The adversarial transcripts: boundary, confidence, anomalies, open calls, sparse entries and stripped result."""

from __future__ import annotations

import pytest
from tests.simulator.transcripts import Transcript, load_transcripts

from reticent.history import AnomalyCode, recognise

TRANSCRIPTS = load_transcripts()


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript.id)
def test_transcript_is_answered_as_expected(transcript: Transcript) -> None:
    """Each trap is seen, and settled reasoning goes from exactly the settled entries."""
    assert [] == transcript.faults(), transcript.why


@pytest.mark.parametrize(
    "transcript", [t for t in TRANSCRIPTS if t.id.startswith("ADV")], ids=lambda transcript: transcript.id
)
def test_dialect_is_recognised(transcript: Transcript) -> None:
    """The entries alone show which wire format they are in."""
    assert transcript.dialect == recognise(transcript.entries)


def test_no_transcript_is_lost() -> None:
    """There are 27 adversarial transcripts, and every id is given once."""
    ids = [transcript.id for transcript in TRANSCRIPTS]
    assert 27 == sum(name.startswith("ADV") for name in ids)
    assert len(ids) == len(set(ids))


def test_every_anomaly_has_a_transcript() -> None:
    """A code that no transcript shows could be lost without notice."""
    shown = {code for transcript in TRANSCRIPTS for code in transcript.expect["anomalies"]}
    assert {code.value for code in AnomalyCode} == shown
