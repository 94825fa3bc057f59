"""Every term of the equation of motion by two independent methods, and their identities.

M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + τ_ext

python examples/equations_of_motion.py [ROBOT]
"""

from __future__ import annotations

import sys

import numpy as np

import footwork as fw
from footwork import dynamics
from footwork.dynamics import jacobian_sums


def main(name: str = "biped", seed: int = 0) -> None:
    """Print the differences of the methods for every term, in a random state."""
    robot, rng = fw.load(name), np.random.default_rng(seed)
    q = robot.random_configuration(rng)
    v, a = rng.standard_normal((2, robot.nv))
    link = robot.model.frames[-1].name
    push = {link: fw.Wrench(force=[10, 20, 30], moment=[1, 2, 3])}

    M, C = dynamics.mass_matrix(robot, q), dynamics.coriolis_tensor(robot, q)
    tau_g, tau_ext = dynamics.gravity_torques(robot, q), dynamics.external_torques(robot, q, push)
    needed = dynamics.inverse_dynamics(robot, q, v, a, wrenches=push)
    J = dynamics.com_jacobian(robot, q)
    H = dynamics.frame_hessian(robot, q, link)
    wieber = jacobian_sums.coriolis_tensor_wieber(robot, q)
    h = 1e-6
    ahead, behind = (dynamics.mass_matrix(robot, robot.integrate(q, s * h * v)) for s in (1, -1))
    dM = (ahead - behind) / (2 * h)
    gravity = robot.model.gravity.linear

    rows = {
        "M: recursion = Σ JᵗᵀmJᵗ + JᴿᵀIJᴿ": M - jacobian_sums.mass_matrix(robot, q),
        "C: recursion = sum over links": C - jacobian_sums.coriolis_tensor(robot, q),
        "C v: tensor = matrix": C @ v - dynamics.coriolis_matrix(robot, q, v),
        "vᵀCv: by Wieber's sum": (wieber - C) @ v @ v,
        "dM/dt − 2 (C v) is skew (differences)": (dM - 2 * C @ v) + (dM - 2 * C @ v).T,
        "τ_g = Σ m_i J_iᵀ g": tau_g - jacobian_sums.gravity_torques(robot, q),
        "τ_g = m J_comᵀ g": tau_g - robot.mass * J.T @ gravity,
        "bias = vᵀCv − τ_g": dynamics.bias(robot, q, v) - (C @ v @ v - tau_g),
        "½ vᵀMv = kinetic energy": 0.5 * v @ M @ v - dynamics.kinetic_energy(robot, q, v),
        "M a + vᵀCv − τ_g − τ_ext = inverse dynamics": M @ a + C @ v @ v - tau_g - tau_ext - needed,
        "J̇v = vᵀHv": H @ v @ v - dynamics.frame_drift(robot, q, v, link),
    }
    print(f"{robot}\n")
    for words, difference in rows.items():
        print(f"{words:<46} {np.abs(difference).max():.1e}")
    print(f"\nas a matrix Wieber's C v is another one: {np.abs((wieber - C) @ v).max():.1e}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
