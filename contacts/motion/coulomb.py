"""Frictional contact problems: impulses and velocities that obey Signorini and Coulomb.

    u = W λ + w,     K ∋ λ ⟂ û ∈ K*,     û = u + ‖M u_t‖ n,     M = diag(μ_1, μ_2)

One line says all three cases: a point that leaves (u_n > 0) has no impulse, one that sticks (u = 0)
any of the cone K, one that slips the impulse on the cone's surface that dissipates most. W =
J M⁻¹ Jᵀ is the Delassus matrix, w the velocity without impulses.

The problem is not convex, as û depends on u. With s = ‖M u_t‖ held fast it is (a second-order cone
program), and s is found by repeating that.

F. Cadoux, "An optimization-based algorithm for Coulomb's frictional contact" (2009); for û,
G. De Saxcé, Z.-Q. Feng, "The bipotential method" (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...errors import SolverError
from ..conic_solver import Program
from ..limits import ContactLimits
from .coulomb_states import polished, states

_STILL = (1e-6, 1e-3)  # shares of the unit of speed below which a point may be at rest


@dataclass(frozen=True, eq=False)
class CoulombProblem:
    """The data, each point in its contact's axes (two tangents, then the normal).

    Attributes:
        W: (3K, 3K), Delassus matrix.
        w: (3K,), velocity without impulses [m/s]; where a point has a gap to close, w_n + gap/step.
        limits: of the impulses; points that hold both ways have u = 0 whatever it takes.
    """

    W: Array
    w: Array
    limits: ContactLimits

    def velocities(self, impulses: Array) -> Array:
        """Return u = W λ + w as (K, 3) for impulses (K, 3)."""
        return np.asarray((self.W @ impulses.ravel() + self.w).reshape(-1, 3))

    def corrected(self, u: Array) -> Array:
        """Return û = u + ‖M u_t‖ n (K, 3)."""
        shifted = u.copy()
        shifted[:, 2] += self.limits.slip(u.ravel())
        return shifted

    @cached_property
    def speed(self) -> float:
        """The largest velocity without impulses, the unit of velocities [m/s]."""
        return float(np.abs(self.w).max(initial=0.0))

    def residual(self, impulses: Array, mass: float) -> float:
        """Return the largest of all violations of the laws [-], in units of speed and mass."""
        violations, speed = self.violations(impulses), self.speed
        return max(
            violations["cone"] / (mass * speed),
            violations["approach"] / speed,
            violations["work"] / (mass * speed**2),
        )

    def violations(self, impulses: Array) -> dict[str, float]:
        """Return how far the three laws are from holding.

        "cone": impulses outside their cones [N·s]; "approach": normal velocities into the ground
        (of bilateral points: any velocity) [m/s]; "work": |λ·û| [J], which vanishes when no point
        that leaves has an impulse and friction dissipates all it can.
        """
        u, held = self.velocities(impulses), ~self.limits.bilateral
        approach = np.concatenate([-u[held, 2], np.abs(u[~held]).ravel()])
        work = np.einsum("ki,ki->k", impulses, self.corrected(u))[held]
        return {
            "cone": self.limits.cone_violation(impulses.ravel()),
            "approach": float(approach.max(initial=0.0)),
            "work": float(np.abs(work).max(initial=0.0)),
        }

    def solve(self, mass: float, tolerance: float, iterations: int) -> tuple[Array, int]:
        """Return impulses (K, 3) and how many cone programs it took.

        Args:
            mass: of the robot, which makes impulses from speeds [kg].
            tolerance: largest residual that ends the search [-].
            iterations: most cone programs.

        Raises:
            SolverError: a cone program was not solved.
        """
        K, least = self.limits.point_count, np.inf
        s, best = np.zeros(K), np.zeros((K, 3))
        if self.speed == 0.0:
            return best, 0
        for k in range(iterations):
            impulses = self._with_slip(s, mass)
            u = self.velocities(impulses)
            for candidate in (impulses, *(self._polished(impulses, u, t) for t in _STILL)):
                residual = self.residual(candidate, mass)
                if residual < least:
                    best, least = candidate, residual
            if least <= tolerance:
                return best, k + 1
            s = self.limits.slip(u.ravel())
        return best, iterations

    def _polished(self, impulses: Array, u: Array, still: float) -> Array:
        """The impulses to the last digit if the states that u shows are the right ones."""
        rubbing, locked = u.copy(), self.limits.locked
        rubbing.flat[locked] = 0.0  # along a tangent without friction everything slips
        found = states(rubbing, self.limits.bilateral, still * self.speed)
        return polished(self.W, self.w, self.limits.friction, locked, impulses, found)

    def _with_slip(self, s: Array, mass: float) -> Array:
        """The λ ∈ K of least ½ λᵀWλ + (w + s n)ᵀλ, solved in units of speed and mass."""
        linear = self.w.reshape(-1, 3).copy()
        linear[:, 2] += s
        P, q = self.W * mass, linear.ravel() / self.speed
        found = self._program.solve(q, P)
        if found.unknowns is None:
            raise SolverError(
                f"frictional contact: the cone program of {len(q)} unknowns ended as "
                f"{found.status!r}; expected 'optimal'"
            )
        return mass * self.speed * found.unknowns.reshape(-1, 3)

    @cached_property
    def _program(self) -> Program:
        """λ ∈ K."""
        locked, *rows = self.limits.solver_rows(np.zeros((self.limits.contact_count, 0)))
        return Program([locked], *rows)
