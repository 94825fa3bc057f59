"""A block on a table that is pulled harder and harder, then let go: stick, slip, stick again.

Sticking, friction is as large as the pull, up to μ_s m g; slipping, it is μ_k m g, so that
m ẍ = u − μ_k m g. The moments of change are found, not stepped over. Writes stick-slip.svg.

python examples/stick_slip.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from footwork.dynamics import block_on_table
from footwork.visualize.plots import svg as plots

MASS, KINETIC, STATIC, G = 2.0, 0.3, 0.5, 9.81


def pull(t: float) -> float:
    """A ramp of 10 N/s for 1.5 s, then nothing [N]."""
    return 10.0 * t if t < 1.5 else 0.0


def main(folder: str = ".") -> None:
    """Print when the block changes its mind, and how that compares with the law."""
    run = block_on_table(
        MASS, KINETIC, pull, duration=3.0, step=0.005, static_friction=STATIC, gravity=G
    )
    loose = STATIC * MASS * G / 10.0  # the pull reaches μ_s m g
    fastest = 10.0 * (1.5**2 - loose**2) / (2 * MASS) - KINETIC * G * (1.5 - loose)
    rest = 1.5 + fastest / (KINETIC * G)
    print(f"breaks loose at {run.changes[0]:.6f} s; the law says {loose:.6f} s")
    print(f"comes to rest at {run.changes[1]:.6f} s; the law says {rest:.6f} s")
    print(f"fastest {run.v.max():.6f} m/s; the law says {fastest:.6f} m/s")
    print(f"slid {run.x[-1]:.3f} m")
    series = {"pull": [pull(t) for t in run.t], "friction": run.friction}
    svg = plots.time_plot(run.t, series, title="stick, slip and stick again", unit="force [N]")
    Path(folder, "stick-slip.svg").write_text(svg)


if __name__ == "__main__":
    main(*sys.argv[1:2])
