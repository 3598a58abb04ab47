"""Which exits of the running process are guarded, by which surface, and which are open.

.. code-block:: python

    from reticent import doctor

    print(doctor.to_text(doctor.report()))

The doctor looks at libraries that are loaded, and loads none. It finds the exits of the ecosystems that it knows:
``logging``, structlog, loguru, OpenTelemetry, Langfuse, Sentry, LiteLLM, Logfire, LangSmith, MLflow, SQLAlchemy and
ASGI applications. What it does not know it cannot see; a clean report says that nothing known is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reticent.doctor._findings import Exit, GuardState, Report, Setting
from reticent.doctor.render import to_json, to_sarif, to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Exit", "GuardState", "Report", "Setting", "report", "to_json", "to_sarif", "to_text"]


def report(*applications: Any) -> Report:
    """Look at the process as it is now, and at ``applications`` (ASGI applications of Starlette or FastAPI).

    Never raises for a library whose insides are not as expected: its exit is then reported as open.
    """
    from reticent.doctor import _applications, _logging, _settings, _telemetry
    from reticent.integrations._guard import guards

    inspectors = (*_logging.INSPECTORS, *_telemetry.INSPECTORS, *_applications.INSPECTORS)
    exits = [found for inspector in inspectors for found in _found(inspector)]
    exits += [found for application in applications for found in _applications.asgi(application)]
    states = [GuardState(guard.surface, dict(guard.counts.failures), guard.counts.removed) for guard in guards()]
    return Report(tuple(exits), tuple(_settings.settings()), tuple(states))


def _found(inspector: Callable[[], Iterable[Exit]]) -> Iterator[Exit]:
    try:
        yield from list(inspector())
    except Exception as error:  # noqa: BLE001 - another release of a library; what cannot be seen counts as open
        name = inspector.__name__.strip("_")
        yield Exit(name, name, None, f"its state cannot be read ({type(error).__name__}); look at it by hand")
