"""Whose a piece of work is: scratchpads, originals and summarisers of one tenant never meet a task of another.

A summariser sees a whole conversation, so it runs under the rights of the task it works for and no others. That is
checked where the two meet, before anything is rendered for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reticent.errors import TenantMismatch

if TYPE_CHECKING:
    from reticent.history.summaries.asking import Summariser


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Under which rights a task runs: its tenant, the name (never the value) of its key, and the endpoint it may ask.

    The default is that of an application with one tenant.
    """

    tenant: str = ""
    key: str = ""
    endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoped:
    """A summariser together with the rights its client was built with."""

    scope: Scope
    model: Summariser


def authorised(model: Summariser | Scoped, scope: Scope) -> Summariser:
    """The summariser to call for a task of ``scope``.

    A bare callable is taken where there is only one tenant; elsewhere its client's rights have to be named.

    Raises:
        TenantMismatch: it was built for another tenant, key or endpoint, or nobody says for which.
    """
    if isinstance(model, Scoped):
        wrong = [name for name in ("tenant", "key", "endpoint") if getattr(model.scope, name) != getattr(scope, name)]
        if wrong:
            raise TenantMismatch(f"the summariser's {wrong[0]} is not the task's")
        return model.model
    if scope != Scope():
        raise TenantMismatch("a task with a tenant needs a summariser that names its rights: Scoped(scope=, model=)")
    return model


def same_tenant(scope: Scope, owner: Any, what: str) -> None:
    """Refuse ``what``, whose ``tenant`` is not the scope's.

    Raises:
        TenantMismatch: it is another's.
    """
    if owner.tenant != scope.tenant:
        raise TenantMismatch(f"the {what} belongs to another tenant")
