"""`footwork repair`: the nearest motion that holds."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from . import flags, motions
from .output import needs_plots, report, wrote


def add(commands: Any) -> None:
    """Declare the flags of `footwork repair`."""
    words = (
        "the nearest motion that a robot can do: feet stand where they touch, forces, torques and "
        "ranges are kept, hands and base change least; what could not be mended, and why. Picture "
        "and page: the motion before and after"
    )
    parser = flags.command(commands, "repair", run, words)
    parser.add_argument("motion", type=Path, metavar="MOTION", help="a file")
    motions.add(parser)
    parser.add_argument(
        "--margin", type=flags.decimal, default=10.0, metavar="N",
        help="normal force that every foot keeps besides what it needs [N] (10)",
    )  # fmt: skip
    parser.add_argument(
        "--weights", nargs="+", type=flags.named("hands=3"), action="extend", default=[],
        metavar="NAME=FACTOR",
        help="how much changes of hands, base, com, posture, smooth count, as in hands=3 (1)",
    )  # fmt: skip
    parser.add_argument(
        "--slowest", type=flags.positive, default=1.0, metavar="FACTOR",
        help="by how much time may be stretched where motions do not hold otherwise (1)",
    )  # fmt: skip
    parser.add_argument(
        "--window", type=flags.positive, default=12.0, metavar="S",
        help="longer motions are repaired in windows of this length [s] (12)",
    )  # fmt: skip
    flags.save_flag(parser, ".npz", ".csv")
    flags.shared(parser, "--json", "--png", "--html")


def run(options: argparse.Namespace) -> int:
    """Repair a motion; exit code 0: all samples hold now, 1: some do not."""
    from .. import control

    friction = motions.friction(options)
    needs_plots(options)
    motion = motions.read(options, options.motion)
    found = control.repair(
        motion,
        motions.schedule(options, motion),
        terrain=motions.ground(options),
        friction=friction,
        torque_limits=not options.no_torque_limits,
        self_collision=not options.no_self_collision,
        weights=dict(options.weights),
        margin=options.margin,
        slowest=options.slowest,
        window=options.window,
    )
    report(options, found)
    if options.save:
        wrote(options, Path(found.motion.save(options.save)))
    if options.save_contacts:
        wrote(options, found.after.schedule.save(options.save_contacts))
    return flags.OK if found.holds else flags.NO
