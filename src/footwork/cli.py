"""The command `footwork`: load, look, decide.

Exit codes: 0 yes or done, 1 the answer is "no" (or "at the edge"), 2 bad usage or bad input. Heavy
imports happen inside the commands, so that `footwork --help` answers at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from . import __version__, commands
from .commands.flags import BAD, OK
from .errors import FootworkError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except FootworkError as error:
        if options.debug:
            raise
        print(f"footwork: {error}", file=sys.stderr)
        return BAD
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # `footwork … | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return OK
        if options.debug:
            raise
        print(f"footwork: {error.strerror or error}: {error.filename or ''}", file=sys.stderr)
        return BAD
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="footwork",
        description="Legged robots from a description to a verdict on their contacts.",
        epilog="exit codes: 0 yes or done, 1 the answer is no, 2 bad usage or bad input",
    )
    parser.add_argument("--version", action="version", version=f"footwork {__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands.ALL:
        command.add(subparsers)
    return parser
