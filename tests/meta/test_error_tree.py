"""The tree that ``reticent.errors`` draws is the tree of its classes."""

from __future__ import annotations

import inspect
import re

from reticent import errors

DRAWN = re.compile(r"^(?P<indent>[ │]*)(?:[├└]── )?(?P<name>[A-Z]\w+)(?:\s{2,}\S.*)?$")


def drawn() -> dict[str, str | None]:
    """Read the drawing: each class and the one it stands under."""
    parents: dict[str, str | None] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").partition("::\n")[2].splitlines():
        if match := DRAWN.match(line.removeprefix("    ")):
            depth = line.index(match["name"])
            above = [(column, name) for column, name in above if column < depth]
            parents[match["name"]] = above[-1][1] if above else None
            above.append((depth, match["name"]))
    return parents


def classes() -> dict[str, type[errors.ReticentError]]:
    """Every public error class of the module by name."""
    found = vars(errors).items()
    return {
        name: kind
        for name, kind in found
        if inspect.isclass(kind) and issubclass(kind, errors.ReticentError) and not name.startswith("_")
    }


def test_drawing_is_the_class_tree() -> None:
    """Each class is drawn once, under its nearest public base."""
    actual = {
        name: next((base.__name__ for base in kind.__mro__[1:] if base.__name__ in classes()), None)
        for name, kind in classes().items()
    }

    assert drawn() == actual


def test_codes_are_stable_words() -> None:
    """Each class has a kebab-case code of its own."""
    codes = {name: kind.code for name, kind in classes().items()}

    assert [] == [code for code in codes.values() if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)]
    assert len(codes) == len(set(codes.values()))
