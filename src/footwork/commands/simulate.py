"""`footwork simulate`: a robot stands, steps or trots under its controller, pushed if asked."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import flags
from .output import answer, destination, needs, paint, write_figure, write_table

if TYPE_CHECKING:
    from ..control import ClosedLoop

GAITS = ("stand", "step", "trot", "crawl")


def add(commands: Any) -> None:
    """Say the flags of `footwork simulate`."""
    words = (
        "does the robot keep standing, stepping or trotting under its controller? The picture: "
        "torques, forces, margins; the table: q, v and torques over time"
    )
    parser = flags.command(commands, "simulate", run, words)
    flags.robot_flags(parser, posture=False)
    parser.add_argument("--gait", choices=GAITS, default="stand", help="what to do (stand)")
    parser.add_argument(
        "--duration", type=flags.positive, default=2.0, metavar="S", help="of standing [s] (2)"
    )
    parser.add_argument("--steps", type=flags.whole, default=4, metavar="N", help="of a gait (4)")
    parser.add_argument(
        "--length", type=float, default=0.0, metavar="M", help="of a step [m] (0: in place)"
    )
    flags.friction_flag(parser)
    parser.add_argument(
        "--shove",
        type=flags.positive,
        default=0.0,
        metavar="SPEED",
        help="random pushes, each of this change of speed [m/s]",
    )
    flags.seed_flag(parser)
    parser.add_argument(
        "--engine",
        choices=("pinocchio", "mujoco"),
        default="pinocchio",
        help="whose contacts (pinocchio)",
    )
    flags.json_flag(parser)
    flags.html_flag(parser)
    flags.png_flag(parser)
    flags.csv_flag(parser)


def run(options: argparse.Namespace) -> int:
    """Simulate, print how it went, draw it where asked; falling is a no."""
    if options.png:
        needs("--png", "matplotlib", "plots")
    motion = _simulated(options)
    moved = motion.com[-1] - motion.com[0]
    statuses = {name: motion.statuses.count(name) for name in dict.fromkeys(motion.statuses)}
    report = {
        "robot": motion.robot.name,
        "fell": motion.fell,
        "seconds": round(motion.duration, 6),
        "moved": [round(float(x), 6) for x in moved],
        "ticks": statuses,
    }
    verdict, *rest = _words(report)
    verdict = paint(options, verdict, "red" if motion.fell else "green")
    answer(options, report, "\n".join([verdict, *rest]))
    write_table(options, _head(motion), _rows(motion))
    if options.html:
        from ..control import scene

        with destination(options, options.html) as path:
            scene.animate(motion).save_html(path)
    if options.png:
        write_figure(_plotted(motion), options)
    return flags.NO if motion.fell else flags.OK


def _simulated(options: argparse.Namespace) -> ClosedLoop:
    from .. import control

    robot = flags.load(options)
    friction = 0.7 if options.friction is None else options.friction
    crouch = 0.02 if options.gait == "step" else 0.0
    controller, q = control.stand(robot, friction=friction, crouch=crouch)
    feet, duration = controller.contacts, options.duration
    who: Any = controller
    if options.gait != "stand":
        names = {"step": "footsteps", "trot": "trot", "crawl": "crawl"}
        gait = getattr(control.gaits, names[options.gait])
        phases = gait(feet, q, options.steps, length=options.length)
        walker = control.Walker(robot, feet, q, phases, reach=0.2 if options.shove else 0.0)
        duration, who = walker.plan.duration, walker
    base = control.trunk(robot)
    pushes = control.random_pushes(robot, base, duration, options.shove, seed=options.seed or 0)
    return control.simulate(
        robot, who, q=q, contacts=feet, duration=duration, control_step=2e-3,
        disturbances=pushes if options.shove else (), engine=options.engine,
        progress=False if options.quiet else None,
    )  # fmt: skip


def _words(report: dict[str, Any]) -> list[str]:
    how = "fell" if report["fell"] else "is on its feet"
    x, y, z = report["moved"]
    ticks = ", ".join(f"{count} {name}" for name, count in report["ticks"].items())
    return [
        f"{report['robot']} {how} after {report['seconds']:.2f} s",
        f"  its centre of mass moved ({x:.3f}, {y:.3f}, {z:.3f}) m",
        f"  ticks: {ticks}",
    ]


def _head(motion: ClosedLoop) -> list[str]:
    robot = motion.robot
    sizes = (("q", robot.nq), ("v", robot.nv))
    counted = [f"{letter}{i}" for letter, size in sizes for i in range(size)]
    return ["t", *counted, *(f"tau {joint}" for joint in robot.actuated)]


def _rows(motion: ClosedLoop) -> Iterator[list[float]]:
    for t, q, v, tau in zip(motion.t, motion.q, motion.v, motion.tau, strict=True):
        yield [float(t), *q.tolist(), *v.tolist(), *tau.tolist()]


def _plotted(motion: ClosedLoop) -> Any:
    """Torques, forces and margins in one picture."""
    from matplotlib.figure import Figure

    from ..control import plots

    figure = Figure(figsize=(8, 8), layout="constrained")
    torques, forces, margins = figure.subplots(3, 1)
    plots.plot_torques(motion, ax=torques)
    plots.plot_forces(motion, ax=forces)
    plots.plot_margins(motion, ax=margins)
    return figure
