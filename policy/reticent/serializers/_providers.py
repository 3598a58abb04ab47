"""What ``producers.toml`` says: names of providers, what a model's name tells, shapes that only some systems issue."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

_REVISION: Final = re.compile(
    r"(?:-v\d+(?::\d+)?|:[\w.-]+|@[\w.-]+|-\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-\d{4}|-latest|-preview(?:-\d{2}-\d{2,4})?|-exp)$"
)
_GEOGRAPHY: Final = re.compile(r"^(?:us-gov|us|eu|apac|jp|au|ca|global)\.(?=[a-z])")
_ARN: Final = re.compile(r"arn:aws[\w-]*:bedrock:(?P<endpoint>[\w-]*):(?P<account>\d*):[\w-]+/(?P<model>.+)")
_VERTEX: Final = re.compile(
    r"(?:.*/)?projects/(?P<account>[^/]+)/locations/(?P<endpoint>[^/]+)/publishers/(?P<maker>[^/]+)/models/(?P<model>[^/]+)"
)


@dataclass(frozen=True, slots=True)
class Clue:
    """What something says about who issued it; empty where it says nothing.

    ``closed`` is true when nobody but the maker and hosts of its choosing serve the model.
    """

    provider: str = ""
    account: str = ""
    endpoint: str = ""
    maker: str = ""
    family: str = ""
    closed: bool = False

    def contradicts(self, other: Clue) -> bool:
        """Whether the two name different providers or makers."""
        pairs = ((self.provider, other.provider), (self.maker, other.maker))
        return any(mine and theirs and mine != theirs for mine, theirs in pairs)

    def under(self, outer: Clue) -> Clue:
        """This clue, completed by what stands around it unless the two contradict each other."""
        if self.contradicts(outer):
            return self
        names = ("provider", "account", "endpoint", "maker", "family", "closed")
        return Clue(*(getattr(self, name) or getattr(outer, name) for name in names))


@dataclass(frozen=True, slots=True)
class ShapeFact:
    """A carrier that only the systems ``among`` issue, the likeliest first; ``maker`` trained the model."""

    types: frozenset[str]
    members: Mapping[str, str | bool]
    list_member: str
    contains: str
    among: tuple[str, ...]
    maker: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The whole of ``producers.toml``."""

    aliases: Mapping[str, str]
    makers: frozenset[str]
    hosts: Mapping[str, tuple[str, str]]
    models: Mapping[str, tuple[str, bool]]
    formats: Mapping[str, str]
    shapes: tuple[ShapeFact, ...]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def provider(self, name: str) -> str | None:
        """The one name of a provider that is called ``name``, None when nobody is."""
        told = name.strip().lower().replace("_", "-").replace(" ", "-")
        return self.aliases.get(told) or self.aliases.get(told.partition(".")[0])


@cache
def facts() -> Facts:
    """The facts, read once."""
    document = tomllib.loads(resources.files("reticent.serializers").joinpath("producers.toml").read_text("utf-8"))
    providers: Mapping[str, Mapping[str, Any]] = document["providers"]
    return Facts(
        aliases={alias: name for name, told in providers.items() for alias in (name, *told.get("aliases", ()))},
        makers=frozenset(name for name, told in providers.items() if told.get("makers")),
        hosts={
            host: (name, told.get("reads", "")) for name, told in providers.items() for host in told.get("hosts", ())
        },
        models={start: (told["maker"], told.get("closed", False)) for start, told in document["models"].items()},
        formats=document["formats"],
        shapes=tuple(map(_shape, document["shapes"])),
        names={name: tuple(keys) for name, keys in document["names"].items()},
    )


def _shape(told: Mapping[str, Any]) -> ShapeFact:
    return ShapeFact(
        types=frozenset(told.get("types", [told["type"]] if "type" in told else ())),
        members=told.get("members", {}),
        list_member=told.get("list", ""),
        contains=told.get("contains", ""),
        among=tuple(told["from"]),
        maker=told.get("maker", ""),
    )


def read_model(name: str) -> Clue:
    """What the name of a model tells, in any spelling: plain, of a router, of Bedrock, of Vertex, an ARN."""
    for provider, pattern in (("bedrock", _ARN), ("vertex", _VERTEX)):
        found = pattern.fullmatch(name)
        if found is not None:
            told = found.groupdict()
            inner = read_model(told["model"])
            maker = _maker(told.get("maker", "")) or inner.maker
            return Clue(provider, told["account"], told["endpoint"], maker, inner.family)
    path, _, last = name.strip().lower().removeprefix("models/").rpartition("/")
    last = _GEOGRAPHY.sub("", last)
    maker = _maker(path.rpartition("/")[2])
    front, dot, rest = last.partition(".")
    if dot and _maker(front):
        maker, last = _maker(front), rest
    told_maker, closed = _known(last)
    return Clue(maker=maker or told_maker, family=family(last), closed=closed and not path and not dot)


def _maker(name: str) -> str:
    """Who trains models under ``name``, empty when nobody does."""
    found = facts().provider(name) or ""
    return found if found in facts().makers else ""


def _known(model: str) -> tuple[str, bool]:
    """Maker of a model, and whether only the maker lets it be served; ``("", False)`` when the name tells nothing."""
    starts = [start for start in facts().models if model.startswith(start)]
    return facts().models[max(starts, key=len)] if starts else ("", False)


def family(model: str) -> str:
    """The name of a model without what only tells releases of it apart: dates, revisions, tags; dots are dashes."""
    name = model.strip().lower()
    while (shorter := _REVISION.sub("", name)) != name:
        name = shorter
    return name.replace(".", "-")


def read_url(url: str) -> Clue:
    """What the address of an API tells: provider, and region or account where its host names one."""
    host = url.partition("://")[2].partition("/")[0].partition(":")[0].lower()
    for end, (provider, reads) in facts().hosts.items():
        if host == end or host.endswith((f".{end}", f"-{end}")):
            front = host[: -len(end)].rstrip(".-")
            if provider == "bedrock":
                front = front.partition(".")[2] if front.startswith("bedrock") else ""
            return Clue(
                provider,
                account=front if reads == "account" else "",
                endpoint=front if reads == "endpoint" else "",
            )
    return Clue()
