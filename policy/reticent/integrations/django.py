"""Django: model fields that belong to a surface.

.. code-block:: python

    from reticent.integrations.django import ReticentJSONField

    class Message(models.Model):
        content = ReticentJSONField("conversation_db")

Migrations see a plain ``JSONField`` or ``TextField``: taking a guard in or out changes no table. What is saved is
judged, also by ``bulk_create``, ``bulk_update`` and ``QuerySet.update``; what the database computes itself is not.
https://docs.djangoproject.com/en/5.2/howto/custom-model-fields/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.db import models
from django.db.models import Value

from reticent.integrations._guard import Guard, PlanSource

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

    _Field = models.Field[Any, Any]
    _JSONField = models.JSONField[Any, Any]
    _TextField = models.TextField[Any, Any]
else:  # Django's own classes take no parameters at run time
    _Field, _JSONField, _TextField = models.Field, models.JSONField, models.TextField

__all__ = ["ReticentJSONField", "ReticentTextField"]


class _SurfaceField(_Field):
    """What both fields share; it stands before Django's own class."""

    def __init__(self, surface: str, *args: Any, plan: PlanSource = None, strict: bool = False, **options: Any) -> None:
        """Store what may rest on ``surface``; the rest are arguments of Django's field.

        With ``strict``, a value that cannot be judged makes the save fail; without, a placeholder is stored.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        super().__init__(*args, **options)
        self.guard = Guard(surface, plan=plan, strict=strict)
        self._source = plan

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """What a migration writes: Django's own field, which has the same column."""
        name, _, args, options = super().deconstruct()
        return name, f"django.db.models.{self._plain_name}", args, options

    def clone(self) -> Self:
        """The same field again, not bound to a model."""
        _, _, args, options = self.deconstruct()
        return type(self)(self.guard.surface, *args, plan=self._source, strict=self.guard.strict, **options)

    def get_db_prep_save(self, value: Any, connection: BaseDatabaseWrapper) -> Any:
        """The value in the form that the database stores."""
        if value is None or self.guard.passes:
            return super().get_db_prep_save(value, connection)
        if isinstance(value, Value):
            value = Value(self._judged(value.value), output_field=value.output_field)
        elif not hasattr(value, "as_sql"):
            value = self._judged(value)
        return super().get_db_prep_save(value, connection)

    _plain_name = "Field"

    def _judged(self, value: Any) -> Any:
        return self.guard.text(value) if isinstance(value, str) else self.guard.value(value)


class ReticentJSONField(_SurfaceField, _JSONField):
    """A ``JSONField`` for one surface."""

    _plain_name = "JSONField"


class ReticentTextField(_SurfaceField, _TextField):
    """A ``TextField`` for one surface: prose, or a payload that somebody wrote as text."""

    _plain_name = "TextField"
