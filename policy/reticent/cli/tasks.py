"""``reticent tasks``: the keys of a task store, what lives in it, and how it ends."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reticent.cli._exit import CLEAN, FINDINGS
from reticent.cli._options import TextJson, write
from reticent.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Generator

    from reticent.store import Store

_Keys = Annotated[str, typer.Option("--keys", help="The keyset file, or aws-kms:KEY.")]
_Url = Annotated[str, typer.Option("--store", envvar="RETICENT_STORE", help="The address of the task store.")]
_Format = Annotated[TextJson, typer.Option("--format", help="How to print it.")]
_Tenant = Annotated[str | None, typer.Option("--tenant", help="Only tasks of this tenant.")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Keys of a task store, tasks that live in it, and how they end.", no_args_is_help=True)
    app.add_typer(group, name="tasks")
    group.command("new-keys")(_new_keys)
    group.command("rotate-keys")(_rotate_keys)
    group.command("retire-key")(_retire_key)
    group.command("list")(_list)
    group.command("finish")(_finish)
    group.command("sweep")(_sweep)


def _new_keys(file: Annotated[Path, typer.Argument(help="Where to write it; it must not be there yet.")]) -> int:
    """Write a keyset of one new key, readable for its owner alone."""
    from reticent.store import Keyset

    if file.exists():
        raise ConfigurationError(f"{file} is there already; rotate-keys adds a key to it")
    keyset = Keyset.generate()
    keyset.save(file)
    write(f"{file}: new keyset, primary {keyset.primary}\n")
    return CLEAN


def _rotate_keys(keys: _Keys, store: _Url) -> int:
    """Add a new primary key to the keyset and put the data keys of all live tasks under it.

    The old key stays in the keyset until retire-key takes it out; workers read the file again by themselves.
    Keys of a key service rotate there: point the alias at a new key first, and this puts the tasks under it.
    """
    from reticent.store import Keyset, open_keys, open_store

    rotated = open_keys(keys)
    if isinstance(rotated, Keyset):
        rotated = rotated.rotated()
        rotated.save(keys)
    with open_store(store, keys=rotated) as opened:
        count = opened.rewrap()
    write(f"{keys}: primary {rotated.primary}; {count} live tasks are under it\n")
    return CLEAN


def _retire_key(key: Annotated[str, typer.Argument(help="The name of the key.")], keys: _Keys, store: _Url) -> int:
    """Take a key out of the keyset, so that nothing in any backup opens with it any more.

    Exit code 1 when a live task still needs it. A key of a key service is disabled there.
    """
    from reticent.store import Keyset, open_keys, open_store

    keyset = open_keys(keys)
    left = keyset.without(key) if isinstance(keyset, Keyset) else None
    with open_store(store, keys=keyset) as opened:
        needing = sum(task.key_id == key for task in opened.tasks())
    if needing:
        write(f"{needing} live tasks are under {key}; rotate-keys puts them under the primary\n")
        return FINDINGS
    if left is None:
        write(f"no live task is under {key}; disable it in the key service\n")
        return CLEAN
    left.save(keys)
    write(f"{keys}: {key} is gone for good\n")
    return CLEAN


def _list(keys: _Keys, store: _Url, tenant: _Tenant = None, format_: _Format = TextJson.text) -> int:
    """List the tasks that live: turns, carriers, key and deadline, no content."""
    with _opened(store, keys) as opened:
        rows = [asdict(task) for task in opened.tasks(tenant)]
    _print(rows, format_, "{tenant}/{task}: {turns} turns, {carriers} carriers, key {key_id}, deadline {deadline}")
    return CLEAN


def _finish(
    tenant: Annotated[str, typer.Argument(help="Whose task it is.")],
    task: Annotated[str, typer.Argument(help="The task.")],
    state: Annotated[str, typer.Argument(help="completed, failed, cancelled, expired or partial.")],
    keys: _Keys,
    store: _Url,
) -> int:
    """End a task: its key and everything it held are erased, and the receipt is printed."""
    from reticent.store.erasing import finish
    from reticent.store.records import terminal_state

    with _opened(store, keys) as opened:
        receipt = opened.run(finish(opened.operations, (tenant, task), terminal_state(state), opened.clock()))
    write(json.dumps(asdict(receipt)) + "\n")
    return CLEAN


def _sweep(keys: _Keys, store: _Url, format_: _Format = TextJson.text) -> int:
    """End tasks past their deadline as expired, and complete erasures that a crash interrupted."""
    with _opened(store, keys) as opened:
        report = opened.sweep()
    if format_ is TextJson.json:
        write(json.dumps(asdict(report)) + "\n")
    else:
        write(f"{len(report.expired)} expired, {report.wiped} erasures completed\n")
    return CLEAN


@contextmanager
def _opened(store: str, keys: str) -> Generator[Store]:
    from reticent.store import open_keys, open_store

    with open_store(store, keys=open_keys(keys)) as opened:
        yield opened


def _print(rows: list[dict[str, Any]], format_: TextJson, line: str) -> None:
    if format_ is TextJson.json:
        write(json.dumps(rows) + "\n")
    elif rows:
        write("".join(line.format(**row) + "\n" for row in rows))
