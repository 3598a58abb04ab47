"""Who issued a carrier: what it says itself, what stands around it, what only some systems emit.

The clues, strongest first: members of the carrier that name a provider or model; the message or response around it;
its shape; its neighbours in the same message; and where none of them speaks, what the caller vouches for. Clues that
contradict each other mean that nobody knows, and what nobody knows is foreign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from reticent.serializers._providers import Clue, ShapeFact, facts, read_model, read_url
from reticent.serializers.producers import Producer, from_clue

_DEEPEST: Final = 8
"""Levels of a carrier that are searched for clues."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """A producer, and whether the caller's word for it was needed."""

    producer: Producer
    vouched: bool

    def is_shown_to_be(self, to: Producer) -> bool:
        """Whether the carrier may go to ``to``.

        Account and endpoint bound who can read it: where ``to`` names them and nobody vouches, they must be seen.
        """
        mine, theirs = self.producer, to
        seen = theirs.account in ("", mine.account) and theirs.endpoint in ("", mine.endpoint)
        return (seen or self.vouched) and mine.same_as(theirs)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found about one carrier: its own clue, that of everything around it, and the shapes it has.

    ``torn`` is true when parts of it name different systems.
    """

    own: Clue
    around: Clue
    shapes: tuple[ShapeFact, ...]
    torn: bool = False

    @property
    def silent(self) -> bool:
        """Whether nothing speaks, so that neighbours may."""
        return self.own == self.around == Clue() and not self.shapes


def evidence(carrier: Any, key: Any, around: Clue) -> Evidence:
    """The evidence about ``carrier``, which stands under ``key``."""
    view = {key: carrier} if isinstance(key, str) else carrier
    own, torn = Clue(), False
    shapes: list[ShapeFact] = []
    for node in _nodes(view, 0):
        told = clue(node)
        torn |= own.contradicts(told)
        own = own.under(told)
        shapes += _shape(node)
    return Evidence(own, around, tuple(shapes), torn)


def clue(node: Mapping[str, Any]) -> Clue:
    """What the members of one object say about who issued what is in it."""
    names = facts().names
    answers = not any(name in node for name in names["request"])
    found = _named(node, answers=answers and any(name in node for name in names["answer"]))
    for name in names["inside"]:
        inner = node.get(name)
        if isinstance(inner, dict):
            found = found.under(_named(inner, answers=answers))
    return found


def issuer(found: Evidence, default: Producer | None) -> Issuer | None:
    """Who issued a carrier, or None when nobody can tell."""
    told = found.own.under(found.around)
    shared = _shared(found.shapes)
    if found.torn or shared is None or _contradicts(told, *shared):
        return None
    among, maker = shared
    if told.provider:
        vouched = default is not None and default.provider == told.provider
        return _made(told, told.provider, maker, default if vouched else None)
    if default is not None and _fits(default, told, among, maker):
        return _made(told, default.provider, maker, default)
    home = among[0] if among else told.maker if told.closed else ""
    return _made(told, home, maker, None) if home else None


def _made(told: Clue, provider: str, maker: str, default: Producer | None) -> Issuer:
    producer = from_clue(told, provider, default)
    if maker and not producer.made_by:
        producer = Producer(provider, producer.account, producer.endpoint, maker, producer.family)
    return Issuer(producer, default is not None)


def _contradicts(told: Clue, among: Sequence[str], maker: str) -> bool:
    if not among:
        return False
    foreign_provider = told.provider in facts().aliases.values() and told.provider not in among
    return foreign_provider or bool(told.maker and told.maker != maker and told.maker not in among and maker)


def _fits(default: Producer, told: Clue, among: Sequence[str], maker: str) -> bool:
    """Whether what the caller vouches for can have issued a carrier with these clues."""
    if told.maker and default.made_by not in ("", told.maker):
        return False
    if not among:
        return True
    known = default.provider in facts().aliases.values()
    served = default.maker in ("", maker) or not maker
    return (not known or default.provider in among) and served


def _shared(shapes: Sequence[ShapeFact]) -> tuple[tuple[str, ...], str] | None:
    """Systems that issue all of ``shapes`` and who trained the model; None when there can be none."""
    if not shapes:
        return (), ""
    among = tuple(name for name in shapes[0].among if all(name in shape.among for shape in shapes))
    makers = {shape.maker for shape in shapes if shape.maker}
    return (among, next(iter(makers), "")) if among and len(makers) <= 1 else None


def _named(node: Mapping[str, Any], *, answers: bool) -> Clue:
    """What the members that name somebody say; names on what is no answer are those that were asked."""
    found = Clue()
    for told in _names(node) if answers else ():
        found = found.under(told)
    return found.under(_format(node)) if isinstance(node.get("format"), str) else found


def _names(node: Mapping[str, Any]) -> Iterator[Clue]:
    names, known = facts().names, facts().provider
    told = {kind: [node[name] for name in keys if isinstance(node.get(name), str)] for kind, keys in names.items()}
    yield from map(read_url, told["url"])
    yield from (Clue(provider=known(name) or name.strip().lower()) for name in told["provider"])
    yield from (Clue(provider=_upstream(known(name), node)) for name in told["provider_word"])
    yield from map(read_model, filter(None, told["model"]))


def _upstream(provider: str | None, node: Mapping[str, Any]) -> str:
    """A known provider; a router's answer (its model is ``maker/model``) names the system behind it there."""
    routed = any("/" in str(node.get(name, "")) for name in facts().names["model"])
    return "" if provider is None or routed else provider


def _format(node: Mapping[str, Any]) -> Clue:
    told = str(node["format"]).lower()
    makers = [maker for start, maker in facts().formats.items() if told.startswith(start)]
    return Clue(maker=makers[0]) if makers else Clue()


def _nodes(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Every object in ``value``, outermost first."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield value
        for child in value.values():
            yield from _nodes(child, depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from _nodes(child, depth + 1)


def _shape(node: Mapping[str, Any]) -> Iterator[ShapeFact]:
    """The most telling shape of one object, if it has any; keys of provider metadata are shapes too."""
    for shape in facts().shapes:
        if _has(node, shape):
            yield shape
            break
    for name in facts().names["keyed"]:
        keyed = node.get(name)
        if isinstance(keyed, dict):
            told = [found for found in map(facts().provider, keyed) if found]
            if len(told) == 1:
                yield _keyed(told[0])


def _keyed(provider: str) -> ShapeFact:
    """What metadata under a provider's name tells: the maker's own API, or a host that speaks its protocol."""
    likely = next((shape.among for shape in facts().shapes if shape.maker == provider), ())
    among = (provider, *(name for name in likely if name != provider))
    return ShapeFact(frozenset(), {}, "", "", among, provider if provider in facts().makers else "")


def _has(node: Mapping[str, Any], shape: ShapeFact) -> bool:
    if shape.contains:
        return any(isinstance(value, str) and shape.contains in value for value in node.values())
    if shape.types and node.get("type") not in shape.types:
        return False
    if shape.list_member and not isinstance(node.get(shape.list_member), list):
        return False
    return all(_begins(node.get(name), start) for name, start in shape.members.items())


def _begins(value: Any, start: object) -> bool:
    if not isinstance(start, str):
        return value is start
    return value.startswith(start) and value != "" if isinstance(value, str) else bool(value) and start == ""
