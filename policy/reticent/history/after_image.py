"""What a provider's rewrite did to live entries: the boundary is the specification it is checked against."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Touched:
    """One live entry that a provider's rewrite removed or altered."""

    position: int
    how: str

    def to_json(self) -> dict[str, Any]:
        """Both."""
        return {"position": self.position, "how": self.how}


def touched(before: Sequence[Any], after: Sequence[Any], *, boundary: int) -> tuple[Touched, ...]:
    """Which live entries of ``before`` a provider's after-image no longer holds as they were.

    Live entries are looked for in order from the end, since whatever stands in for settled ones comes first.
    """
    images = [_image(entry) for entry in after]
    found: list[Touched] = []
    at = len(images)
    for position in range(len(before) - 1, boundary - 1, -1):
        image = _image(before[position])
        if at > 0 and images[at - 1] == image:
            at -= 1
            continue
        altered = at > 0 and len(before) - position <= len(after)
        found.append(Touched(position, "altered" if altered else "removed"))
        at -= 1 if altered else 0
    return tuple(reversed(found))


def _image(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
