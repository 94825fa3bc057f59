"""Reference solution of a controller's program with cvxpy, to which the fast solvers are tested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.equilibrium.solving import solve
from ...dynamics import State
from ...errors import SolverError
from ..program.contact_model import ContactModel, world_axes
from ..program.qp import Program
from .controller import WholeBodyController


def by_cvxpy(
    controller: WholeBodyController, q: Array, v: Array, t: float = 0.0, exact: bool = False
) -> tuple[Array, Array, Array]:
    """Return a (nv,), w (dim,) and τ (na,) of the controller's program at a state.

    w has the contacts' forces in contact axes, then those of closures.

    Args:
        controller: whose program; weighted sums only.
        q, v, t: the state.
        exact: whether friction is Coulomb's second-order cone at every vertex, instead of the inner
            pyramids.

    Raises:
        SolverError: the program has no solution, or was not solved.
    """
    import cvxpy as cp

    state = State.of(controller.robot, q, v)
    P = controller.program(state, None, t)
    a, x = cp.Variable(P.nv), cp.Variable(P.dim) if P.dim else cp.Constant(np.zeros(0))
    w = controller.robot.mass * x  # scaled: accelerations and forces of one magnitude
    friction = [P.F @ w <= 0] if len(P.F) else []
    if exact and P.dim:
        turn = _turn(controller.contacts, controller.contact_models, state)
        friction = controller.contacts.friction_constraints(turn @ w[: P.contact_dim], q)
    problem = cp.Problem(
        cp.Minimize(_cost(P, a, w) / _size(P, controller.robot.mass)),
        _constraints(P, a, w) + friction,
    )
    found = solve(problem, a)
    if found.unknowns is None:
        raise SolverError(f"the reference program: {found.status}; expected optimal")
    forces = np.asarray(w.value, dtype=float)
    return found.unknowns, forces, P.torques(found.unknowns, forces)


def _cost(P: Program, a: Any, w: Any) -> Any:
    import cvxpy as cp

    cost = 0.5 * cp.sum_squares(cp.multiply(np.sqrt(P.d), a - P.p))
    if len(P.r):
        cost += 0.5 * cp.sum_squares(cp.multiply(np.sqrt(P.weight), P.A @ a - P.r))
    if P.Q.size:
        cost += 0.5 * cp.sum_squares(P.Q.T @ _torques(P, a, w))
    if P.contact_dim:
        own = slice(0, P.contact_dim)  # closures have no cost
        root = np.linalg.cholesky(P.P[own, own] + 1e-14 * np.trace(P.P) * np.eye(P.contact_dim))
        cost += 0.5 * cp.sum_squares(root.T @ w[own]) - P.s[own] @ w[own]
    return cost


def _size(P: Program, mass: float) -> float:
    largest = [P.weight.max(initial=0.0), P.d.max(), mass**2 * np.abs(P.P).max(initial=0.0)]
    return float(max(largest))


def _torques(P: Program, a: Any, w: Any) -> Any:
    return P.M[P.actuated] @ a + P.b[P.actuated] - P.J[:, P.actuated].T @ w


def _constraints(P: Program, a: Any, w: Any) -> list[Any]:
    tau, found = _torques(P, a, w), []
    if len(P.unactuated):
        u = P.unactuated
        found.append(P.M[u] @ a + P.b[u] == P.J[:, u].T @ w)
    if P.dim:
        found.append(P.J @ a == P.k)
    joints, normal = a[P.actuated], P.N @ w
    for expression, low, high in (
        (tau, P.torque_lower, P.torque_upper),
        (joints, P.slowest, P.fastest),
        (normal, P.lower, P.upper),
    ):
        below, above = np.isfinite(low), np.isfinite(high)
        found += [expression[below] >= low[below]] if below.any() else []
        found += [expression[above] <= high[above]] if above.any() else []
    bounded = np.isfinite(P.least)
    return found + ([P.L[bounded] @ a >= P.least[bounded]] if bounded.any() else [])


def _turn(contacts: ContactSet, models: Sequence[ContactModel], state: State) -> Array:
    """(dim, dim), from contact axes to the rows of the contacts' J."""
    return np.column_stack([world_axes(models, state, e) for e in np.eye(contacts.dim)])
