"""Margins of one balance along other pulls, and for less friction, by the compiled kernel.

    load + t C d + A x  balanced by admissible x:       the largest t of a ray d
    ε(s), the margin for friction and patch sizes s times smaller, and its slope

A ray's end is proved by its forces, and a line that nothing crosses by its multipliers: with y as
in the margin's program, Cᵀy is the normal of the set {x : load + C x can be balanced} there.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.planar import FARTHEST, largest_disc
from ..kernels import compiled
from ..kernels.proximal import REFINE
from ..kernels.verdict import MARGIN
from . import conic_program
from .balance import Balance
from .conic_program import Admissible, Programs
from .problems import Layout
from .saddle import Saddle, problem_of, saddle_point, solved

Array = NDArray[np.float64]

RAYS = 24  # to expect for a set of the plane
FINEST = 1e-9  # tolerance that the solvers reach

_FEW = 2  # rays that are sooner shot one by one
_MOST = float(np.log(1e4))  # logarithm of the factor by which friction is asked to shrink or grow


def largest_push(
    balance: Balance, layout: Layout, com_jacobian: Array, tolerance: float
) -> tuple[float, Array]:
    """Return the smallest push that is not held [N], and the normal (2,) of what is there.

    Args:
        balance: without a push, which is held.
        layout: of the balance.
        com_jacobian: (2, nv), of the horizontal motion of the centre of mass.
        tolerance: of the robot's weight.
    """
    reach, kernels = FARTHEST * balance.weight, compiled.select(RAYS) if layout.known else None
    rays = Rays(balance, com_jacobian.T, kernels, layout)
    with compiled.by_the_solver(RAYS) if layout.known and kernels is None else nullcontext():
        return largest_disc(lambda d: rays.shoot(d, reach), tolerance * balance.weight)


class Rays:
    """How far loads C d may grow, from a load that is balanced.

    Args:
        balance: of that load.
        columns: C (nv, 2), what a unit of each x does to the robot.
        kernels: compiled, for contacts that they know; None: the conic solver.
        layout: of the balance.
    """

    def __init__(
        self, balance: Balance, columns: Array, kernels: compiled.Kernels | None, layout: Layout
    ) -> None:
        self.balance, self.columns, self.kernels = balance, columns, kernels
        self.unit = 1.0 / max(float(np.abs(columns).max()), 1e-300)  # of x, for a load of 1 N
        if kernels is not None:
            self.problem = problem_of(balance, layout, kernels.scale)

    def shoot(self, directions: Array, most: float) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return where rays end (n, 2), normals there (n, 2), and which answers are proved.

        What no end of a ray is balanced ends where it begins.

        Args:
            directions: (n, 2), units.
            most: what ends the rays that nothing ends, in the unit of x.
        """
        pulls = (directions * self.unit) @ self.columns.T
        t, normals, proved = self._by_the_kernel(pulls)
        for i in np.flatnonzero(~proved):
            t[i], normals[i], proved[i] = self._by_the_solver(pulls[i])
        t = np.clip(np.where(proved, t, 0.0) * self.unit, 0.0, most)
        normals = np.where((t == most)[:, None], directions, normals)
        length = np.linalg.norm(normals, axis=1)
        normals = normals / np.where(length > 0, length, 1.0)[:, None]
        return t[:, None] * directions, normals, proved & ((length > 0) | (t == 0))

    def _by_the_kernel(self, pulls: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return the largest t (n,) of pulls (n, nv), normals (n, 2), and which are proved."""
        kernels, n = self.kernels, len(pulls)
        if kernels is None:
            return np.zeros(n), np.zeros((n, 2)), np.zeros(n, dtype=bool)
        if n <= _FEW:
            kernels = compiled.select(1) or kernels
        problems = self.problem.pulled(pulls)
        found = problems.solve(kernels.verdicts, kernels.lanes, MARGIN)
        return found.margin, problems.velocity(found.y, found.nu) @ self.columns, found.proved

    def _by_the_solver(self, pull: Array) -> tuple[float, Array, bool]:
        """The same of one pull (nv,), by the conic solver."""
        none = np.zeros((self.balance.limits.contact_count, 1))
        found, _ = conic_program.saddle(Programs(Admissible(self.balance, pull[:, None], none)))
        y = np.zeros(len(pull)) if found.velocity is None else found.velocity
        return found.value, y @ self.columns, found.status != "unsolved"


class Shrinking:
    """The margin ε(s) for friction and patch sizes s times smaller.

    Limits of the moments of patches with torsional friction, |Σ n·(r_k × f_k)| ≤ γ Σ f_n, stay
    those of s = 1: r_k and γ shrink alike.

    Args:
        balance: for s = 1.
        kernels: compiled, for contacts that they know; None: the conic solver.
    """

    def __init__(self, balance: Balance, kernels: compiled.Kernels | None, layout: Layout) -> None:
        self.balance, self.kernels, self.arms = balance, kernels, balance.columns.copy()
        self.arms[:, : balance.central.shape[1]] -= balance.central
        self.spread_arms = layout.spread(self.arms)
        if kernels is not None:
            self.problem = problem_of(balance, layout, kernels.scale)

    @classmethod
    def of(cls, balance: Balance, layout: Layout) -> Shrinking:
        """Return it, by the kernels where they serve."""
        return cls(balance, compiled.select(1) if layout.known else None, layout)

    def saddle(self, s: float, kernel: Any = None) -> Saddle | None:
        """Return the saddle point for s by the kernels; None where it is not proved.

        Args:
            s: the factor.
            kernel: `kernels.proximal.refine`, to have it to rounding.
        """
        if self.kernels is None:
            return None
        less = (1 / s - 1) * self.spread_arms
        problem = self.problem.moved(less, self.balance.limits.friction / s)
        return solved(problem, self.kernels, kernel)

    def exact_saddle(self, s: float) -> Saddle:
        """Return the saddle point for s to rounding, by the conic solver where the kernels do not.

        Raises:
            ContactError: the margin is infinite.
        """
        kernel = REFINE.select(1)
        found = None if kernel is None else self.saddle(s, kernel)
        return saddle_point(self.balance.shrunk(s)) if found is None else found

    def slope(self, found: Saddle, s: float) -> float:
        """Return dε/d log s [N] at the saddle point for s.

        With f = U z for U the newtons of each entry, of tangents μ/s, and columns C₀ + C₁/s the
        derivative of A U z gives yᵀC₁f/s + Σ uₜfₜ with the rates u and y = −dε/dh.
        """
        f, u = (self.balance.limits.forces(x)[:, :2] for x in (found.unknowns, found.rates))
        return float((u * f).sum() - found.velocity @ (self.arms @ found.unknowns) / s)


def shrink_factor(
    balance: Balance, layout: Layout, tolerance: float, known: Saddle | None = None
) -> float:
    """Return the largest s such that ε(s) ≥ 0, to `tolerance` of log s, from below.

    What holds with some friction and size holds with more of both: Newton's method on ε(s), which
    is nearly affine, inside a bracket of log s that is halved where it leads out of it. Near the
    root the other side is tried, which closes the bracket.

    Args:
        balance: for s = 1.
        layout: of the balance.
        tolerance: of log s.
        known: the saddle point for s = 1.

    Returns:
        +inf if it holds for 10,000, 0 if it does not for 1/10,000.
    """
    shrinking, low, high, t = Shrinking.of(balance, layout), -np.inf, np.inf, 0.0
    found = known
    while high - low > tolerance and low < _MOST and high > -_MOST:
        s = float(np.exp(t))
        found = shrinking.saddle(s) if found is None else found
        epsilon = _by_conic_solver(balance.shrunk(s)) if found is None else found.margin
        slope = 0.0 if found is None else shrinking.slope(found, s)
        ratio = epsilon / slope if slope < 0 else np.nan
        low, high = (t, high) if epsilon >= 0 else (low, t)
        middle = (max(low, -_MOST) + min(high, _MOST)) / 2
        # a step of Newton's in s is one of log(1 − ε/ε') in log s
        root = t + (np.log1p(-ratio) if ratio < 0.9 else -ratio)
        if abs(root - t) <= 0.5 * tolerance:
            root = t + (0.9 if epsilon >= 0 else -0.9) * tolerance
        inside = low < root < high and abs(root) < _MOST + 1
        t = min(max(root if inside else middle, -_MOST), _MOST)
        found = None
        if low >= _MOST or high <= -_MOST or t in (low, high):
            break
    return float("inf") if low >= _MOST else 0.0 if low == -np.inf else float(np.exp(low))


def _by_conic_solver(balance: Balance) -> float:
    return conic_program.margin(Programs.of(balance)).value
