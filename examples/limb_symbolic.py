"""Symbolic limb of three segments: joint wrenches and fictitious forces in a moving frame.

Prints the closed forms, compares them with the same limb as a robot, and derives its equations of
motion. Draws limb-paths.png: paths of the joints in the world and in the first segment's frame.

python examples/limb_symbolic.py
"""

from __future__ import annotations

import numpy as np
from sympy import Rational, latex

import footwork as fw
from footwork import biomechanics, dynamics
from footwork.biomechanics import symbolic
from footwork.biomechanics.symbolic import t
from footwork.visualize.plots.moving_frames import plot_seen_paths

LENGTHS, MASSES = ("0.8", "0.6", "0.4"), ("0.7", "0.5", "0.3")  # [m], [kg] at mid-segment
RATES = np.array([1.0, 2.0, 4.0])  # each relative to the previous segment: periods 2π, π, π/2


def main(picture: str = "limb-paths.png") -> None:
    """Print wrenches and equations, and the difference of symbolic and numeric results."""
    lengths, masses = map(Rational, LENGTHS), map(Rational, MASSES)
    limb = symbolic.Limb(3, angles=[t, 2 * t, 4 * t], lengths=[*lengths], masses=[*masses])
    for i, wrench in enumerate(limb.joint_wrenches, start=1):
        fx, fy, _, _, _, mz = wrench.vector
        print(f"joint {i}, axes of segment {i}: f = ({fx}, {fy}), m_z = {mz}")
    fictitious = limb.bodies[2].fictitious_wrenches(limb.attachment(3))
    for name, wrench in zip(fictitious._fields, fictitious, strict=True):
        print(f"{name} force on segment 3, axes of segment 2: {list(wrench.force)[:2]}")

    robot, still, apart = fw.robots.limb(), np.zeros(3), 0.0
    times = np.linspace(0, 2 * np.pi, 400)
    for time in times[::50]:
        q = time * RATES
        moving = dynamics.joint_wrenches(robot, q, RATES, still)
        weight = dynamics.joint_wrenches(robot, q, still, still)  # the symbols have no gravity
        for i, wrench in enumerate(limb.joint_wrenches, start=1):
            ours = np.array(wrench.express(symbolic.WORLD).vector.subs(t, time), dtype=float)
            theirs = (moving[f"joint_{i}"] - weight[f"joint_{i}"]).vector
            apart = max(apart, np.abs(ours.ravel() - theirs).max())
    print(f"the same limb as a robot: joint wrenches within {apart:.0e} N and N·m")

    equations = symbolic.from_robot(robot)
    print(f"M_11 = {latex(equations.M[0, 0])}")
    balance = biomechanics.wrench_balance(robot, RATES, RATES, still, "segment_2")["joint_3"]
    print(f"residual in the frame of segment 2: {np.abs(balance.residual.vector).max():.0e} N")

    motion = np.outer(times, RATES), np.tile(RATES, (400, 1)), np.zeros((400, 3))
    views = {"seen from the world": "world", "seen from segment 1": "segment_1"}
    chain = ["joint_1", "joint_2", "joint_3", "tip"]
    plot_seen_paths(robot, motion, chain, views)[0].figure.savefig(picture, dpi=100)


if __name__ == "__main__":
    main()
