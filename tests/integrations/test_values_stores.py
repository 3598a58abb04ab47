"""Value serializers in the clients they are made for: Redis, and two of Kafka, against servers that run."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

import pytest
import redis
import redis.asyncio
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import DeserializingConsumer, Producer, SerializingProducer
from confluent_kafka.error import ValueSerializationError
from tests.integrations.reasoning import VISIBLE, clean, cycle, message
from tests.service.serving import wait_until

from reticent.errors import CyclicInput
from reticent.integrations.values import ValueSerializer
from reticent.testing import canary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Server

STRIPS, PASSES = "conversation_db", "task_store"


# --- Redis ------------------------------------------------------------------------------------------------------------


def _files(server: Server) -> bytes:
    return b"".join(path.read_bytes() for path in (server.folder / "appendonlydir").iterdir())


@pytest.mark.parametrize("surface", [STRIPS, PASSES])
def test_redis_keeps_what_the_surface_may_hold(redis_server: Server, surface: str) -> None:
    """What was set comes back and stands in the server's file, without reasoning unless the surface may hold it."""
    secret, key, to_cache = canary(), f"values:{secrets.token_hex(6)}", ValueSerializer(surface)
    with redis.Redis.from_url(redis_server.url) as client:
        assert client.set(key, to_cache(message(secret)) or b"")
        client.rpush(f"{key}:list", to_cache(message(secret)) or b"")
        kept: Any = client.get(key)
        listed: Any = client.lrange(f"{key}:list", 0, -1)
        client.delete(key, f"{key}:list")
    # Redis puts a write off for as long as it is busy to sync the one before.
    wait_until(lambda: _files(redis_server).count(key.encode()) >= 4)  # set, pushed, and both deleted
    files = _files(redis_server)

    assert [kept] == listed
    assert VISIBLE.encode() in kept
    assert [surface == STRIPS] * 2 == [clean(kept, secret), clean(files, secret)]


def test_redis_gives_the_same_bytes_back_from_a_pass_surface(redis_url: str) -> None:
    """Bytes on the way to a pass surface are the same bytes, whoever reads them."""
    data, key = b'{"price": 1.50, "reasoning_content": "x"}', f"values:{secrets.token_hex(6)}"

    async def read() -> Any:
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            return await client.getdel(key)

    with redis.Redis.from_url(redis_url) as client:
        client.set(key, ValueSerializer(PASSES)(data) or b"")
    assert data == asyncio.run(read())


# --- Kafka ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def brokers() -> Iterator[str]:
    """Run the broker that librdkafka has for tests; it listens on the loopback interface for as long as its client is.

    https://github.com/confluentinc/librdkafka/blob/master/INTRODUCTION.md (the mock cluster; read 2026-11-30)
    """
    cluster = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    found = cluster.list_topics(timeout=30).brokers.values()
    yield ",".join(f"{broker.host}:{broker.port}" for broker in found)
    cluster.flush(5)


def _topic() -> str:
    return f"turns-{secrets.token_hex(6)}"


def _consumed(brokers: str, topic: str, count: int) -> list[bytes | None]:
    """The values of a topic, as any consumer gets them."""
    settings = {"bootstrap.servers": brokers, "group.id": topic, "auto.offset.reset": "earliest"}
    consumer, found = DeserializingConsumer(settings), list[bytes | None]()
    consumer.assign(
        [_beginning(topic, partition) for partition in consumer.list_topics(topic).topics[topic].partitions]
    )
    for _ in range(300):
        if len(found) == count:
            break
        told = consumer.poll(0.1)
        if told is not None and told.error() is None:
            found.append(told.value())
    consumer.close()
    return found


def _beginning(topic: str, partition: int) -> Any:
    from confluent_kafka import OFFSET_BEGINNING, TopicPartition

    return TopicPartition(topic, partition, OFFSET_BEGINNING)


@pytest.mark.parametrize("surface", [STRIPS, PASSES])
def test_confluent_kafka_sends_what_the_surface_may_hold(brokers: str, surface: str) -> None:
    """A serializing producer calls it with its context; the consumer reads JSON, and None stays the end of a key."""
    secret, topic = canary(), _topic()
    producer = SerializingProducer({"bootstrap.servers": brokers, "value.serializer": ValueSerializer(surface)})
    for value in (message(secret), None):
        producer.produce(topic, key=b"task-1", value=value)
    assert 0 == producer.flush(30)
    found = _consumed(brokers, topic, 2)

    assert None in found
    (sent,) = [value for value in found if value is not None]
    assert VISIBLE.encode() in sent
    assert (surface == STRIPS) == clean(sent, secret)


def test_confluent_kafka_sends_nothing_that_cannot_be_judged(brokers: str) -> None:
    """With strict the producer refuses, and neither its error nor the topic has a word of the value."""
    secret, topic = canary(), _topic()
    to_topic = ValueSerializer(STRIPS, strict=True)
    producer = SerializingProducer({"bootstrap.servers": brokers, "value.serializer": to_topic})
    with pytest.raises(ValueSerializationError) as refused:
        producer.produce(topic, value=cycle(secret))
    assert isinstance(refused.value.exception, CyclicInput)
    producer.produce(topic, value=message(secret))
    producer.flush(30)
    found = _consumed(brokers, topic, 1)

    assert clean(repr(refused.value) + str(refused.value) + repr(found), secret)


def test_aiokafka_sends_what_the_surface_may_hold(brokers: str) -> None:
    """A producer of aiokafka calls it with the value alone, and its consumer reads the same."""
    secret, topic = canary(), _topic()

    async def there_and_back() -> Any:
        serializer = ValueSerializer(STRIPS)
        async with AIOKafkaProducer(bootstrap_servers=brokers, value_serializer=serializer) as producer:
            await producer.send_and_wait(topic, message(secret))
        async with AIOKafkaConsumer(topic, bootstrap_servers=brokers, auto_offset_reset="earliest") as consumer:
            return (await consumer.getone()).value

    sent = asyncio.run(asyncio.wait_for(there_and_back(), 60))

    assert VISIBLE.encode() in sent
    assert clean(sent, secret)
