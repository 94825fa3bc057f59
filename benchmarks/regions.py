"""Regions and friction maps with the compiled kernels, and by the conic solver without them.

Both methods take turns in one process, CPU time, medians with quartiles; areas are compared.

    python benchmarks/regions.py [--quick]
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext

import measuring  # before NumPy: one thread
import numpy as np


def questions(robot):
    """{what: (ask, number to compare)}."""
    from footwork import contacts

    q, feet = robot.posture(), contacts.at_feet(robot)
    push = contacts.Pushes(0.02 * 9.81 * robot.mass)
    area, least = (lambda region: region.area), (lambda found: np.isfinite(found.friction).sum())
    return {
        "static polygon": (lambda: contacts.static_equilibrium_polygon(robot, q, feet), area),
        "ZMP area": (lambda: contacts.zmp_support_area(robot, q, feet), area),
        "robust region, 12 pushes": (
            lambda: contacts.robust_equilibrium_polygon(robot, q, feet, push),
            area,
        ),
        "friction map, 400 places": (lambda: contacts.friction_map(robot, q, feet), least),
    }


def main():
    import footwork as fw
    from footwork.dynamics.kernels.toolchain import switched_off

    os.environ["FOOTWORK_COMPILE"] = "now"
    options = measuring.flags(__doc__).parse_args()
    rounds, kept = 3 if options.quick else 15, {}
    print(f"{'':36} {'kernels, ms':>12} {'quartiles':>13} {'solver, ms':>12} {'ratio':>7}")
    for name in ("talos", "anymal"):
        robot = fw.load(name)
        for what, (ask, number) in questions(robot).items():
            times, answers = {True: [], False: []}, {}
            for kernels in times:
                with nullcontext() if kernels else switched_off():
                    answers[kernels] = number(ask())
            assert abs(answers[True] - answers[False]) <= 0.01 * answers[False], answers
            for _ in range(rounds):
                for kernels, found in times.items():
                    with nullcontext() if kernels else switched_off():
                        found.append(1e3 * measuring.cpu(ask, 3))
            low, middle, high = np.percentile(times[True], [25, 50, 75])
            other = np.median(times[False])
            kept[f"{name}, {what}"] = {"kernels": times[True], "solver": times[False]}
            print(
                f"{name + ', ' + what:36} {middle:12.2f} {f'{low:.2f} … {high:.2f}':>13} "
                f"{other:12.2f} {other / middle:7.1f}"
            )
    measuring.keep(options, kept)
    print(f"\n{measuring.machine()}, {measuring.versions('clarabel', 'numba')}")


if __name__ == "__main__":
    sys.exit(main())
