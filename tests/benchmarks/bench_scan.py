"""What a scan costs, in MB/s of one core, beside what people search logs with.

``grep -c thinking`` tells which lines have the word, ``zcat | jq`` parses and looks at two paths; neither finds what a
scan finds. Each is timed in processor seconds of itself and its children, best of two, in one run on the same files.
"""

from __future__ import annotations

import gzip
import json
import resource
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import reticent
from reticent.scan import Scan, Settings, scan, settings_of

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 64_000_000
ROUNDS = 2
LOOK = 'select(.content[]?.type == "thinking" or .reasoning_content != null) | .id'


def message(number: int, *, thinks: bool) -> dict[str, Any]:
    """One response of about a kilobyte."""
    text = {"type": "text", "text": f"Your refund {number} is on its way. " * 12}
    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "lookup", "input": {"order": f"A-{number}"}}
    block = {"type": "thinking", "thinking": "Third refund this month. " * 12, "signature": "c2ln" * 20}
    content = [block, text, call] if thinks else [text, call]
    usage = {"input_tokens": number, "output_tokens": 44}
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": content, "usage": usage}


def filled(path: Path, line: Callable[[int], str]) -> None:
    """Write lines until the file has ``SIZE`` bytes."""
    with path.open("w", encoding="utf-8") as out:
        number = size = 0
        while size < SIZE:
            size += out.write(line(number) + "\n")
            number += 1


def make(folder: Path) -> list[Path]:
    """The files that are looked through."""
    clean, dirty, log = folder / "clean.jsonl", folder / "one-in-ten.jsonl", folder / "app.log"
    filled(clean, lambda at: json.dumps(message(at, thinks=False)))
    filled(dirty, lambda at: json.dumps(message(at, thinks=at % 10 == 0)))
    filled(
        log, lambda at: f"2026-11-29T10:00:00Z INFO app.worker request id={at} path=/v1/refunds status=200 took=0.12"
    )
    packed = [folder / f"{path.name}.gz" for path in (clean, dirty)]
    for path in packed:
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes(), 6))
    return [clean, dirty, log, *packed]


def spent(work: Callable[[], object]) -> float:
    """Processor seconds of the best of a few rounds, children included."""
    best = float("inf")
    for _ in range(ROUNDS):
        before = _used()
        work()
        best = min(best, _used() - before)
    return best


def _used() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def look(wanted: Scan) -> None:
    """Scan, and throw what it tells away."""
    for _ in scan(wanted):
        pass


def shell(command: str) -> Callable[[], object]:
    """Run ``command`` and throw its output away."""
    return lambda: subprocess.run(["sh", "-c", command], stdout=subprocess.DEVNULL, check=False)  # noqa: S603, S607


def rivals(path: Path) -> list[tuple[str, str]]:
    """The commands to compare with."""
    cat = "zcat" if path.suffix == ".gz" else "cat"
    found = [("grep -c", f"{'z' if cat == 'zcat' else ''}grep -c thinking {path}")]
    if path.suffix != ".log" and shutil.which("jq"):
        found.append((f"{cat} | jq", f"{cat} {path} | jq -c '{LOOK}'"))
    return found


def main() -> None:
    """Print the table."""
    settings: Settings = settings_of(reticent.load_plan(), "warehouse")
    print(f"{'file':22} {'what':12} {'MB/s':>8}  findings")
    with tempfile.TemporaryDirectory() as folder:
        for path in make(Path(folder)):
            size = len(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else path.stat().st_size
            wanted = Scan([str(path)], settings)
            count = sum(1 for _ in scan(wanted))
            rows = [("scan", spent(partial(look, wanted)))]
            rows += [(name, spent(shell(command))) for name, command in rivals(path)]
            for name, seconds in rows:
                told = f"  {count}" if name == "scan" else ""
                print(f"{path.name:22} {name:12} {size / 1e6 / max(seconds, 1e-3):8.0f}{told}")


if __name__ == "__main__":
    main()
