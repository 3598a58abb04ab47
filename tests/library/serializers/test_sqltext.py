"""Statements that a log quotes lose what carriers' columns hold; source code that builds statements loses nothing."""

from __future__ import annotations

import secrets

import pytest

import reticent

CANARY = f"CANARY-{secrets.token_hex(6)}"
UPPER = "INSERT INTO MESSAGES (ROLE, CONTENT, REASONING_CONTENT) VALUES "
TITLE = "Insert Into messages (role, content, Reasoning) Values "
INSERT = "INSERT INTO messages (role, content, reasoning) VALUES "
WRITTEN = {
    "a string": (f"{INSERT}('assistant', 'Hi', '{CANARY}');", f"{INSERT}('assistant', 'Hi', );"),
    "an escaped string": (f"{INSERT}('assistant', 'Hi', E'it''s {CANARY}')", f"{INSERT}('assistant', 'Hi', )"),
    "a dollar quote": (f"{INSERT}('assistant', 'Hi', $r${CANARY}$r$)", f"{INSERT}('assistant', 'Hi', )"),
    "a string in a call": (f"{INSERT}('assistant', 'Hi', to_json('{CANARY}'))", f"{INSERT}('assistant', 'Hi', )"),
    "a string that begins like a placeholder": (
        f"{INSERT}('assistant', 'Hi', '${{a}} {CANARY}')",
        f"{INSERT}('assistant', 'Hi', )",
    ),
    "names in capitals": (
        f"{UPPER}('a', 'Hi', '{CANARY}')",
        f"{UPPER}('a', 'Hi', )",
    ),
    "capitalised words": (
        f"{TITLE}('a', 'Hi', '{CANARY}')",
        f"{TITLE}('a', 'Hi', )",
    ),
    "a row of COPY, which has no quotes": (
        f"COPY messages (role, content, reasoning) FROM stdin;\na\tHi\t{CANARY}\n\\.\n",
        "COPY messages (role, content, reasoning) FROM stdin;\na\tHi\t\n\\.\n",
    ),
}
KEPT = (
    "await db.query(`" + INSERT + "(${role}, ${content}, ${turn.reasoning})`)",
    'execute(f"' + INSERT + '({role}, {content}, {turn.reasoning})")',
    INSERT + "(p_role, p_content, p_reasoning); END;",
    INSERT + "($1, $2, $3::text) ON CONFLICT DO NOTHING",
    "`" + INSERT + "('${role}', '${content}', '${turn.reasoning}')`",
    '"' + INSERT + "('$role', '$content', '$reasoning')\"",
    'f"' + INSERT + "('{role}', '{content}', '{reasoning}')\"",
    INSERT + "('%s', '%s', '%s')",
    INSERT + "('user', 'Hi', NULL), ('user', 'Hi', DEFAULT)",
    "INSERT INTO evaluations (id, score, reasoning) VALUES (1, 0.5, 'Both halves agree.')",
)


@pytest.mark.parametrize("name", WRITTEN)
def test_written_values_go(name: str) -> None:
    """A value that is written out goes, and the statement around it stays as it was."""
    text, expected = WRITTEN[name]

    assert reticent.load_plan().serializer("logs").text(text) == expected


@pytest.mark.parametrize("text", KEPT)
def test_statements_of_source_code_stay(text: str) -> None:
    """A placeholder, a variable, or a column of something that is no message is left as it is."""
    assert reticent.load_plan().serializer("logs").text(text) == text
