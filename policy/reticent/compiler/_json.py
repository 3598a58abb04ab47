"""Narrowing of parsed JSON: what a value is, without saying more about what it holds."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    """True for a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """True for a JSON array."""
    return isinstance(value, list)
