"""Plain callables from value to bytes, for stores that take a function: Redis, Kafka, caches, object stores.

.. code-block:: python

    from reticent.integrations.values import ValueSerializer

    to_cache = ValueSerializer("response_cache")
    redis.set(key, to_cache(reply))
    KafkaProducer(value_serializer=ValueSerializer("conversation_db"))  # kafka-python, aiokafka
    SerializingProducer({"value.serializer": ValueSerializer("conversation_db")})  # confluent-kafka

No library is imported for it.
"""

from __future__ import annotations

from typing import Any

from reticent.integrations._guard import Guard, PlanSource
from reticent.serializers import cutting
from reticent.serializers.plain import plain

__all__ = ["ValueSerializer"]


class ValueSerializer:
    """Turns a value into the JSON bytes that may rest on ``surface``.

    Bytes are one JSON document. Text is text, with JSON in it judged as JSON, and becomes a JSON string. None stays
    None, which Kafka takes for the end of a key.
    """

    def __init__(self, surface: str, *, plan: PlanSource = None, strict: bool = False) -> None:
        """Guard values on their way to ``surface``.

        With ``strict``, a value that cannot be judged raises; without, a placeholder (a JSON string) is stored.

        Raises:
            UnknownSurface: the plan has no such surface.
        """
        self.guard = Guard(surface, plan=plan, strict=strict)

    def __call__(self, value: Any, _context: object = None) -> bytes | None:
        """The bytes to store; the second argument is what confluent-kafka hands in."""
        if value is None:
            return None
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self.guard.bytes(bytes(value))
        kept = self.guard.text(value) if isinstance(value, str) else self.guard.value(value)
        try:
            return cutting.dump(plain(kept))
        except Exception as error:
            placeholder = self.guard.withheld(error, None)
            if self.guard.strict:
                raise
            return cutting.dump(placeholder)
