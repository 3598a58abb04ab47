"""What counts as an exit, and which integration of reticent guards it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from reticent.lint.project import dotted

if TYPE_CHECKING:
    from reticent.lint.project import Module, Project

__all__ = ["Hit", "call_hits", "column_hit"]

Hit = tuple[str, ast.expr]
"""A code, and the expression that the finding points at."""

Tainted = Callable[[ast.expr], bool]

_LEVELS: Final = frozenset(
    (
        "critical",
        "debug",
        "error",
        "exception",
        "fatal",
        "info",
        "log",
        "msg",
        "success",
        "trace",
        "warn",
        "warning",
        "ainfo",
        "adebug",
        "awarning",
        "aerror",
        "aexception",
    )
)
_LOGGERS: Final = ("log", "logger", "logging", "_log", "_logger", "LOG", "LOGGER")
_MAKERS: Final = {
    "structlog": "structlog",
    "loguru": "loguru",
}
_SPANS: Final = frozenset(("set_attribute", "set_attributes", "add_event", "record_exception", "update_current_trace"))
_DUMPS: Final = frozenset(("json.dump", "pickle.dump", "yaml.dump", "yaml.safe_dump", "marshal.dump"))
_WRITES: Final = frozenset(("write", "write_text", "write_bytes", "writelines", "writerow"))
_RESPONSES: Final = ("Response", "StreamingResponse", "JSONResponse", "ORJSONResponse", "EventSourceResponse")
_CACHES: Final = ("redis", "cache", "producer", "queue", "kafka", "memcache", "publisher", "broker")
_SENDS: Final = frozenset(
    ("set", "setex", "hset", "rpush", "lpush", "xadd", "publish", "send", "send_message", "produce")
)
_STATEMENTS: Final = frozenset(("execute", "executemany", "values"))


def call_hits(project: Project, module: Module, call: ast.Call, tainted: Tainted) -> Iterator[Hit]:
    """The exits that ``call`` is for an answer among its arguments."""
    given = [argument for argument in _arguments(call) if tainted(argument)]
    if not given or project.is_guard(module, call.func):
        return
    code = _code(project, module, call)
    if code is not None:
        yield code, call
    yield from _rows(project, call, tainted)


def column_hit(project: Project, name: str, column: str, at: ast.expr) -> Hit | None:
    """The exit that storing an answer in a column of a mapped class is; None when it is guarded or no column."""
    guarded = project.columns.get(name, {}).get(column, True)
    return None if guarded or "sqlalchemy" in _whole_session(project) else ("RET103", at)


def _whole_session(project: Project) -> set[str]:
    called = {
        module.resolved(node.func)
        for module in project.modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
    }
    return {"sqlalchemy"} if "reticent.integrations.sqlalchemy.guard_session" in called else set()


def _rows(project: Project, call: ast.Call, tainted: Tainted) -> Iterator[Hit]:
    """Columns that a constructor of a mapped class fills."""
    name = dotted(call.func).rpartition(".")[2]
    for word in call.keywords:
        if word.arg is not None and tainted(word.value):
            hit = column_hit(project, name, word.arg, word.value)
            if hit is not None:
                yield hit


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (word.value for word in call.keywords)


def _code(project: Project, module: Module, call: ast.Call) -> str | None:
    told = module.resolved(call.func)
    receiver, _, method = told.rpartition(".")
    if told == "print":
        return "RET107"
    if told in _DUMPS:
        return "RET104"
    if told.rpartition(".")[2] in _RESPONSES and told.rpartition(".")[2][:1].isupper():
        return None if "asgi" in project.integrations else "RET105"
    if method in _LEVELS and _is_logger(call.func, receiver):
        return None if _logger_guards(module, receiver) & project.integrations else "RET101"
    return _method_code(project, receiver.rpartition(".")[2].lower(), method, call)


def _method_code(project: Project, receiver: str, method: str, call: ast.Call) -> str | None:
    if method in _SPANS and ("span" in receiver or "trace" in receiver):
        return None if "opentelemetry" in project.integrations else "RET102"
    if method in _WRITES and isinstance(call.func, ast.Attribute):
        return "RET104"
    if method in _SENDS and any(word in receiver for word in _CACHES):
        return "RET106"
    if method in _STATEMENTS and ("cursor" in receiver or "conn" in receiver or receiver in ("db", "session")):
        return "RET108"
    return None


def _is_logger(func: ast.expr, receiver: str) -> bool:
    spelled = dotted(func).rpartition(".")[0]
    last = spelled.rpartition(".")[2]
    return last in _LOGGERS or receiver.startswith(("logging", "structlog", "loguru")) or last.endswith("logger")


def _logger_guards(module: Module, receiver: str) -> set[str]:
    """The integrations of which one guards this logger: that of its library, else of any that the project logs with."""
    origins = {receiver.partition(".")[0], *(origin.partition(".")[0] for origin in module.imports.values())}
    known = {_MAKERS[origin] for origin in origins if origin in _MAKERS}
    return known or ({"stdlib_logging"} if "logging" in origins else {"stdlib_logging", "structlog", "loguru"})
