"""Regions and friction maps with the compiled kernels, and by the conic solver without them.

Both methods take turns in one process, CPU time, medians with quartiles; areas are compared.

    python benchmarks/regions.py [--quick]
"""

from __future__ import annotations

from contextlib import nullcontext

import measuring  # before NumPy: one thread
import numpy as np

import footwork as fw
from footwork import contacts
from footwork.dynamics.kernels.toolchain import switched_off


def questions(robot):
    """{what: (ask, number to compare)}."""
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


def switched(ask, kernels):
    """The same with or without kernels."""

    def work():
        with nullcontext() if kernels else switched_off():
            return ask()

    return work


def main():
    options = measuring.flags(__doc__).parse_args()
    rounds, kept = 3 if options.quick else 15, {}
    for name in ("talos", "anymal"):
        robot = fw.load(name)
        for what, (ask, number) in questions(robot).items():
            works = {way: switched(ask, way == "kernels") for way in ("kernels", "conic solver")}
            ours, theirs = (number(work()) for work in works.values())
            assert abs(ours - theirs) <= 0.01 * theirs, (ours, theirs)
            title, timed = f"{name}, {what}", {way: (work, 3, 1) for way, work in works.items()}
            kept[title] = measuring.compare(title, timed, rounds, "kernels")
    measuring.keep(options, kept)
    print(f"{measuring.machine()}, {measuring.versions('clarabel', 'numba')}")


if __name__ == "__main__":
    main()
