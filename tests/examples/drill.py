"""Runs the reference application, or a copy without some guard, under ``reticent.probe`` and ``reticent.doctor``.

A program of its own, because an application configures its process: ``drill.py EXAMPLES DATA [EXAMPLES DATA ...]``
prints one JSON object for each pair, a line each, in this order. Every pair has a process to itself, forked from one
that has the libraries loaded already, and no part of the application.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SURFACES = {
    "logs": "logs",
    "traces": "logs",
    "conversation_db": "conversation_db",
    "task_store": "task_store",
    "support_console": "support_console",
    "browser_stream": "browser_stream",
}


def main(examples: Path, data: Path) -> dict[str, Any]:
    """The receipt of the drill, the exits that the doctor calls open, and whether the provider got its blocks back."""
    sys.path[:0] = [str(ROOT / "policy"), str(examples)]
    from fastapi.testclient import TestClient

    from reticent import doctor
    from reticent.probe import FileSink, HttpSink, Sink, SpanSink, probe

    chat, answers = import_module("chat.app"), import_module("chat.provider")
    provider = answers.Provider()
    with (data / "log").open("w", encoding="utf-8") as out:
        app = chat.create_app(data, provider=provider, out=out)
        # The SDK logs the bodies it sends on this level, as ANTHROPIC_LOG=debug makes it do.
        logging.getLogger("anthropic").setLevel(logging.DEBUG)
        console, browser = HttpSink(name="support_console"), HttpSink(name="browser_stream")

        def drive(payload: Any) -> None:
            blocks = payload["content"]
            first, redacted, second, text = blocks[:4]
            provider.said = answers.Said(
                first["thinking"], first["signature"], redacted["data"], second["signature"], text["text"]
            )
            with TestClient(app) as client:
                browser.add("chat", client.post("/chat/1", json={"text": "I want my money back"}).content)
                console.add("waiting", client.get("/support/1").content)
                browser.add("approve", client.post("/support/1/approve").content)
                console.add("done", client.get("/support/1").content)
            out.flush()

        databases = {name: data / f"{file}.sqlite" for name, file in DATABASES.items()}
        sinks: list[Sink] = [FileSink(data / "log", name="logs"), SpanSink(name="traces"), console, browser]
        sinks += [FileSink(path, name=name) for name, path in databases.items()]
        receipt = probe(drive, sinks=sinks, dialects=["anthropic-messages"], surfaces=SURFACES)
        report = doctor.report(app)
    returned = [body["messages"][-2]["content"][:3] for body in provider.bodies[1:]]
    return {
        "receipt": json.loads(receipt.to_json()),
        "open": [f"{found.library}: {found.name}" for found in report.open],
        "exits": [f"{found.library}: {found.name}" for found in report.exits],
        "went_back": returned == [provider.issued()],
    }


DATABASES = {"conversation_db": "conversations", "task_store": "tasks"}
LIBRARIES = ("anthropic", "fastapi.testclient", "opentelemetry.sdk.trace", "sqlalchemy.orm", "structlog")


def apart(examples: Path, data: Path) -> bool:
    """Drill in a process of its own; what it tells is printed. False when it failed."""
    child = os.fork()
    if not child:
        print(json.dumps(main(examples, data)), flush=True)  # noqa: T201 - the answer of the program
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    for library in LIBRARIES:
        import_module(library)
    folders = [Path(argument) for argument in sys.argv[1:]]
    sys.exit(not all(apart(*pair) for pair in zip(folders[::2], folders[1::2], strict=True)))
