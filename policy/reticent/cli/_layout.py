"""The files of a new dialect: from templates, all or none, and never over a file that is there."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from importlib import resources
from pathlib import Path
from string import Template
from typing import Final

from reticent.errors import ConfigurationError

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_DIALECTS: Final = Path("policy/reticent/dialects")
_KINDS: Final = _DIALECTS / "kinds.yaml"
_REGISTRY: Final = _DIALECTS / "__init__.py"
_BUILD: Final = Path("scripts/build_kinds.py")
_BUILTIN: Final = "BUILTIN: Final = (\n"


@dataclass(frozen=True, slots=True)
class NewDialect:
    """What the templates are filled with: the id (kebab-case), the vendor's name and page."""

    name: str
    title: str
    url: str

    def __post_init__(self) -> None:
        """Refuse a name that is no id.

        Raises:
            ConfigurationError: the name is not kebab-case.
        """
        if _NAME.fullmatch(self.name) is None:
            raise ConfigurationError(f"{self.name!r} is no id of a dialect: lower-case words joined by dashes")

    @property
    def word(self) -> str:
        """The id as a module is named."""
        return self.name.replace("-", "_")

    def fill(self, template: str) -> str:
        """The text of a template below ``dialects/_scaffold``; canaries are new each time."""
        text = resources.files("reticent.dialects").joinpath("_scaffold", template).read_text("utf-8")
        canaries = {f"canary_{number}": f"CANARY-{secrets.token_hex(6)}" for number in (1, 2, 3)}
        today = date.today().isoformat()  # noqa: DTZ011 - the day on which somebody reads a page
        words = {"name": self.name, "word": self.word, "package": f"reticent_{self.word}"}
        return Template(text).substitute(words, title=self.title, url=self.url, today=today, **canaries)


def in_checkout(new: NewDialect, folder: Path) -> list[Path]:
    """Lay ``new`` out in a checkout of reticent and register it; the files written and changed.

    Raises:
        ConfigurationError: ``folder`` is no checkout, the dialect is there already, or a file of it is.
    """
    kinds, registry = _read(folder / _KINDS), _read(folder / _REGISTRY)
    if f"\n  {new.name}:\n" in kinds or f'"{new.name}",' in registry:
        raise ConfigurationError(f"the dialect {new.name!r} is there already")
    if _BUILTIN not in registry or not (folder / _BUILD).is_file():
        raise ConfigurationError(f"{folder}: not a checkout that this release can add a dialect to")
    files = {
        _DIALECTS / f"{new.word}.py": new.fill("checkout/module.py.template"),
        Path("tests/conformance") / new.name / "messages.json": new.fill("vectors.json.template"),
        Path("docs/dialects") / f"{new.name}.md": new.fill("checkout/page.md.template"),
        Path("changelog.d") / f"+{new.name}.added.md": new.fill("checkout/fragment.md.template"),
    }
    written = _written(folder, files)
    (folder / _KINDS).write_text(kinds.rstrip("\n") + "\n" + new.fill("checkout/kinds.yaml.template"), "utf-8")
    (folder / _REGISTRY).write_text(registry.replace(_BUILTIN, f'{_BUILTIN}    "{new.name}",\n', 1), "utf-8")
    _rebuild(folder)
    return [*written, _KINDS, _KINDS.with_suffix(".json"), _REGISTRY]


def as_package(new: NewDialect, folder: Path) -> list[Path]:
    """Lay ``new`` out as a package of its own, ``reticent-NAME`` below ``folder``; the files written.

    Raises:
        ConfigurationError: a file of it is there already.
    """
    top = Path(f"reticent-{new.name}")
    source = top / "src" / f"reticent_{new.word}"
    files = {
        top / "pyproject.toml": new.fill("package/pyproject.toml.template"),
        top / "README.md": new.fill("package/README.md.template"),
        source / "__init__.py": new.fill("package/module.py.template"),
        source / "kinds.json": new.fill("package/kinds.json.template"),
        source / "py.typed": "",
        top / "tests" / "test_vectors.py": new.fill("package/test_vectors.py.template"),
        top / "tests" / "conformance" / new.name / "messages.json": new.fill("vectors.json.template"),
    }
    return _written(folder, files)


def _written(folder: Path, files: Mapping[Path, str]) -> list[Path]:
    """Write all of ``files``, or none when one of them is there."""
    there = [path for path in files if (folder / path).exists()]
    if there:
        raise ConfigurationError(f"nothing was written: {_listed(there)} already there")
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("x", encoding="utf-8") as file:
            file.write(text)
    return list(files)


def _listed(paths: Iterable[Path]) -> str:
    names = [str(path) for path in paths]
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError:
        raise ConfigurationError(
            f"{path} is not there: run this in a checkout of reticent, or lay out a package with --package"
        ) from None


def _rebuild(folder: Path) -> None:
    """Make ``kinds.json`` again, by the checkout's own script."""
    done = subprocess.run([sys.executable, str(_BUILD)], cwd=folder, capture_output=True, check=False)  # noqa: S603 - the checkout's own script
    if done.returncode != 0:
        raise ConfigurationError(f"{_BUILD} failed; run `make regenerate`")
