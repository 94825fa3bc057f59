"""The spatial double pendulum in matrix form: two cylinders on universal joints.

M q̈ = C + G + Q + E, q = (roll, pitch) of each bar: the matrices from the URDF, compared with the
textbook sums over the two bars, then ten seconds of motion and the reaction at the ceiling.

python examples/double_pendulum_3d.py
"""

from __future__ import annotations

import numpy as np

import footwork as fw
from footwork import dynamics
from footwork.dynamics import jacobian_sums

LIMIT = '<limit lower="-9" upper="9" effort="0" velocity="99"/>'
BAR = """<link name="cross_{n}"/>
<joint name="roll_{n}" type="revolute"><parent link="{above}"/><child link="cross_{n}"/>
  <origin xyz="0 0 {at}"/><axis xyz="1 0 0"/>{limit}</joint>
<joint name="pitch_{n}" type="revolute"><parent link="cross_{n}"/><child link="bar_{n}"/>
  <axis xyz="0 1 0"/>{limit}</joint>
<link name="bar_{n}"><inertial><origin xyz="0 0 {middle}"/><mass value="{m}"/>
  <inertia ixx="{across}" iyy="{across}" izz="{along}" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""


def cylinder(n: int, above: str, at: float, m: float, length: float, radius: float) -> str:
    """Return a solid cylinder that hangs from its upper end."""
    across, along = m * (3 * radius**2 + length**2) / 12, m * radius**2 / 2
    return BAR.format(**locals(), middle=-length / 2, limit=LIMIT)


def main() -> None:
    """Print the matrices, their textbook sums, and the conservation of energy."""
    bars = cylinder(1, "ceiling", 0, 1, 1, 0.03) + cylinder(2, "bar_1", -1, 1, 0.5, 0.03)
    robot = fw.load(f'<robot name="pendulum"><link name="ceiling"/>{bars}</robot>', base="fixed")
    q, v = np.array([0.3, 0.9, -0.4, 0.6]), np.array([1.0, -2.0, 3.0, 0.5])

    form = dynamics.matrix_form(robot, q, v)
    force = jacobian_sums.coriolis_tensor(robot, q) @ v @ v
    sums = (jacobian_sums.mass_matrix(robot, q), -force, jacobian_sums.gravity_torques(robot, q))
    for name, ours, theirs in zip("MCG", form, sums, strict=False):
        print(
            f"{name} =\n{ours.round(4)}\noff the sum over bars by {np.abs(ours - theirs).max():.0e}"
        )

    run = dynamics.simulate(robot, q, v, duration=10, step=0.05, integrator="dop853")
    print(f"energy kept to {np.ptp(run.energy):.0e} J in 10 s")
    pulls = []
    for p, w in zip(run.q, run.v, strict=True):
        a = dynamics.matrix_form(robot, p, w).acceleration
        pulls.append(np.linalg.norm(dynamics.joint_wrenches(robot, p, w, a)["roll_1"].force))
    print(
        f"the ceiling pulls with {min(pulls):.1f} to {max(pulls):.1f} N; at rest {2 * 9.81:.1f} N"
    )


if __name__ == "__main__":
    main()
