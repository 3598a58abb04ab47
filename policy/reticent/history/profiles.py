"""Which profile holds for a model: by name, by model id, else the strictest."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from reticent.errors import ConfigurationError, did_you_mean
from reticent.history.facts import Profile, profiles

STRICTEST = "unknown"
"""The profile of a model that no other profile names."""

# `us.anthropic.claude-...-v1:0` on Bedrock, `anthropic/claude-...` on a router, `models/gemini-...` on Vertex.
_PREFIX = re.compile(r"^(?:.*/)?(?:(?:us|eu|apac|global|jp|au)\.)?(?:(?:anthropic|openai|google|deepseek)[./])?")


def profile_named(name: str) -> Profile:
    """The profile called ``name``.

    Raises:
        ConfigurationError: there is none; the message suggests the nearest name.
    """
    known = profiles()
    if name not in known:
        raise ConfigurationError(f"unknown profile {name!r}.{did_you_mean(name, known)}")
    return known[name]


def profile_for(model: str | None, *, dialect: str | None = None) -> Profile:
    """The profile of a model id as an API names it; ``unknown`` when nobody has described the model.

    ``dialect`` tells apart profiles of one model behind two endpoints (Responses and Chat Completions).
    """
    word = (model or "").strip().lower()
    bare = _PREFIX.sub("", word)
    for profile in profiles().values():
        if profile.dialects and dialect not in profile.dialects:
            continue
        if any(fnmatchcase(candidate, pattern) for candidate in (word, bare) for pattern in profile.models):
            return profile
    return profiles()[STRICTEST]


def resolve(profile: Profile | str | None, *, model: str | None = None, dialect: str | None = None) -> Profile:
    """A profile given as itself, as a name, or not at all (then by ``model``, else the strictest)."""
    if isinstance(profile, Profile):
        return profile
    return profile_named(profile) if profile is not None else profile_for(model, dialect=dialect)
