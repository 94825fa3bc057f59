"""Makes the pictures of the README and the docs: python docs/pictures.py [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
import pinocchio as pin
from matplotlib.axes import Axes

import footwork as fw
from footwork import contacts, dynamics
from footwork.contacts import plots

matplotlib.use("agg")

FOLDER = Path(__file__).parent / "pictures"


def climbing() -> fw.Viewer:
    """TALOS with a foot on a step and a hand on a wall, in the colours of its margins."""
    scenario = contacts.Scenario.load(Path(__file__).parent / "talos-stairs.yaml")
    return scenario.scene(animate=False, by_margin=True)


def conventions() -> fw.Viewer:
    """A biped that turns left as it walks: axes, velocities, a contact's normal, cone and force."""
    robot = fw.load("biped")
    viewer = fw.Viewer(robot, opacity=0.55, title="footwork")
    turn = np.zeros(robot.nv)
    turn[5] = np.radians(30)
    q = robot.integrate(robot.posture(), turn)
    viewer.display(q)
    viewer.frame("world", pin.SE3.Identity(), length=0.3, on_top=True)
    base = dynamics.frame_placement(robot, q, "torso")
    viewer.frame("base", base, length=0.22, on_top=True)
    contact = fw.at_feet(robot)["right_foot"]
    T = contact.pose(robot, q)
    up = T.rotation[:, 2]
    viewer.cone("cone", T.translation, up, np.arctan(0.7), 0.25, color="yellow", on_top=True)
    forward, com = base.rotation[:, 0], dynamics.com(robot, q)
    vectors = {
        "v = [v, ω, …], base axes": (base.translation, 0.5 * forward, "purple"),
        "f, ground on robot": (T.translation, 0.4 * up + 0.25 * T.rotation[:, 0], "red"),
        "m g": (com, np.array([0.0, 0.0, -0.35]), "teal"),
    }
    for text, (point, vector, color) in vectors.items():
        viewer.arrow(f"{text}/arrow", point, vector, color=color, on_top=True)
        where = point + vector + np.array([0.0, 0.0, 0.05 * np.sign(vector[2] + 0.01)])
        viewer.label(f"{text}/name", where, text, height=0.026, color=color)
    viewer.label("origin", (0.32, 0.0, 0.04), "world", height=0.026)
    viewer.set_camera(eye=(2.6, -2.9, 1.3), target=(0.12, 0.0, 0.62), field_of_view=23)
    return viewer


def regions() -> Axes:
    """Where the centre of mass of a biped may be: at rest, and pushed from any side."""
    robot = fw.load("biped")
    q, feet = robot.posture(), fw.at_feet(robot)
    still = contacts.static_equilibrium_polygon(robot, q, feet)
    pushed = contacts.robust_equilibrium_polygon(robot, q, feet, contacts.Pushes(20.0))
    return plots.plot_regions({"at rest": still, "20 N from anywhere": pushed}, feet, q)


def main(folder: Path = FOLDER) -> None:
    """Take every picture anew."""
    folder.mkdir(parents=True, exist_ok=True)
    climbing().screenshot(folder / "talos-stairs.png", width=1120, height=760)
    regions().figure.savefig(folder / "regions.png", dpi=110)
    conventions().screenshot(folder / "conventions.png", width=1000, height=720)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
