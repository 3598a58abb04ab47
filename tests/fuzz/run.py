"""Fuzzes one target, guided by coverage: ``python tests/fuzz/run.py TARGET [SECONDS]``; without a target, all in turn.

Needs atheris. New inputs that reach new code are kept in ``build/fuzz/TARGET``; what made a target fail is written
there as ``crash-…`` and belongs into ``tests/fuzz/seeds/TARGET`` once it is fixed.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEEDS = Path(__file__).parent / "seeds"
SECONDS = os.environ.get("FUZZ_SECONDS", "60")


def fuzz(name: str, seconds: str) -> None:
    """Fuzz one target in this process; it ends the process."""
    import atheris

    logging.getLogger("reticent").setLevel(logging.CRITICAL)  # refusals are what most inputs get
    sys.path[:0] = [str(ROOT), str(ROOT / "policy")]
    with atheris.instrument_imports(include=["reticent"]):
        from tests.fuzz.targets import TARGETS
    kept = ROOT / "build" / "fuzz" / name
    kept.mkdir(parents=True, exist_ok=True)
    seeds = SEEDS / name
    options = [f"-max_total_time={seconds}", "-timeout=20", "-max_len=4096", f"-artifact_prefix={kept}/"]
    folders = [str(kept), *([str(seeds)] if seeds.is_dir() else [])]
    atheris.Setup([sys.argv[0], *options, *folders], TARGETS[name])
    atheris.Fuzz()


def names() -> list[str]:
    """Every target."""
    sys.path[:0] = [str(ROOT), str(ROOT / "policy")]
    from tests.fuzz.targets import TARGETS

    return list(TARGETS)


def main() -> int:
    """Fuzz the target that is named, or each in a process of its own."""
    if len(sys.argv) > 1:
        fuzz(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else SECONDS)
    failed = [name for name in names() if _fuzz_apart(name)]
    sys.stdout.write(f"\nfailed: {', '.join(failed) or 'none'}\n")
    return bool(failed)


def _fuzz_apart(name: str) -> bool:
    sys.stdout.write(f"== {name}\n")
    sys.stdout.flush()
    done = subprocess.run([sys.executable, __file__, name, SECONDS], cwd=ROOT, check=False)  # noqa: S603 - ourselves
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
