"""The conditions of optimality of the margin's program, solved to rounding by Newton's method.

With the active cones g_i = ‖B_i x‖ − a_i·x and the active linear bounds C x + ε d ≤ c, multipliers
y of the balance, s_i of cones and r of bounds:

    A x + ε N = t,      C x + ε d = c,      g_i(x) = 0,
    Aᵀy = Σ s_i ∇g_i + Cᵀr,                 1 + Nᵀy = d·r

Redundant forces leave x and the multipliers undetermined; the least step is taken then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..limits import ContactLimits
from .balance import Balance

Array = NDArray[np.float64]

_ACTIVE = 1e-6  # constraints nearer than this, in weights, are taken as active
_STEPS = 6


class Iterate(NamedTuple):
    """x (n,) and ε in weights, y (nv,), and z (n,), the multipliers of what the cones are asked."""

    x: Array
    epsilon: float
    y: Array
    z: Array


def polished(balance: Balance, start: Iterate, along: Array, taken: Array) -> Iterate:
    """Return the saddle point to rounding, or `start` where Newton's method leads elsewhere.

    Args:
        balance: of A x + ε N + h = 0.
        start: near the saddle point.
        along: N (nv,), what a unit of ε does to the robot.
        taken: (C,), what a unit of ε adds to each contact's normal force.
    """
    if np.isinf(balance.limits.friction[~balance.limits.bilateral]).any():
        return start
    conditions = Conditions.of(balance, start, along, taken)
    p = conditions.first(start)
    for _ in range(_STEPS):
        p = p - np.linalg.lstsq(conditions.jacobian(p), conditions.residual(p), rcond=1e-9)[0]
    if not np.abs(conditions.residual(p)).max() <= 1e-11:
        return start
    end = conditions.iterate(p, start)
    near = np.abs(end.y - start.y).max() <= 1e-3 * (1 + np.abs(start.y).max())
    return end if near and abs(end.epsilon - start.epsilon) <= _ACTIVE else start


@dataclass(frozen=True, eq=False)
class Conditions:
    """The conditions above, on the forces that are not zero.

    Attributes:
        free: indices into x of the forces that are not held at zero.
        rows: indices into (nv,) of the equations that are asked: without a torque, or saturated.
        A, N, t: the balance of these.
        cones: (B, a) of the active ones; B (m, n), a (n,).
        C, d, c: the active linear bounds.
    """

    free: NDArray[np.intp]
    rows: NDArray[np.intp]
    A: Array
    N: Array
    t: Array
    cones: list[tuple[Array, Array]]
    C: Array
    d: Array
    c: Array

    @classmethod
    def of(cls, balance: Balance, at: Iterate, along: Array, taken: Array) -> Conditions:
        """Return the conditions with the constraints that are active at an iterate."""
        free = np.flatnonzero(~_vanishing(balance.limits, at.x))
        given = balance.load / balance.weight + balance.columns @ at.x + at.epsilon * along
        torques, limits = -given[balance.actuated], balance.torque_limits / balance.weight
        full = np.abs(torques) >= limits - _ACTIVE
        target = -balance.load / balance.weight
        target[balance.actuated[full]] -= np.sign(torques[full]) * limits[full]
        rows = np.concatenate([balance.unactuated, balance.actuated[full]])
        C, d, c = _active_bounds(balance, at, taken)
        cones = [(B[:, free], a[free]) for B, a in _active_cones(balance.limits, at.x)]
        A = balance.columns[np.ix_(rows, free)]
        return cls(free, rows, A, along[rows], target[rows], cones, C[:, free], d, c)

    @property
    def _ends(self) -> list[int]:
        sizes = [len(self.free), 1, len(self.rows), len(self.cones)]
        return [int(end) for end in np.cumsum(sizes)]

    def first(self, at: Iterate) -> Array:
        """Return all unknowns [x, ε, y, s, r] stacked; r, in which all is linear, as zero."""
        x, y = at.x[self.free], at.y[self.rows]
        z = at.z[self.free]
        # z = −s ∇‖B x‖ = −s Bᵀ u/‖u‖ on the tangential part
        s = [np.linalg.norm(np.linalg.lstsq(B.T, z)[0]) for B, _ in self.cones]
        return np.concatenate([x, [at.epsilon], y, s, np.zeros(len(self.c))])

    def residual(self, p: Array) -> Array:
        """Return what is left of the conditions."""
        x, (epsilon,), y, s, r = np.split(p, self._ends)
        g = self._gradients(x)
        return np.concatenate(
            [
                self.A @ x + epsilon * self.N - self.t,
                self.A.T @ y - g.T @ s - self.C.T @ r,
                [1 + self.N @ y - self.d @ r],
                g @ x,  # homogeneous of degree one: g_i(x) = ∇g_i·x
                self.C @ x + epsilon * self.d - self.c,
            ]
        )

    def jacobian(self, p: Array) -> Array:
        """Return the derivative of the residual."""
        x, _, y, s, r = np.split(p, self._ends)
        g, (n, m, k, b) = self._gradients(x), (len(x), len(y), len(s), len(r))
        J = np.zeros((len(p), len(p)))
        i, e, j, last = self._ends  # where ε, y, s and r begin
        J[:m, :n], J[:m, i] = self.A, self.N
        J[m : m + n, :n] = -self._curvature(x, s)
        J[m : m + n, e:j], J[m : m + n, j:last], J[m : m + n, last:] = self.A.T, -g.T, -self.C.T
        J[m + n, e:j], J[m + n, last:] = self.N, -self.d
        J[m + n + 1 : m + n + 1 + k, :n] = g
        J[len(p) - b :, :n], J[len(p) - b :, i] = self.C, self.d
        return J

    def iterate(self, p: Array, start: Iterate) -> Iterate:
        """Return the unknowns in their places."""
        x, (epsilon,), y, s, _ = np.split(p, self._ends)
        forces, velocity, z = np.zeros_like(start.x), np.zeros_like(start.y), start.z.copy()
        forces[self.free], velocity[self.rows] = x, y
        for (B, _), si in zip(self.cones, s, strict=True):
            u = B @ x
            touched = self.free[np.abs(B).any(axis=0)]
            z[touched] = -(si * B.T @ u / np.linalg.norm(u))[np.abs(B).any(axis=0)]
        return Iterate(forces, float(epsilon), velocity, z)

    def _gradients(self, x: Array) -> Array:
        """∇g_i (k, n) = Bᵀ u/‖u‖ − a with u = B x."""
        rows = [np.zeros((0, len(x)))]
        for B, a in self.cones:
            u = B @ x
            rows.append((B.T @ u / np.linalg.norm(u) - a)[None])
        return np.vstack(rows)

    def _curvature(self, x: Array, s: Array) -> Array:
        """Σ s_i ∇²g_i (n, n) = Σ s_i Bᵀ (1 − u uᵀ/‖u‖²) B/‖u‖."""
        H = np.zeros((len(x), len(x)))
        for (B, _), si in zip(self.cones, s, strict=True):
            u = B @ x
            length = float(np.linalg.norm(u))
            H += si * B.T @ (np.eye(len(u)) - np.outer(u, u) / length**2) @ B / length
        return H


def _vanishing(limits: ContactLimits, x: Array) -> NDArray[np.bool_]:
    """(n,), what is zero: forces at the apex of their cone; tangential ones without friction."""
    apex = (np.abs(limits.forces(x)).max(axis=1, initial=0.0) <= _ACTIVE) & ~limits.bilateral
    zero = np.append(np.repeat(apex, 3), apex[limits.first[limits.soft]])
    zero[limits.locked] = True
    return zero


def _active_cones(limits: ContactLimits, x: Array) -> list[tuple[Array, Array]]:
    """(B, a) of the cones ‖B x‖ ≤ a·x on whose boundary x is, apexes left out."""
    cones = []
    for a, B in limits.cone_rows.blocks():
        length = float(np.linalg.norm(B @ x))
        largest = np.abs(x[(a != 0) | B.any(axis=0)]).max()
        if 0 < length >= a @ x - _ACTIVE and largest > _ACTIVE:
            cones.append((B, a))
    return cones


def _active_bounds(balance: Balance, at: Iterate, taken: Array) -> tuple[Array, Array, Array]:
    """(C, d, c) of the bounds C x + ε d ≤ c on whole contacts that are met."""
    C, T, b = balance.limits.whole_rows
    d, c = T @ taken, b / balance.weight
    met = C @ at.x + at.epsilon * d >= c - _ACTIVE
    return C[met], d[met], c[met]
