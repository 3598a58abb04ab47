"""What is installed and in use: the release, the rules it decides by, and whether the native pass settles payloads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from reticent import __version__
from reticent.compiler.embedded import stamp
from reticent.serializers import native

__all__ = ["About", "about"]


@dataclass(frozen=True, slots=True)
class About:
    """``rules`` is the digest of the rules that ship; ``native`` the release of the native pass, None when not in use.

    ``why_not`` says why it is not, and is empty when it is.
    """

    version: str
    rules: str
    native: str | None
    why_not: str

    def text(self) -> str:
        """One line each."""
        told = f"in use (reticent-native {self.native})" if self.native else f"not in use ({self.why_not})"
        return f"reticent {self.version}\nrules {self.rules}\nnative pass {told}\n"


def about() -> About:
    """Look at this process.

    Raises:
        EngineUnavailable: the installation is without its rules.
    """
    why_not = _why_not()
    return About(__version__, stamp()["sources"], None if why_not else _native_version(), why_not)


def _why_not() -> str:
    if native.module() is not None:
        return ""
    if os.environ.get(native.SWITCH) == "0":
        return f"switched off by {native.SWITCH}=0"
    if find_spec("reticent_native") is None:
        return "not installed"
    try:
        import reticent_native
    except ImportError as error:
        return f"it cannot be loaded: {type(error).__name__}"
    return f"it speaks contract {reticent_native.CONTRACT}, and this release {native.CONTRACT}"


def _native_version() -> str:
    try:
        return version("reticent-native")
    except PackageNotFoundError:
        return "of an unknown release"
