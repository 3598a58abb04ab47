"""Shortest paths along reported arrows."""

from __future__ import annotations

from reticent.compiler.paths import shortest_paths


def test_shortest_path_wins() -> None:
    """A direct arrow is taken before a detour."""
    paths = shortest_paths("a", [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")])

    assert ("a", "c", "d") == paths["d"]


def test_order_of_arrows_does_not_matter() -> None:
    """Among paths of one length the first by name is taken, however the arrows are listed."""
    arrows = [("a", "y"), ("a", "x"), ("x", "z"), ("y", "z")]

    assert ("a", "x", "z") == shortest_paths("a", arrows)["z"] == shortest_paths("a", reversed(arrows))["z"]


def test_circles_end() -> None:
    """Arrows in a circle, and from a node to itself, are walked once."""
    assert {"a", "b"} == set(shortest_paths("a", [("a", "b"), ("b", "a"), ("b", "b")]))


def test_start_is_reached_and_nothing_else_without_arrows() -> None:
    """The path to the start is the start."""
    assert {"a": ("a",)} == shortest_paths("a", [("b", "c")])
