"""Frictional contact problems: impulses and velocities that obey Signorini and Coulomb.

    u = W λ + w,     K ∋ λ ⟂ û ∈ K*,     û = u + ‖M u_t‖ n,     M = diag(μ_1, μ_2)

One line says all three cases: a point that leaves (u_n > 0) has no impulse, one that sticks (u = 0)
any of the cone K, one that slips the impulse on the cone's surface that dissipates most. W =
J M⁻¹ Jᵀ is the Delassus matrix, w the velocity without impulses.

The problem is not convex, as û depends on u. With s = ‖M u_t‖ held fast it is (a second-order cone
program), and s is found by repeating that. That finds the states of the points; for given states

    break: λ = 0      stick: u = 0      slip: u_n = 0,  λ_t = −λ_n M² u_t / ‖M u_t‖

are equations, of which Newton's method finds the digits that the cone programs leave.

F. Cadoux, "An optimization-based algorithm for Coulomb's frictional contact" (2009); for û,
G. De Saxcé, Z.-Q. Feng, "The bipotential method" (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...errors import SolverError
from ..conic_solver import Program
from ..limits import ContactLimits

_NEWTON = 6  # steps
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


def states(u: Array, bilateral: NDArray[np.bool_], tolerance: float) -> list[str]:
    """Return "stick", "slip" or "break" of each point that moves at u (K, 3), in contact axes."""
    leaves = (u[:, 2] > tolerance) & ~bilateral
    slips = (np.linalg.norm(u[:, :2], axis=1) > tolerance) & ~bilateral & ~leaves
    return [
        "break" if gone else "slip" if slip else "stick"
        for gone, slip in zip(leaves, slips, strict=True)
    ]


def polished(
    W: Array, w: Array, friction: Array, locked: Index, impulses: Array, found: list[str]
) -> Array:
    """Return impulses (K, 3) near the given ones that obey the equations of the states found.

    Those whose indices are `locked`, along tangents without friction, are zero in every state.

    Newton's method with least-norm steps, for redundant points. Nothing is checked: the caller asks
    whether the laws hold better than before.
    """
    x = impulses.ravel().copy()
    size = np.linalg.norm(W) / max(len(w), 1)  # velocities of about the size of impulses
    for _ in range(_NEWTON):
        F, D = _equations(W / size, w / size, friction, x, found)
        F[locked], D[locked] = x[locked], np.eye(len(x))[locked]
        step = np.linalg.lstsq(D, -F, rcond=1e-10)[0]
        x = x + step
        if np.abs(step).max(initial=0.0) <= 1e-15 * np.abs(x).max(initial=0.0):
            break
    return np.asarray(x.reshape(-1, 3))


def _equations(
    W: Array, w: Array, friction: Array, x: Array, found: list[str]
) -> tuple[Array, Array]:
    """F(λ) (3K,) and its derivative (3K, 3K) for given states."""
    F, D = W @ x + w, W.copy()  # stick: u = 0
    identity = np.eye(len(x))
    for k, state in enumerate(found):
        rows, t = slice(3 * k, 3 * k + 3), slice(3 * k, 3 * k + 2)
        if state == "break":
            F[rows], D[rows] = x[rows], identity[rows]
        elif state == "slip":  # keeps the row of u_n
            mu, n = friction[k], 3 * k + 2
            speed = np.linalg.norm(mu * F[t])
            along = mu * F[t] / speed
            turning = (np.eye(2) - np.outer(along, along)) / speed
            rubbed = np.outer(along, identity[n]) + x[n] * turning @ (mu[:, None] * W[t])
            D[t] = identity[t] + mu[:, None] * rubbed
            F[t] = x[t] + x[n] * mu * along
    return F, D
