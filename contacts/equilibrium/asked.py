"""What the kernels are asked, in numbers near one, and what their answers prove.

The kernels solve A f + ε n = w with f_k ∈ K_k: the rows without a torque, each divided by its
largest entry, forces in units of the robot's weight. Their answers are not trusted: here they are
put into the rows, the cones and the conditions of optimality again, with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kernels import contact_margin, friction_newton
from .balances import Balances
from .states import Indices, picked, times

Array = NDArray[np.float64]
_margin_room: Any = contact_margin.room
_least_room: Any = friction_newton.room


class Margins(NamedTuple):
    """ε (N,) [N], forces (N, K, 3) that have it [N], multipliers y (N, m) of the rows."""

    value: Array
    forces: Array
    y: Array


class Least(NamedTuple):
    """Forces (N, K, 3) inside the cones [N], multipliers −λ (N, m) of the rows."""

    forces: Array
    y: Array


@dataclass(frozen=True, eq=False)
class Asked:
    """Some balances as the kernels see them.

    Attributes:
        many: the balances.
        units: (m,), of the unactuated rows.
        A: (N or 1, m, 3K), n: (N or 1, m), w: (N or 1, m), in these units.
    """

    many: Balances
    units: Array
    A: Array
    n: Array
    w: Array

    @classmethod
    def of(cls, many: Balances) -> Asked:
        """Return the balances in units of the first one's weight and widest columns."""
        b = many.first
        widest = np.abs(b.columns[b.unactuated]).max(axis=1, initial=0.0)
        units = np.where(widest > 0, widest, 1.0)
        A = many.states.columns(b.unactuated)
        A /= units[:, None]
        n = np.ascontiguousarray(many.states.pulls(b.unactuated) / units)
        # rows one after the other, however they were chosen: kernels are compiled for these alone
        w = np.ascontiguousarray(-many.loads[:, b.unactuated] / (b.weight * units))
        return cls(many, units, A, n, w)

    @property
    def weight(self) -> float:
        """The unit of force [N]."""
        return self.many.first.weight

    # --- questions ---------------------------------------------------------------------------

    def margins(self, kernel: Callable[..., Any], chosen: Indices) -> Margins:
        """Return the margins, ∓inf where there is none or no end to it, nan where unsolved.

        Where there is no end to it the forces are a squeeze, which balances a newton less of normal
        force at every contact.
        """
        N, (m, K) = len(chosen), self._sizes
        e, f, y = np.empty((N, 1)), np.empty((N, 3 * K)), np.empty((N, m))
        arrays = [picked(x, chosen) for x in (self._flat, self.w, self.n, self._mu)]
        kernel(*arrays, e, f, y, 0, N, _margin_room(m, K))
        value = e[:, 0] * self.weight
        value[e[:, 0] >= contact_margin.INFINITE] = np.inf
        value[e[:, 0] <= -contact_margin.INFINITE] = -np.inf
        return Margins(value, f.reshape(N, K, 3) * self.weight, y / self.units)

    def least(self, kernel: Callable[..., Any], chosen: Indices, less: float = 0.0) -> Least:
        """Return the least-norm forces of the chosen problems.

        Args:
            kernel: the compiled `least_norms`.
            chosen: which problems.
            less: normal force that every contact gives besides, /weight.
        """
        m, K = self._sizes
        f, y = np.empty((len(chosen), 3 * K)), np.empty((len(chosen), m))
        w = self.w if not less else self.w - less * self.n
        arrays = (picked(self._flat, chosen), picked(w, chosen), picked(self._mu, chosen))
        kernel(*arrays, f, y, 0, len(chosen), _least_room(m, K))
        return Least(f.reshape(len(chosen), K, 3) * self.weight, y / self.units)

    @property
    def _mu(self) -> Array:
        """μ (N or 1, K), the same along both tangents."""
        return np.ascontiguousarray(self.many.friction[..., 0])

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.A.shape[1], self.many.friction.shape[1]

    @property
    def _flat(self) -> Array:
        return self.A.reshape(len(self.A), self.A.shape[1] * self.A.shape[2])

    # --- proofs ------------------------------------------------------------------------------

    def residual(
        self, f: Array, chosen: Indices, margin: Array | float = 0.0, load: float = 1.0
    ) -> Array:
        """Return what is left of A f + ε n = w and of the cones, the most (n,) [N, N·m].

        Args:
            f: (n, K, 3) [N].
            chosen: which problems.
            margin: ε [N].
            load: share of w.
        """
        A, w = picked(self.A, chosen), picked(self.w, chosen)
        rows = times(A, f) - load * self.weight * w
        if np.any(margin):
            rows += np.asarray(margin)[..., None] * picked(self.n, chosen)
        rows *= self.units
        x, y, z = apart(f)
        outside = length(x, y)
        outside -= self._friction(chosen) * z
        np.maximum(outside, -z, out=outside)
        return np.asarray(np.maximum(most(np.abs(rows).T), most(outside)))

    def not_least(self, least: Least, chosen: Indices) -> Array:
        """Return how far forces are from P(Aᵀλ), the most (n,) [N]: then they are the least."""
        mu = self._friction(chosen)
        x, y, z = -self.weight * apart(self._speeds(least.y, chosen))
        t = length(x, y)
        inside = (t <= mu * z) & (z >= 0)
        a = np.maximum(mu * t + z, 0.0) / (1 + mu * mu)
        share = np.where(inside, 1.0, mu * a / np.where(t > 0, t, 1.0))
        off = apart(least.forces)
        off[0] -= share * x
        off[1] -= share * y
        off[2] -= np.where(inside, z, a)
        return most(np.abs(off, out=off).reshape(3 * len(z), -1))

    def unbraked(self, y: Array, chosen: Indices) -> tuple[Array, Array, Array]:
        """Return how far y leaves the dual cones [m/s], the power of the load in it [W], and nᵀy.

        With nᵀy = 1 and none of the first, minus the power is more than any margin [N].
        """
        w, n, scaled = picked(self.w, chosen), picked(self.n, chosen), y * self.units
        slide, drift, lift = apart(self._speeds(y, chosen))
        slip = length(slide, drift)
        slip *= self._friction(chosen)
        slip -= lift
        return most(slip), -self.weight * (scaled * w).sum(axis=1), (scaled * n).sum(axis=1)

    def _friction(self, chosen: Indices) -> Array:
        """μ (K, n or 1)."""
        return np.ascontiguousarray(picked(self._mu, chosen).T)

    def _speeds(self, y: Array, chosen: Indices) -> Array:
        """Aᵀ y (n, K, 3)."""
        A, scaled = picked(self.A, chosen), y * self.units
        u = scaled @ A[0] if len(A) == 1 else (scaled[:, None] @ A)[:, 0]
        return np.asarray(u.reshape(len(y), self._sizes[1], 3))

    def bears(self, f: Array, margin: Array, chosen: Indices) -> NDArray[np.bool_]:
        """Return where the joints bear forces f, with `margin` of normal force more (not inf)."""
        b = self.many.first
        limited = np.isfinite(b.torque_limits)
        if not limited.any():
            return np.ones(len(f), dtype=bool)
        rows, states = b.actuated[limited], self.many.states
        finite = np.isfinite(margin)
        torques = picked(self.many.loads, chosen)[:, rows] + states.given(f, rows, chosen)
        if margin.any():
            torques += np.where(finite, margin, 0.0)[:, None] * picked(states.pulls(rows), chosen)
        return np.asarray((np.abs(torques) <= b.torque_limits[limited]).all(axis=1) & finite)


def apart(v: Array) -> Array:
    """Return a copy of the components (3, K, n) of vectors (n, K, 3), each in one piece."""
    return v.transpose(2, 1, 0).copy()


def length(x: Array, y: Array) -> Array:
    """Return √(x² + y²), in a third of the time of np.hypot, which minds the ends of the floats."""
    square = x * x
    square += y * y
    return np.asarray(np.sqrt(square, out=square))


def most(x: Array) -> Array:
    """Return the largest of each column (n,), at least 0."""
    return np.asarray(x.max(axis=0, initial=0.0))
