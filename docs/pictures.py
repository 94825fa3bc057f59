"""Pictures of the README and the documentation: python docs/pictures.py [FOLDER]."""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pinocchio as pin
from matplotlib.axes import Axes

import footwork as fw
from footwork import contacts, dynamics, files
from footwork.visualize.viewer.browser import open_html

matplotlib.use("agg")

FOLDER = Path(__file__).parent / "pictures"


def climbing() -> fw.Viewer:
    """TALOS with a foot on a step and a hand on a wall, coloured by its margins."""
    scenario = contacts.Scenario.load(Path(__file__).parent / "talos-stairs.yaml")
    return fw.view(scenario, animate=False, by_margin=True)


def conventions() -> fw.Viewer:
    """A biped that walks to the left: frames, position, velocity, a contact's cone and force."""
    robot = fw.load("biped")
    viewer = fw.Viewer(robot, opacity=0.45, title="footwork")
    turn = np.zeros(robot.nv)
    turn[5] = np.radians(30)
    q = robot.integrate(robot.posture(), turn)
    q[:2] = 0.35, 0.45
    viewer.display(q)
    base = dynamics.frame_placement(robot, q, "torso")
    contact = fw.at_feet(robot)["right_foot"]
    T = contact.pose(robot, q)
    up, com = T.rotation[:, 2], dynamics.com(robot, q)
    viewer.frame("world", pin.SE3.Identity(), length=0.3, on_top=True)
    viewer.frame("base", base, length=0.3, on_top=True)
    viewer.cone("cone", T.translation, up, np.arctan(0.7), 0.22, color="yellow", on_top=True)
    speed = base.rotation @ np.array([0.45, -0.25, 0.0])
    right, down = np.array([0.7, 0.7, 0.0]), np.array([0.0, 0.0, -0.06])  # as the camera sees it
    force = 0.36 * up + 0.22 * T.rotation[:, 0]
    arrows = {  # from where, the vector, its colour, where its name is
        "q = [p, ...], world axes": (np.zeros(3), base.translation, "teal", 3 * down - 0.5 * right),
        "v = [v, ω, ...], base axes": (base.translation, speed, "purple", down),
        "f, ground on robot": (T.translation, force, "orange", 0.28 * right - down),
        "m g": (com, np.array([0.0, 0.0, -0.4]), "gray", down),
    }
    for text, (point, vector, color, beside) in arrows.items():
        viewer.arrow(f"{text}/arrow", point, vector, color=color, on_top=True)
        viewer.label(f"{text}/name", point + vector + beside, text, height=0.03)
    for name, frame in (("world", pin.SE3.Identity()), ("base", base)):
        for k, axis in enumerate("xyz"):
            tip = frame.translation + 0.36 * frame.rotation[:, k]
            viewer.label(f"{name} {axis}", tip, f"{axis} {name}", height=0.026)
    viewer.set_camera(eye=(2.9, -2.5, 1.5), target=(0.25, 0.2, 0.62), field_of_view=24)
    return viewer


def terms() -> fw.Viewer:
    """A biped that is pushed, with the terms of its equations of motion where they act."""
    robot = fw.load("biped")
    q, feet = robot.posture(), fw.at_feet(robot)
    hold = fw.static_hold(robot, q, feet, {"torso": fw.Wrench([0.0, 30.0, 0.0])})
    viewer = fw.Viewer(robot, opacity=0.55, title="footwork")
    viewer.display(q)
    com = dynamics.com(robot, q)
    viewer.arrow("gravity", com, [0.0, 0.0, -0.4], color="gray", on_top=True)
    viewer.label("gravity name", com + np.array([0.0, -0.3, -0.2]), "τ_g: gravity", height=0.035)
    torso = dynamics.frame_placement(robot, q, "torso").translation
    viewer.arrow("push", torso - [0.0, 0.45, 0.0], [0.0, 0.35, 0.0], color="red", on_top=True)
    viewer.label("push name", torso + np.array([0.0, -0.42, 0.07]), "τ_ext: a push", height=0.035)
    for k, (name, contact) in enumerate(zip(feet.names, feet, strict=True)):
        T, force = contact.pose(robot, q), hold.wrenches[name].force
        viewer.arrow(f"force {k}", T.translation, 0.0016 * force, color="blue", on_top=True)
        side = np.array([0.0, 0.3 - 0.6 * k, 0.12])
        viewer.label(f"force name {k}", T.translation + side, f"Jᵀw: {name}", height=0.035)
    for joint in ("left_knee", "right_knee", "left_hip_pitch", "right_hip_pitch"):
        index = robot.model.getJointId(joint)
        place = dynamics.frame_placement(robot, q, joint).translation
        moment = 0.12 * np.sign(index) * np.array([0.0, 1.0, 0.0])
        viewer.moment(f"torque {joint}", place, moment, color="purple", on_top=True)
    knee = dynamics.frame_placement(robot, q, "left_knee").translation
    viewer.label("torque name", knee + np.array([0.0, 0.27, 0.05]), "Sᵀτ: motors", height=0.035)
    viewer.set_camera(eye=(3.1, 1.1, 1.2), target=(0.0, 0.0, 0.6), field_of_view=24)
    return viewer


def regions() -> Axes:
    """Support polygons of a biped: at rest, and robust against pushes from any direction."""
    robot = fw.load("biped")
    q, feet = robot.posture(), fw.at_feet(robot)
    still = contacts.static_equilibrium_polygon(robot, q, feet)
    pushed = contacts.robust_equilibrium_polygon(robot, q, feet, contacts.Pushes(20.0))
    return fw.plot({"at rest": still, "20 N from anywhere": pushed}, feet, q)


def sweep_map() -> Axes:
    """The margin of a biped over pushes at its chest."""
    sideways, forwards = np.linspace(0, 90, 91), np.linspace(-40, 100, 85)
    axes = {"loads[0].force[1]": sideways, "loads[0].force[0]": forwards}
    ax = fw.plot(contacts.sweep("push", axes))
    ax.set(xlabel="push to the left [N]", ylabel="push forwards [N]")
    return ax


def hold_display() -> bytes:
    """The PNG of what a notebook shows of a verdict: a biped that is pushed."""
    robot = fw.load("biped")
    push = {"torso": fw.Wrench([15.0, 0.0, 0.0])}
    hold = fw.static_hold(robot, robot.posture(), fw.at_feet(robot, friction=0.6), push)
    style = "font: 14px sans-serif; margin: 12px"
    with open_html(f'<body style="{style}">{hold._repr_html_()}</body>', 920, 470) as page:
        return base64.b64decode(page.call("Page.captureScreenshot", format="png")["data"])


def main(folder: Path = FOLDER) -> None:
    """Take every picture anew."""
    folder.mkdir(parents=True, exist_ok=True)
    climbing().screenshot(folder / "talos-stairs.png", width=940, height=760)
    regions().figure.savefig(folder / "regions.png", dpi=110)
    sweep_map().figure.savefig(folder / "sweep-push.png", dpi=110)
    files.write(folder / "notebook-hold.png", hold_display())
    terms().screenshot(folder / "terms.png", width=1000, height=720)
    conventions().screenshot(folder / "conventions.png", width=1000, height=720)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
