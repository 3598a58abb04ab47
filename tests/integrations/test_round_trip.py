"""The way back to producers: clients of the real SDKs and of httpx, whose producer is a function."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
from typing import Any

import httpx
import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI
from tests.integrations.producers import Producer
from tests.integrations.reasoning import clean

from reticent.errors import ConfigurationError, ProducerMismatch, UnknownSurface
from reticent.integrations import anthropic_client, openai_client
from reticent.integrations.httpx import Ledger, RoundTrip, watch
from reticent.testing import canary

ASK: dict[str, Any] = {"model": "claude-sonnet-9", "max_tokens": 64}
USER: Any = {"role": "user", "content": "where is my parcel"}


def library_of(kind: Any) -> Any:
    """The library of a client's connections: httpx in older releases of the SDKs, httpx2 in newer ones."""
    with contextlib.closing(kind(api_key="k")) as client:
        names = {base.__module__.partition(".")[0] for base in type(client._client).__mro__}
    return httpx2 if "httpx2" in names else httpx


ANTHROPIC, OPENAI = library_of(Anthropic), library_of(OpenAI)


def transport(producer: Producer, library: Any = httpx2, *, packed: bool = False) -> Any:
    """A transport of the library whose other end is ``producer``."""

    def answer(request: Any) -> Any:
        body, kind = producer.answer(request.url.path, request.content)
        headers = {"content-type": kind, **({"content-encoding": "gzip"} if packed else {})}
        return library.Response(200, content=gzip.compress(body) if packed else body, headers=headers)

    return library.MockTransport(answer)


def anthropic(producer: Producer, **options: Any) -> Any:
    """A watched client of the Anthropic SDK."""
    client = Anthropic(api_key="k", http_client=ANTHROPIC.Client(transport=transport(producer, ANTHROPIC)))
    return anthropic_client.round_trip(client, "provider_roundtrip", **options)


def altered(content: Any) -> Any:
    """The same blocks with one character of the signature changed, as a bad column type would."""
    told = [dict(block) for block in content]
    told[0]["signature"] = told[0]["signature"].replace("+", " ")
    return told


def test_unknown_and_strip_surfaces_fail_at_start() -> None:
    """A round trip over a surface that the plan does not have, or that is strip, is never made."""
    with pytest.raises(UnknownSurface):
        RoundTrip("provider")
    with pytest.raises(ConfigurationError, match="verdict is pass"):
        RoundTrip("logs")


@pytest.mark.parametrize("streamed", [False, True])
def test_what_anthropic_issued_goes_back(*, streamed: bool) -> None:
    """Blocks of an answer, whole or streamed, go back; the ledger knows who issued the message."""
    secret = canary()
    producer = Producer(secret)
    client = anthropic(producer)
    if streamed:
        with client.messages.stream(**ASK, messages=[USER]) as stream:
            reply = stream.get_final_message()
    else:
        reply = client.messages.create(**ASK, messages=[USER])
    client.messages.create(**ASK, messages=[USER, {"role": "assistant", "content": reply.content}, USER])

    assert 2 == len(producer.bodies)
    assert f"{secret}+sig/==" == producer.bodies[1]["messages"][1]["content"][0]["signature"]
    assert "anthropic/claude-sonnet-9" == str(client.reticent.ledger.producer_of(reply))
    assert clean(repr(client.reticent.ledger), secret)
    assert clean(client.reticent.ledger.dump(), secret)


def test_an_altered_signature_does_not_leave() -> None:
    """A changed byte is reported from the call before anything is sent, once, and without content."""
    secret = canary()
    producer = Producer(secret)
    client = anthropic(producer)
    client.messages.create(**ASK, messages=[USER])
    history = [USER, {"role": "assistant", "content": altered(producer.blocks())}, USER]
    with pytest.raises(ProducerMismatch, match=r"thinking\.signature 0 of 2 was altered or not issued here") as caught:
        client.with_options(timeout=3).messages.create(**ASK, messages=history)

    assert 1 == len(producer.bodies)
    assert clean(repr(caught.value), secret)
    assert {"producer-mismatch": 1} == client.reticent.guard.counts.failures


def test_the_client_it_was_made_from_stays_as_it_is() -> None:
    """Wrapping a client changes neither its class nor what it sends."""
    producer = Producer("x")
    client = Anthropic(api_key="k", http_client=ANTHROPIC.Client(transport=transport(producer, ANTHROPIC)))
    anthropic_client.round_trip(client, "provider_roundtrip")
    client.messages.create(**ASK, messages=[USER, {"role": "assistant", "content": altered(producer.blocks())}])

    assert type(client) is Anthropic
    assert 1 == len(producer.bodies)


def test_blocks_of_another_producer_do_not_leave() -> None:
    """With one ledger for both clients, what OpenAI issued does not go to Anthropic, nor the other way round."""
    secret, ledger = canary(), Ledger()
    producer = Producer(secret)
    one = anthropic(producer, ledger=ledger)
    client = OpenAI(api_key="k", http_client=OPENAI.Client(transport=transport(producer, OPENAI)))
    other = openai_client.round_trip(client, "provider_roundtrip", ledger=ledger)
    one.messages.create(**ASK, messages=[USER])
    answer = other.responses.create(model="gpt-5.2", input="hi")
    other.responses.create(model="gpt-5.2", input=[*answer.output, USER])
    with pytest.raises(ProducerMismatch, match="issued by openai/gpt-5-2 and would go to anthropic") as caught:
        one.messages.create(**ASK, messages=[USER, {"role": "assistant", "content": producer.items()[:1]}])

    assert 3 == len(producer.bodies)
    assert clean(repr(caught.value), secret)


@pytest.mark.parametrize("streamed", [False, True])
def test_asynchronous_clients(*, streamed: bool) -> None:
    """The asynchronous clients of both SDKs are watched like the others."""
    secret = canary()
    producer = Producer(secret)

    async def work() -> None:
        first = AsyncAnthropic(api_key="k", http_client=ANTHROPIC.AsyncClient(transport=transport(producer, ANTHROPIC)))
        second = AsyncOpenAI(api_key="k", http_client=OPENAI.AsyncClient(transport=transport(producer, OPENAI)))
        one: Any = anthropic_client.round_trip(first, "provider_roundtrip")
        two: Any = openai_client.round_trip(second, "provider_roundtrip")
        if streamed:
            async with one.messages.stream(**ASK, messages=[USER]) as stream:
                await stream.get_final_message()
            async for _ in await two.responses.create(model="gpt-5.2", input="hi", stream=True):
                pass
        else:
            await one.messages.create(**ASK, messages=[USER])
            await two.responses.create(model="gpt-5.2", input="hi")
        blocks = producer.blocks()
        await one.messages.create(**ASK, messages=[USER, {"role": "assistant", "content": blocks}, USER])
        await two.responses.create(model="gpt-5.2", input=[*producer.items(), USER])
        with pytest.raises(ProducerMismatch):
            await one.messages.create(**ASK, messages=[{"role": "assistant", "content": altered(blocks)}])
        await first.close()
        await second.close()

    asyncio.run(work())

    assert 4 == len(producer.bodies)


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize("packed", [False, True])
def test_clients_of_httpx(library: Any, *, packed: bool) -> None:
    """A client of httpx or httpx2 is watched by hooks, compressed answers too, and refuses before it sends."""
    secret = canary()
    producer = Producer(secret)
    client = library.Client(base_url="https://api.anthropic.com", transport=transport(producer, library, packed=packed))
    trip = watch(client, "provider_roundtrip")
    reply = client.post("/v1/messages", json={**ASK, "messages": [USER]}).json()
    client.post("/v1/messages", json={**ASK, "messages": [USER, reply]})
    broken = {"role": "assistant", "content": altered(reply["content"])}
    with pytest.raises(ProducerMismatch) as caught:
        client.post("/v1/messages", json={**ASK, "messages": [USER, broken]})

    assert 2 == len(producer.bodies)
    assert clean(repr(caught.value), secret)
    assert 2 == len(trip.ledger)
    client.close()


def test_a_ledger_goes_along_with_a_task() -> None:
    """Another worker that loads the ledger may send what the first one was given; without it, only when told so."""
    secret = canary()
    producer = Producer(secret)
    client = anthropic(producer)
    reply = client.messages.create(**ASK, messages=[USER])
    history = [USER, {"role": "assistant", "content": reply.to_dict()["content"]}, USER]
    kept = client.reticent.ledger.dump()

    anthropic(producer, ledger=Ledger.load(kept)).messages.create(**ASK, messages=history)
    anthropic(producer, unknown="carry").messages.create(**ASK, messages=history)
    with pytest.raises(ProducerMismatch):
        anthropic(producer).messages.create(**ASK, messages=history)
    with pytest.raises(ConfigurationError):
        Ledger.load(b'{"version": 2}')


def test_a_ledger_forgets_the_oldest() -> None:
    """A ledger keeps no more digests than it may."""
    ledger = Ledger(most=1)
    ledger.issued(Producer("a").blocks(), "anthropic")

    assert 1 == len(ledger)
    assert ledger.producer_of({"role": "user", "content": "hi"}) is None


def test_a_gateway_is_named() -> None:
    """Where the address tells nothing, the caller names the producer, else the host is one of its own."""
    body = {"model": "house-model", "messages": []}

    assert "gateway.internal" == RoundTrip("provider_roundtrip").producer("https://gateway.internal/v1", body).provider
    assert "bedrock/eu-west-1" == str(
        RoundTrip("provider_roundtrip", producer="bedrock/eu-west-1").producer("https://gateway.internal/v1", body)
    )
