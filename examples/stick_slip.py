"""Stick-slip motion of a block on a table under an increasing pull, then released.

Sticking, friction is as large as the pull, up to μ_s m g; slipping, it is μ_k m g, so that
m ẍ = u − μ_k m g. Transitions are located by event detection. Writes stick-slip.svg.

python examples/stick_slip.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from footwork.dynamics import block_on_table
from footwork.visualize.plots.axes import plot_series

MASS, KINETIC, STATIC, G = 2.0, 0.3, 0.5, 9.81


def pull(t: float) -> float:
    """Return a ramp of 10 N/s for 1.5 s, then zero [N]."""
    return 10.0 * t if t < 1.5 else 0.0


def main(folder: str = ".") -> None:
    """Print the times of transition, and compare them with Coulomb's law."""
    run = block_on_table(
        MASS, KINETIC, pull, duration=3.0, step=0.005, static_friction=STATIC, gravity=G
    )
    loose = STATIC * MASS * G / 10.0  # the pull reaches μ_s m g
    fastest = 10.0 * (1.5**2 - loose**2) / (2 * MASS) - KINETIC * G * (1.5 - loose)
    rest = 1.5 + fastest / (KINETIC * G)
    print(f"starts to slip at {run.changes[0]:.6f} s; expected {loose:.6f} s")
    print(f"comes to rest at {run.changes[1]:.6f} s; expected {rest:.6f} s")
    print(f"largest speed {run.v.max():.6f} m/s; expected {fastest:.6f} m/s")
    print(f"slid {run.x[-1]:.3f} m")
    series = {"pull": [pull(t) for t in run.t], "friction": run.friction}
    ax = plot_series(run.t, series, "force [N]", "stick, slip and stick again")
    ax.figure.savefig(Path(folder, "stick-slip.svg"))


if __name__ == "__main__":
    main(*sys.argv[1:2])
