"""Newton-Euler balance of a tumbling biped in three frames: world, pelvis and a carousel.

In every frame, dynamic = joints + external + fictitious; the joint wrenches are the same, only the
fictitious forces differ.

python examples/moving_frames.py [ROBOT]
"""

from __future__ import annotations

import sys

import numpy as np
import pinocchio as pin

import footwork as fw
from footwork import biomechanics, dynamics
from footwork.biomechanics import MovingFrame


def carousel(time: float) -> MovingFrame:
    """Return a platform with an angular acceleration of 2 rad/s² about the vertical, and rising."""
    T = pin.SE3(pin.utils.rotate("z", time**2), np.array([0.0, 0.0, 0.5 * time**2]))
    spin, climb = (0, 0, 2 * time), (0, 0, time)
    return MovingFrame(T, climb, spin, (0, 0, 1), (0, 0, 2), name="carousel")


def main(name: str = "biped") -> None:
    """Print the sizes of a shank's forces, and the largest residual of all bodies and instants."""
    robot = fw.load(name)
    v = np.zeros(robot.nv)
    v[:6] = 1.0, 0.0, 3.0, 2.0, 4.0, -1.0  # initial velocity: upwards, rotating
    tau = 2.0 * np.sin(np.arange(robot.na))
    run = dynamics.simulate(
        robot, robot.posture(), v, lambda t, q, v: tau - 0.5 * v[6:], duration=0.4, step=0.01,
        integrator="dop853",  # damped light joints are stiff
    )  # fmt: skip
    samples = [*zip(run.t, run.q, run.v, run.tau, strict=True)][::2]
    pelvis, shank = robot.model.frames[2].name, robot.joint_names[3]
    observers = {"world": lambda t: "world", "pelvis": lambda t: pelvis, "carousel": carousel}
    print(f"{robot.name}, the body that {shank} carries, after {run.duration:g} s, in newtons")
    print("frame       joint  d'Alembert  Euler  centrifugal  Coriolis   largest residual")
    for title, observer in observers.items():
        worst = 0.0
        for time, q, v, tau_now in samples:
            a = dynamics.forward_dynamics(robot, q, v, tau_now)
            balances = biomechanics.wrench_balance(robot, q, v, a, observer(time))
            residuals = [np.abs(balance.residual.vector).max() for balance in balances.values()]
            worst = max(worst, *residuals)
        last = balances[shank]
        sizes = [np.linalg.norm(w.force) for w in (last.joint, *last.fictitious)]
        columns = zip(sizes, (7, 12, 7, 13, 10), strict=True)
        row = "".join(f"{size:{width}.1f}" for size, width in columns)
        print(f"{title:9} {row}   {worst:.0e} N, N·m")


if __name__ == "__main__":
    main(*sys.argv[1:2])
