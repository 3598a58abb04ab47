"""A gibibyte of one stream through a filter: ``python tests/fuzz/soak.py [MEBIBYTES]``.

Fails when the memory of the process at the end is more than 64 MiB above what it was after the first 64 MiB.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

MEBIBYTE = 1 << 20
ALLOWED = 64 * 1024
"""Growth of the largest resident set, in KiB."""


def main() -> int:
    """Run it and say how much memory it took."""
    root = Path(__file__).resolve().parents[2]
    sys.path[:0] = [str(root), str(root / "policy")]
    from tests.properties.event_streams import BY_NAME, Block

    import reticent

    words = tuple(f" word{number}" for number in range(2000))
    data = BY_NAME["anthropic"].encode([Block("reasoning", words, "sig"), Block("text", words)])
    stream = reticent.load_plan().stream("browser_stream", wire="sse")
    total, done, early = int(sys.argv[1]) * MEBIBYTE if len(sys.argv) > 1 else 1024 * MEBIBYTE, 0, 0
    began = time.perf_counter()
    while done < total:
        assert b"thinking" not in stream.feed(data)
        done += len(data)
        if not early and done > 64 * MEBIBYTE:
            early = _resident()
    grown = _resident() - early
    sys.stdout.write(f"{done >> 20} MiB in {time.perf_counter() - began:.0f} s; grown by {grown} KiB\n")
    return int(grown > ALLOWED)


def _resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
