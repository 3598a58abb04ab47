"""Django fields, on a real SQLite file whose bytes are searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import django
import pytest
from django.conf import settings
from django.db import connection, connections, models
from django.db.models import F, Value
from tests.integrations.reasoning import FORMS, VISIBLE, clean, cycle, forms, message

from reticent.errors import CyclicInput, UnknownSurface
from reticent.integrations.django import ReticentJSONField, ReticentTextField
from reticent.testing import canary

if not settings.configured:
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=[],
    )
    django.setup()


class Message(models.Model):
    """A table with one guarded column of each kind."""

    content = ReticentJSONField("conversation_db", null=True)
    title = ReticentTextField("conversation_db", default="")
    history = ReticentJSONField("task_store", null=True)

    class Meta:
        """Where the table belongs."""

        app_label = "conversations"

    def __str__(self) -> str:
        """The title, which is no reasoning."""
        return str(self.title)


def field(name: str) -> Any:
    """A field of the table."""
    return Message._meta.get_field(name)


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    """What gives all bytes of a database file that has the table."""
    path = tmp_path / "db.sqlite"
    connections["default"].close()
    connections["default"].settings_dict["NAME"] = str(path)
    with connection.schema_editor() as editor:
        editor.create_model(Message)
    yield path.read_bytes
    connections["default"].close()


def test_an_unknown_surface_fails_when_the_field_is_declared() -> None:
    """A field for a surface that the plan does not have is never made."""
    with pytest.raises(UnknownSurface):
        ReticentJSONField("conversations")


@pytest.mark.parametrize("form", FORMS)
def test_no_form_reaches_the_file(form: str, stored: Any) -> None:
    """Whatever form a value has and however it is saved, the database file holds no reasoning."""
    secret = canary()
    value = forms(secret)[form]
    row = Message.objects.create(content=value, title=value if isinstance(value, str) else "")
    Message.objects.bulk_create([Message(content=value)])
    row.content = value
    Message.objects.bulk_update([row], ["content"])
    Message.objects.update(content=value)
    Message.objects.update(content=Value(value, output_field=field("content")))

    assert clean(stored(), secret)


def test_what_is_read_is_what_may_be_stored(stored: Any) -> None:
    """A value comes back without reasoning, keys can be asked for, and pass columns keep everything."""
    given = message("secret")
    Message.objects.create(content=given, history=given, title="a title")
    found = Message.objects.get(content__role="assistant", title="a title")

    assert {"role": "assistant", "content": [{"type": "text", "text": VISIBLE}]} == found.content
    assert message("secret") == found.history == given
    assert stored


def test_expressions_and_none_are_the_databases_own(stored: Any) -> None:
    """An expression is computed by the database, and None is NULL."""
    Message.objects.create(content={"a": 1}, title="t")
    Message.objects.update(title=F("title"), content=None)

    assert (None, "t") == Message.objects.values_list("content", "title").get()
    assert stored


def test_migrations_see_djangos_own_fields() -> None:
    """A migration needs nothing of reticent, and a clone of the field is still guarded."""
    _, path, args, options = field("content").deconstruct()
    clone = field("content").clone()

    assert ("django.db.models.JSONField", [], {"null": True}) == (path, args, options)
    assert "django.db.models.TextField" == field("title").deconstruct()[1]
    assert isinstance(clone, ReticentJSONField)
    assert "conversation_db" == clone.guard.surface


def test_what_cannot_be_judged_is_a_placeholder_or_an_error(stored: Any) -> None:
    """A placeholder is stored; a strict field fails the save, and the error holds no content."""
    secret = canary()
    Message.objects.create(content=cycle(secret))

    assert "[reticent withheld a value: cyclic-input]" == Message.objects.get().content
    with pytest.raises(CyclicInput) as caught:
        ReticentJSONField("conversation_db", strict=True).get_db_prep_save(cycle(secret), connection)
    assert clean(repr(caught.value), secret)
    assert clean(stored(), secret)
