"""Ground plane: how high the ground is around the feet, as far as those that stand on it show.

    z(x) = z̄ + s·(x − x̄),    s = argmin Σ_i (z_i − z̄ − s·(x_i − x̄))² + k n r² ‖s − s₀‖²

with the n feet's places (x_i, z_i), their means x̄, z̄, their mean square distance r² from these, and
s₀ the slope that was found before, which two feet leave as it is: one foot on a board tells of no
slope. What slope there is shows in a few steps; feet on boards, each higher or lower than the next,
tilt the plane by little, so that footholds ahead are not taken to be higher than any board.

A sole that rests on the ground is inclined as it. s₀ is then the median, in each direction, of the
slope that was found before and those of the soles: two that agree are believed at once, and one
that lies on the edge of a board is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

import numpy as np

from ...arrays import Array

KEPT = 2.0  # k
STEEPEST = 1.0  # of normals that a slope is read from


class GroundPlane:
    """The ground around the feet.

    Args:
        feet: T_world_contact of each (`pin.SE3`), z the normal of the ground under it.

    Attributes:
        point: x̄, z̄ (3,) [m].
        slope: s = (∂z/∂x, ∂z/∂y).
        tilt: the shortest rotation (3, 3) from the vertical to the normal.
    """

    def __init__(self, feet: Iterable[Any]) -> None:
        feet = list(feet)
        self.point = np.mean([T.translation for T in feet], axis=0)
        self.slope: Array = np.array(_slope(np.mean([T.rotation[:, 2] for T in feet], axis=0)))
        self.tilt = self._tilt()

    def fit(self, places: Iterable[Any], soles: Iterable[Any] = ()) -> None:
        """Take up where feet stand now (`pin.SE3`, at least one), and which of these are soles."""
        slopes = [_slope(T.rotation[:, 2]) for T in soles]
        if slopes:
            known = zip(self.slope.tolist(), *slopes, strict=True)
            self.slope = np.array([_median(values) for values in known])
            self.tilt = self._tilt()
        x = [T.translation.tolist() for T in places]
        n = len(x)
        means = [sum(values) / n for values in zip(*x, strict=True)]
        self.point = np.array(means)
        if n < 3:
            return
        xx = xy = yy = xz = yz = 0.0
        for place in x:
            u, v, z = place[0] - means[0], place[1] - means[1], place[2] - means[2]
            xx, xy, yy, xz, yz = xx + u * u, xy + u * v, yy + v * v, xz + u * z, yz + v * z
        kept = KEPT * (xx + yy)  # k n r²
        if kept > 0:
            along, across = self.slope.tolist()
            a, b, c = xx + kept, xy, yy + kept  # the normal equations
            right = xz + kept * along, yz + kept * across
            slope = c * right[0] - b * right[1], a * right[1] - b * right[0]
            self.slope = np.array(slope) / (a * c - b * b)
            self.tilt = self._tilt()

    def height(self, place: Array | Sequence[float]) -> float:
        """Return z at a place (2,) or (3,), whose own z does not count [m]."""
        (x, y, z), (along, across) = self.point.tolist(), self.slope.tolist()
        return float(z + along * (place[0] - x) + across * (place[1] - y))

    def _tilt(self) -> Array:
        along, across = self.slope.tolist()
        z = 1 / sqrt(1 + along * along + across * across)
        x, y, u = -along * z, -across * z, 1 / (1 + z)  # (x, y, z) is the normal
        return np.array([
            [1 - u * x * x, -u * x * y, x], [-u * x * y, 1 - u * y * y, y], [-x, -y, z]
        ])  # fmt: skip


def _slope(normal: Array) -> list[float]:
    """The slope (2,) of what has this normal (3,)."""
    x, y, z = normal.tolist()
    return [min(max(-a / max(z, 1e-3), -STEEPEST), STEEPEST) for a in (x, y)]


def _median(values: Sequence[float]) -> float:
    """The middle one, or the mean of the middle two; NumPy's takes longer than all the rest."""
    ordered, n = sorted(values), len(values)
    return 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2])
