"""Objects of SDKs as Python prints them: classes that are reasoning as a whole, all of it data (``kinds.yaml``).

An object in a text is found and read elsewhere (``reticent.serializers``); its class stands under ``__class__``.
"""

from __future__ import annotations

from reticent.dialects._dialect import Dialect
from reticent.dialects._rules import kinds

DIALECT = Dialect("python-repr", kinds("python-repr"))
