"""Questions about the balance, each one convex program over the admissible forces.

    Sᵀτ + A x + h = 0,      x ∈ K,      lower ≤ N x ≤ upper,      |Y x| ≤ γ N x,      |τ| ≤ limits

The symbols are those of `Balance`: A its columns, N its sums, Y its yaws. The cones are exact, as
second-order cones. The unknowns are in units of the robot's weight, so that a solver sees numbers
near one for a mouse and for an elephant.

The questions that are asked again and again go to the conic solver as matrices
(`conic_program.py`); `reference.py` has them as cvxpy writes them. The tests hold both together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..geometry.planar import PlanarSet
from . import conic_program
from .balance import Balance
from .conic_program import Programs
from .solving import Solution, solve

Array = NDArray[np.float64]

_MOST = float(np.log(1e4))  # logarithm of the factor by which friction is asked to shrink or grow


@dataclass(frozen=True, eq=False)
class Equilibrium(Balance):
    """The balance with the programs that are asked of it; attributes as for `Balance`."""

    def margin(self, shares: Array | None = None) -> Solution:
        """Solve max ε such that every contact can lose ε of normal force at its centre [N].

        The contacts then give A x + ε Σ_c J_cᵀ n_c with x admissible (the rest of the force, which
        the cones and lower bounds ask for; upper bounds ask for all of it). The value is +inf when
        squeezing makes it unbounded, −inf when no pull helps.

        Args:
            shares: (C,), how much of ε each contact loses; all of it if not given.
        """
        return conic_program.margin(self._even if shares is None else Programs.of(self, shares))

    def least_norm(self) -> Solution:
        """Solve min ‖x‖² over the admissible forces [N²]."""
        return conic_program.least_norm(self._even)

    @cached_property
    def _even(self) -> Programs:
        """What margin and forces are asked of."""
        return Programs.of(self)

    def torque_margin(self) -> Solution:
        """Solve max of the least (limit − |τ|)/limit over admissible forces, whatever |τ| [-]."""
        return conic_program.torque_margin(self)

    def least_help(self, columns: Array, signed: bool = False) -> Solution:
        """Solve min Σ |p|: how much of other helpers the contacts would need besides their forces.

        Args:
            columns: (nv, m), what a unit of each helper does to the robot.
            signed: whether p may be negative.
        """
        import cvxpy as cp

        x, p = self.variable(), cp.Variable(columns.shape[1], nonneg=not signed)
        given = self.columns @ x + columns @ p
        problem = cp.Problem(cp.Minimize(cp.norm1(p)), self.admissible(x, given))
        return solve(problem, p).in_units(self.weight, self.weight)

    def least_excess(self) -> Solution:
        """Solve min Σ e_c, e_c ≥ 0: by how much bounds on normal forces are too tight [N].

        The unknowns are the normal forces (C,) that contacts would then have [N].
        """
        import cvxpy as cp

        x, excess = self.variable(), cp.Variable(len(self.torsion), nonneg=True)
        constraints = self.without_normal_bounds().admissible(x, self.columns @ x)
        total = self.sums @ x
        for bound, sign in ((self.lower, 1.0), (self.upper, -1.0)):
            kept = np.isfinite(bound)
            if kept.any():
                wanted = sign * bound[kept] / self.weight
                constraints.append(sign * total[kept] + excess[kept] >= wanted)
        problem = cp.Problem(cp.Minimize(cp.sum(excess)), constraints)
        return solve(problem, total).in_units(self.weight, self.weight)

    def planar_set(self, columns: Array, reach: float) -> PlanarSet:
        """Return the set of x (2,), |x| ≤ reach, for which load + columns x can be balanced.

        Args:
            columns: (nv, 2), what a unit of each x does to the robot.
            reach: bound on each |x|, in the unit of x.
        """
        return conic_program.farthest(self, columns, reach)

    def shrink_factor(self, tolerance: float) -> float:
        """Return the largest s such that friction/s and patch sizes/s still balance the load [-].

        By bisection on log s: what holds with some friction and size holds with more of both.
        """
        if self.shrunk(np.inf).margin().value >= 0:
            return float("inf")
        low, high = -_MOST, _MOST
        if self.shrunk(np.exp(low)).margin().value < 0:
            return 0.0
        while high - low > tolerance:
            middle = (low + high) / 2
            holds = self.shrunk(np.exp(middle)).margin().value >= 0
            low, high = (middle, high) if holds else (low, middle)
        return float(np.exp(low)) if high < _MOST else float("inf")

    # --- the same balance with other limits --------------------------------------------------

    def without_torque_limits(self) -> Equilibrium:
        """The same balance with joints of any strength."""
        return replace(self, limits=np.full_like(self.limits, np.inf))

    def without_normal_bounds(self) -> Equilibrium:
        """The same balance, normal forces limited by their cones alone."""
        nothing = np.full_like(self.lower, np.inf)
        return replace(self, lower=-nothing, upper=nothing)

    def shrunk(self, factor: float) -> Equilibrium:
        """Return the balance with μ/factor, γ/factor, points drawn to their contacts' centres."""
        with np.errstate(invalid="ignore"):
            torsion = np.where(np.isinf(self.torsion), np.inf, self.torsion / factor)
        return replace(
            self,
            friction=self.friction / factor,
            torsion=torsion,
            arms=self.arms / factor,
            grasp=self.central + (self.grasp - self.central) / factor,
        )

    # --- the common part of all programs -----------------------------------------------------

    def variable(self) -> Any:
        """Return x/weight (n,) as a cvxpy variable."""
        import cvxpy as cp

        n = self.columns.shape[1]
        return cp.Variable(n) if n else cp.Constant(np.zeros(0))

    def scaled_torques(self, given: Any) -> Any:
        """Return τ/weight (na,) when contacts give `given` (nv,)/weight."""
        return -(self.load / self.weight + given)[self.actuated]

    def admissible(self, x: Any, given: Any, taken: Any = 0.0) -> list[Any]:
        """Return the constraints on x/weight as for cvxpy: balance, torque limits, cones, bounds.

        Args:
            x: (n,), what the cones and lower bounds are asked of.
            given: (nv,), what the contacts do to the robot, /weight.
            taken: (C,), normal forces besides x, which upper bounds count as well, /weight.
        """
        import cvxpy as cp

        limited = np.isfinite(self.limits)
        constraints = []
        if len(self.unactuated):
            constraints.append((self.load / self.weight + given)[self.unactuated] == 0)
        if limited.any():
            torques = self.scaled_torques(given)[limited]
            constraints.append(cp.abs(torques) <= self.limits[limited] / self.weight)
        return constraints + self.limited(x, taken)

    def limited(self, x: Any, taken: Any = 0.0) -> list[Any]:
        """Return what limits x/weight whatever it balances: cones, torsional friction, bounds."""
        return self.cones(x) + self._whole(x, taken)

    def cones(self, x: Any) -> list[Any]:
        """Return f_n ≥ 0 and Coulomb's cones, those of soft points with their moment."""
        import cvxpy as cp

        K = self.point_count
        held, rough = ~self.bilateral, np.isinf(self.friction)
        if not held.any():
            return []
        f = cp.reshape(x[: 3 * K], (K, 3), order="C")
        constraints = [f[held][:, 2] >= 0]
        soft = np.zeros(K, dtype=bool)
        soft[self.first[self.soft]] = True
        if (plain := held & ~rough & ~soft).any():
            bound = cp.multiply(self.friction[plain], f[plain][:, 2])
            constraints.append(cp.SOC(bound, f[plain][:, :2], axis=1))
        for i, k in enumerate(self.first[self.soft]):
            share, mu = x[3 * K + i], self.friction[k]
            if rough[k]:
                constraints.append(cp.abs(share) <= f[k, 2])
            else:
                constraints.append(cp.SOC(mu * f[k, 2], cp.hstack([f[k, :2], mu * share])))
        return constraints

    def _whole(self, x: Any, taken: Any) -> list[Any]:
        """What limits contacts as a whole: bounds on normal forces, torsional friction."""
        import cvxpy as cp

        if not len(self.torsion):
            return []
        constraints, total = [], self.sums @ x
        if (lower := np.isfinite(self.lower)).any():
            constraints.append(total[lower] >= self.lower[lower] / self.weight)
        if (upper := np.isfinite(self.upper)).any():
            constraints.append((total + taken)[upper] <= self.upper[upper] / self.weight)
        if len(c := self.twisting):
            grip = cp.multiply(self.torsion[c], total[c])
            constraints.append(cp.abs(self.yaws[c] @ x) <= grip)
        return constraints
