"""Picture of limb.md: python docs/limb.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footwork import robots
from footwork.visualize.plots.moving_frames import plot_seen_paths

FOLDER = Path(__file__).parent / "pictures"
RATES = np.array([1.0, 2.0, 4.0])  # of the joints [rad/s]


def main(folder: Path = FOLDER) -> None:
    """Write limb-paths.png: one turn of the first joint, from two points of view."""
    t = np.linspace(0, 2 * np.pi, 500)
    motion = np.outer(t, RATES), np.tile(RATES, (t.size, 1)), np.zeros((t.size, 3))
    views = {"seen from the world": "world", "seen from segment 1": "segment_1"}
    chain = ["joint_1", "joint_2", "joint_3", "tip"]
    axes = plot_seen_paths(robots.limb(), motion, chain, views)
    axes[0].figure.savefig(folder / "limb-paths.png", dpi=90)


if __name__ == "__main__":
    main()
