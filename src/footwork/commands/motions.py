"""Flags of commands about motions: how files are read, and what the robot stands on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FootworkError
from . import flags

if TYPE_CHECKING:
    from ..contacts import ContactSchedule, Terrain
    from ..dynamics import Motion


def add(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the robot, of reading, of contacts and of torque limits."""
    add_robot(parser)
    add_reading(parser)
    add_contacts(parser)
    parser.add_argument(
        "--save-contacts", type=Path, metavar="FILE",
        help="write which contacts touch when, .yaml or .csv",
    )  # fmt: skip
    flags.shared(parser, "--terrain", "--friction", "--no-torque-limits")
    parser.add_argument("--no-self-collision", action="store_true", help="links may overlap")


def add_robot(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the robot that moved."""
    parser.add_argument(
        "--robot", required=True, metavar="ROBOT", help="a name (see `footwork robots`) or a file"
    )
    flags.shared(parser, *flags.LOADING)


def add_contacts(parser: argparse.ArgumentParser) -> None:
    """Add the flag of a file that says which contacts touch."""
    parser.add_argument(
        "--contacts", type=Path, metavar="FILE",
        help="which contacts touch when, and loads: .yaml or .csv (default: found in the motion)",
    )  # fmt: skip


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the flags of reading alone."""
    parser.add_argument(
        "--rate", type=flags.positive, metavar="HZ", help="samples a second, where a file has none"
    )
    parser.add_argument(
        "--smoothing", type=_cutoff, default="auto", metavar="HZ",
        help="cut-off of the filter before derivatives (auto: found in the motion), or none",
    )  # fmt: skip
    parser.add_argument(
        "--quaternion", choices=("xyzw", "wxyz"), help="order of the base's (found in the file)"
    )
    parser.add_argument(
        "--joint-order", nargs="+", metavar="JOINT",
        help="names of the file's joints in its order; or a file with them, robot, breadth-first",
    )  # fmt: skip
    parser.add_argument("--layout", metavar="NAME", help="layout of the file (found by its keys)")
    parser.add_argument("--entry", metavar="NAME", help="which motion of a file with several")
    parser.add_argument(
        "--missing", choices=("refuse", "posture"), default="refuse",
        help="files that lack joints: refuse them, or hold these joints as the robot stands",
    )  # fmt: skip
    parser.add_argument(
        "--extra", choices=("refuse", "drop"), default="refuse",
        help="files with other joints: refuse them, or leave these joints out",
    )  # fmt: skip


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `dynamics.read_motion`."""
    order = options.joint_order
    return {
        "rate": options.rate,
        "cutoff": options.smoothing,
        "quaternion": options.quaternion,
        "joint_order": order[0] if order and len(order) == 1 else order,
        "layout": options.layout,
        "entry": options.entry,
        "missing": options.missing,
        "extra": options.extra,
    }


def read(options: argparse.Namespace, path: Path) -> Motion:
    """Return the motion in a file."""
    from .. import dynamics

    return dynamics.read_motion(path, flags.load(options), **reading(options))


def friction(options: argparse.Namespace) -> float | None:
    """Return the coefficient of --friction.

    Raises:
        FootworkError: two coefficients.
    """
    given: float | tuple[float, float] | None = options.friction
    if isinstance(given, tuple):
        raise FootworkError("--friction: got two coefficients, expected one")
    return given


def schedule(options: argparse.Namespace, motion: Motion) -> ContactSchedule | None:
    """Return the contacts of --contacts; None: they are to be found."""
    from .. import contacts

    if options.contacts is None:
        return None
    return contacts.ContactSchedule.load(options.contacts, motion.robot, motion)


def ground(options: argparse.Namespace) -> Terrain | None:
    """Return the terrain of --terrain; None: level ground."""
    from ..contacts import Scenario

    return Scenario.load(options.terrain).ground if options.terrain else None


def _cutoff(text: str) -> float | str | None:
    if text in ("auto", "none"):
        return None if text == "none" else text
    return flags.positive(text)
