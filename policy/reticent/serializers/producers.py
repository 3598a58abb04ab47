"""Who produced reasoning: the system that issued a block, as far as it can be told apart from others.

"The same producer" means provider, account, region or endpoint, and model family: a router that falls over to another
provider is another system. Names are data (``producers.toml``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reticent.errors import ConfigurationError
from reticent.serializers._providers import Clue, facts, read_model
from reticent.serializers.digests import Digest, check_round_trip, digests

__all__ = ["Digest", "Producer", "check_round_trip", "digests"]

_REGION: Final = re.compile(
    r"(?:(?:us|eu|ap|ca|sa|me|af|il|mx|cn|(?:europe|asia|northamerica|southamerica|australia|africa))"
    r"(?:-gov)?-[a-z]+-?\d+|global|eu|us)"
)
_BROAD: Final = re.compile(r"[a-z]+(?:-[a-z]+)*")
_PART: Final = re.compile(r"[a-z0-9][a-z0-9._:@-]{0,199}")


@dataclass(frozen=True, slots=True)
class Producer:
    """A system that issues reasoning; parts that nobody told are empty.

    ``provider`` answers the requests (``anthropic``, ``bedrock``), under ``account`` (an account, project or resource),
    at ``endpoint`` (a region, or the upstream of a router), with a model of ``family`` by ``maker``. ``maker`` is empty
    where the provider serves its own models. Values are in lower case, in the one spelling that ``parse`` gives.
    """

    provider: str
    account: str = ""
    endpoint: str = ""
    maker: str = ""
    family: str = ""

    @classmethod
    def parse(cls, text: str) -> Producer:
        """The producer that ``text`` names.

        ``PROVIDER[@ACCOUNT][/ENDPOINT][/MAKER][/MODEL]``: ``anthropic``, ``anthropic/claude-sonnet-4``,
        ``bedrock@123456789012/eu-west-1/anthropic/claude-sonnet-4``; also the name of a model alone where only its
        maker serves it, an ARN of Bedrock and a resource path of Vertex. Spellings and releases of one model are one.

        Raises:
            ConfigurationError: ``text`` is empty or names no provider.
        """
        told = text.strip()
        named = read_model(told)
        if named.provider:
            return cls(named.provider, named.account, named.endpoint, named.maker, named.family)
        head, *rest = told.lower().split("/")
        provider, _, account = head.partition("@")
        known = facts().provider(provider)
        if known is None and not rest and named.closed:
            return cls(named.maker, family=named.family)
        if not all(_PART.fullmatch(part) for part in (known or provider, *rest)):
            raise ConfigurationError(
                f"{text[:60]!r} names no producer; write PROVIDER[@ACCOUNT][/ENDPOINT][/MAKER][/MODEL], "
                "such as 'anthropic' or 'bedrock/eu-west-1/anthropic/claude-sonnet-4'"
            )
        return _placed(cls(known or provider, account), rest)

    @property
    def made_by(self) -> str:
        """Who trained the model: the maker, or a provider that serves its own; empty when nobody told."""
        return self.maker or (self.provider if self.provider in facts().makers else "")

    def same_as(self, other: Producer) -> bool:
        """Whether both are one system: the same provider, and no part that both name differs."""
        pairs = ((self.account, other.account), (self.endpoint, other.endpoint), (self.made_by, other.made_by))
        return (
            self.provider == other.provider
            and all(not mine or not theirs or mine == theirs for mine, theirs in pairs)
            and _same_family(self.family, other.family)
        )

    def __str__(self) -> str:
        """The spelling that ``parse`` reads back."""
        head = f"{self.provider}@{self.account}" if self.account else self.provider
        return "/".join(part for part in (head, self.endpoint, self.maker, self.family) if part)


def _placed(producer: Producer, parts: Sequence[str]) -> Producer:
    """``producer`` with what stands behind its name: endpoint, maker and model, each where it is given."""
    makers = facts().makers
    at = next((number for number, part in enumerate(parts) if facts().provider(part) in makers), None)
    if at is None:
        at = 1 if parts and (_REGION.fullmatch(parts[0]) or len(parts) > 1) and not read_model(parts[0]).maker else 0
        maker, model = "", "/".join(parts[at:])
    else:
        maker, model = facts().provider(parts[at]) or "", "/".join(parts[at + 1 :])
    if not maker and producer.provider not in makers:
        maker = read_model(model).maker if model else ""
    return Producer(
        producer.provider,
        producer.account,
        "/".join(parts[:at]),
        "" if maker == producer.provider else maker,
        read_model(model).family if model else "",
    )


def _same_family(one: str, other: str) -> bool:
    """Whether two names may be one family: equal, or one is the broad name (``claude``) of the other."""
    short, long = sorted((one, other), key=len)
    return short in ("", long) or (long.startswith(f"{short}-") and _BROAD.fullmatch(short) is not None)


def from_clue(clue: Clue, provider: str, outer: Producer | None = None) -> Producer:
    """The producer of what ``clue`` is about, served by ``provider``; parts that it leaves open come from ``outer``."""
    known = outer or Producer(provider)
    maker = clue.maker or known.maker
    return Producer(
        provider,
        clue.account or known.account,
        clue.endpoint or known.endpoint,
        "" if maker == provider else maker,
        clue.family or known.family,
    )
