"""Run the tests of integrations against an earlier release of each library, in an environment of its own.

``python scripts/check_earlier_releases.py [NAME...]`` makes a throw-away environment for each integration (all of them
without NAME), installs what is named below, and runs its tests. It takes a few minutes and needs a package index, so
it is no part of ``make check``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EARLIER = {
    "langfuse": ["langfuse==5.0.4"],  # the later one: development is held at 4.15, see pyproject.toml
    "langsmith": ["langsmith==0.14.17"],
    "litellm": ["litellm==1.109.3"],
    "logfire": ["logfire==4.41.0"],
    "loguru": ["loguru==0.6.0"],
    "mlflow": ["mlflow-skinny==3.16.1"],
    "opentelemetry": ["opentelemetry-sdk==1.44.0"],
    "sentry": ["sentry-sdk==1.45.1"],
    "stdlib_logging": ["python-json-logger==3.3.0"],
    "structlog": ["structlog==24.4.0"],
}
TOOLS = ["pytest>=8.3", "hypothesis>=6.120", "psycopg[binary]", "redis"]
"""What the tests themselves import, those of all parts together."""

FRAMEWORKS = "frameworks"
"""Everything that ``tests/integrations/earlier.txt`` names, in one environment."""
TOGETHER = {
    FRAMEWORKS: [
        "asgi",
        "django",
        "google_adk",
        "iterators",
        "langchain_callback",
        "langgraph_checkpoint",
        "openai_agents",
        "openai_agents_session",
        "pydantic_ai",
        "round_trip",
        "sqlalchemy",
        "starlette",
        "values",
        "wsgi",
    ]
}


def passes(name: str) -> bool:
    """Whether the tests of one integration pass with its earlier release; warnings of old releases do not count."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        earlier = EARLIER.get(name, ["--requirement", str(ROOT / "tests/integrations/earlier.txt")])
        _install(python, [str(ROOT), *earlier, *TOOLS])
        files = [f"tests/integrations/test_{each}.py" for each in TOGETHER.get(name, [name])]
        tests = ["-m", "pytest", "-q", "-W", "default", "-p", "no:cacheprovider", *files]
        return subprocess.run([python, *tests], cwd=ROOT, check=False).returncode == 0  # noqa: S603 - our own command


def _install(python: str, wanted: list[str]) -> None:
    """Install with uv, which resolves in seconds what takes pip minutes; where it cannot, with pip."""
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for command in ([sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python], pip):
        if subprocess.run([*command, *wanted], check=False).returncode == 0:  # noqa: S603 - our own command
            return
    raise SystemExit(f"cannot install {' '.join(wanted)}")


def main() -> None:
    """Run what was asked for, and say what failed."""
    names = sys.argv[1:] or sorted([*EARLIER, *TOGETHER])
    failed = [name for name in names if not passes(name)]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
