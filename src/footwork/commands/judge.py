"""`footwork judge`: robustness of a walking controller in an independent closed loop."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from ..workers import workers
from . import flags, motions
from .limits import told_what_the_robot_can
from .output import needs_plots, report, write_page
from .own_controller import OwnController
from .simulate import CROUCH, WALKS

if TYPE_CHECKING:
    from ..control import Judgement


def add(commands: Any) -> None:
    """Declare the flags of `footwork judge`."""
    words = (
        "what a gait's controller survives in MuJoCo, with solid soles, delay, noise, wrong masses "
        "and half of the friction: falls, speeds, pushes, energy. The table: one line a trial"
    )
    parser = flags.command(commands, "judge", run, words)
    flags.robot_flags(parser, posture=False)
    flags.shared(parser, "--gait", choices=("stand", *WALKS))
    parser.add_argument(
        "--controller", metavar="FILE:FUNCTION",
        help="one of your own in place of --gait, by a function of (robot, q, velocity) in a "
        "Python file that returns a function from sensors to torques",
    )  # fmt: skip
    flags.shared(parser, "--speed", "--sideways", "--turn")
    flags.shared(parser, "--duration", default=10.0)
    parser.add_argument(
        "--seeds", type=flags.whole, default=20, metavar="N",
        help="trials with wrong masses and half the friction (20); a quarter as many as told",
    )  # fmt: skip
    parser.set_defaults(directions=8)
    flags.shared(parser, "--directions", "--shove")
    parser.add_argument(
        "--heading", type=flags.decimal, nargs="+", metavar="DEGREES",
        help="where these pushes go, in turn: 0 ahead, 90 to the left (all around)",
    )  # fmt: skip
    parser.add_argument(
        "--joint-friction", type=flags.decimal, default=0.0, metavar="SHARE",
        help="damping and dry friction of the joints that the controller is not told of, as a "
        "share of those in the description (0)",
    )  # fmt: skip
    parser.add_argument(
        "--boards", type=flags.decimal, default=0.0, metavar="M",
        help="height of boards on the ground that the controller is not told of [m] (0: none)",
    )  # fmt: skip
    parser.add_argument(
        "--slope", type=flags.decimal, default=0.0, metavar="DEGREES",
        help="by which the ground rises ahead [degrees] (0)",
    )  # fmt: skip
    parser.add_argument(
        "--ramp", type=flags.decimal, default=0.0, metavar="DEGREES",
        help="by which it rises more from 0.6 m ahead on, of which it is not told [degrees] (0)",
    )  # fmt: skip
    flags.shared(
        parser,
        "--terrain",
        "--friction",
        "--predictive",
        "--estimator",
        "--jobs",
        "--json",
        "--csv",
        "--png",
        "--html",
    )


def run(options: argparse.Namespace) -> int:
    """Judge; exit code 0: at most one trial of 20 failed everywhere, 1: more did."""
    needs_plots(options)
    judgement = _judged(options)
    report(options, judgement, write_page)
    if judgement.interrupted:
        return flags.INTERRUPTED  # what was found is written all the same
    return flags.OK if judgement.holds else flags.NO


def _judged(options: argparse.Namespace) -> Judgement:
    from .. import control

    if options.heading and not options.shove:
        raise ConfigurationError("--heading: expected it with --shove")
    velocities = _velocities(options)
    robot = flags.load(options)
    feet = flags.feet(robot, options)
    terrain = motions.ground(options)
    ground = control.judging.World(slope=options.slope, terrain=terrain).told
    _, q = control.stand(robot, feet, crouch=CROUCH.get(options.gait, 0.0), terrain=ground)
    sensors = control.Sensors() if options.estimator else None
    walker = partial(
        control.judging.walker, gait=options.gait, friction=flags.friction(options),
        sensors=sensors, predictive=options.predictive, terrain=terrain,
    )  # fmt: skip
    make = OwnController(options.controller) if options.controller else walker
    several = nullcontext() if options.jobs == 1 else workers(options.jobs)
    told = nullcontext() if options.controller else told_what_the_robot_can(robot, feet, options)
    with several as executor, told:
        return control.judge(
            robot, make, velocities, duration=options.duration, seeds=options.seeds,
            told=-(-options.seeds // 4), directions=options.directions, shove=options.shove,
            headings=options.heading, joint_friction=options.joint_friction,
            boards=options.boards, slope=options.slope, ramp=options.ramp, terrain=terrain,
            sensors=sensors, q=q, contacts=feet, executor=executor,
        )  # fmt: skip


def _velocities(options: argparse.Namespace) -> list[tuple[float, float, float]]:
    """(vx, vy, wz) that a controller is commanded, one of each speed."""
    given = {f"--{name}": getattr(options, name) for name in ("speed", "sideways", "turn")}
    told = [flag for flag, value in given.items() if value is not None]
    beside, turn = options.sideways or 0.0, options.turn or 0.0
    velocities = [(v, beside, turn) for v in options.speed or [0.0]]
    if options.controller:
        if options.gait != "stand" or options.predictive:
            flag = "--predictive" if options.predictive else f"--gait {options.gait}"
            raise ConfigurationError(f"--controller: got {flag} too, expected one of them")
        return velocities
    if (options.gait == "stand") == bool(told):
        got = told[0] if told else f"none of {', '.join(given)}"
        ways = ", ".join(WALKS) if told else "one"
        raise ConfigurationError(f"--gait {options.gait}: got {got}; expected {ways}")
    if options.predictive and options.gait == "stand":
        raise ConfigurationError("--predictive: expected it with --gait and a speed")
    return velocities
