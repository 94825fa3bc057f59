"""The saddle point of the margin's program: optimal forces, and what each constraint costs.

An interior-point method finds it, to about the square root of its tolerance where cones are curved;
Newton's method (`optimality.py`) then takes it to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...errors import ContactError
from .optimality import Iterate, polished
from .programs import Equilibrium
from .solving import solve

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Saddle:
    """Optimal forces and multipliers of the margin's program.

    Attributes:
        margin: ε [N].
        unknowns: x (n,), as in `Balance`, of what the cones are asked of [N].
        velocity: y = dε/dh (nv,): against it an infeasible robot falls, and one that holds would
            fall first.
        friction: (K,), dε/dμ of each point [N].
    """

    margin: float
    unknowns: Array
    velocity: Array
    friction: Array


def solve_saddle(balance: Equilibrium, along: Array | None = None) -> Saddle:
    """Solve for the margin with its multipliers: the largest ε that A x + ε N + h = 0 allows.

    Two variables that have to be zero, one added to the load and one to what the cones are asked
    of, have y and z as their multipliers, however the constraints are written.

    Args:
        balance: of h by A x.
        along: N (nv,), what a unit of ε does to the robot; a normal force at every contact's centre
            if not given.

    Raises:
        ContactError: the margin is infinite.
    """
    import cvxpy as cp

    x, epsilon = balance.variable(), cp.Variable()
    shift, slack = cp.Variable(len(balance.load)), cp.Variable(max(x.size, 1))
    rough = replace(balance, friction=np.full_like(balance.friction, np.inf))
    taken = (balance.presses if along is None else 0 * balance.presses).astype(float)
    N = balance.normals.sum(axis=1) if along is None else along
    given = balance.columns @ x + epsilon * N + shift
    zero = [shift == 0, slack == 0]
    constraints = [*rough.admissible(x, given, epsilon * taken), *zero]
    if x.size:
        constraints += balance.cones(x + slack)
    solution = solve(cp.Problem(cp.Maximize(epsilon), constraints), x)
    if solution.unknowns is None:
        raise ContactError(
            f"hold: got a margin of {solution.value} N, expected a finite one: there is no slope"
        )
    y, z = (np.asarray(constraint.dual_value, dtype=float) for constraint in zero)
    found = polished(balance, Iterate(solution.unknowns, solution.value, y, z), N, taken)
    w = balance.weight
    slopes = _friction_slopes(balance, found.x * w, found.z)
    return Saddle(found.epsilon * w, found.x * w, found.y, slopes)


def _friction_slopes(balance: Equilibrium, x: Array, z: Array) -> Array:
    """dε/dμ = s f_n (K,) of each point [N], s being the multiplier of ‖f_t‖ ≤ μ f_n.

    As z_t = −s f_t/‖f_t‖, and ‖f_t‖ = μ f_n where s > 0, it is −z_tᵀ f_t/μ; without friction
    ‖z_t‖ f_n, the slope to the right.
    """
    f, z = balance.forces(x), balance.forces(z)
    mu = np.where(balance.friction > 0, balance.friction, 1.0)
    slipping = -np.einsum("ij,ij->i", z[:, :2], f[:, :2]) / mu
    smooth = np.linalg.norm(z[:, :2], axis=1) * f[:, 2]
    slopes = np.where(balance.friction > 0, slipping, smooth)
    return np.where(np.isinf(balance.friction) | balance.bilateral, 0.0, slopes)
