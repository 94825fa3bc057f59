"""Certificates of infeasibility: velocities that neither contacts nor torques can brake.

For y in R^nv the unknowns x of the contacts' forces have the velocities u = Aᵀy (J_k y at point k),
into which they put at least min_x xᵀu of power (`ContactLimits.least_power`: 0 for contacts without
bounds, if u lies in the dual cones, and for closures, if J_c y = 0). Torques brake with at most
Σ limit |S y| (those off the middle of their bounds, Sᵀ middle being part of h), so that

    yᵀh − Σ_j limit_j |S y|_j + min_x xᵀAᵀy > 0

proves that nothing balances h (Farkas).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from ...arrays import Array
from ..conic_solver import Program, Rows, Solution
from ..kernels.verdict import EDGE
from .balance import Balance, least_solution, others
from .programs import Equilibrium


def certificate(balance: Equilibrium, first: Array | None = None) -> Array | None:
    """Return y (nv,), ‖y‖ = 1, that proves infeasibility, or None when there is no strict one.

    Args:
        balance: that nothing may satisfy.
        first: (nv,), a motion that may prove it, such as the multipliers of the margin.
    """
    for y in chain([first], _motions(balance)):
        if y is None or not np.linalg.norm(y) > 0:
            continue
        y = _keeping_closures(balance, y / np.linalg.norm(y))
        strict = certificate_value(balance, y) > EDGE * balance.weight
        if strict and certificate_violation(balance, y) <= 1e-8:
            return np.asarray(y)
    return None


def _keeping_closures(balance: Balance, y: Array) -> Array:
    """The nearest motion that turns no joint of unlimited torque, and keeps J_c y = 0."""
    turns = np.ones(len(y), dtype=bool)
    turns[balance.actuated[~np.isfinite(balance.torque_limits)]] = False
    y = np.where(turns, y, 0.0)
    if balance.limits.free:
        B = balance.closures.T * turns
        for _ in range(2):  # the second time takes out the rounding of the first
            y -= turns * least_solution(B, B @ y)
    return y


def _motions(balance: Equilibrium) -> Iterator[Array | None]:
    """Motions of which one may prove it.

    A little tightened first, so that J_k y lies in the dual cones to the last digit; where a grip
    leaves no room for that (its forces can squeeze), as exact as the solver is.
    """
    for tightening in (1e-8, 0.0):
        yield falling_motion(balance, tightening).unknowns


def falling_motion(balance: Balance, tightening: float = 0.0) -> Solution:
    """Solve for the y, ‖y‖ ≤ 1, with the most power that nothing can brake [W].

    It is the dual of how far the load is from one that is balanced,

        min ‖h + A x + Sᵀτ‖   over the admissible x and τ,

    and y the multipliers of what is left, which is nothing along joints of unlimited torque.

    Args:
        balance: that nothing may satisfy.
        tightening: by how much r stays above its bound [m/s].
    """
    limits, nv, n = balance.limits, len(balance.load), balance.limits.size
    limited = np.isfinite(balance.torque_limits)
    motors, unlimited = balance.actuated[limited], balance.actuated[~limited]
    left, count = others(nv, unlimited), len(motors)
    unit = max(balance.weight, 1e-3 * float(np.abs(balance.load).max(initial=0.0)))
    reached = np.zeros((1 + len(left), n + count + 1))  # of z = [x, τ, distance]/unit
    reached[0, -1] = -1.0
    reached[1:, :-1] = -np.hstack([balance.columns, np.eye(nv)[:, motors]])[left]
    near = Rows(reached, np.append(0.0, balance.load[left] / unit), (len(reached),))
    sides, most = np.eye(n + count)[n:], balance.torque_limits[limited] / unit
    torques = Rows(np.vstack([sides, -sides]), np.tile(most, 2))
    locked, *rows = limits.solver_rows(np.zeros((limits.contact_count, 0)), unit)
    cost = np.append(np.zeros(n + count), 1.0)
    cost[3 * np.flatnonzero(~limits.bilateral) + 2] = -tightening
    answer = Program([locked], torques, *rows, near).solve(cost)
    if answer.unknowns is None or answer.multipliers is None:
        return Solution(answer.status, float("nan"))
    y = np.zeros(nv)
    y[left] = -answer.multipliers[-1][1:]
    return Solution(answer.status, answer.value * unit, y)


def certificate_value(balance: Balance, y: Array) -> float:
    """Return the power yᵀh − Σ limit |S y| + Σ_c min_x xᵀAᵀy of a virtual velocity y (nv,) [W].

    Where `certificate_violation` is zero; rates that should be zero count as zero.
    """
    joint_speeds, limited = np.abs(y[balance.actuated]), np.isfinite(balance.torque_limits)
    least = balance.limits.least_power(balance.columns.T @ y)
    return float(y @ balance.load - balance.torque_limits[limited] @ joint_speeds[limited] + least)


def certificate_violation(balance: Balance, y: Array) -> float:
    """Return by how much y moves what it may not: unbraked contacts, unlimited joints [m/s]."""
    joints = np.abs(y[balance.actuated][~np.isfinite(balance.torque_limits)]).max(initial=0.0)
    return float(max(balance.limits.unbraked(balance.columns.T @ y), joints))
