"""Flags that several commands share, and what they stand for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..robots import Robot

OK, NO, BAD, BUG, INTERRUPTED = 0, 1, 2, 3, 130


def command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], words: str
) -> argparse.ArgumentParser:
    """Add a subcommand that calls run(options), which returns the exit code."""
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    parser.add_argument(
        "--quiet", action="store_true", help="no words but errors: the exit code, and files, say it"
    )
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
    package_flag(parser)
    parser.add_argument(
        "--no-meshes", action="store_true", help="do without mesh files: the dynamics are the same"
    )
    if posture:
        parser.add_argument(
            "--posture", metavar="NAME", help="a posture of the robot (the one it stands in)"
        )


def package_flag(parser: argparse.ArgumentParser) -> None:
    """Where the packages of a description lie."""
    parser.add_argument(
        "--package-dir",
        action="append",
        default=[],
        metavar="FOLDER",
        help="where package://name/… is looked for first; may be repeated",
    )


def friction_flag(parser: argparse.ArgumentParser) -> None:
    """How rough the ground is."""
    parser.add_argument(
        "--friction",
        type=coefficient,
        metavar="MU",
        help="Coulomb coefficient (0.7; in a scenario, of what has none of its own)",
    )


def seed_flag(parser: argparse.ArgumentParser) -> None:
    """Which random numbers."""
    parser.add_argument("--seed", type=whole, metavar="N", help="of what is random")


def json_flag(parser: argparse.ArgumentParser) -> None:
    """For programs instead of people."""
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def html_flag(parser: argparse.ArgumentParser) -> None:
    """Where to write the scene."""
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write the scene as a page that opens offline (- for standard output)",
    )


def png_flag(parser: argparse.ArgumentParser) -> None:
    """Where to write the picture."""
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="write the picture (- for standard output)"
    )


def csv_flag(parser: argparse.ArgumentParser) -> None:
    """Where to write the table."""
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help="write the table (- for standard output)"
    )


def out_flag(parser: argparse.ArgumentParser) -> None:
    """Where to write everything there is to write."""
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="write everything into this folder"
    )


def save_flag(parser: argparse.ArgumentParser, *endings: str) -> None:
    """Where to write the arrays: the ending of the name says how."""
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help="write the arrays; the ending says how"
    )
    parser.description = f"{parser.description} (--save: {', '.join(endings)})"
    parser.set_defaults(endings=endings)


def coefficient(text: str) -> float:
    """Read a coefficient of friction: a finite number of at least 0."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text}, expected a finite number of at least 0")
    return value


def positive(text: str) -> float:
    """Read a finite number greater than 0."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"got {text}, expected a finite number greater than 0")
    return value


def whole(text: str) -> int:
    """Read a whole number of at least 0."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"got {text}, expected a whole number of at least 0")
    return value


def load(options: argparse.Namespace) -> Robot:
    """Return the robot of `robot_flags`."""
    from .. import robots

    return robots.load(
        options.robot,
        passive=options.passive,
        lock=options.lock,
        package_dirs=options.package_dir,
        meshes=not options.no_meshes,
    )
