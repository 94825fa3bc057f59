"""Proof that no forces hold a robot: a virtual velocity that contacts and torques cannot brake.

For y in R^nv the contact at point k moves with u = J_k y, and of all admissible forces the least
power that they put into the motion is, contact by contact,

    min_x xᵀAᵀy = max(r, 0) lower − max(−r, 0) upper,     r = min_k u_n − μ ‖u_t‖

per newton of normal force (lower = 0 and upper = ∞ for a contact without bounds, so that r ≥ 0 is
asked: u in the dual cone). With it, torques braking with at most Σ limit |S y|,

    yᵀh − Σ_j limit_j |S y|_j + Σ_c min_x xᵀAᵀy > 0

proves that nothing balances h (Farkas). A soft point that turns with ω about its normal has
r = u_n − ‖(μ u_t, γ ω)‖. In a patch with torsional friction the sole may slip about its normal with
any extra spin δ at the price of γ |δ|: r = max_δ min_k (u_k + δ n × r_k)_n,t − γ |δ|.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ContactError
from .balance import Balance
from .programs import Equilibrium
from .saddle import solve_saddle
from .solving import Solution, solve

Array = NDArray[np.float64]

# Within this share of the robot's weight of the boundary, the answer is "at the edge"
EDGE = 1e-6


def certificate(balance: Equilibrium, first: Array | None = None) -> Array | None:
    """Return y (nv,), ‖y‖ = 1, that proves infeasibility, or None when there is no strict one.

    Args:
        balance: that nothing may satisfy.
        first: (nv,), a motion that may prove it, such as the multipliers of the margin.
    """
    for y in chain([first], _motions(balance)):
        if y is None or not np.linalg.norm(y) > 0:
            continue
        y = y / np.linalg.norm(y)
        y[balance.actuated[~np.isfinite(balance.limits)]] = 0.0
        strict = certificate_value(balance, y) > EDGE * balance.weight
        if strict and certificate_violation(balance, y) <= 1e-8:
            return np.asarray(y)
    return None


def _motions(balance: Equilibrium) -> Iterator[Array | None]:
    """Motions of which one may prove it.

    A little tightened first, so that J_k y lies in the dual cones to the last digit; where a grip
    leaves no room for that (its forces can squeeze), as exact as the solver is. On almost no
    friction these programs may find no answer: then without the joints' torques, and last against
    the multipliers of a margin below zero.
    """
    for tightening in (1e-8, 0.0):
        yield falling_motion(balance, tightening).unknowns
    if np.isfinite(balance.limits).any():
        yield falling_motion(balance.without_torque_limits()).unknowns
    with suppress(ContactError):
        yield -solve_saddle(balance).velocity


def falling_motion(balance: Balance, tightening: float = 0.0) -> Solution:
    """Solve for the y, ‖y‖ ≤ 1, with the most power that nothing can brake [W].

    Args:
        balance: that nothing may satisfy.
        tightening: by how much r stays above its bound [m/s].
    """
    import cvxpy as cp

    y = cp.Variable(len(balance.load))
    limited, joint_speeds = np.isfinite(balance.limits), y[balance.actuated]
    unit = max(balance.weight, 1e-3 * float(np.abs(balance.load).max(initial=0.0)))
    power = balance.load @ y / unit
    if limited.any():
        power -= (balance.limits[limited] / unit) @ cp.abs(joint_speeds[limited])
    constraints = [cp.norm(y, 2) <= 1, joint_speeds[~limited] == 0]
    if balance.point_count:
        least, rates = _rates(balance, y, tightening)
        power += least / unit
        constraints += rates
    return solve(cp.Problem(cp.Maximize(power), constraints), y).in_units(unit, 1.0)


def certificate_value(balance: Balance, y: Array) -> float:
    """Return the power yᵀh − Σ limit |S y| + Σ_c min_x xᵀAᵀy of a virtual velocity y (nv,) [W].

    Where `certificate_violation` is zero; rates that should be zero count as zero.
    """
    joint_speeds, limited = np.abs(y[balance.actuated]), np.isfinite(balance.limits)
    lower = np.where(np.isfinite(balance.lower), balance.lower, 0.0)
    upper = np.where(np.isfinite(balance.upper), balance.upper, 0.0)
    r = rates(balance, y)
    least = np.maximum(r, 0) @ lower - np.maximum(-r, 0) @ upper
    return float(y @ balance.load - balance.limits[limited] @ joint_speeds[limited] + least)


def certificate_violation(balance: Balance, y: Array) -> float:
    """Return by how much y moves what it may not: unbraked contacts, unlimited joints [m/s]."""
    r, K = rates(balance, y), balance.point_count
    u = (balance.columns.T @ y)[: 3 * K].reshape(-1, 3)
    held = balance.bilateral
    uneven = np.abs(u[held] - np.outer(r[balance.owner[held]], [0, 0, 1])).max(initial=0.0)
    falls = np.where(np.isinf(balance.upper), -r, 0.0).max(initial=0.0)
    endless = balance.bilateral[balance.first] & np.isinf(balance.lower)
    rises = np.where(endless, r, 0.0).max(initial=0.0)
    joints = np.abs(y[balance.actuated][~np.isfinite(balance.limits)]).max(initial=0.0)
    return float(max(uneven, falls, rises, joints))


def rates(balance: Balance, y: Array) -> Array:
    """Return r (C,), the least power that each contact puts into y, per newton of it [m/s]."""
    speeds = balance.columns.T @ y
    u = speeds[: 3 * balance.point_count].reshape(-1, 3)
    turning: Array = np.zeros(balance.point_count)
    turning[balance.first[balance.soft]] = speeds[3 * balance.point_count :]
    slip = np.hypot(balance.friction * np.linalg.norm(u[:, :2], axis=1), turning)
    r = u[:, 2] - np.where(balance.bilateral, 0.0, slip)
    least = np.minimum.reduceat(r, balance.first) if len(r) else np.zeros(0)
    for i in balance.twisting:
        own = balance.owner == i
        least[i] = _best_spin(u[own], balance.arms[own], balance.friction[own], balance.torsion[i])
    return least


def _best_spin(u: Array, arms: Array, friction: Array, torsion: float) -> float:
    """max_δ of min_k u_n − μ ‖u_t + δ n × r_k‖ − γ |δ|, concave in δ, by golden sections.

    Where |δ| is above every ‖u_t‖/‖r_k‖ all terms fall.
    """
    across = np.column_stack([-arms[:, 1], arms[:, 0]])

    def rate(spin: float) -> float:
        slip = np.linalg.norm(u[:, :2] + spin * across, axis=1)
        return float((u[:, 2] - friction * slip).min() - torsion * abs(spin))

    reach, tangential = np.linalg.norm(arms, axis=1), np.linalg.norm(u[:, :2], axis=1)
    turned = reach > 1e-9 * reach.max()
    high = float((tangential[turned] / reach[turned]).max())
    low, golden = -high, (np.sqrt(5) - 1) / 2
    for _ in range(120):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (left, high) if rate(left) < rate(right) else (low, right)
    return max(rate((low + high) / 2), rate(0.0))


def _rates(balance: Balance, y: Any, tightening: float) -> tuple[Any, list[Any]]:
    """Return Σ_c min_x xᵀAᵀy [W] and what y and its r must satisfy, as for cvxpy."""
    import cvxpy as cp

    C, K, owner = len(balance.torsion), balance.point_count, balance.owner
    rise, fall, spin = cp.Variable(C, nonneg=True), cp.Variable(C, nonneg=True), cp.Variable(C)
    speeds = balance.columns.T @ y
    u, r = cp.reshape(speeds[: 3 * K], (K, 3), order="C"), (rise - fall)[owner]
    slip, price = _slip(balance, speeds, spin)
    held, free = ~balance.bilateral, balance.bilateral
    endless = balance.bilateral[balance.first] & np.isinf(balance.lower)
    constraints = [fall[np.isinf(balance.upper)] == 0, rise[endless] == 0]
    if held.any():
        resisted = cp.norm(slip[held], 2, axis=1) + price[held]
        constraints.append(u[held][:, 2] - resisted >= r[held] + tightening)
    if free.any():
        constraints += [u[free][:, :2] == 0, u[free][:, 2] == r[free]]
    lower = np.where(np.isfinite(balance.lower), balance.lower, 0.0)
    upper = np.where(np.isfinite(balance.upper), balance.upper, 0.0)
    return lower @ rise - upper @ fall, constraints


def _slip(balance: Balance, speeds: Any, spin: Any) -> tuple[Any, Any]:
    """(μ (u_t + δ n × r), γ ω) (K, 3) at each point, and the price γ |δ| (K,), as for cvxpy."""
    import cvxpy as cp

    K = balance.point_count
    u = cp.reshape(speeds[: 3 * K], (K, 3), order="C")
    slip = cp.multiply(balance.friction[:, None], u[:, :2])
    turning = np.zeros((K, len(balance.soft)))
    turning[balance.first[balance.soft], np.arange(len(balance.soft))] = 1.0
    price: Any = np.zeros(K)
    if len(balance.twisting):
        twists = np.isin(balance.owner, balance.twisting)
        across = np.column_stack([-balance.arms[:, 1], balance.arms[:, 0]]) * twists[:, None]
        extra = cp.reshape(spin[balance.owner], (K, 1), order="C") @ np.ones((1, 2))
        slip = slip + cp.multiply(balance.friction[:, None] * across, extra)
        gamma = np.where(twists, balance.torsion[balance.owner], 0.0)
        price = cp.multiply(gamma, cp.abs(spin[balance.owner]))
    if len(balance.soft):
        own = cp.reshape(turning @ speeds[3 * K :], (K, 1), order="C")
        slip = cp.hstack([slip, own])
    return slip, price
