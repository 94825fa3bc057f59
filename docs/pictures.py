"""Makes the pictures of the README and the docs: python docs/pictures.py [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

import footwork as fw
from footwork import contacts

FOLDER = Path(__file__).parent / "pictures"


def standing() -> fw.Viewer:
    """TALOS on two feet, from a little above, so that the support area is seen."""
    robot = fw.load("talos")
    viewer = contacts.view(fw.static_hold(robot, robot.posture(), fw.at_feet(robot)))
    viewer.set_camera(eye=(2.5, -2.0, 1.75), target=(0.0, 0.0, 0.82), field_of_view=32)
    return viewer


def main(folder: Path = FOLDER) -> None:
    """Take every picture anew."""
    folder.mkdir(parents=True, exist_ok=True)
    standing().screenshot(folder / "talos-standing.png", width=1120, height=800)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
