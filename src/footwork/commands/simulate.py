"""`footwork simulate`: closed-loop simulation of standing, walking and push recovery."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import registry
from ..errors import ConfigurationError
from . import flags
from .output import answer, destination, needs, paint, write_plot, write_table

if TYPE_CHECKING:
    from ..control import ClosedLoop

CROUCH = {
    "step": 0.02,
    "catch": 0.03,
}  # [m] by which the centre of mass is lowered by bending the knees
GAITS = {"step": "footsteps", "trot": "trot", "crawl": "crawl"}  # of `control.gaits`


def add(commands: Any) -> None:
    """Declare the flags of `footwork simulate`."""
    words = (
        "closed-loop simulation of standing, stepping or trotting under a controller. The picture: "
        "torques, forces, margins; the table: q, v and torques over time"
    )
    parser = flags.command(commands, "simulate", run, words)
    flags.robot_flags(parser, posture=False)
    parser.add_argument("--gait", choices=("stand", *GAITS, "catch"), **flags.SHARED["--gait"])
    parser.add_argument(
        "--duration",
        type=flags.positive,
        default=2.0,
        metavar="S",
        help="duration of standing [s] (2)",
    )
    parser.add_argument(
        "--steps", type=flags.whole, default=4, metavar="N", help="number of steps of a gait (4)"
    )
    parser.add_argument(
        "--length", type=float, default=0.0, metavar="M", help="step length [m] (0: in place)"
    )
    flags.shared(parser, "--terrain", "--friction")
    parser.add_argument(
        "--shove",
        type=flags.positive,
        default=0.0,
        metavar="SPEED",
        help="random pushes, each of this change of speed [m/s]",
    )
    flags.shared(parser, "--seed")
    parser.add_argument(
        "--engine",
        choices=("pinocchio", "mujoco"),
        default="pinocchio",
        help="contact model (pinocchio)",
    )
    flags.shared(parser, "--json", "--html", "--png", "--csv")


def run(options: argparse.Namespace) -> int:
    """Simulate, print a summary and write plots if requested; falling counts as "no"."""
    if options.png:
        needs("--png", "matplotlib", "plots")
    motion = _simulated(options)
    moved = motion.com[-1] - motion.com[0]
    statuses = {name: motion.statuses.count(name) for name in dict.fromkeys(motion.statuses)}
    report = {
        "robot": motion.robot.name,
        "fell": motion.fell,
        "ended": motion.ended,
        "seconds": round(motion.duration, 6),
        "moved": [round(float(x), 6) for x in moved],
        "ticks": statuses,
        "collisions": _collisions(motion),
        "reason": _weakness(motion),
    }
    verdict, *rest = _words(report)
    verdict = paint(options, verdict, "red" if motion.ended else "green")
    answer(options, report, "\n".join([verdict, *rest]))
    write_table(options, _head(motion), _rows(motion))
    if options.html:
        with destination(options, options.html) as path:
            registry.view(motion).save_html(path)
    if options.png:
        write_plot(motion, options)
    if any(event.name == "interrupted" for event in motion.events):
        return flags.INTERRUPTED  # what was recorded is written all the same
    return flags.NO if motion.ended else flags.OK


def _weakness(motion: ClosedLoop) -> str:
    """Why it could not even hold still where it began, if that is so."""
    from ..contacts import static_hold

    hold = static_hold(motion.robot, motion.q[0], motion.contacts or ())
    return f"it cannot hold where it began: {hold.reason}" if hold.feasible is False else ""


def _collisions(motion: ClosedLoop) -> list[str]:
    """Return the first collision of each pair of links, or of link and terrain."""
    first: dict[tuple[str, ...], str] = {}
    for collision in motion.collisions(every=0.1):
        between = vars(collision.between)
        who = between.get("links") or (between["link"], between["solid"])
        first.setdefault(who, str(collision))
    return list(first.values())


def _simulated(options: argparse.Namespace) -> ClosedLoop:
    from .. import control
    from ..contacts import Scenario

    robot = flags.load(options)
    crouch = CROUCH.get(options.gait, 0.0)
    ground = Scenario.load(options.terrain).ground if options.terrain else None
    feet = flags.feet(robot, options)
    controller, q = control.stand(robot, feet, crouch=crouch, terrain=ground)
    feet, duration = controller.contacts, options.duration
    who: Any = controller
    if options.gait == "catch":
        if ground is not None:
            raise ConfigurationError("--gait catch: got --terrain; expected level ground")
        who = control.PushRecoveryController(robot, feet, q)
    elif options.gait != "stand":
        gait = getattr(control.gaits, GAITS[options.gait])
        phases = gait(feet, q, options.steps, length=options.length, terrain=ground)
        walker = control.WalkingController(robot, feet, q, phases, terrain=ground)
        duration, who = walker.plan.duration, walker
    base = control.trunk(robot)
    pushes = control.random_pushes(robot, base, duration, options.shove, seed=options.seed or 0)
    return control.simulate(
        robot, who, ground, q=q, contacts=feet, duration=duration, control_step=2e-3,
        disturbances=pushes if options.shove else (), engine=options.engine,
        progress=False if options.quiet else None,
    )  # fmt: skip


def _words(report: dict[str, Any]) -> list[str]:
    failed = report["ended"] and not report["fell"]
    stopped = "was stopped" if report["ended"].endswith(" interrupted") else "was given up"
    how = "fell" if report["fell"] else stopped if failed else "is on its feet"
    x, y, z = report["moved"]
    why = report["reason"] or report["ended"].partition(": the robot fell: ")[2]
    link = ", though " if report["reason"] and not report["ended"] else ": " if why else ""
    ticks = ", ".join(f"{count} {name}" for name, count in report["ticks"].items())
    return [
        f"{report['robot']} {how} after {report['seconds']:.2f} s{link}{why}",
        *([f"  {report['ended']}"] if failed else []),
        f"  its centre of mass moved ({x:z.3f}, {y:z.3f}, {z:z.3f}) m",
        f"  ticks: {ticks}",
        *(f"  {collision}" for collision in report["collisions"]),
    ]


def _head(motion: ClosedLoop) -> list[str]:
    robot = motion.robot
    sizes = (("q", robot.nq), ("v", robot.nv))
    counted = [f"{letter}{i}" for letter, size in sizes for i in range(size)]
    return ["t", *counted, *(f"tau {joint}" for joint in robot.actuated)]


def _rows(motion: ClosedLoop) -> Iterator[list[float]]:
    for t, q, v, tau in zip(motion.t, motion.q, motion.v, motion.tau, strict=True):
        yield [float(t), *q.tolist(), *v.tolist(), *tau.tolist()]
