"""Sensitivity of the margin, and the posture with the largest margin under a push.

python examples/best_posture.py [ROBOT]
"""

from __future__ import annotations

import sys

import numpy as np

import footwork as fw
from footwork import contacts


def main(name: str = "biped") -> None:
    """Print margins and their derivatives; save a friction map if Matplotlib is installed."""
    robot = fw.load(name)
    feet, weight = fw.at_feet(robot, friction=0.7), 9.81 * robot.mass
    trunk = robot.model.frames[2].name
    force = weight * np.array([0.15, 0.03, 0])
    push = {trunk: fw.Wrench(force, [0, 0, 0])}

    # standing upright, the push topples it; the gradient of the margin shows what helps
    standing = fw.static_hold(robot, robot.posture(), feet, push)
    print(f"{robot.name}, pushed with {np.linalg.norm(force):.0f} N: {standing}")
    slope = contacts.margin_gradient(standing)
    print(f"  one newton less of it would raise the margin by {-slope.load[0]:.2f} N")
    for foot, (per_metre, *_) in slope.placement.items():
        change = f"{0.01 * per_metre:+.2f} N" if np.isfinite(per_metre) else "a kink, no slope"
        print(f"  {foot} moved 1 cm forward on its link: {change}")

    # it leans against the push with its feet in place
    best = contacts.solve_posture(robot, feet, wrenches=push, maximize="margin")
    print(f"  leaning: {best.margins[0]:.1f} N → {best.margins[-1]:.1f} N of margin")
    bound = (weight - np.linalg.norm(force) / 0.7) / len(feet)
    print(f"  upper bound over all postures {bound:.1f} N, limited by friction")

    # region of the centre of mass robust against pushes of that size, and the least friction
    disc = contacts.Pushes(0.05 * weight)
    robust = contacts.robust_equilibrium_polygon(robot, best.q, feet, disc)
    print(f"  any push of {disc.newtons:.0f} N is held over {1e4 * robust.area:.0f} cm²")
    rough = contacts.friction_map(robot, best.q, feet, wrench=push[trunk])
    print(f"  leaning so it needs a friction of {rough.at(rough.com):.3f}")
    try:
        ax = fw.plot(rough, feet, best.q)
        ax.figure.savefig(f"{robot.name}-friction.png")
    except fw.FootworkError as error:
        print(f"  no picture: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
