"""`footwork simulate`: closed-loop simulation of standing, walking and push recovery."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from . import flags, motions
from .output import answer, needs_plots, paint_verdict, write_plot, write_table, write_view, wrote

if TYPE_CHECKING:
    from ..control import ClosedLoop

# [m] by which the centre of mass is lowered by bending the knees
CROUCH = {"step": 0.02, "walk": 0.02, "catch": 0.03}
STEPS = {"step": "footsteps", "trot": "trot", "crawl": "crawl"}  # --gait to `control.gaits`
# `control.gaits.GAITS`
WALKS = ("walk", "tripod", "trot", "pace", "bound", "wave", "ripple", "crawl")
STOP = 0.25  # fraction of the time that a robot has to stop and to stand at the end


def add(commands: Any) -> None:
    """Declare the flags of `footwork simulate`."""
    words = (
        "closed-loop simulation of standing, stepping or trotting under a controller. The picture: "
        "torques, forces, margins; the table: q, v and torques over time"
    )
    parser = flags.command(commands, "simulate", run, words)
    flags.robot_flags(parser, posture=False)
    choices = ("stand", "step", *WALKS, "catch")
    flags.shared(parser, "--gait", choices=choices)
    flags.shared(parser, "--speed", "--sideways", "--turn")
    flags.shared(parser, "--duration")
    parser.add_argument(
        "--steps", type=flags.whole, metavar="N", help="number of steps of step, trot, crawl (4)"
    )
    parser.add_argument(
        "--length", type=flags.decimal, metavar="M", help="their length [m] (0: in place)"
    )
    flags.shared(parser, "--terrain", "--friction")
    flags.shared(parser, "--shove", "--seed")
    parser.add_argument(
        "--engine",
        choices=("pinocchio", "mujoco"),
        default="pinocchio",
        help="contact model (pinocchio)",
    )
    flags.shared(parser, "--predictive", "--estimator")
    parser.add_argument(
        "--log", type=Path, metavar="FILE",
        help="with --estimator: write what the sensors told, .npz or .csv, as for `wrenches`",
    )  # fmt: skip
    flags.shared(parser, "--json", "--html", "--png", "--csv")


def run(options: argparse.Namespace) -> int:
    """Simulate, print a summary and write plots if requested; falling counts as "no"."""
    needs_plots(options)
    if options.log and not options.estimator:
        raise ConfigurationError("--log: expected it with --estimator, which has sensors")
    motion, controller = _simulated(options)
    moved = motion.com[-1] - motion.com[0]
    statuses = {name: motion.statuses.count(name) for name in dict.fromkeys(motion.statuses)}
    report = {
        "robot": motion.robot.name,
        "fell": motion.fell,
        "ended": motion.ended,
        "seconds": round(motion.duration, 6),
        "moved": [round(float(x), 6) for x in moved],
        "beside": _beside(motion, controller),
        "estimate": _estimate(motion),
        "ticks": statuses,
        "collisions": _collisions(motion),
        "reason": _weakness(motion),
    }
    answer(options, report, paint_verdict(options, "\n".join(_words(report)), not motion.ended))
    write_table(options, _head(motion), _rows(motion))
    if options.log and motion.log:
        wrote(options, motion.log.save(options.log))
    write_view(motion, options)
    write_plot(motion, options)
    if any(event.name == "interrupted" for event in motion.events):
        return flags.INTERRUPTED  # what was recorded is written all the same
    return flags.NO if motion.ended else flags.OK


def _beside(motion: ClosedLoop, controller: Any) -> list[list[float]]:
    """How far the middle of the feet is from a commanded path at the end, [[x, y]] [m]."""
    from ..control import GaitController

    if not isinstance(controller, GaitController):
        return []
    q, t = motion.q[-1], float(motion.t[-1])
    where = [T.translation for T in controller.feet.placements(q).values()]
    off = sum(where) / len(where) - controller.path.at(t).translation
    return [[round(float(x), 6) for x in off[:2]]]


def _estimate(motion: ClosedLoop) -> list[float]:
    """How far the estimate is off at the end, [x, y, z] [m]; [] where there is none."""
    if motion.estimated_q is None:
        return []
    return [round(float(x), 6) for x in motion.estimate_errors["position"][-2]]


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


def _simulated(options: argparse.Namespace) -> tuple[ClosedLoop, Any]:
    """The motion, and its controller."""
    from .. import control
    from ..control.gaits.rolling import rolling

    robot = flags.load(options)
    velocity = _velocity(options)
    crouch = CROUCH.get(options.gait, 0.0)
    ground = motions.ground(options)
    feet = flags.feet(robot, options)
    controller, q = control.stand(robot, feet, crouch=crouch, terrain=ground)
    feet, duration = controller.contacts, options.duration or (6.0 if velocity else 2.0)
    who: Any = controller
    if velocity:
        stop = (1 - STOP) * duration
        kind = control.PredictiveGait if options.predictive else control.GaitController
        who = kind(
            robot, feet, q, options.gait, terrain=ground,
            velocity=lambda t: velocity if t < stop else (0.0, 0.0, 0.0),
        )  # fmt: skip
    elif options.gait == "catch":
        who = control.GaitController(robot, feet, q, terrain=ground)
    elif options.gait == "stand":
        who = control.stand(robot, rolling(feet, q, steps=False), q)[0]
    else:
        gait = getattr(control.gaits, STEPS[options.gait])
        count = 4 if options.steps is None else options.steps
        phases = gait(feet, q, count, length=options.length or 0.0, terrain=ground)
        who = control.WalkingController(robot, feet, q, phases, terrain=ground)
        duration = who.plan.duration
    base = control.trunk(robot)
    pushes = control.random_pushes(robot, base, duration, options.shove, seed=options.seed or 0)
    motion = control.simulate(
        robot, who, ground, q=q, contacts=feet, duration=duration, control_step=2e-3,
        disturbances=pushes if options.shove else (), engine=options.engine,
        sensors=control.Sensors() if options.estimator else None, seed=options.seed or 0,
    )  # fmt: skip
    return motion, who


def _velocity(options: argparse.Namespace) -> tuple[float, ...]:
    """(vx, vy, wz) that a gait is commanded; () where none is."""
    if options.speed and len(options.speed) > 1:
        raise ConfigurationError(f"--speed: got {len(options.speed)} numbers, expected one")
    forward = options.speed[0] if options.speed else None
    given = {"--speed": forward, "--sideways": options.sideways, "--turn": options.turn}
    told = [flag for flag, value in given.items() if value is not None]
    if told and options.gait not in WALKS:
        raise ConfigurationError(
            f"--gait {options.gait}: got {told[0]}; expected it with {', '.join(WALKS)}"
        )
    if not told and options.gait in WALKS and options.gait not in STEPS:
        raise ConfigurationError(f"--gait {options.gait}: expected one of {', '.join(given)}")
    if options.predictive and not told:
        raise ConfigurationError(f"--predictive: expected a speed: one of {', '.join(given)}")
    counted = [f"--{name}" for name in ("steps", "length") if getattr(options, name) is not None]
    if counted and (told or options.gait not in STEPS):
        raise ConfigurationError(
            f"{counted[0]}: goes with --gait {', '.join(STEPS)} without a speed"
        )
    if options.duration and not told and options.gait in STEPS:
        raise ConfigurationError("--duration: steps take what they take; expected --steps")
    return tuple(value or 0.0 for value in given.values()) if told else ()


def _drifted(error: list[float]) -> list[str]:
    x, y, z = error or (0.0, 0.0, 0.0)
    return [f"  the estimate is ({x:z.3f}, {y:z.3f}, {z:z.3f}) m off"] if error else []


def _words(report: dict[str, Any]) -> list[str]:
    failed = report["ended"] and not report["fell"]
    stopped = "was stopped" if report["ended"].endswith(" interrupted") else "was given up"
    how = "fell" if report["fell"] else stopped if failed else "is on its feet"
    (x, y, z), beside = report["moved"], report["beside"]
    why = report["reason"] or report["ended"].partition(": the robot fell: ")[2]
    link = ", though " if report["reason"] and not report["ended"] else ": " if why else ""
    ticks = ", ".join(f"{count} {name}" for name, count in report["ticks"].items())
    return [
        f"{report['robot']} {how} after {report['seconds']:.2f} s{link}{why}",
        *([f"  {report['ended']}"] if failed else []),
        f"  its centre of mass moved ({x:z.3f}, {y:z.3f}, {z:z.3f}) m",
        *_drifted(report["estimate"]),
        *(f"  its feet are ({a:z.3f}, {b:z.3f}) m beside the path" for a, b in beside),
        f"  ticks: {ticks}",
        *(f"  {collision}" for collision in report["collisions"]),
    ]


def _head(motion: ClosedLoop) -> list[str]:
    from ..dynamics.motions.saving import columns

    places, speeds = columns(motion.robot)
    return ["t", *places, *speeds, *(f"tau.{joint}" for joint in motion.robot.actuated)]


def _rows(motion: ClosedLoop) -> Iterator[list[float]]:
    for t, q, v, tau in zip(motion.t, motion.q, motion.v, motion.tau, strict=True):
        yield [float(t), *q.tolist(), *v.tolist(), *tau.tolist()]
