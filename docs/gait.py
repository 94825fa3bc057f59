"""Pictures of gait.md: python docs/gait.py [TRC MASS].

The walker's come from the library alone; with a whole-body trial and the subject's mass, those of a
real walk as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from footwork import Viewer, biomechanics, load, plot
from footwork.visualize.plots.gait import plot_walk

FOLDER = Path(__file__).parent / "pictures"


def draw(gait: biomechanics.Gait) -> None:
    """Write the figures of a file's walk."""
    plot(gait, "right")[0, 0].figure.savefig(FOLDER / "walk-joints.png", dpi=110)
    plot_walk(gait).figure.savefig(FOLDER / "walk-sticks.png", dpi=110)


def human(gait: biomechanics.Gait, frame: int = 150) -> None:
    """Write a picture of the human in a frame of the walk, on the force that carries it."""
    found = biomechanics.robot_gait(gait, load("human"))
    q = found.fit.q[frame]
    viewer = Viewer(found.subject.robot)
    viewer.display(q)
    for plate in gait.trial.turned("z").plates:
        if plate.loaded[frame]:
            force = plate.force[frame] / 1000
            viewer.arrow(f"plate {plate.name}", plate.centre_of_pressure[frame], force)
    eye = q[:3] + np.array([2.2, -3.6, 0.6])
    viewer.set_camera(eye=eye, target=(q[0], q[1], 0.9), field_of_view=30)
    viewer.screenshot(FOLDER / "walk-human.png", width=640, height=640)


def main(file: str | None = None, mass: float = 70.0) -> None:
    """Draw the walker, and a file's walk if one is given."""
    walker = biomechanics.synthetic_walk()
    analysed = biomechanics.analyse_gait(walker.trial(), walker.mass, cutoff=None)
    plot(analysed, "right")[0, 0].figure.savefig(FOLDER / "walker-joints.png", dpi=110)
    if file is not None:
        gait = biomechanics.analyse_gait(biomechanics.read_trial(file), mass)
        draw(gait)
        human(gait)


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
