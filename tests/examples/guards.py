"""The guards of the reference application: how each is taken out, and what that opens."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

EXAMPLES: Final = Path(__file__).parents[2] / "docs" / "examples"


@dataclass(frozen=True)
class Removal:
    """One guard, and what is missed without it.

    ``guard`` is its text in ``file`` and ``without`` what takes its place. ``sink`` is the exit at which marks come
    out, ``exits`` are the names that the doctor calls open, ``code`` is the finding of lint, which stands in the file
    and at a line with the text of ``at``. What a library logs by itself is in no line of the application.
    """

    file: str
    guard: str
    without: str
    sink: str
    exits: frozenset[str]
    code: str = ""
    at: tuple[str, str] = ("", "")


GUARDS: Final = {
    "logs of libraries": Removal(
        "telemetry.py",
        '    guard_handlers("logs")\n',
        "",
        "logs",
        frozenset({"logging: root: StreamHandler"}),
    ),
    "logs": Removal(
        "telemetry.py",
        '            ReticentProcessor("logs"),\n',
        "",
        "logs",
        frozenset({"structlog: configured processors"}),
        "RET101",
        ("agent.py", 'log.info("model answered"'),
    ),
    "traces": Removal(
        "telemetry.py",
        'ReticentSpanExporter("logs", exporter)',
        "exporter",
        "traces",
        frozenset({"opentelemetry: spans: InMemorySpanExporter"}),
        "RET102",
        ("agent.py", '"gen_ai.output.messages"'),
    ),
    "conversation database": Removal(
        "store.py",
        'mapped_column(ReticentJSON("conversation_db"))',
        "mapped_column(JSON)",
        "conversation_db",
        frozenset({"sqlalchemy: Message.content"}),
        "RET103",
        ("store.py", "session.add(Message("),
    ),
    "support console": Removal(
        "app.py",
        'Console = json_response("support_console")',
        "Console = JSONResponse",
        "support_console",
        frozenset({"asgi: FastAPI /support/{conversation}"}),
        "RET105",
        ("app.py", 'return {"conversation"'),
    ),
    "browser": Removal(
        "app.py",
        'Browser = stream_response("browser_stream")',
        "Browser = StreamingResponse",
        "browser_stream",
        frozenset(
            {
                "asgi: FastAPI /",
                "asgi: FastAPI /chat/{conversation}",
                "asgi: FastAPI /support/{conversation}/approve",
            }
        ),
        "RET105",
        ("app.py", "return Browser(turn("),
    ),
}


def copied(folder: Path, *removals: Removal) -> Path:
    """A copy of the application in ``folder``, without these guards."""
    chat = folder / "chat"
    shutil.copytree(EXAMPLES / "chat", chat, ignore=shutil.ignore_patterns("__pycache__"))
    for removal in removals:
        path = chat / removal.file
        text = path.read_text(encoding="utf-8")
        assert text.count(removal.guard) == 1
        path.write_text(text.replace(removal.guard, removal.without), encoding="utf-8")
    return folder
