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
from contextlib import suppress
from itertools import chain

import numpy as np

from ...arrays import Array
from ...errors import ContactError
from ..conic_solver import Solution
from ..kernels.verdict import EDGE
from .balance import Balance, least_solution
from .programs import Equilibrium
from .saddle import saddle_point
from .solving import solve


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
    leaves no room for that (its forces can squeeze), as exact as the solver is. On almost no
    friction these programs may find no answer: then without the joints' torques, and last against
    the multipliers of a margin below zero.
    """
    for tightening in (1e-8, 0.0):
        yield falling_motion(balance, tightening).unknowns
    if np.isfinite(balance.torque_limits).any():
        yield falling_motion(balance.without_torque_limits()).unknowns
    with suppress(ContactError):
        yield -saddle_point(balance).velocity


def falling_motion(balance: Balance, tightening: float = 0.0) -> Solution:
    """Solve for the y, ‖y‖ ≤ 1, with the most power that nothing can brake [W].

    Args:
        balance: that nothing may satisfy.
        tightening: by how much r stays above its bound [m/s].
    """
    import cvxpy as cp

    y = cp.Variable(len(balance.load))
    limited, joint_speeds = np.isfinite(balance.torque_limits), y[balance.actuated]
    unit = max(balance.weight, 1e-3 * float(np.abs(balance.load).max(initial=0.0)))
    power = balance.load @ y / unit
    if limited.any():
        power -= (balance.torque_limits[limited] / unit) @ cp.abs(joint_speeds[limited])
    constraints = [cp.norm(y, 2) <= 1, joint_speeds[~limited] == 0]
    if balance.limits.point_count:
        least, rates = balance.limits.least_power_program(balance.columns.T @ y, tightening)
        power += least / unit
        constraints += rates
    return solve(cp.Problem(cp.Maximize(power), constraints), y).in_units(unit, 1.0)


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
