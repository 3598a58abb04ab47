# The native settle pass, which is built from native/.

from collections.abc import Mapping
from typing import Any, final

CONTRACT: int

@final
class Settler:
    def __new__(cls, tables: Mapping[str, Any]) -> Settler: ...
    def settle(self, data: bytes, /) -> bytes | tuple[bytes, list[tuple[str, int, int | None, int]]] | None: ...
