"""Tables that ask for evidence, with evidence of every kind, and a second opinion on what it shows."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]

NOW = 1_000_000
_AGES = {"1h": 3600, "2d": 172_800}
_KEY = "ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

_statements = st.fixed_dictionaries(
    {
        "probe": st.sampled_from(["p", "p", "p", "q"]),
        "held": st.sampled_from([True, True, False]),
        "observed": st.sampled_from([NOW - 200_000, NOW - 5_000, NOW - 3_600, NOW - 10, NOW + 60, NOW + 61]),
        "since": st.just(0),
        "code": st.sampled_from(["held", "readable"]),
        "detail": st.just(""),
        "table": st.sampled_from(["t", "t", "t", "u"]),
        "signer": st.sampled_from(["ops", "ops", "stranger"]),
        "signature": st.sampled_from(["good", "good", "good", "broken", "unknown-signer"]),
    }
)


@st.composite
def evidenced(draw: st.DrawFn, tables: st.SearchStrategy[Json]) -> Json:
    """One of ``tables`` in which conditions ask for evidence, and statements about some of them."""
    table: Json = json.loads(json.dumps(draw(tables)))
    statements: list[Json] = []
    for surface, name, claim in conditions(table):
        if draw(st.booleans()):
            claim["evidence"] = {"probe": "p", "settings": {}, "max_age": draw(st.sampled_from(sorted(_AGES)))}
        said = draw(st.lists(_statements, max_size=2))
        statements += [{**one, "surface": surface, "condition": name} for one in said]
    table["signers"] = {"ops": {"key": _KEY, "owner": "o"}}
    table["evidence"] = {"now": NOW, "table": "t", "statements": statements}
    return table


def conditions(table: Json) -> list[tuple[str, str, Json]]:
    """Name every condition of a table."""
    return [(at, name, claim) for at, row in table["surfaces"].items() for name, claim in row["conditions"].items()]


def shown(table: Json, surface: str, name: str, moment: int = NOW) -> bool:
    """Say whether a condition holds, written down a second time and in another way than the rules do it."""
    wanted = table["surfaces"][surface]["conditions"][name].get("evidence")
    if wanted is None:
        return True
    best: dict[int, bool] = {}
    for said in table["evidence"]["statements"]:
        about = (said["surface"], said["condition"], said["probe"]) == (surface, name, wanted["probe"])
        trusted = (said["signature"], said["signer"], said["table"]) == ("good", "ops", "t")
        if about and trusted and said["observed"] <= NOW + 60:
            best[said["observed"]] = said["held"] and best.get(said["observed"], True)
    return bool(best) and best[max(best)] and moment < max(best) + _AGES[wanted["max_age"]]
