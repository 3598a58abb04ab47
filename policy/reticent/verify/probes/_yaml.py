"""A configuration file of somebody else, as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from reticent.verify.probing import NotHeld

MAX_BYTES: Final = 4_000_000


def read_yaml(path: Path) -> Any:
    """What a YAML or JSON file says.

    Raises:
        NotHeld: it cannot be read.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        if path.stat().st_size > MAX_BYTES:
            raise NotHeld("unreadable", f"longer than {MAX_BYTES} bytes")
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8-sig"))
    except (OSError, YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise NotHeld("unreadable", type(error).__name__) from None
