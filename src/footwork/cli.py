"""The command `footwork`: argument parsing, error reporting and exit codes.

Exit codes: 0 yes or done, 1 the answer is "no" (or "at the edge"), 2 bad usage or bad input, 3 a
mistake of footwork itself, 130 interrupted. Errors are one line on standard error; --debug shows
where they come from. SIGTERM and SIGHUP end it with 143 and 129. Heavy imports happen inside the
commands, so that `footwork --help` answers at once.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from . import __version__, commands
from .commands import output
from .commands.flags import BAD, BUG, INTERRUPTED, OK
from .commands.parser import Parser
from .errors import FootworkError, FootworkWarning, counted
from .progress import bars_drawn


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    _open_streams()
    options = _options(arguments)
    try:
        drawn = bars_drawn(False if options.quiet else None)
        with warnings.catch_warnings(), _kernels_later(), _ended_by_signals(), drawn:
            warnings.simplefilter("default", FootworkWarning)
            warnings.showwarning = _show(options.quiet, warnings.showwarning)
            output.check(options)
            code: int = options.run(options)
            sys.stdout.flush()
        return code
    except BrokenPipeError:  # `footwork … | head`
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (to the end of the process)
        return OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if options.debug:
            raise
        _say(f"footwork: {_one_line(_told(error))}")
        if isinstance(error, OSError) and not error.filename:  # what could not be written is lost
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (to the end of the process)
        return BAD if isinstance(error, (FootworkError, OSError, ImportError)) else BUG


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return what was asked for; --help (also without any words) and bad usage end here."""
    try:
        try:
            parser = _parser()
            if not (sys.argv[1:] if arguments is None else arguments):
                parser.print_help()
                raise SystemExit(BAD)
            return parser.parse_args(arguments)
        finally:
            sys.stdout.flush()
    except OSError as error:  # `footwork --help | head`, or a full disk
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (to the end of the process)
        if isinstance(error, BrokenPipeError):
            raise SystemExit(OK) from None
        _say(f"footwork: {_told(error)}")
        raise SystemExit(BAD) from None


def _say(text: str) -> None:
    """Print to standard error, where that can be: the exit code tells in any case."""
    with suppress(OSError):
        print(text, file=sys.stderr)


def _open_streams() -> None:
    """Where the caller closed standard output (`>&-`), writing to it is an error, not a crash."""
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (to the end of the process)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the command by an exception, so that it leaves nothing behind.

    NumPy, while it is imported, makes an ImportError of it: whatever comes of it, it ends so.
    """
    codes: list[int] = []
    before: dict[signal.Signals, Any] = {}

    def end(number: int, _: object) -> None:
        codes.append(128 + number)
        raise SystemExit(codes[0])

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) == signal.SIG_DFL:  # `nohup` ignores SIGHUP
                before[number] = signal.signal(number, end)
    try:
        yield
    except Exception:
        if codes:
            raise SystemExit(codes[0]) from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _kernels_later() -> Iterator[None]:
    """Do without Numba as long as that is sooner: most commands have little to compute."""
    before = os.environ.get("FOOTWORK_COMPILE", "")
    os.environ["FOOTWORK_COMPILE"] = before or "later"
    try:
        yield
    finally:
        os.environ["FOOTWORK_COMPILE"] = before


def _told(error: Exception) -> str:
    """Return the message to print for an error."""
    if isinstance(error, FootworkError):
        return str(error)
    if isinstance(error, ImportError):
        return f"{error}; `footwork doctor` says what to type"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'standard output'}: {error.strerror}"  # `files` names others
    what = f"{type(error).__name__}: {error}".removesuffix(": ")
    return (
        f"{what}; when `footwork doctor` finds nothing, this is a mistake of footwork: please "
        "report it with what --debug shows"
    )


def _one_line(text: str) -> str:
    """Return the first two lines of a text as one, and how many more there are."""
    lines = [line.strip() for line in output.typed(text).splitlines() if line.strip()]
    lines = lines or ["failed"]
    more = f" (and {counted(len(lines) - 2, 'more line')}: --debug)" if len(lines) > 2 else ""
    return " ".join(lines[:2]) + more


def _show(quiet: bool, usual: Any) -> Any:
    """Return a `warnings.showwarning` that prints ours on one line, as errors are, each once."""
    said: set[str] = set()

    def show(message: Any, category: Any, *where: Any, **how: Any) -> None:
        if not issubclass(category, FootworkWarning):
            usual(message, category, *where, **how)
        elif not quiet and str(message) not in said:
            said.add(str(message))
            _say(f"footwork: note: {_one_line(str(message))}")

    return show


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="footwork",
        description="Legged robots from a description to a verdict on their contacts.",
    )
    parser.add_argument("--version", action="version", version=f"footwork {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands.ALL:
        command.add(subparsers)
    return parser
