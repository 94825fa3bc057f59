"""`footwork limits`: how fast a robot can go with a gait, and what stops it from going faster."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from . import flags
from .output import needs_plots, report, write_page
from .simulate import WALKS

if TYPE_CHECKING:
    from ..contacts import ContactSet
    from ..robots import Robot

AHEAD = (1.0, 0.0, 0.0)


def add(commands: Any) -> None:
    """Declare the flags of `footwork limits`."""
    words = (
        "how fast a robot can go with a gait, and what stops it from going faster: reach, joint "
        "speeds, torques, friction, and the gait's own timing. The table: one line a limit"
    )
    parser = flags.command(commands, "limits", run, words)
    flags.robot_flags(parser, posture=False)
    flags.shared(parser, "--gait", choices=WALKS, default=None)
    parser.add_argument(
        "--direction", nargs=3, type=flags.decimal, metavar=("VX", "VY", "WZ"), default=None,
        help="ahead, to the left and turning left, of the speed one (1 0 0)",
    )  # fmt: skip
    flags.shared(
        parser, "--directions", "--friction", "--predictive", "--no-torque-limits",
        "--json", "--csv", "--png", "--html",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Tell the limits; exit code 0."""
    from .. import control

    needs_plots(options)
    given = [x for x in (options.directions, options.direction) if x is not None]
    if len(given) > 1:
        raise ConfigurationError("--direction and --directions: got both, expected one of them")
    robot = flags.load(options)
    limits = control.speed_limits(
        robot,
        flags.feet(robot, options),
        gait=options.gait,
        directions=given[0] if given else AHEAD,
        predictive=options.predictive,
        torque_limits=not options.no_torque_limits,
    )
    report(options, limits, write_page)
    return flags.OK


@contextmanager
def told_what_the_robot_can(
    robot: Robot, feet: ContactSet, options: argparse.Namespace
) -> Iterator[None]:
    """Where a gait refuses a velocity, let the error name what the robot can do there, too."""
    from .. import control
    from ..control.gaits.locomotion import TooFast

    try:
        yield
    except TooFast as error:
        limits = control.speed_limits(
            robot, feet, gait=options.gait, directions=error.velocity,
            predictive=options.predictive, progress=False,
        )  # fmt: skip
        there = limits.directions[0]
        least = there.of_robot
        known = f"{there.told(least)} ({least.kind}: {least.why})"
        if least.speed == float("inf"):
            known = f"more than {there.most:.3g} {there.unit}"
        told = f"{error}; what the robot itself can do {there.words} is {known}"
        raise ConfigurationError(told) from None
