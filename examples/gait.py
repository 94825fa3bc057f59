"""Gait analysis: 3-D joint forces, moments and powers from laboratory files.

Without a file, a synthetic walk with known joint wrenches is analysed, and the errors are printed.
Writes gait-joints.png, gait-walk.png and gait.csv.

python examples/gait.py [FILE MASS]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from footwork import biomechanics, dynamics, plot
from footwork.biomechanics import analyse_gait, gait_report, read_trial
from footwork.visualize.plots.gait import plot_walk


def measured_walker() -> tuple[Path, biomechanics.SyntheticWalk]:
    """Write the measurements of a synthetic walk: walker.trc (markers), walker.forces (plates)."""
    walker = biomechanics.synthetic_walk(mass=62.0, rate=200.0)
    trial = walker.trial()
    biomechanics.write_forces("walker.forces", trial.plates)
    return biomechanics.write_trc("walker.trc", trial.markers), walker


def main(file: str | None = None, mass: float = 62.0) -> None:
    """Print the peaks of the joints, and the residual."""
    walker = None
    if file is None:
        path, walker = measured_walker()
        gait = analyse_gait(read_trial(path, threshold=0), mass, cutoff=None)
    else:
        gait = analyse_gait(read_trial(file), mass, cutoff=6.0)
    for note in gait_report.facts(gait)["notes"]:
        print(f"note: {note}")
    for joint, peak in gait_report.facts(gait)["stance peaks"].items():
        low, high = peak["power [W]"]
        print(
            f"{joint:<12} flexion {peak['largest flexion moment [N·m]']:7.1f} N·m, "
            f"force {peak['largest force [N]']:4.0f} N, power {low:.0f} to {high:.0f} W"
        )
    force, moment = gait.forces.closing()
    print(f"residual at {gait.forces.residual_on}: up to {force:.3g} N and {moment:.3g} N·m")
    if walker is not None:
        ground = {link: wrench[100] for link, wrench in walker.ground.items()}
        state = walker.q[100], walker.v[100], walker.a[100]
        true = dynamics.joint_wrenches(walker.robot, *state, ground)["right ankle x"]
        error = gait.moment("right ankle", "world")[100] - true.moment[[0, 2, 1]] * [1, 1, -1]
        size = np.linalg.norm(true.moment)
        print(f"right ankle off its own {size:.0f} N·m by {np.linalg.norm(error):.1e}")
    gait_report.write_csv(gait, "gait.csv")
    plot(gait)[0, 0].figure.savefig("gait-joints.png")
    plot_walk(gait).figure.savefig("gait-walk.png")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(float, sys.argv[2:3]))
