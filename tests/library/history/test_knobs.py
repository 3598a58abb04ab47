"""Every threshold is checked when it is loaded; a bad one stops the start."""

from __future__ import annotations

from typing import Any

import pytest

from reticent.errors import ConfigurationError
from reticent.history.knobs import load_knobs


@pytest.mark.parametrize("name", ["scratchpad_squeeze_fraction", "auto", "soft", "hard", "warn", "result_share"])
@pytest.mark.parametrize("value", [0, -0.1, 1.1, float("nan"), float("inf"), -float("inf"), True, "0.5", None])
def test_a_bad_share_stops_the_start(name: str, value: Any) -> None:
    """R-KN-01, R-KN-02, R-KN-03: the message names the field, the value and the range."""
    with pytest.raises(ConfigurationError, match=f"^{name} must be a number above 0 and up to 1, not "):
        load_knobs({name: value})


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("compact_history_default_keep", 1),
        ("squeeze_generations", 1),
        ("stuck_after", 1),
        ("max_scratchpad_size", 0),
        ("auto_least_messages", 0),
        ("least_interval", 0),
    ],
)
def test_a_bad_count_stops_the_start(name: str, least: int) -> None:
    """R-KN-01, R-KN-02, R-KN-03: below its least value, no whole number, a boolean or a text."""
    assert least == getattr(load_knobs({name: least}), name)
    for value in (least - 1, 1.5, True, "2", float("nan")):
        with pytest.raises(ConfigurationError, match=f"^{name} must be a whole number of at least {least}, not "):
            load_knobs({name: value})


@pytest.mark.parametrize("name", ["hard", "auto"])
def test_the_soft_level_lies_below_the_others(name: str) -> None:
    """R-KN-03: thresholds are checked against one another, too."""
    with pytest.raises(ConfigurationError, match=f"must lie below {name}"):
        load_knobs({"soft": 0.8, name: 0.8})
