"""The programs of the balance written with cvxpy: the reference for `programs.py`.

Each reads like its formula and is written anew at every question, which takes cvxpy some thirty
times longer than the solver needs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ..conic_solver import Solution
from ..geometry.planar import PlanarSet
from .programs import Equilibrium
from .solving import solve


@dataclass(frozen=True, eq=False)
class ReferenceEquilibrium(Equilibrium):
    """The same balance; each method answers as that of `Equilibrium` does."""

    @classmethod
    def like(cls, balance: Equilibrium) -> ReferenceEquilibrium:
        """Return the reference for a balance."""
        return cls(**{name: getattr(balance, name) for name in balance.__dataclass_fields__})

    def margin(self, shares: Array | None = None) -> Solution:
        """max ε with A x + ε Σ_c J_cᵀ n_c balancing the load."""
        import cvxpy as cp

        limits = self.limits
        shares = limits.pulls if shares is None else shares
        x, epsilon = self.variable(), cp.Variable()
        given = self.columns @ x + epsilon * (self.normals @ shares)
        constraints = self.admissible(x, given, epsilon * (limits.presses * shares))
        answer = solve(cp.Problem(cp.Maximize(epsilon), constraints), x)
        if answer.status == "unbounded" and self.least_norm().status == "infeasible":
            answer = Solution("infeasible", -np.inf)  # both are right, as in `Equilibrium`
        return answer.in_units(self.weight, self.weight)

    def least_norm(self) -> Solution:
        """min ‖x‖², without multipliers of closures."""
        import cvxpy as cp

        x = self.variable()
        constraints = self.admissible(x, self.columns @ x)
        problem = cp.Problem(cp.Minimize(self.norm(x)), constraints)
        return solve(problem, x).in_units(self.weight**2, self.weight)

    def torque_margin(self) -> Solution:
        """max s with |τ| ≤ (1 − s) limit."""
        import cvxpy as cp

        x, slack = self.variable(), cp.Variable()
        given = self.columns @ x
        limited = np.isfinite(self.torque_limits)
        most = self.torque_limits[limited] / self.weight
        constraints = self.without_torque_limits().admissible(x, given)
        torques = self.scaled_torques(given)[limited]
        constraints.append(cp.abs(torques) <= (1 - slack) * most)
        problem = cp.Problem(cp.Maximize(slack), constraints)
        return solve(problem, x).in_units(1.0, self.weight)

    def least_help(self, columns: Array, signed: bool = False) -> Solution:
        """min Σ |p| with A x + columns p balancing the load."""
        import cvxpy as cp

        x, p = self.variable(), cp.Variable(columns.shape[1], nonneg=not signed)
        given = self.columns @ x + columns @ p
        problem = cp.Problem(cp.Minimize(cp.norm1(p)), self.admissible(x, given))
        return solve(problem, p).in_units(self.weight, self.weight)

    def least_excess(self) -> Solution:
        """min Σ e_c, e_c ≥ 0, with normal forces within their bounds by e_c."""
        import cvxpy as cp

        limits = self.limits
        x, excess = self.variable(), cp.Variable(limits.contact_count, nonneg=True)
        constraints = self.with_limits(limits.without_bounds()).admissible(x, self.columns @ x)
        total = limits.sums @ x
        for bound, sign in ((limits.lower, 1.0), (limits.upper, -1.0)):
            kept = np.isfinite(bound)
            if kept.any():
                wanted = sign * bound[kept] / self.weight
                constraints.append(sign * total[kept] + excess[kept] >= wanted)
        problem = cp.Problem(cp.Minimize(cp.sum(excess)), constraints)
        return solve(problem, total).in_units(self.weight, self.weight)

    def planar_set(self, columns: Array, reach: float) -> PlanarSet:
        """max d·x with load + columns x balanced."""
        import cvxpy as cp

        forces, x, direction = self.variable(), cp.Variable(2), cp.Parameter(2)
        unit = self.weight / np.abs(columns).max()  # x in numbers near one, as the forces are
        given = self.columns @ forces + (columns * unit / self.weight) @ x
        constraints = [*self.admissible(forces, given), cp.abs(x) <= reach / unit]
        problem = cp.Problem(cp.Maximize(direction @ x), constraints)

        def farthest(d: Array) -> Array | None:
            direction.value = d
            unknowns = solve(problem, x).unknowns
            return None if unknowns is None else unknowns * unit

        return farthest
