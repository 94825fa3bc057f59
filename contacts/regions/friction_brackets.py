"""Brackets of the least friction coefficient for loads, from forces and certificates.

Forces that balance the load say "no more than μ". A twist y, in which the contacts move with
velocities u_k, proves "no less than min_k u_n,k/‖u_t,k‖" wherever the load's power yᵀh is positive:
friction takes none out of it. One proof serves many loads.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...arrays import Array
from ...progress import progress_bar
from ..equilibrium.balance import Balance
from ..equilibrium.certificate import falling_motion
from ..kernels.compiled import VERDICTS
from ..point_forces import PointForces
from .least_frictions import LIFTED, least_frictions, least_ratio

_TRIALS = 5  # programs that a load takes, about


def brackets(
    points: PointForces, loads: Array, tolerance: float, most: float
) -> tuple[Array, Array]:
    """Return (lower, upper) (n,) around μ* of loads h (n, 6), in weights; see `FrictionMap`.

    Compiled kernels find them together; the conic solver finds those that these leave, and all
    without Numba or with points that pull.
    """
    middle = points.points.mean(axis=0) if len(points.points) else np.zeros(3)
    near = points.about(middle)
    size = near.size
    near, h = near.scaled(1 / size), loads.copy()
    h[:, 3:] = (loads[:, 3:] - np.cross(middle, loads[:, :3])) / size
    lower, upper = np.zeros(len(h)), np.full(len(h), np.inf)
    pushing = len(points.points) > 0 and not points.limits.bilateral.any()
    kernel = VERDICTS.select(_TRIALS * len(h)) if pushing else None
    if kernel is not None:
        lower, upper = least_frictions(kernel, near.grasp, h, tolerance, most)
    left = np.flatnonzero((lower < most) & (upper - lower > tolerance))
    with VERDICTS.uncompiled(_TRIALS * len(left), counts=pushing and kernel is None):
        lower[left], upper[left] = _by_conic_solver(near, h[left], tolerance, most)
    return lower, upper


def _by_conic_solver(
    points: PointForces, loads: Array, tolerance: float, most: float
) -> tuple[Array, Array]:
    """Return (lower, upper) (n,) for loads (n, 6), each with the proofs of those before it."""
    lower, upper = np.zeros(len(loads)), np.full(len(loads), np.inf)
    body = Balance.of_body(points, np.zeros(6))
    G, limits = body.grasp, body.limits
    twists, proven = np.zeros((0, 6)), np.zeros(0)
    for i in progress_bar(range(len(loads)), "friction map"):
        h, tries = loads[i], 0
        low, high = float(proven[twists @ h > LIFTED].max(initial=0.0)), np.inf
        while low < most and high - low > tolerance:
            mu = _trial(low, high, tries, tolerance, most)
            tries += 1
            found = falling_motion(replace(body, load=h, limits=limits.with_friction(mu)))
            if found.value <= LIFTED:
                high = mu
                continue
            # without a proof: as near to the edge as the solver can see
            if (y := found.unknowns) is not None and y @ h > LIFTED:
                u = (y @ G).reshape(-1, 3)[~limits.bilateral]
                twists, proven = np.vstack([twists, y]), np.append(proven, least_ratio(u))
                mu = max(mu, float(proven[-1]))
            low = max(low, mu)
        lower[i], upper[i] = low, high if low < most else np.inf
    return lower, upper


def _trial(low: float, high: float, tries: int, tolerance: float, most: float) -> float:
    """First just above what is known, which is often tight; then the most; then the middle, and
    every other time just above again."""
    if tries == 1:
        return most
    near = tries % 2 == 0 and tries != 2
    return min(low + tolerance / 2 if near else (low + high) / 2, most)
