"""Draw the pictures of gait.md: python docs/gait.py [TRC MASS].

The walker's come from the library alone; with a whole-body trial and the subject's mass, those of a
real walk as well.
"""

from __future__ import annotations

import sys
from pathlib import Path

from footwork.dynamics import bodies
from footwork.dynamics.bodies import gait_plots

FOLDER = Path(__file__).parent / "pictures"


def draw(gait: bodies.Gait, name: str) -> None:
    """Write the figures of one analysis."""
    gait_plots.save(gait_plots.plot_joints(gait, "right"), FOLDER / f"{name}-joints.png")
    gait_plots.save(gait_plots.plot_walk(gait), FOLDER / f"{name}-sticks.png")


def main(file: str | None = None, mass: float = 70.0) -> None:
    """Draw the walker, and a file's walk if one is given."""
    walker = bodies.walker()
    draw(bodies.analyse_gait(walker.trial(), walker.mass, cutoff=None), "walker")
    if file is not None:
        draw(bodies.analyse_gait(bodies.read_trial(file), mass), "walk")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
