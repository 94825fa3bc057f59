"""The saddle point of the margin's program: optimal forces, and what each constraint costs.

An interior-point method finds it, to about the square root of its tolerance where cones are curved;
Newton's method (`optimality.py`) then takes it to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import ContactError
from ..limits import ContactLimits
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
        friction: (K, 2), dε/dμ along both tangents of each point [N].
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
    limits = balance.limits
    rough = balance.with_limits(limits.with_friction(np.inf))
    taken = (limits.presses if along is None else 0 * limits.presses).astype(float)
    N = balance.normals.sum(axis=1) if along is None else along
    given = balance.columns @ x + epsilon * N + shift
    zero = [shift == 0, slack == 0]
    constraints = [*rough.admissible(x, given, epsilon * taken), *zero]
    if x.size:
        constraints += limits.cones(x + slack)
    solution = solve(cp.Problem(cp.Maximize(epsilon), constraints), x)
    if solution.unknowns is None:
        raise ContactError(
            f"hold: got a margin of {solution.value} N, expected a finite one: there is no slope"
        )
    y, z = (np.asarray(constraint.dual_value, dtype=float) for constraint in zero)
    found = polished(balance, Iterate(solution.unknowns, solution.value, y, z), N, taken)
    w = balance.weight
    slopes = _friction_slopes(limits, found.x * w, found.z)
    return Saddle(found.epsilon * w, found.x * w, found.y, slopes)


def _friction_slopes(limits: ContactLimits, x: Array, z: Array) -> Array:
    """dε/dμ_i = s f_i²/(μ_i³ ‖M⁻¹f_t‖) (K, 2) [N], s being the multiplier of ‖M⁻¹f_t‖ ≤ f_n.

    As z_i = −s f_i/(μ_i² ‖M⁻¹f_t‖) it is −z_i f_i/μ_i. Along a tangent without friction f_i is zero
    and the slope to the right is |z_i| √(f_n² − (f_j/μ_j)²), along two ‖z_t‖ f_n for both.
    """
    f, z, mu = limits.forces(x), limits.forces(z)[:, :2], limits.friction
    smooth = mu == 0
    safe = np.where(smooth | np.isinf(mu), 1.0, mu)
    used = np.where(smooth, 0.0, f[:, :2] / safe)
    left = np.sqrt(np.maximum(f[:, 2] ** 2 - (used**2).sum(axis=1), 0.0))
    length = np.linalg.norm(z, axis=1)
    share = np.abs(z) / np.where(length > 0, length, 1.0)[:, None]
    both = smooth.all(axis=1)[:, None]
    right = np.where(both, share**2 * (length * f[:, 2])[:, None], np.abs(z) * left[:, None])
    slopes = np.where(smooth, right, -z * used)
    free = np.isinf(mu) | limits.bilateral[:, None]
    return np.where(free, 0.0, slopes)
