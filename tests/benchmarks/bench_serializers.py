"""What a strip surface costs, as ratios taken in one run: ``python tests/benchmarks/bench_serializers.py``.

The rows hold the figures with the native pass, where it is installed (``make native``), and those of Python alone.

Every figure is a multiple of one ``orjson.loads`` and ``dumps`` of the same bytes. Processor time is taken, candidates
take turns, and the fastest of many rounds counts, so that a neighbour on the machine disturbs the ratio little.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import payloads

import reticent
from reticent.serializers.serializer import StripSerializer

_ROUNDS = 15
_NEEDLE = b"CANARY-that-occurs-nowhere"
_REASONING_TYPES = ("thinking", "redacted_thinking", "reasoning")


def naive(value: Any) -> Any:
    """The filter that teams write first: a recursive copy without blocks of known types."""
    if isinstance(value, dict):
        return {key: naive(item) for key, item in value.items()}
    if isinstance(value, list):
        return [naive(item) for item in value if not (isinstance(item, dict) and item.get("type") in _REASONING_TYPES)]
    return value


def measure(candidates: dict[str, Callable[[], Any]], budget: float) -> dict[str, float]:
    """Seconds per call of each candidate: the fastest of rounds that take turns."""
    repeats = {name: max(1, int(budget / _once(call))) for name, call in candidates.items()}
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(_ROUNDS):
        for name, call in candidates.items():
            began = time.process_time()
            for _ in range(repeats[name]):
                call()
            best[name] = min(best[name], (time.process_time() - began) / repeats[name])
    return best


def _once(call: Callable[[], Any]) -> float:
    call()
    began = time.process_time()
    call()
    return max(time.process_time() - began, 1e-7)


def cases() -> dict[str, dict[str, Any]]:
    """What is measured, by name."""
    return {
        "1 KB": payloads.response(reasoning=False),
        "1 KB, 30 % reasoning": payloads.response(reasoning=True),
        "20 KB": payloads.history(20_000, reasoning=False),
        "20 KB, 30 % reasoning": payloads.history(20_000, reasoning=True),
        "400 KB": payloads.history(400_000, reasoning=False),
        "400 KB, 30 % reasoning": payloads.history(400_000, reasoning=True),
    }


def row(value: dict[str, Any], spelled: Callable[[Any], bytes]) -> tuple[int, dict[str, float]]:
    """Bytes of the payload, and every candidate as a multiple of the orjson round trip."""
    data = spelled(value)
    value = orjson.loads(data)
    plan = reticent.load_plan()
    strip, allow = plan.serializer("logs"), plan.serializer("request_memory")
    assert isinstance(strip, StripSerializer)
    python = StripSerializer("logs", replace(strip.program, _settler=(None,)))
    assert not any(kind.encode() in strip(data) for kind in ('"thinking"', '"signature"'))
    times = measure(
        {
            "orjson l+d": lambda: orjson.dumps(orjson.loads(data)),
            "search": lambda: _NEEDLE in data,
            "orjson dumps": lambda: orjson.dumps(value),
            "naive": lambda: orjson.dumps(naive(orjson.loads(data))),
            "pass": lambda: allow(data),
            "bytes": lambda: strip(data),
            "value": lambda: strip.value(value),
            "value to bytes": lambda: strip(value),
            "Python: bytes": lambda: python(data),
            "Python: value": lambda: python.value(value),
            "Python: to bytes": lambda: python(value),
        },
        budget=0.004,
    )
    floor = times["orjson l+d"]
    return len(data), {name: seconds / floor for name, seconds in times.items()}


def main() -> None:
    """Print one table per spelling."""
    logging.disable(logging.CRITICAL)
    spellings: dict[str, Callable[[Any], bytes]] = {
        "compact": orjson.dumps,
        "json.dumps": lambda value: json.dumps(value).encode(),
    }
    for title, spelled in spellings.items():
        sys.stdout.write(f"\n{title}: multiples of orjson loads + dumps\n")
        for at, (name, value) in enumerate(cases().items()):
            length, ratios = row(value, spelled)
            if at == 0:
                sys.stdout.write(f"{'':24}{'bytes':>8}" + "".join(f"{label:>17}" for label in ratios) + "\n")
            sys.stdout.write(f"{name:24}{length:>8}" + "".join(f"{ratio:>17.3f}" for ratio in ratios.values()) + "\n")


if __name__ == "__main__":
    main()
