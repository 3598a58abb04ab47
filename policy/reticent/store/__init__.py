"""The task store: reasoning that two workers need, for as long as the task lives and for nobody else.

``hold`` keeps the reasoning of a turn and gives back what the client may see; ``restore`` puts every block back into
the history that the client sends, byte for byte, before it goes to the model again. Rows are encrypted with a key per
task, and the key is destroyed when the task ends.

Names are imported when they are asked for, so that ``import reticent.store`` loads no back end.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from reticent.store.aws_kms import AwsKms
    from reticent.store.keys import Key, Keyset, KeyWrapper
    from reticent.store.opening import open_async_store, open_keys, open_store
    from reticent.store.records import STATES, Receipt, State, SweepReport, TaskInfo, TurnInfo
    from reticent.store.sealing import Sealer
    from reticent.store.stores import AsyncStore, Store
    from reticent.store.tasks import AsyncTasks, Tasks

_HOMES: Final = {
    "AsyncStore": "stores",
    "AsyncTasks": "tasks",
    "AwsKms": "aws_kms",
    "Key": "keys",
    "KeyWrapper": "keys",
    "Keyset": "keys",
    "Receipt": "records",
    "STATES": "records",
    "Sealer": "sealing",
    "State": "records",
    "Store": "stores",
    "SweepReport": "records",
    "TaskInfo": "records",
    "Tasks": "tasks",
    "TurnInfo": "records",
    "open_async_store": "opening",
    "open_keys": "opening",
    "open_store": "opening",
}

__all__ = [
    "STATES",
    "AsyncStore",
    "AsyncTasks",
    "AwsKms",
    "Key",
    "KeyWrapper",
    "Keyset",
    "Receipt",
    "Sealer",
    "State",
    "Store",
    "SweepReport",
    "TaskInfo",
    "Tasks",
    "TurnInfo",
    "open_async_store",
    "open_keys",
    "open_store",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
