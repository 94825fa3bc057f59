"""Convex programs over the admissible forces: margins, least-norm forces, planar sets.

    Sᵀτ + A x + h = 0,      x within the contacts' limits,      |τ| ≤ torque limits

with τ from the middle of its bounds, and A the columns of `Balance`. The cones are exact, as
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

from ...arrays import Array
from ..conic_solver import Rows, Solution
from ..geometry.planar import PlanarSet
from .balance import Balance
from .conic_program import FAR, ROUNDING, Programs, maximum


@dataclass(frozen=True, eq=False)
class Equilibrium(Balance):
    """The balance with the programs that are asked of it; attributes as for `Balance`."""

    def margin(self, shares: Array | None = None) -> Solution:
        """Solve max ε such that every contact can lose ε of normal force at its centre [N].

        Contacts that are parts of one lose it together (`ContactLimits.pulls`). The contacts then
        give A x + ε Σ_c J_cᵀ n_c with x admissible: the rest of the force, which the cones and
        lower bounds ask for; upper bounds ask for all of it. The value is +inf when squeezing makes
        it unbounded, −inf when no pull helps.

        Args:
            shares: (C,), how much of ε each contact loses; those of the limits if not given.
        """
        programs = self._even if shares is None else Programs.of(self, shares)
        n = self.columns.shape[1]
        answer = programs.best(-np.eye(n + 1)[n])
        if answer.status == "unsolved":  # too near to infeasible or unbounded: |ε| within a fence
            answer = replace(programs, fenced=True).best(-np.eye(n + 1)[n])
            if answer.value <= -0.99 * FAR:
                answer = Solution("unbounded", -float("inf"))
        if answer.status == "unbounded":
            # what is infeasible, as its dual, may be called so; what is not is feasible at ε = 0:
            # forces of a larger ε, and that much more normal force, are admissible there
            nearest = self.least_norm()
            answer = nearest if nearest.status == "infeasible" else answer
        return maximum(answer, n).in_units(self.weight, self.weight)

    def least_norm(self) -> Solution:
        """Solve min ‖x‖² over the admissible forces, without multipliers of closures [N²].

        Where the least norm of all that balance is within all limits, no other is less.
        """
        n, own = self.columns.shape[1], self.limits.own
        x = self.polished(np.zeros(n))
        if self.admits(x, ROUNDING * self.weight):
            return Solution("optimal", float(x[:own] @ x[:own]), x)
        answer = self._even.best(np.zeros(n), np.repeat([2.0, 0.0], [own, n - own]))
        return answer.in_units(self.weight**2, self.weight)

    @cached_property
    def _even(self) -> Programs:
        """What margin and forces are asked of."""
        return Programs.of(self)

    def torque_margin(self) -> Solution:
        """Solve max of the least (limit − |τ|)/limit over admissible forces, whatever |τ| [-]."""
        n = self.columns.shape[1]
        programs = Programs.besides(self, np.zeros((len(self.load), 1)))
        torques = programs.torques()
        most = self.torque_limits[np.isfinite(self.torque_limits)] / self.weight
        torques.A[:, n] = np.tile(most, 2)  # |τ| ≤ (1 − slack) limit
        answer = programs.program(torques).solve(-np.eye(n + 1)[n])
        return maximum(answer, n).in_units(1.0, self.weight)

    def least_help(self, columns: Array, signed: bool = False) -> Solution:
        """Solve min Σ |p|: how much of other helpers the contacts would need besides their forces.

        Args:
            columns: (nv, m), what a unit of each helper does to the robot.
            signed: whether p may be negative.
        """
        n, count = self.columns.shape[1], columns.shape[1]
        # signed ones are p⁺ − p⁻, both of them at least zero
        programs = Programs.besides(self, np.hstack([columns, -columns]) if signed else columns)
        more = np.eye(programs.given.shape[1])[n:]
        program = programs.program(programs.torques(), Rows(-more, np.zeros(len(more))))
        answer = program.solve(more.sum(axis=0))
        if answer.unknowns is not None:
            p = answer.unknowns[n:]
            answer = replace(answer, unknowns=p[:count] - p[count:] if signed else p)
        return answer.in_units(self.weight, self.weight)

    def least_excess(self) -> Solution:
        """Solve min Σ e_c, e_c ≥ 0: by how much bounds on normal forces are too tight [N].

        The unknowns are the normal forces (C,) that contacts would then have [N].
        """
        limits, n = self.limits, self.columns.shape[1]
        unbounded = self.with_limits(limits.without_bounds())
        programs = Programs.besides(unbounded, np.zeros((len(self.load), limits.contact_count)))
        more = np.eye(n + limits.contact_count)[n:]
        rows = [Rows(-more, np.zeros(len(more)))]
        for bound, sign in ((limits.lower, 1.0), (limits.upper, -1.0)):
            kept = np.isfinite(bound)
            off = np.hstack([-sign * limits.sums, np.zeros((len(more), len(more)))]) - more
            rows.append(Rows(off[kept], -sign * bound[kept] / self.weight))
        answer = programs.program(programs.torques(), *rows).solve(more.sum(axis=0))
        if answer.unknowns is not None:
            answer = replace(answer, unknowns=limits.sums @ answer.unknowns[:n])
        return answer.in_units(self.weight, self.weight)

    def planar_set(self, columns: Array, reach: float) -> PlanarSet:
        """Return the set of x (2,), |x| ≤ reach, for which load + columns x can be balanced.

        Args:
            columns: (nv, 2), what a unit of each x does to the robot.
            reach: bound on each |x|, in the unit of x.
        """
        n, unit = self.columns.shape[1], self.weight / (np.abs(columns).max() or 1.0)
        programs = Programs.besides(self, columns * unit / self.weight)
        box = np.zeros((4, n + 2))
        box[:2, n:], box[2:, n:] = np.eye(2), -np.eye(2)
        fence = Rows(box, np.full(4, reach / unit))
        program = programs.program(programs.torques(), fence)

        def farthest(direction: Array) -> Array | None:
            z = program.solve(np.append(np.zeros(n), -np.asarray(direction))).unknowns
            return None if z is None else z[n:] * unit

        return farthest

    # --- the same balance with other limits --------------------------------------------------

    def without_torque_limits(self) -> Equilibrium:
        """The same balance with joints of any strength."""
        return replace(self, bounds=self.bounds.with_half(np.full_like(self.torque_limits, np.inf)))

    # --- the common part of all programs -----------------------------------------------------

    def variable(self) -> Any:
        """Return x/weight (n,) as a cvxpy variable."""
        import cvxpy as cp

        n = self.columns.shape[1]
        return cp.Variable(n) if n else cp.Constant(np.zeros(0))

    def norm(self, x: Any) -> Any:
        """Return ‖x‖² of the contacts' forces alone, as for cvxpy."""
        import cvxpy as cp

        return cp.sum_squares(x[: self.limits.own] if self.limits.free else x)

    def scaled_torques(self, given: Any) -> Any:
        """Return (τ − middle)/weight (na,) when contacts give `given` (nv,)/weight."""
        return -(self.load / self.weight + given)[self.actuated]

    def admissible(self, x: Any, given: Any, extra_normal: Any = None) -> list[Any]:
        """Return the constraints on x/weight as for cvxpy: balance, torque and contact limits.

        Args:
            x: (n,), what the cones and lower bounds are asked of.
            given: (nv,), what the contacts do to the robot, /weight.
            extra_normal: (C,), normal forces besides x, which upper bounds count as well, /weight.
        """
        import cvxpy as cp

        limited = np.isfinite(self.torque_limits)
        constraints = []
        if len(self.unactuated):
            constraints.append((self.load / self.weight + given)[self.unactuated] == 0)
        if limited.any():
            torques = self.scaled_torques(given)[limited]
            constraints.append(cp.abs(torques) <= self.torque_limits[limited] / self.weight)
        return constraints + self.scaled_limits.constraints(x, extra_normal)
