"""Where the Rego sources are, in a wheel and in a checkout, and the digest that names them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from reticent.errors import ConfigurationError

_HERE = Path(__file__).parent
_PLACES = (_HERE / "_rego", _HERE.parents[1] / "rego")


def rego_root() -> Path:
    """The folder that holds ``reticent/``, the package of rules.

    Raises:
        ConfigurationError: the installation is without its rules.
    """
    for place in _PLACES:
        if (place / "reticent" / "main" / "main.rego").is_file():
            return place
    msg = "the rules (rego/reticent) are not part of this installation"
    raise ConfigurationError(msg)


def policy_sources() -> dict[str, str]:
    """The text of every rule, without tests, by path below :func:`rego_root`."""
    root = rego_root()
    found = sorted((root / "reticent").rglob("*.rego"))
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found if not is_test(path.name)
    }


def is_test(name: str) -> bool:
    """True for the name of a file that holds tests of rules."""
    return name.endswith("_test.rego")


def policy_digest(sources: Iterable[str]) -> str:
    """``sha256:`` and a hash over the texts of a policy's modules; their names and order do not matter."""
    parts = sorted(hashlib.sha256(text.encode()).hexdigest() for text in sources)
    return f"sha256:{hashlib.sha256(''.join(parts).encode()).hexdigest()}"
