"""Elastic mode: the least violation of constraints when a program is infeasible.

    minimise    cost + ρ Σ s,   s ≥ 0
    such that   |J a − k| ≤ s_J,   slowest − s_a ≤ a ≤ fastest + s_a,   lower − s_n ≤ w_n,
                L a ≥ least − s_L

The dynamics, closures, friction and torque limits stay hard: they are physics, and free fall
satisfies them, so that this program is always feasible. With ρ beyond the multipliers the ℓ₁
penalty is exact: no constraint is violated that need not be. The slacks s_L cost a tenth: the rows
of `control.constraints` give way before contacts and joints do. J. Nocedal, S. Wright, "Numerical
Optimization" (2006), 17.2; P. Gill, W. Murray, M. Saunders, "SNOPT" (2005), section 1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from .qp import Program
from .solvers import by_clarabel


class Relaxed(NamedTuple):
    """a, w, and slacks: of contacts, (na,) of joint limits, (C,) of normal forces, (i,) of L a."""

    a: Array
    w: Array
    contacts: Array
    joints: Array
    normal: Array
    constraints: Array


# per unit of slack, where a unit of a task's acceleration error costs about its weight
PENALTY = 1e4
CLOSE = 1e-6
_SLACKS = (2, 3, 4, 5)  # parts of x


def relaxed(program: Program, mass: float) -> Relaxed | None:
    """Return the solution of least violation; None if the solver fails.

    Forces are in units of the robot's mass [kg]: the entries of M are not of its size, as those of
    large robots are moments of inertia.

    Weights are divided by the largest: the solution does not depend on it, but the solver reports
    costs in the millions as unbounded.
    """
    P = program
    unit = max(mass, 1e-9)
    # entries of a, w/unit, s_J, s_a, s_n/unit, s_L in x
    sizes = [P.nv, P.dim, P.contact_dim, len(P.slowest), len(P.lower), len(P.least)]
    columns = [slice(*ends) for ends in pairwise(accumulate(sizes, initial=0))]
    H, g = _objective(P, columns, unit)
    equal, inequal = _rows(P, columns, unit)
    A = np.concatenate([equal[0], inequal[0]])
    b = np.concatenate([equal[1], inequal[1]])
    for found in by_clarabel(H, g, A, b, (1e-10, 1e-8, 1e-6), equalities=len(equal[1])):
        # it may stall within rounding of its tolerance: then the residuals decide
        if str(found.status) == "Solved" or max(1e3 * found.r_prim, found.r_dual) < CLOSE:
            x = np.array(found.x)
            a, w, contacts, joints, normal, rows = (x[own] for own in columns)
            return Relaxed(a, unit * w, contacts, joints, unit * normal, rows)
    return None


def _objective(P: Program, at: Sequence[slice], unit: float) -> tuple[Array, Array]:
    size = at[-1].stop
    H, g = np.zeros((size, size)), np.zeros(size)
    largest = max(float(P.weight.max(initial=0.0)), float(P.d.max(initial=0.0)), 1e-9)
    H[at[0], at[0]] = P.A.T @ (P.weight[:, None] * P.A) + np.diag(P.d)
    g[at[0]] = -P.A.T @ (P.weight * P.r) - P.d * P.p
    H[at[1], at[1]] = unit**2 * P.P
    g[at[1]] = -unit * P.s
    if P.Q.size:
        S_Q = P.Q.T @ np.hstack([P.M[P.actuated], -unit * P.J[:, P.actuated].T])
        both = slice(0, at[1].stop)
        H[both, both] += S_Q.T @ S_Q
        g[both] += S_Q.T @ (P.Q.T @ P.b[P.actuated])
    H, g = H / largest, g / largest
    for i in _SLACKS:
        g[at[i]] = PENALTY if i < 5 else PENALTY / 10
        H[at[i], at[i]] = 1e-6 * np.eye(at[i].stop - at[i].start)
    return H, g


def _rows(P: Program, at: Sequence[slice], unit: float) -> tuple[Any, Any]:
    """(A, b) of A x = b, and of A x ≤ b."""
    u, act, n = P.unactuated, P.actuated, at[-1].stop
    free, held = len(u), P.contact_dim
    equations = np.zeros((free + P.closures, n))
    equations[:free, at[0]], equations[:free, at[1]] = P.M[u] / unit, -P.J[:, u].T
    equations[free:, at[0]] = P.J[held:]
    rows: list[tuple[Array, Array]] = []

    def add(parts: dict[int, Array], high: NDArray[np.float64]) -> None:
        block = np.zeros((len(high), n))
        for i, part in parts.items():
            block[:, at[i]] = part
        kept = np.isfinite(high)
        rows.append((block[kept], high[kept]))

    T, Tw, tau0 = P.M[act] / unit, -P.J[:, act].T, P.b[act] / unit
    pick = np.eye(P.nv)[act]
    for sign in (1.0, -1.0):
        add({0: sign * P.J[:held], 2: -np.eye(held)}, sign * P.k[:held])
        most = P.torque_upper if sign > 0 else -P.torque_lower
        add({0: sign * T, 1: sign * Tw}, most / unit - sign * tau0)
        high = P.fastest if sign > 0 else -P.slowest
        add({0: sign * pick, 3: -np.eye(len(act))}, high)
    add({1: P.F}, np.zeros(len(P.F)))
    add({1: P.N}, P.upper / unit)
    add({1: -P.N, 4: -np.eye(len(P.lower))}, -P.lower / unit)
    add({0: -P.L, 5: -np.eye(len(P.least))}, -P.least)
    for i in _SLACKS:
        size = at[i].stop - at[i].start
        add({i: -np.eye(size)}, np.zeros(size))
    inequalities = (np.concatenate([A for A, _ in rows]), np.concatenate([b for _, b in rows]))
    return (equations, np.concatenate([-P.b[u] / unit, P.k[held:]])), inequalities
