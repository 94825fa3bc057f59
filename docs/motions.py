"""Pictures, pages and figures of motions.md: python docs/motions.py.

The motion is that of the tests, written as a table like those that people publish.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib
import numpy as np
from embedding import save_scene

import footwork as fw
from footwork import contacts, control, dynamics

matplotlib.use("agg")

FOLDER = Path(__file__).parent
FILE = FOLDER / "motions" / "g1-carries.csv"
RATE = 51.0  # [Hz]
DETAIL = 0.01  # of the pages' meshes [m]
LOOK = (1.0, -0.55, 0.25)  # from the front right, a little above


def write_motion() -> None:
    """Write the carrying motion with its faults: base position, quaternion x y z w, joints."""
    sys.path.insert(0, str(FOLDER.parent / "tests"))
    import motions_made

    motion = motions_made.retargeted()
    FILE.parent.mkdir(exist_ok=True)
    np.savetxt(FILE, motion.q, fmt="%.5f", delimiter=",")


def save(drawn: fw.Viewer, axes: np.ndarray, page: str, picture: str) -> None:
    """Write a page, and the picture of a plot."""
    drawn.look_from(LOOK)
    save_scene(drawn, page)
    axes[0].figure.savefig(FOLDER / "pictures" / picture, dpi=90)


def main() -> None:
    """Audit, repair, draw."""
    write_motion()
    robot = fw.load("g1")
    motion = dynamics.read_motion(FILE, robot, rate=RATE)
    audit = contacts.audit(motion)
    print(audit.explain(8))
    viewer = fw.view(audit, rate=25, detail=DETAIL)
    save(viewer, fw.plot(audit), "g1-audit", "motion-audit.png")
    player = FOLDER / "pictures" / "motion-player.png"
    viewer.screenshot(player, width=1000, height=720, time=2.0, player=True)
    repair = control.repair(motion, progress=False)
    print(repair.explain())
    viewer = fw.view(repair, rate=25, detail=DETAIL)
    save(viewer, fw.plot(repair), "g1-repair", "motion-repair.png")
    repaired = FOLDER / "pictures" / "motion-repaired.png"
    viewer.screenshot(repaired, width=1000, height=720, time=2.0, player=True)


if __name__ == "__main__":
    main()
