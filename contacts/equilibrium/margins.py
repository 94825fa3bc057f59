"""Margins of one balance: of a push, of friction, of torques, of each contact alone.

    load + t C d + A x  balanced by admissible x:       the largest t of a ray d
    ε(s), the margin for friction and patch sizes s times smaller, and its slope

A ray's end is proved by its forces, and a line that nothing crosses by its multipliers: with y as
in the margin's program, Cᵀy is the normal of the set {x : load + C x can be balanced} there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ..geometry.planar import FARTHEST, largest_disc
from ..kernels import compiled
from ..kernels.verdict import INFINITE
from .balance import Balance
from .conic_program import Programs
from .problems import Problems, decided, in_newtons
from .programs import Equilibrium
from .saddle import Multipliers, Saddle, saddle_point, solved
from .torque_margins import torque_margins

RAYS = 24  # verdicts that a planar set takes, about: decides whether a kernel is worth loading
FINEST = 1e-9  # tolerance that the solvers reach

_FEW = 2  # up to so many rays are answered faster one by one
_NEAR = 0.05  # step of the logarithm within which the last saddle point is the initial guess
_MOST = float(np.log(1e4))  # the largest logarithm of the factor by which friction shrinks or grows


def largest_push(balance: Balance, com_jacobian: Array, tolerance: float) -> tuple[float, Array]:
    """Return the smallest push that is not held [N], and the normal (2,) of what is there.

    +inf from a thousand times the weight on.

    Args:
        balance: without a push, which is held.
        com_jacobian: (2, nv), of the horizontal motion of the centre of mass.
        tolerance: of the robot's weight.
    """
    reach, rays = FARTHEST * balance.weight, PushRays(balance, com_jacobian.T)
    with compiled.by_the_solver(RAYS, counts=balance.layout.known and rays.kernels is None):
        radius, normal = largest_disc(
            lambda d: rays.shoot(d, reach), tolerance * balance.weight, 0.99 * reach
        )
    return (radius if radius < 0.99 * reach else np.inf), normal


class PushRays:
    """How far loads C d may grow, from a load that is balanced.

    Args:
        balance: of that load.
        columns: C (nv, 2), what a unit of each x does to the robot.
    """

    def __init__(self, balance: Balance, columns: Array) -> None:
        self.balance, self.columns = balance, columns
        # of x, for a load of 1 N
        self.unit = 1.0 / max(float(np.abs(columns).max(initial=0.0)), 1e-300)
        self.kernels = compiled.select(RAYS) if balance.problem else None
        if balance.problem:
            self.normal, self.g = balance.problem.scaled(columns.T * self.unit)

    def shoot(self, directions: Array, most: float) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return where rays end (n, 2), normals there (n, 2), and which answers are proved.

        What no end of a ray is balanced ends where it begins.

        Args:
            directions: (n, 2), units.
            most: what ends the rays that nothing ends, in the unit of x.
        """
        t, normals, proved = self._by_the_kernel(directions)
        for i in np.flatnonzero(~proved):
            t[i], normals[i], proved[i] = self._by_the_solver(directions[i])
        t = np.clip(np.where(proved, t, 0.0) * self.unit, 0.0, most)
        normals = np.where((t == most)[:, None], directions, normals)
        length = np.hypot(*normals.T)
        normals = normals / np.where(length > 0, length, 1.0)[:, None]
        return t[:, None] * directions, normals, proved & ((length > 0) | (t == 0))

    def _by_the_kernel(self, directions: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return the largest t (n,), normals (n, 2), and which are proved."""
        problem, n = self.balance.problem, len(directions)
        kernels = compiled.select(1) if n <= _FEW else self.kernels
        if problem is None or kernels is None:
            return np.zeros(n), np.zeros((n, 2)), np.zeros(n, dtype=bool)
        pulls = {"normal": directions @ self.normal, "g": directions @ self.g}
        found = decided(kernels.verdicts, problem.program._replace(**pulls), problem.layout.sizes)
        normals = found.y @ self.normal.T + found.nu @ self.g.T
        t = in_newtons(found.verdict[:, 1], self.balance.weight)
        return t, normals, found.verdict[:, 2] > 0

    def _by_the_solver(self, direction: Array) -> tuple[float, Array, bool]:
        """The same of one ray, by the conic solver."""
        pull = self.columns @ (direction * self.unit)
        found, _ = Programs.besides(self.balance, pull[:, None]).saddle()
        y = np.zeros(len(pull)) if found.velocity is None else found.velocity
        return found.value, y @ self.columns, found.status != "unsolved"


class Shrinking:
    """The margin ε(s) for friction and patch sizes s times smaller.

    Limits of the moments of patches with torsional friction, |Σ n·(r_k × f_k)| ≤ γ Σ f_n, stay
    those of s = 1: r_k and γ shrink alike.

    Args:
        balance: for s = 1.
    """

    def __init__(self, balance: Equilibrium) -> None:
        self.balance, self.arms = balance, balance.columns.copy()
        self.arms[:, : balance.central.shape[1]] -= balance.central
        self.arms[:, balance.limits.own :] = 0.0
        if balance.problem is not None:
            A, G = balance.problem.scaled(balance.layout.spread(self.arms).T)
            self._A, self._G = A.T.ravel(), G.T.ravel()

    def saddle(
        self, s: float, near: Multipliers | None = None, exact: bool = False
    ) -> Saddle | None:
        """Return the saddle point for s by the kernels; None where it is not proved.

        Args:
            s: the factor.
            near, exact: as for `solved`.
        """
        problem = self._problem(s)
        return None if problem is None else solved(problem, near, exact)

    def exact_saddle(self, s: float, near: Multipliers | None = None) -> Saddle:
        """Return the saddle point for s to rounding, by the conic solver where the kernels do not.

        Raises:
            ContactError: the margin is infinite.
        """
        found = self.saddle(s, near, exact=True)
        return saddle_point(self.balance.shrunk(s)) if found is None else found

    def slope(self, found: Saddle, s: float) -> float:
        """Return dε/d log s [N] at the saddle point for s.

        With f = U z for U the newtons of each entry, of tangents μ/s, and columns C₀ + C₁/s the
        derivative of A U z gives yᵀC₁f/s + Σ uₜfₜ with the rates u and y = −dε/dh.
        """
        f, u = (self.balance.limits.forces(x)[:, :2] for x in (found.unknowns, found.rates))
        return float((u * f).sum() - found.velocity @ (self.arms @ found.unknowns) / s)

    def _problem(self, s: float) -> Problems | None:
        problem, less = self.balance.problem, 1 / s - 1
        if problem is None:
            return None
        return problem.moved(less * self._A, less * self._G, self.balance.limits.friction / s)

    def root(
        self, tolerance: float, known: Saddle | None = None
    ) -> tuple[float, float, Saddle | None]:
        """Return the largest s such that ε(s) ≥ 0, to `tolerance` of log s, from below.

        What holds with some friction and size holds with more of both: Newton's method on ε(s),
        which is nearly affine, inside a bracket of log s that is halved where it leads out of it.
        Near the root the other side is tried, which closes the bracket.

        Args:
            tolerance: of log s.
            known: the saddle point for s = 1.

        Returns:
            s, +inf if it holds for 10,000, 0 if it does not for 1/10,000; the last s that was
            tried, and its saddle point, None where the kernels have none.
        """
        low, high, t, found = -np.inf, np.inf, 0.0, known
        near: Multipliers | None = None
        while True:
            s = float(np.exp(t))
            found = self.saddle(s, near) if found is None else found
            epsilon = self.balance.shrunk(s).margin().value if found is None else found.margin
            slope = 0.0 if found is None else self.slope(found, s)
            ratio = epsilon / slope if slope < 0 else np.nan
            low, high = (t, high) if epsilon >= 0 else (low, t)
            # half way, or where nothing is known yet on one side to that end at once
            middle = (low + high) / 2 if high - low < np.inf else _MOST if low > -np.inf else -_MOST
            # a step of Newton's in s is one of log(1 − ε/ε') in log s
            root = t + (np.log1p(-ratio) if ratio < 0.9 else -ratio)
            if abs(root - t) <= 0.5 * tolerance:
                root = t + (0.9 if epsilon >= 0 else -0.9) * tolerance
            inside = low < root < high and abs(root) < _MOST + 1
            before, t = t, min(max(root if inside else middle, -_MOST), _MOST)
            closed = high - low <= tolerance or low >= _MOST or high <= -_MOST
            if closed or t in (low, high):
                break
            near = found.multipliers if found and abs(t - before) < _NEAR else None
            found = None
        largest = float("inf") if low >= _MOST else 0.0 if low == -np.inf else float(np.exp(low))
        return largest, s, found


def shrink_factor(balance: Equilibrium, tolerance: float, known: Saddle | None = None) -> float:
    """Return the largest factor by which friction and patch sizes may shrink: `Shrinking.root`."""
    return Shrinking(balance).root(tolerance, known)[0]


def torque_margin(balance: Equilibrium, problem: Problems | None) -> float:
    """Return the torque margin [-], see `Equilibrium.torque_margin`; +inf without torque limits.

    Args:
        balance: of the torques.
        problem: of the margin, for the kernel; None: the conic solver answers.
    """
    limited, kernels = np.isfinite(balance.torque_limits).any(), compiled.select(1)
    if not limited or kernels is None or problem is None:
        return balance.torque_margin().value if limited else float("inf")
    given = problem, np.array([True]), lambda _: balance.torque_margin().value
    return float(torque_margins(kernels.verdicts, *given)[0])


def margins_alone(balance: Equilibrium, problem: Problems | None) -> Array:
    """Return (C,), the margin of each contact losing normal force, it alone [N].

    +inf for those that need no pressing. The kernel does not count what upper bounds take, and the
    conic solver answers too where it proves nothing finite.

    Args:
        balance, problem: as for `torque_margin`.
    """
    limits, kernels = balance.limits, compiled.select(1)
    found = np.where(limits.presses, np.nan, np.inf)
    if kernels is not None and problem is not None and not limits.bounded:
        program = problem.pulled(balance.normals.T).program
        _, epsilon, proof, _ = decided(kernels.verdicts, program, problem.layout.sizes).verdict.T
        proved = limits.presses & (proof > 0) & (np.abs(epsilon) < INFINITE)
        found[proved] = epsilon[proved] * balance.weight
    for i in np.flatnonzero(np.isnan(found)).tolist():
        found[i] = balance.margin(np.eye(limits.contact_count)[i]).value
    return found
