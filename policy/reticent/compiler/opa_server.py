"""An OPA server as the engine, for teams that distribute policy by bundles and keep decision logs.

The only module that imports ``opa_client``, and none of its types or exceptions leave it. Only tables and lists of
callers are sent. Details of the client that matter here, as of opa-python-client 3.0: its exceptions have no common
base; an undefined document comes back as a success without ``result``; an upload that OPA refuses is tried again with
rewritten policy text unless ``rego_compat=False``; and its session (requests 2.34) lets ``REQUESTS_CA_BUNDLE`` replace
the authorities it was told to trust, and ``.netrc`` the token, unless ``trust_env`` is off.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from reticent._resources import is_test, policy_digest, policy_sources
from reticent.compiler._json import is_mapping
from reticent.compiler.engine import ENTRYPOINTS, Answer, Document
from reticent.errors import ConfigurationError, EngineAnswerInvalid, EngineUnavailable

if TYPE_CHECKING:
    from opa_client.opa import OpaClient
    from requests import Response, Session

_T = TypeVar("_T")

_PACKAGE = re.compile(r"^package (\S+)$", re.MULTILINE)
_IMPORT = re.compile(r"^import data\.(\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the server is and how it is spoken to.

    ``url`` is ``http://`` or ``https://`` with host and port (default 8181). ``ca_file`` is the bundle of authorities
    to trust for ``https`` and nobody else (default: those that ``requests`` ships), ``client_cert`` a file of PEM, or
    certificate and key, for mutual TLS. ``timeout`` is in seconds and counts for each try; ``retries`` tries follow a
    connection that fails. Proxies, authorities and passwords that the environment names are not used.
    """

    url: str = "http://127.0.0.1:8181"
    token: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    client_cert: str | tuple[str, str] | None = field(default=None, repr=False)
    timeout: float = 3.0
    retries: int = 2


def client_files(certificate: str | Path | None, key: str | Path | None) -> str | tuple[str, str] | None:
    """A certificate and its key, if that stands in a file of its own, as ``ServerSettings.client_cert`` takes them.

    Raises:
        ConfigurationError: there is a key and no certificate.
    """
    if certificate is None:
        if key is not None:
            msg = "a key for the OPA server goes with a certificate, and there is none"
            raise ConfigurationError(msg)
        return None
    return str(certificate) if key is None else (str(certificate), str(key))


class OpaServer:
    """Asks a running OPA. Safe to share between threads; every thread has a client of its own."""

    name = "opa-server"

    def __init__(self, settings: ServerSettings | None = None) -> None:
        """Take the settings; nothing is sent yet.

        Raises:
            ConfigurationError: the URL cannot be used, a token would travel unencrypted to another machine, a file is
                missing, or the package ``opa-python-client`` is not installed.
        """
        self._settings = settings or ServerSettings()
        self._make_client = _client_factory(self._settings)
        self._local = threading.local()

    @property
    def policy_digest(self) -> str:
        """The digest of the ``reticent`` rules that the server has loaded now; equal to ours when they are ours.

        Raises:
            EngineUnavailable: the server cannot be asked.
            EngineAnswerInvalid: it has no such rules, or does not tell.
        """
        loaded = self._ask(
            lambda client: [client.get_policy(name) for name in client.get_policies_list()], "its policies"
        )
        try:
            rules = [item["result"]["raw"] for item in loaded if _is_rule(item["result"])]
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            msg = "the OPA server does not tell which policies it has"
            raise EngineAnswerInvalid(msg) from error
        if not rules:
            msg = "the OPA server has no reticent rules"
            raise EngineAnswerInvalid(msg)
        return policy_digest(rules)

    def decide(self, document: Document) -> Answer:
        """Both answers for one table, in one request.

        Raises:
            EngineUnavailable: no server, refused, or not in time.
            EngineAnswerInvalid: an entrypoint is undefined, or the answer is not JSON.
        """
        return self.query("reticent.main", document, ENTRYPOINTS)

    def query(self, package: str, document: Document, names: Iterable[str]) -> Answer:
        """What the rules ``names`` of a ``package`` make of a document, in one request.

        Raises:
            EngineUnavailable: no server, refused, or not in time.
            EngineAnswerInvalid: one of them is undefined, or the answer is not JSON.
        """
        question, wanted = dict(document), tuple(names)
        answer = self._ask(lambda client: client.query_rule(question, package), "a decision")
        result = answer.get("result") if is_mapping(answer) else None
        if not is_mapping(result) or any(name not in result for name in wanted):
            msg = f"the OPA server left the decision undefined; are the rules {package} loaded?"
            raise EngineAnswerInvalid(msg)
        return {name: result[name] for name in wanted}

    def upload(self) -> None:
        """Put this installation's rules on the server, exactly as they are, for servers without bundles.

        Raises:
            EngineUnavailable: the server cannot be asked or refuses the rules.
        """
        for path, text in _imported_first(policy_sources()):
            self._ask(partial(_put, name=path.removesuffix(".rego"), text=text), "the loading of a rule")

    def _ask(self, question: Callable[[OpaClient], _T], what: str) -> _T:
        try:
            return question(self._client())
        except EngineUnavailable:
            raise
        except Exception as error:
            raise _mapped(error, what) from error

    def _client(self) -> OpaClient:
        if not hasattr(self._local, "client"):
            self._local.client = self._make_client()
        client: OpaClient = self._local.client
        return client


def _client_factory(settings: ServerSettings) -> Callable[[], OpaClient]:
    try:
        from opa_client.opa import OpaClient
    except ImportError as error:
        msg = "the OPA server engine needs the package opa-python-client (install reticent[opa])"
        raise ConfigurationError(msg) from error
    keywords = _keywords(settings)

    class Client(OpaClient):
        """A client that trusts what the settings say, and follows nobody to another server."""

        def _init_session(self) -> Session:
            session = super()._init_session()
            session.trust_env = False
            session.hooks["response"].append(_stay)
            return session

    return lambda: Client(**keywords)


def _keywords(settings: ServerSettings) -> Mapping[str, Any]:
    parts = urlsplit(settings.url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/") or parts.username:
        msg = "the URL of the OPA server must be http(s)://host[:port], without a path or a user"
        raise ConfigurationError(msg)
    if settings.token and parts.scheme == "http" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        msg = "a token is sent to another machine only over https"
        raise ConfigurationError(msg)
    for file in (settings.ca_file, *_files(settings.client_cert)):
        if file is not None and not Path(file).is_file():
            msg = f"{file}: there is no such file, and the OPA server needs it for TLS"
            raise ConfigurationError(msg)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return {
        "host": host,
        "port": parts.port or 8181,
        # the client hands this value to `requests` as `verify`: a file is a bundle of authorities
        "ssl": (settings.ca_file or True) if parts.scheme == "https" else False,
        "cert": settings.client_cert,
        "token": settings.token,
        "timeout": settings.timeout,
        "retries": settings.retries,
    }


def _files(told: str | tuple[str, str] | None) -> tuple[str | None, ...]:
    return told if isinstance(told, tuple) else (told,)


def _stay(response: Response, **_: object) -> None:
    """Follow OPA to another of its paths, where a slash is too many, and nobody to another server."""
    from requests.exceptions import TooManyRedirects

    if response.is_redirect and urlsplit(response.headers["location"]).netloc:
        msg = "redirected to another server"
        raise TooManyRedirects(msg)


def _is_rule(policy: Mapping[str, Any]) -> bool:
    package = policy["ast"]["package"]["path"]
    return package[1]["value"] == "reticent" and not is_test(policy["id"])


def _imported_first(sources: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The sources in an order in which each finds the functions that it calls: OPA compiles at every upload."""
    packages = {_PACKAGE.findall(text)[0]: path for path, text in sources.items()}
    needs = {path: {packages[name] for name in _IMPORT.findall(text)} for path, text in sources.items()}
    return ((path, sources[path]) for path in TopologicalSorter(needs).static_order())


def _put(client: OpaClient, *, name: str, text: str) -> None:
    if not client.update_policy_from_string(text, name, rego_compat=False):
        msg = "the OPA server did not take a rule"
        raise EngineUnavailable(msg)


def _mapped(error: Exception, what: str) -> EngineUnavailable | EngineAnswerInvalid:
    """Every exception of the client and of what it stands on, as one of ours; its text is not repeated."""
    from requests.exceptions import HTTPError, JSONDecodeError, RequestException, SSLError, Timeout

    kind = type(error).__name__
    if isinstance(error, JSONDecodeError | UnicodeDecodeError):
        return EngineAnswerInvalid(f"the OPA server was asked for {what} and did not answer in JSON")
    if isinstance(error, HTTPError):
        status = getattr(getattr(error, "response", None), "status_code", "unknown")
        return EngineUnavailable(f"the OPA server was asked for {what} and answered with status {status}")
    if isinstance(error, Timeout):
        return EngineUnavailable(f"the OPA server was asked for {what} and did not answer in time")
    if isinstance(error, SSLError):
        return EngineUnavailable(f"the OPA server is not trusted, or trusts nobody without a certificate ({kind})")
    if isinstance(error, RequestException | OSError):
        return EngineUnavailable(f"the OPA server cannot be reached ({kind})")
    return EngineUnavailable(f"the OPA server was asked for {what} and the client failed ({kind})")
