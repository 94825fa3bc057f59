"""Draw the pictures and animations of controllers.md: python docs/controllers.py."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from footwork import control, load
from footwork.control import gaits, plots, scene

FOLDER = Path(__file__).parent


def pushed() -> control.ClosedLoop:
    """A biped that stands while it is pushed from two sides."""
    robot = load("biped")
    controller, q = control.stand(robot)
    base, force = control.trunk(robot), 0.15 * robot.mass / 0.1
    pushes = [
        control.Push(base, (0.0, force, 0.0), 0.2),
        control.Push(base, (force, 0.0, 0.0), 1.0),
    ]
    return control.simulate(
        robot, controller, q=q, duration=1.8, control_step=2e-3, disturbances=pushes
    )


def walking(name: str, crouch: float) -> control.ClosedLoop:
    """A biped that steps, or a quadruped that trots."""
    robot = load(name)
    controller, q = control.stand(robot, crouch=crouch)
    feet = controller.contacts
    if len(feet) == 2:
        phases = gaits.footsteps(feet, q, 6, length=0.15)
    else:
        phases = gaits.trot(feet, q, 10, length=0.1)
    walker = control.Walker(robot, feet, q, phases)
    return control.simulate(
        robot, walker, q=q, contacts=feet, duration=walker.plan.duration, control_step=2e-3
    )


def of_push(motion: control.ClosedLoop) -> Figure:
    """Torques, forces, margins."""
    figure = Figure(figsize=(7.2, 7.0), layout="constrained")
    torques, forces, margins = figure.subplots(3, 1, sharex=True)
    plots.plot_torques(motion, ax=torques)
    plots.plot_forces(motion, ax=forces)
    plots.plot_margins(motion, every=0.02, ax=margins)
    return figure


def of_steps(motion: control.ClosedLoop) -> Figure:
    """From side to side, forces, margins."""
    figure = Figure(figsize=(7.2, 7.0), layout="constrained")
    centre, forces, margins = figure.subplots(3, 1, sharex=True)
    plots.plot_centre(motion, axis=1, ax=centre)
    plots.plot_forces(motion, ax=forces)
    plots.plot_margins(motion, every=0.05, ax=margins)
    return figure


def main() -> None:
    """Simulate, draw, save."""
    (FOLDER / "animations").mkdir(exist_ok=True)
    of_push(pushed()).savefig(FOLDER / "pictures" / "control-push.png", dpi=90)
    steps = walking("biped", 0.03)
    of_steps(steps).savefig(FOLDER / "pictures" / "control-steps.png", dpi=90)
    scene.animate(steps, rate=15.0).save_html(FOLDER / "animations" / "biped-steps.html")
    trot = walking("quadruped", 0.0)
    scene.animate(trot, rate=20.0).save_html(FOLDER / "animations" / "quadruped-trots.html")


if __name__ == "__main__":
    main()
