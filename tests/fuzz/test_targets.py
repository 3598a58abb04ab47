"""The fuzz targets hold on their seeds, and on a few hundred inputs made without a fuzzer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.fuzz.targets import FAMILIES, TARGETS, vectors

SEEDS = Path(__file__).parent / "seeds"


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    """No seed, former crashes among them, makes its target fail."""
    for seed in sorted((SEEDS / name).glob("*")):
        TARGETS[name](seed.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_random_inputs(name: str) -> None:
    """Nor do short random inputs, the same ones every time."""
    rng = random.Random(name)  # noqa: S311 - repeatable input, no secret
    for _ in range(30):
        length = rng.randrange(1, 60)
        TARGETS[name](
            bytes(rng.choice(b'{}[]":,\\ntk <') if rng.random() < 0.4 else rng.randrange(256) for _ in range(length))
        )


def test_every_seed_belongs_to_a_target() -> None:
    """Seeds are looked for under the name of their target."""
    assert {folder.name for folder in SEEDS.iterdir()} <= TARGETS.keys()


def test_families_have_vectors() -> None:
    """A family without a vector would fuzz nothing."""
    assert [family for family in FAMILIES if not vectors(family)] in ([], ["records"])
