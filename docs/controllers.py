"""Pictures and animations of the pages about control: python docs/controllers.py."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from embedding import save_scene
from matplotlib.figure import Figure

from footwork import contacts, control, dynamics, load, plot, view
from footwork.control import gaits
from footwork.visualize.plots import control as plots

FOLDER = Path(__file__).parent


def pushed() -> control.ClosedLoop:
    """A biped that stands while it is pushed from two sides."""
    robot = load("biped")
    controller, q = control.stand(robot)
    base, force = control.trunk(robot), 0.15 * robot.mass / 0.1
    pushes = [
        control.ForcePulse(base, (0.0, force, 0.0), 0.2),
        control.ForcePulse(base, (force, 0.0, 0.0), 1.0),
    ]
    return control.simulate(
        robot, controller, q=q, duration=1.8, control_step=2e-3, disturbances=pushes
    )


def standing(name: str, size: float) -> control.ClosedLoop:
    """Ten seconds on its feet under random pushes, each a change of speed up to `size` [m/s]."""
    robot = load(name)
    controller, q = control.stand(robot)
    pushes = control.random_pushes(robot, control.trunk(robot), 10.0, size, seed=2)
    return control.simulate(
        robot, controller, q=q, duration=10.0, control_step=2e-3, disturbances=pushes
    )


def walking() -> control.ClosedLoop:
    """A biped that steps."""
    robot = load("biped")
    controller, q = control.stand(robot, crouch=0.03)
    feet = controller.contacts
    walker = control.WalkingController(robot, feet, q, gaits.footsteps(feet, q, 6, length=0.15))
    return control.simulate(
        robot, walker, q=q, contacts=feet, duration=walker.plan.duration, control_step=2e-3
    )


def commanded() -> control.ClosedLoop:
    """A quadruped that trots ahead, turns, goes sideways, and stops."""
    robot = load("quadruped")
    controller, q = control.stand(robot)
    commands = [(0.2, (0.5, 0.0, 0.0)), (2.0, (0.4, 0.0, 0.8)), (4.0, (0.0, 0.2, 0.0))]

    def velocity(t: float) -> tuple[float, ...]:
        begun = [wanted for since, wanted in commands if since <= t < 5.5]
        return begun[-1] if begun else (0.0, 0.0, 0.0)

    walker = control.GaitController(robot, controller.contacts, q, "trot", velocity=velocity)
    return control.simulate(
        robot, walker, q=q, contacts=walker.feet, duration=7.0, control_step=2e-3, engine="mujoco"
    )


def climbing() -> control.ClosedLoop:
    """A biped up three steps of 0.12 m."""
    robot = load("biped")
    controller, q = control.stand(robot, crouch=0.05)
    feet = controller.contacts
    stairs = contacts.Stairs("stairs", 3, rise=0.12, depth=0.3, width=1.2, at=(0.2, 0.0, 0.0))
    top = contacts.Box("top", (0.7, 1.2, 0.36), (1.45, 0.0, 0.0))
    terrain = contacts.Terrain([contacts.Plane("ground"), stairs, top])
    phases = gaits.footsteps(feet, q, 5, length=0.3, swing=0.8, double=0.3, terrain=terrain)
    walker = control.WalkingController(robot, feet, q, phases, terrain=terrain)
    duration = walker.plan.duration + 0.3
    return control.simulate(
        robot, walker, terrain, q=q, contacts=feet, duration=duration, control_step=2e-3
    )


def over_stones() -> control.ClosedLoop:
    """A Go2 that trots over stepping stones of random heights, with gaps of 6 cm."""
    robot, cell, width, period = load("go2"), 0.02, 12, 15  # of stones, in cells
    i, j = np.arange(170)[:, None], np.arange(80)
    tops = np.random.default_rng(1).uniform(-0.02, 0.03, (12, 6))
    on = (i % period < width) & (j % period < width)
    heights = np.where(on, tops[i // period, j // period], -0.25)
    heights[:45] = 0.0
    stones = contacts.HeightMap("stones", heights, cell, at=(1.2, 0.0, 0.0))
    terrain = contacts.Terrain([stones])
    feet = contacts.at_feet(robot)
    _, q = control.stand(robot, feet, terrain=terrain)
    walker = control.GaitController(robot, feet, q, velocity=(0.4, 0.0, 0.0), terrain=terrain)
    return control.simulate(
        robot, walker, terrain, q=q, contacts=feet, duration=5.0, control_step=2e-3,
        engine="mujoco",
    )  # fmt: skip


def caught() -> control.ClosedLoop:
    """A biped that is pushed too hard to stand, and steps."""
    robot = load("biped")
    controller, q = control.stand(robot, crouch=0.03)
    feet = controller.contacts
    push = control.ForcePulse(control.trunk(robot), (0.6 * robot.mass / 0.1, 0.0, 0.0), 0.4)
    return control.simulate(
        robot, control.GaitController(robot, feet, q), q=q, contacts=feet, duration=2.5,
        control_step=2e-3, disturbances=[push],
    )  # fmt: skip


def logged() -> control.ContactWrenches:
    """What the ground did to a Go2 that trots, by its sensors."""
    robot = load("go2")
    controller, q = control.stand(robot)
    feet = controller.contacts
    walker = control.GaitController(robot, feet, q, "trot", velocity=(0.5, 0.0, 0.0))
    motion = control.simulate(
        robot, walker, q=q, contacts=feet, duration=3.0, control_step=2e-3, engine="mujoco",
        sensors=control.Sensors(),
    )  # fmt: skip
    return control.contact_wrenches(motion.log)


def predicted() -> control.Prediction:
    """The next half second of a Go2 that trots at 1.5 m/s."""
    robot = load("go2")
    controller, q = control.stand(robot)
    walker = control.PredictiveGait(robot, controller.contacts, q, "trot", velocity=(1.5, 0, 0))
    control.simulate(
        robot, walker, q=q, contacts=walker.feet, duration=3.0, control_step=2e-3, engine="mujoco"
    )
    assert walker.prediction is not None
    return walker.prediction


def pushes() -> Figure:
    """Pushes that predictions hold while a Go2 trots, and what its walker survives of them."""
    robot, at, change = load("go2"), 2.0, np.linspace(0.0, 2.0, 41)
    controller, q = control.stand(robot)
    feet, base = controller.contacts, control.trunk(robot)

    def trot(duration: float, *pulses: control.ForcePulse) -> Any:
        walker = control.PredictiveGait(robot, feet, q, "trot", velocity=(0.5, 0.0, 0.0))
        return walker, control.simulate(
            robot, walker, q=q, contacts=feet, duration=duration, control_step=2e-3,
            engine="mujoco", disturbances=pulses,
        )  # fmt: skip

    walker, motion = trot(at)
    state = dynamics.State(robot, motion.q[-1], motion.v[-1])
    angles = np.radians(np.arange(0, 361, 10))
    v = np.tile(state.v, (angles.size * change.size, 1))
    forward = state.frame_placement(base).rotation.T
    for row, (angle, size) in zip(v, itertools.product(angles, change), strict=True):
        row[:3] += size * forward @ [np.cos(angle), np.sin(angle), 0.0]
    ahead = walker.ahead(state, t=float(motion.t[-1]))
    found = walker.predictive.batch(state.q, v, *ahead)
    found = walker.predictive.batch(state.q, v, *ahead, about=found)
    held = (found.status == "optimal").reshape(angles.size, change.size)
    figure = Figure(figsize=(5.4, 4.8), layout="constrained")
    ax = figure.add_subplot(projection="polar")
    edge = change[np.where(held.all(axis=1), change.size, held.argmin(axis=1)) - 1]
    ax.fill(angles, edge, alpha=0.3, label="predictions hold")
    for angle in angles[:-1:3]:
        for size in np.arange(0.6, 2.0, 0.2):
            f = size * robot.mass / 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
            _, motion = trot(at + 2.0, control.ForcePulse(base, tuple(f), at))
            ax.plot(angle, size, "x" if motion.fell else "o", color="k", markersize=4)
            if motion.fell:
                break
    ax.plot([], [], "ko", markersize=4, label="keeps its feet")
    ax.plot([], [], "kx", markersize=4, label="falls")
    ax.set_title("change of speed [m/s]", fontsize="medium")
    figure.legend(loc="outside lower center", ncols=3, fontsize="small")
    return figure


def estimated() -> control.ClosedLoop:
    """A Go2 that trots, by what its sensors say."""
    robot = load("go2")
    controller, q = control.stand(robot)
    walker = control.GaitController(robot, controller.contacts, q, "trot", velocity=(0.5, 0, 0))
    return control.simulate(
        robot, walker, q=q, contacts=walker.feet, duration=10.0, control_step=2e-3,
        engine="mujoco", sensors=control.Sensors(), seed=1,
    )  # fmt: skip


def judged() -> control.Judgement:
    """What walking survives on a biped."""
    return control.judge(
        load("biped"), partial(control.judging.walker, gait="walk"),
        [(v, 0.0, 0.0) for v in (0.2, 0.4, 0.6, 0.8, 1.0)], duration=6.0, seeds=6, told=2,
        directions=8,
    )  # fmt: skip


def limited() -> control.SpeedLimits:
    """How fast Go2 can trot, by heading."""
    return control.speed_limits(load("go2"), directions=16, predictive=True)


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


def of_stands(motions: list[control.ClosedLoop]) -> Figure:
    """Margins, without and with the motors' limits."""
    figure = Figure(figsize=(7.2, 2.7 * len(motions)), layout="constrained")
    for motion, ax in zip(motions, figure.subplots(len(motions), 1, sharex=True), strict=True):
        plots.plot_margins(motion, every=0.04, torque_limits=True, ax=ax)
        ax.set_title(
            f"{motion.robot.name}, {9.81 * motion.robot.mass:.0f} N heavy", fontsize=9, loc="left"
        )
    return figure


def of_climb(motion: control.ClosedLoop) -> Figure:
    """Joints in their ranges, torques, friction, margins."""
    figure = Figure(figsize=(7.2, 9.0), layout="constrained")
    ranges, torques, friction, margins = figure.subplots(4, 1, sharex=True)
    plots.plot_positions(motion, ax=ranges)
    plots.plot_torques(motion, ax=torques)
    plots.plot_friction(motion, ax=friction)
    plots.plot_margins(motion, every=0.04, torque_limits=True, ax=margins)
    return figure


def main() -> None:
    """Simulate, draw, save."""
    pictures = FOLDER / "pictures"
    of_push(pushed()).savefig(pictures / "control-push.png", dpi=90)
    stands = [standing("talos", 0.15), standing("solo12", 0.3)]
    of_stands(stands).savefig(pictures / "control-stands.png", dpi=90)
    steps, climb = walking(), climbing()
    of_steps(steps).savefig(pictures / "control-steps.png", dpi=90)
    of_climb(climb).savefig(pictures / "control-climb.png", dpi=90)
    plot(limited())[0, 0].figure.savefig(pictures / "go2-speed-limits.png", dpi=90)
    plot(predicted())[0, 0].figure.savefig(pictures / "go2-prediction.png", dpi=90)
    pushes().savefig(pictures / "go2-pushes.png", dpi=90)
    plots.plot_estimate(estimated()).figure.savefig(pictures / "go2-estimate.png", dpi=90)
    plot(judged())[0, 0].figure.savefig(pictures / "biped-judged.png", dpi=90)
    plot(logged())[0].figure.savefig(pictures / "go2-wrenches.png", dpi=90)
    for name, motion, rate, time in (
        ("biped-steps", steps, 15.0, 2.4),
        ("biped-climbs", climb, 15.0, 4.0),
        ("biped-catches", caught(), 25.0, 0.8),
        ("quadruped-trots", commanded(), 20.0, 3.0),
        ("go2-stones", over_stones(), 20.0, 3.6),
    ):
        viewer = view(motion, rate=rate)
        if name == "biped-climbs":
            viewer.look_from((-0.5, -1.0, 0.35))
        if name == "go2-stones":
            viewer.set_camera((3.1, -1.9, 1.4), (0.9, 0.05, 0.1))
        save_scene(viewer, name)
        viewer.screenshot(pictures / f"{name}.png", width=960, height=680, time=time, player=True)


if __name__ == "__main__":
    main()
