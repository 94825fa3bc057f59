"""`footwork simulate`: a robot stands, steps or trots under its controller, pushed if asked."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import flags

if TYPE_CHECKING:
    from ..control import ClosedLoop

GAITS = ("stand", "step", "trot", "crawl")


def add(commands: Any) -> None:
    """Say the flags of `footwork simulate`."""
    words = "does the robot keep standing, stepping or trotting under its controller?"
    parser = flags.command(commands, "simulate", run, words)
    flags.robot_flags(parser, posture=False)
    parser.add_argument("--gait", choices=GAITS, default="stand", help="what to do (stand)")
    parser.add_argument("--duration", type=float, default=2.0, help="of standing [s] (2)")
    parser.add_argument("--steps", type=int, default=4, help="of a gait (4)")
    parser.add_argument("--length", type=float, default=0.0, help="of a step [m] (0: in place)")
    parser.add_argument("--friction", type=float, default=0.7, help="of the ground (0.7)")
    parser.add_argument(
        "--push", type=float, default=0.0, metavar="M/S", help="random pushes, as speeds [m/s]"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the pushes")
    parser.add_argument("--engine", choices=("pinocchio", "mujoco"), default="pinocchio")
    flags.json_flag(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the motion as a page")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write torques, forces, margins")


def run(options: argparse.Namespace) -> int:
    """Simulate, print how it went, draw it where asked; falling is a no."""
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
    print(json.dumps(report, indent=2) if options.json else _words(report))
    if options.html:
        from ..control import scene

        print(f"  see {scene.animate(motion).save_html(options.html)}")
    if options.plot:
        print(f"  see {_plotted(motion, options.plot)}")
    return flags.NO if motion.fell else flags.OK


def _simulated(options: argparse.Namespace) -> ClosedLoop:
    from .. import control

    robot = flags.load(options)
    crouch = 0.02 if options.gait == "step" else 0.0
    controller, q = control.stand(robot, friction=options.friction, crouch=crouch)
    feet, duration = controller.contacts, options.duration
    who: Any = controller
    if options.gait != "stand":
        names = {"step": "footsteps", "trot": "trot", "crawl": "crawl"}
        gait = getattr(control.gaits, names[options.gait])
        phases = gait(feet, q, options.steps, length=options.length)
        walker = control.Walker(robot, feet, q, phases, reach=0.2 if options.push else 0.0)
        duration, who = walker.plan.duration, walker
    base = control.trunk(robot)
    pushes = control.random_pushes(robot, base, duration, options.push, seed=options.seed)
    return control.simulate(
        robot, who, q=q, contacts=feet, duration=duration, control_step=2e-3,
        disturbances=pushes if options.push else (), engine=options.engine,
    )  # fmt: skip


def _words(report: dict[str, Any]) -> str:
    how = "fell" if report["fell"] else "is on its feet"
    x, y, z = report["moved"]
    ticks = ", ".join(f"{count} {name}" for name, count in report["ticks"].items())
    return (
        f"{report['robot']} {how} after {report['seconds']:.2f} s\n"
        f"  its centre of mass moved ({x:.3f}, {y:.3f}, {z:.3f}) m\n"
        f"  ticks: {ticks}"
    )


def _plotted(motion: ClosedLoop, path: Path) -> Path:
    """Torques, forces and margins in one picture."""
    from matplotlib.figure import Figure

    from ..control import plots

    figure = Figure(figsize=(8, 8), layout="constrained")
    torques, forces, margins = figure.subplots(3, 1)
    plots.plot_torques(motion, ax=torques)
    plots.plot_forces(motion, ax=forces)
    plots.plot_margins(motion, ax=margins)
    figure.savefig(path)
    return path
