"""The fold: older tool results of settled work become a summary that the agent goes on from, or stay as they are.

.. code-block:: python

    folder = Folder(Keeping(sources=sources, summariser=model), window=200_000, model="claude-sonnet-4-5")
    outcome = await folder.before_send(Request(messages=messages, tools=tools, system=system), iteration=n)
    send(outcome.request)
"""

from __future__ import annotations

from reticent.history.fold.automatic import not_due
from reticent.history.fold.body import request_of
from reticent.history.fold.finishing import complete, finish, fold
from reticent.history.fold.folder import Folder
from reticent.history.fold.ledger import Held, Ledger, MemoryLedger, SqliteLedger, Swap
from reticent.history.fold.offered import answer_of, keep_of, tool_for
from reticent.history.fold.outcome import FoldOutcome, FoldReport
from reticent.history.fold.preparing import Prepared, prepare
from reticent.history.fold.request import Request
from reticent.history.fold.restart import start_again
from reticent.history.fold.shrink import RetryGuard, output_limit
from reticent.history.fold.stand_in import Mode

__all__ = [
    "FoldOutcome",
    "FoldReport",
    "Folder",
    "Held",
    "Ledger",
    "MemoryLedger",
    "Mode",
    "Prepared",
    "Request",
    "RetryGuard",
    "SqliteLedger",
    "Swap",
    "answer_of",
    "complete",
    "finish",
    "fold",
    "keep_of",
    "not_due",
    "output_limit",
    "prepare",
    "request_of",
    "start_again",
    "tool_for",
]
