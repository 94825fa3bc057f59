"""Brackets of the least friction coefficient for loads, from forces and certificates.

Forces that balance the load say "no more than μ". A twist y, in which the contacts move with
velocities u_k, proves "no less than min_k u_n,k/‖u_t,k‖" wherever the load's power yᵀh is positive:
friction takes none out of it. One proof serves many loads.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from ...arrays import Array
from ...progress import progress_bar
from ..conic_solver import Program, Rows
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
    slowly = pushing and kernel is None
    with VERDICTS.uncompiled(_TRIALS * len(left)) if slowly else nullcontext():
        lower[left], upper[left] = _OneByOne(near, tolerance, most).solve(h[left])
    return lower, upper


class _OneByOne:
    """Load after load, by the conic solver; proofs are kept for the loads that follow."""

    def __init__(self, points: PointForces, tolerance: float, most: float) -> None:
        self.program = _Forces(points)
        self.tolerance, self.most = tolerance, most
        self.twists, self.proven = np.zeros((0, 6)), np.zeros(0)

    def solve(self, loads: Array) -> tuple[Array, Array]:
        """Return (lower, upper) (n,) for loads (n, 6)."""
        lower, upper = np.zeros(len(loads)), np.full(len(loads), np.inf)
        for i in progress_bar(None, range(len(loads)), "friction map"):
            lower[i], upper[i] = self._bracket(loads[i])
        return lower, upper

    def _bracket(self, h: Array) -> tuple[float, float]:
        """First just above what is known, which is often tight; then the most; then halves."""
        low, high, tries = self._known(h), np.inf, 0
        while low < self.most and high - low > self.tolerance:
            near = low + self.tolerance / 2
            trial = (near, self.most, (low + high) / 2)[min(tries, 2)]
            if tries > 2 and tries % 2 == 0:
                trial = near
            held, value = self._ask(min(trial, self.most), h)
            low, high = (low, value) if held else (max(low, value), high)
            tries += 1
        return (low, high) if low < self.most else (low, np.inf)

    def _known(self, h: Array) -> float:
        """The largest friction that earlier proofs rule out."""
        lifted = self.twists @ h > LIFTED
        return float(self.proven[lifted].max(initial=0.0))

    def _ask(self, mu: float, h: Array) -> tuple[bool, float]:
        """(True, a friction that holds) or (False, one that does not), at least as good as μ."""
        forces, y = self.program.solve(mu, h)
        if forces is not None:
            return True, mu
        if y is None:  # the solver could not tell: as near to the edge as it can see
            return False, mu
        proven = self.program.least_friction(y)
        self.twists, self.proven = np.vstack([self.twists, y]), np.append(self.proven, proven)
        return False, max(mu, proven)


class _Forces:
    """The program for one friction: forces in their cones that balance a load, or a proof."""

    def __init__(self, points: PointForces) -> None:
        self.G, self.limits = points.grasp, points.limits

    def solve(self, mu: float, h: Array) -> tuple[Array | None, Array | None]:
        """Return forces (3K,), or a twist y (6,) that proves that there are none, or neither."""
        limits = self.limits.with_friction(mu)
        locked, *rows = limits.solver_rows(np.zeros((limits.contact_count, 0)))
        answer = Program([Rows(self.G, -h), locked], *rows).solve(np.zeros(limits.size))
        if answer.unknowns is not None:
            forces = answer.unknowns
            return (forces, None) if np.abs(self.G @ forces + h).max() < 1e-6 else (None, None)
        if answer.multipliers is not None:
            y = answer.multipliers[:6] / np.linalg.norm(answer.multipliers[:6])
            return None, (y if y @ h > LIFTED else None)
        return None, None

    def least_friction(self, y: Array) -> float:
        """Return min u_n/‖u_t‖ of the velocities u = Gᵀy at the points, up to which y proves."""
        return float(least_ratio((y @ self.G).reshape(-1, 3)[~self.limits.bilateral]))
