"""Questions about one balance, answered by the compiled kernel: how far along rays, how much less.

    load + t C d + A x  balanced by admissible x:       the largest t of a ray d
    ε(s), the margin for friction and patch sizes s times smaller, and its slope

A ray\'s end is proved by its forces, and a line that nothing crosses by its multipliers: with y as
in the margin\'s program, Cᵀy is the normal of the set {x : load + C x can be balanced} there.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..kernels import compiled
from ..kernels.verdict import MARGIN
from .balance import Balance
from .problems import Layout, Problems

Array = NDArray[np.float64]

RAYS = 24  # to expect for a set of the plane
FINEST = 1e-9  # tolerance that the solvers reach

_MOST = float(np.log(1e4))  # logarithm of the factor by which friction is asked to shrink or grow


def layout_of_balance(balance: Balance) -> Layout:
    """Return the layout of the kernel\'s problems for a balance."""
    b = balance
    return Layout(b.limits, b.unactuated, b.actuated, b.torque_limits, b.weight)


class Rays:
    """How far loads C d may grow, from a load that is balanced.

    Args:
        balance: of that load, with contacts that the kernel knows.
        columns: C (nv, 2), what a unit of each x does to the robot.
        kernels: compiled.
    """

    def __init__(self, balance: Balance, columns: Array, kernels: compiled.Kernels) -> None:
        self.columns, self.kernels = columns, kernels
        self.unit = 1.0 / max(float(np.abs(columns).max()), 1e-300)  # of x, for a load of 1 N
        self.layout = layout_of_balance(balance)
        self.inputs = self.layout.spread(balance.columns)[None], balance.load[None]

    @classmethod
    def of(cls, balance: Balance, columns: Array, count: int) -> Rays | None:
        """Return them for so many rays; None where the kernel does not serve."""
        known = layout_of_balance(balance).known
        kernels = compiled.select(max(count, 2)) if known else None
        return None if kernels is None else cls(balance, columns, kernels)

    def shoot(self, directions: Array, most: float) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return where rays end (n, 2), normals there (n, 2), and which answers are proved.

        Args:
            directions: (n, 2), units.
            most: what ends the rays that nothing ends, in the unit of x.
        """
        A, load = self.inputs
        pulls = (directions * self.unit) @ self.columns.T
        problems = Problems.of(self.layout, A, pulls, load, self.kernels.scale)
        problems.g[:, len(self.layout.joints) :] = 0.0  # rays take no normal force
        found = problems.solve(self.kernels.verdicts, self.kernels.lanes, MARGIN)
        t = found.margin * self.unit
        endless = t >= most
        t = np.where(endless, most, t)
        normals = problems.velocity(found.y, found.nu) @ self.columns
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.where(endless[:, None], directions, normals / np.where(length > 0, length, 1))
        good = found.proved & (t > 0) & np.isfinite(t) & (endless | (length[:, 0] > 0))
        t = np.where(good, t, 0.0)
        return t[:, None] * directions, normals, good


class Shrinking:
    """The margin ε(s) for friction and patch sizes s times smaller.

    Args:
        balance: for s = 1, with contacts that the kernel knows and no torsional friction of
            patches.
        kernels: compiled.
    """

    def __init__(self, balance: Balance, kernels: compiled.Kernels) -> None:
        self.balance, self.kernels = balance, kernels
        self.layout = layout_of_balance(balance)
        columns, soft = balance.columns, balance.columns.shape[1] - balance.central.shape[1]
        still = np.hstack([balance.central, np.zeros((len(columns), soft))])
        self.still = self.layout.spread(still)
        self.shrinking = self.layout.spread(columns - still)
        self.pulls = balance.normals.sum(axis=1)[None]

    @classmethod
    def of(cls, balance: Balance) -> Shrinking | None:
        """Return it; None where the kernel does not serve."""
        known = layout_of_balance(balance).known and not len(balance.limits.yaw_limited)
        kernels = compiled.select(1) if known else None
        return None if kernels is None else cls(balance, kernels)

    def margin(self, s: float) -> tuple[float, float]:
        """Return ε(s) and dε/d log s [N], nan where they are not known.

        With f = U z for U the newtons of each entry, of tangents μ/s, and columns C₀ + C₁/s the
        derivative of A U z gives, for a saddle point and u = Aᵀy, yᵀC₁f/s + Σ uₜfₜ.
        """
        columns, friction = self.still + self.shrinking / s, self.balance.limits.friction / s
        inputs = columns[None], self.pulls, self.balance.load[None], self.kernels.scale
        problems = Problems.of(self.layout, *inputs).with_friction(friction[None])
        found = problems.solve(self.kernels.verdicts, self.kernels.lanes, MARGIN)
        epsilon = float(found.margin[0]) if found.proved[0] else float("nan")
        if not np.isfinite(epsilon):
            return epsilon, float("nan")
        y, f = problems.velocity(found.y[0], found.nu[0]), self.layout.spread(found.forces[0])
        sliding = slice(0, 2 * self.layout.limits.point_count)
        given = (y @ columns)[sliding] @ f[sliding] + y @ (self.shrinking @ f) / s
        return epsilon, float(given)


def shrink_factor(balance: Balance, tolerance: float, solver: Callable[[float], float]) -> float:
    """Return the largest s such that ε(s) ≥ 0, to `tolerance` of log s, from below.

    What holds with some friction and size holds with more of both: Newton's method on log s, inside
    a bracket that is halved where it leads out of it. Near the root the other side is tried, which
    closes the bracket.

    Args:
        balance: for s = 1.
        tolerance: of log s.
        solver: ε(s) by the conic solver, for what the kernel does not answer.

    Returns:
        +inf if it holds for 10,000, 0 if it does not for 1/10,000.
    """
    shrinking, low, high, t = Shrinking.of(balance), -np.inf, np.inf, 0.0
    while high - low > tolerance and low < _MOST and high > -_MOST:
        s = float(np.exp(t))
        epsilon, slope = (np.nan, np.nan) if shrinking is None else shrinking.margin(s)
        epsilon = solver(s) if np.isnan(epsilon) else epsilon
        low, high = (t, high) if epsilon >= 0 else (low, t)
        middle = (max(low, -_MOST) + min(high, _MOST)) / 2
        root = t - epsilon / slope if slope < 0 else middle
        if abs(root - t) <= 0.5 * tolerance:
            root = t + (0.9 if epsilon >= 0 else -0.9) * tolerance
        inside = low < root < high and abs(root) < _MOST + 1
        t = min(max(root if inside else middle, -_MOST), _MOST)
        if low >= _MOST or high <= -_MOST or t in (low, high):
            break
    return float("inf") if low >= _MOST else 0.0 if low == -np.inf else float(np.exp(low))
