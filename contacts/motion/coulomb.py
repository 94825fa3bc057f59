"""Signorini's and Coulomb's laws at points that touch: which impulses λ, which velocities u.

    u = W λ + w,     K ∋ λ ⟂ û ∈ K*,     û = u + μ ‖u_t‖ n

One line says all three cases: a point that leaves (u_n > 0) has no impulse, one that sticks (u = 0)
any of the cone K, one that slips an impulse on the cone's surface straight against its velocity,
which dissipates most. W = J M⁻¹ Jᵀ is the Delassus matrix, w the velocity without impulses.

The problem is not convex, as û depends on u. With s = μ ‖u_t‖ held fast it is (a second-order cone
program), and s is found by repeating that.

F. Cadoux, "An optimization-based algorithm for Coulomb's frictional contact" (2009); for û,
G. De Saxcé, Z.-Q. Feng, "The bipotential method" (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import SolverError
from .coulomb_states import polished, states

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_STILL = (1e-6, 1e-3)  # shares of the unit of speed below which a point may be at rest
_TOLERANCES = (1e-13, 1e-11, 1e-9)


@dataclass(frozen=True, eq=False)
class CoulombProblem:
    """The data, each point in its contact's axes (two tangents, then the normal).

    Attributes:
        W: (3K, 3K), Delassus matrix.
        w: (3K,), velocity without impulses [m/s]; where a point has a gap to close, w_n + gap/step.
        friction: (K,), μ at each point.
        bilateral: (K,), points that hold both ways: u = 0 whatever it takes.
    """

    W: Array
    w: Array
    friction: Array
    bilateral: Mask

    def velocities(self, impulses: Array) -> Array:
        """Return u = W λ + w as (K, 3) for impulses (K, 3)."""
        return np.asarray((self.W @ impulses.ravel() + self.w).reshape(-1, 3))

    def corrected(self, u: Array) -> Array:
        """Return û = u + μ ‖u_t‖ n (K, 3)."""
        shifted = u.copy()
        shifted[~self.bilateral, 2] += self._slip(u)[~self.bilateral]
        return shifted

    def _slip(self, u: Array) -> Array:
        return np.asarray(self.friction * np.linalg.norm(u[:, :2], axis=1))

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
        u, held = self.velocities(impulses), ~self.bilateral
        outside = np.linalg.norm(impulses[:, :2], axis=1) - self.friction * impulses[:, 2]
        cone = np.maximum(outside, -impulses[:, 2])[held]
        approach = np.concatenate([-u[held, 2], np.abs(u[self.bilateral]).ravel()])
        work = np.einsum("ki,ki->k", impulses, self.corrected(u))[held]
        return {
            "cone": float(cone.max(initial=0.0)),
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
        s, best, least = np.zeros(len(self.friction)), np.zeros((len(self.friction), 3)), np.inf
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
            s = self._slip(u)
        return best, iterations

    def _polished(self, impulses: Array, u: Array, still: float) -> Array:
        """The impulses to the last digit if the states that u shows are the right ones."""
        found = states(u, self.bilateral, still * self.speed)
        return polished(self.W, self.w, self.friction, impulses, found)

    def _with_slip(self, s: Array, mass: float) -> Array:
        """The λ ∈ K of least ½ λᵀWλ + (w + s n)ᵀλ, solved in units of speed and mass."""
        linear = self.w.reshape(-1, 3).copy()
        linear[~self.bilateral, 2] += s[~self.bilateral]
        kept = np.ones((len(s), 3), dtype=bool)
        kept[(self.friction == 0) & ~self.bilateral, :2] = False  # without friction, normals alone
        rows = np.flatnonzero(kept.ravel())
        P, q = self.W[np.ix_(rows, rows)] * mass, linear.ravel()[rows] / self.speed
        A, cones = self._cones(rows)
        impulses = np.zeros(3 * len(s))
        impulses[rows] = mass * self.speed * minimise(P, q, A, cones)
        return impulses.reshape(-1, 3)

    def _cones(self, rows: NDArray[np.intp]) -> tuple[Array, list[Any]]:
        """A and the cones with A λ in them: n ≥ 0 without friction, ‖λ_t‖ ≤ μ λ_n with."""
        import clarabel

        column = {int(row): i for i, row in enumerate(rows)}
        smooth = [k for k in range(len(self.friction)) if self._kind(k) == "smooth"]
        rough = [k for k in range(len(self.friction)) if self._kind(k) == "rough"]
        A = np.zeros((len(smooth) + 3 * len(rough), len(rows)))
        for i, k in enumerate(smooth):
            A[i, column[3 * k + 2]] = 1.0
        for i, k in enumerate(rough):
            block = A[len(smooth) + 3 * i :]
            block[0, column[3 * k + 2]] = self.friction[k]
            block[1, column[3 * k]] = block[2, column[3 * k + 1]] = 1.0
        cones: list[Any] = [clarabel.NonnegativeConeT(len(smooth))] if smooth else []
        return A, cones + [clarabel.SecondOrderConeT(3)] * len(rough)

    def _kind(self, k: int) -> str:
        if self.bilateral[k]:
            return "bilateral"
        return "rough" if self.friction[k] > 0 else "smooth"


def minimise(P: Array, q: Array, A: Array, cones: list[Any]) -> Array:
    """Return the x of least ½ xᵀPx + qᵀx with A x in the cones.

    Raises:
        SolverError: no answer, which for cones that contain zero and bounded problems is a bug.
    """
    import clarabel
    from scipy.sparse import csc_matrix

    for tolerance in _TOLERANCES:
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        solver = clarabel.DefaultSolver(
            csc_matrix(np.triu(P)), q, csc_matrix(-A), np.zeros(len(A)), cones, settings
        )
        solution = solver.solve()
        if solution.status == clarabel.SolverStatus.Solved:
            return np.array(solution.x)
    raise SolverError(
        f"frictional contact: the cone program of {len(q)} unknowns ended as {solution.status}; "
        "expected Solved"
    )
