"""Write ``dialects/kinds.json`` from ``dialects/kinds.yaml``; with ``--check``, say whether it is current."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ruamel.yaml import YAML

FOLDER = Path(__file__).resolve().parent.parent / "policy" / "reticent" / "dialects"


def build() -> str:
    """The JSON text of the vocabulary."""
    document = YAML(typ="safe", pure=True).load(FOLDER / "kinds.yaml")
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the file, or compare it."""
    target = FOLDER / "kinds.json"
    if "--check" in sys.argv:
        current = target.exists() and target.read_text() == build()
        print("kinds.json is current" if current else "kinds.json is stale: run `make regenerate`")
        return 0 if current else 1
    target.write_text(build())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
