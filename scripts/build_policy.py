"""Builds what the packages ship from ``rego/`` and from the table model; ``--check`` only compares.

    python scripts/build_policy.py [--check] [--opa PATH]

Makes ``table.schema.json`` and ``rego/schemas/surface_table.json`` from the model, ``policy.wasm`` and ``policy.json``
from the rules (with ``opa build``), ``access.wasm`` from those about callers of the service, and ``default_plan.json``
from the shipped table. OPA is looked for in
``--opa``, then ``RETICENT_OPA``, then ``PATH``, and must be the version in ``.opa-version``. Exit code 1 when
``--check`` finds a difference.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "policy"))

COMPILER = ROOT / "policy" / "reticent" / "compiler"
ENTRYPOINTS = ("reticent/main/plan", "reticent/main/errors")
SERVICE = ROOT / "service" / "reticent_service"
ACCESS_ENTRYPOINTS = ("reticent_access/grants", "reticent_access/faults")


def main() -> int:
    """Build, or compare, every artefact; the exit code."""
    arguments = _arguments()
    stale = [
        path for path, content in artefacts(_opa(arguments.opa)) if not _settle(path, content, check=arguments.check)
    ]
    for path in stale:
        print(f"not current: {path.relative_to(ROOT)} (run scripts/build_policy.py)", file=sys.stderr)
    return 1 if stale else 0


def artefacts(opa: str) -> Iterator[tuple[Path, bytes]]:
    """Each generated file and what it should hold; later ones may need earlier ones to be in place."""
    from reticent._resources import policy_digest, policy_sources
    from reticent.surfaces.schema import SCHEMA_FILE, engine_schema, schema_text, table_schema

    yield SCHEMA_FILE, schema_text(table_schema()).encode()
    yield ROOT / "rego" / "schemas" / "surface_table.json", schema_text(engine_schema()).encode()
    module = build_module(opa)
    stamp = {
        "module": f"sha256:{hashlib.sha256(module).hexdigest()}",
        "opa": opa_version(opa),
        "sources": policy_digest(policy_sources().values()),
    }
    yield COMPILER / "policy.wasm", module
    yield COMPILER / "policy.json", (json.dumps(stamp, indent=2, sort_keys=True) + "\n").encode()
    yield SERVICE / "access.wasm", build_module(opa, "reticent_access", ACCESS_ENTRYPOINTS)
    yield _default_plan()


def build_module(opa: str, package: str = "reticent", entrypoints: tuple[str, ...] = ENTRYPOINTS) -> bytes:
    """The WebAssembly that ``opa build`` makes of a package of rules; the same rules give the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle.tar.gz"
        wanted = [part for name in entrypoints for part in ("--entrypoint", name)]
        command = [
            opa,
            "build",
            "--target",
            "wasm",
            *wanted,
            "--ignore",
            "*_test.rego",
            "--output",
            str(bundle),
            package,
        ]
        subprocess.run(command, cwd=ROOT / "rego", check=True)  # noqa: S603 - the pinned OPA
        with tarfile.open(bundle) as archive:
            member = archive.extractfile("/policy.wasm")
            if member is None:
                msg = "opa build made no module"
                raise SystemExit(msg)
            return member.read()


def opa_version(opa: str) -> str:
    """The version that ``opa`` says it is; it must be the pinned one."""
    told = subprocess.run([opa, "version"], check=True, capture_output=True, text=True).stdout  # noqa: S603 - as above
    version = told.partition("\n")[0].removeprefix("Version:").strip()
    pinned = (ROOT / ".opa-version").read_text().strip()
    if version != pinned:
        msg = f"this is OPA {version}; .opa-version asks for {pinned}"
        raise SystemExit(msg)
    return version


def _default_plan() -> tuple[Path, bytes]:
    from reticent.compiler import DEFAULT_PLAN, compile_default

    compiled = _compiled_on(DEFAULT_PLAN) if DEFAULT_PLAN.exists() else date.today()  # noqa: DTZ011 - a civil date
    return DEFAULT_PLAN, compile_default(today=compiled)


def _compiled_on(plan: Path) -> date:
    return date.fromisoformat(json.loads(plan.read_bytes())["compiled"])


def _settle(path: Path, content: bytes, *, check: bool) -> bool:
    current = path.is_file() and path.read_bytes() == content
    if not current and not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        print(f"wrote {path.relative_to(ROOT)}")
    return current or not check


def _opa(given: str | None) -> str:
    found = given or os.environ.get("RETICENT_OPA") or shutil.which("opa")
    if not found:
        msg = "no opa; install it with: go install github.com/open-policy-agent/opa@v$(cat .opa-version)"
        raise SystemExit(msg)
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a file is not current")
    parser.add_argument("--opa", help="the OPA to use")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
