"""Messages of gpt-oss after the harmony parser: the channel of a message says whether it is reasoning.

``analysis`` is, unless the message has a recipient: then it calls a tool and is the application's. ``commentary`` and
``final`` were written for the user. Raw harmony text is read by ``streams.harmony``.
"""

from __future__ import annotations

from typing import Any

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds

_CHANNELS = ("analysis", "commentary", "final")


def _recognise(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value and value.get("channel") in _CHANNELS


DIALECT = Dialect("harmony", kinds("harmony"), recognise=_recognise)
