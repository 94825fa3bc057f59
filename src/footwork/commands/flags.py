"""Flags that several commands share, and what they stand for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..robots import Robot

OK, NO, BAD = 0, 1, 2


def command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    """Add a subcommand that calls run(options), which returns the exit code."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.set_defaults(run=run)
    return parser


def robot_flags(
    parser: argparse.ArgumentParser,
    posture: bool = True,
    metavar: str = "ROBOT",
    words: str = "a name (see `footwork robots`) or a file",
) -> None:
    """Which robot, which of its joints move, and how it stands."""
    parser.add_argument("robot", metavar=metavar, help=words)
    parser.add_argument(
        "--passive", nargs="+", default=(), metavar="JOINT", help="joints without a motor"
    )
    parser.add_argument(
        "--lock", nargs="+", default=(), metavar="JOINT", help="joints that do not move"
    )
    if posture:
        parser.add_argument("--posture", help="a posture of the robot (the one it stands in)")


def json_flag(parser: argparse.ArgumentParser, words: str = "the same as JSON") -> None:
    """For programs instead of people."""
    parser.add_argument("--json", action="store_true", help=words)


def picture_flags(parser: argparse.ArgumentParser) -> None:
    """Where to write the scene."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page that opens offline")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="write a picture (needs Chromium or Chrome)"
    )


def coefficient(text: str) -> float:
    """Read a coefficient of friction: a finite number of at least 0."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text}, expected a finite number of at least 0")
    return value


def load(options: argparse.Namespace) -> Robot:
    """Return the robot of `robot_flags`."""
    from .. import robots

    return robots.load(options.robot, passive=options.passive, lock=options.lock)
