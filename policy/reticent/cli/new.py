"""``reticent new``: files of something that a contributor or a package adds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reticent.cli._options import write

_IN_CHECKOUT = """
Next: say in kinds.yaml where it holds reasoning, with the vendor's page and the day you read it; write vectors;
then `make test`. docs/adding-a-dialect.md leads through it.
"""
_AS_PACKAGE = """
Next: say in kinds.json where it holds reasoning; write vectors; then `pip install -e '.[dev]'` and `pytest` there.
"""


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(help="Lay out the files of something new.", no_args_is_help=True)
    app.add_typer(group, name="new")

    # A group with one command would swallow its name.
    @group.callback()
    def _group() -> None:
        """Lay out the files of something new."""

    @group.command("dialect")
    def _dialect(
        name: Annotated[str, typer.Argument(help="Its id: lower-case words joined by dashes.", show_default=False)],
        folder: Annotated[
            Path, typer.Option("--folder", help="The checkout of reticent, or where the package goes.")
        ] = Path(),
        title: Annotated[
            str | None, typer.Option("--title", help="What the vendor calls it; default: the id.", show_default=False)
        ] = None,
        url: Annotated[
            str, typer.Option("--url", help="The vendor's page about it.")
        ] = "https://example.com/docs/reasoning",
        package: Annotated[
            bool, typer.Option("--package", help="A package of its own, found by an entry point.")
        ] = False,
    ) -> None:
        """Lay out every file that a new dialect needs, with vectors that pass; writes over nothing.

        In a checkout of reticent: the section in kinds.yaml, the module, the vectors, the page and the changelog
        fragment. With --package: a distribution reticent-NAME that any installation of reticent picks up.
        """
        from reticent.cli import _layout

        new = _layout.NewDialect(name, title or name.replace("-", " ").title(), url)
        written = _layout.as_package(new, folder) if package else _layout.in_checkout(new, folder)
        write("\n".join(str(folder / path) for path in written))
        write(_AS_PACKAGE if package else _IN_CHECKOUT)
