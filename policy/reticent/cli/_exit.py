"""Exit codes, in one place, and the only place that turns an error into one."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import typer

from reticent.errors import ConfigurationError, EgressRefused, EngineError, ReticentError

if TYPE_CHECKING:
    from collections.abc import Sequence

# Typer brings its own copy of click and exports only the leaves of its error tree; every usage error is one of these.
_UsageError: Final = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")

CLEAN: Final = 0
FINDINGS: Final = 1
CONFIGURATION: Final = 2
REFUSED: Final = 3


def run(app: typer.Typer, arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - one line per way to end
    """Run ``app`` and say how it ended. Errors go to standard error, and never quote a payload."""
    try:
        result = typer.main.get_command(app).main(args=arguments, prog_name="reticent", standalone_mode=False)
    except typer.Abort:
        return _say("interrupted", REFUSED)
    except typer.Exit as error:
        return error.exit_code
    except (ConfigurationError, EngineError) as error:
        return _say(str(error), CONFIGURATION)
    except EgressRefused as error:
        return _say(f"{error.code}: {error}", REFUSED)
    except BrokenPipeError:
        # The reader went away; Python would complain once more while it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLEAN
    except ReticentError as error:
        return _say(f"{error.code}: {error}", REFUSED)
    except Exception as error:  # noqa: BLE001 - what an unknown error says may quote the payload
        if isinstance(error, _UsageError):
            error.show(file=sys.stderr)  # type: ignore[attr-defined]  # click's own
            return CONFIGURATION
        return _say(f"internal failure ({type(error).__name__}); nothing unfiltered was written", REFUSED)
    return result if isinstance(result, int) else CLEAN


def _say(message: str, code: int) -> int:
    sys.stderr.write(f"{message}\n")
    return code
