"""Ground plane: how high the ground is around the feet, as far as those that stand on it show.

    z(x) = z̄ + s·(x − x̄),    s = argmin Σ_i (z_i − z̄ − s·(x_i − x̄))² + n r² ‖s − s₀‖²

with the n feet's places (x_i, z_i), their means x̄, z̄, their mean square distance r² from these, and
s₀ the slope that was found before, which two feet leave as it is: one foot on a board tells of no
slope. What slope there is shows in a few steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array

UP = np.array([0.0, 0.0, 1.0])
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
        n = np.mean([T.rotation[:, 2] for T in feet], axis=0)
        self.point = np.mean([T.translation for T in feet], axis=0)
        self.slope: Array = np.clip(-n[:2] / max(float(n[2]), 1e-3), -STEEPEST, STEEPEST)
        self.tilt = self._tilt()

    def fit(self, places: Iterable[Any]) -> None:
        """Take up where feet stand now (`pin.SE3`, at least one)."""
        x = np.array([T.translation for T in places])
        self.point = x.sum(axis=0) / len(x)
        d = x - self.point
        ways, up = d[:, :2], d[:, 2]
        (a, b), (_, c) = (ways.T @ ways).tolist()
        kept = a + c  # n r²
        if len(x) > 2 and kept > 0:
            a, c, right = a + kept, c + kept, up @ ways + kept * self.slope
            self.slope = np.array([[c, -b], [-b, a]]) @ right / (a * c - b * b)
            self.tilt = self._tilt()

    def height(self, place: Array | Sequence[float]) -> float:
        """Return z at a place (2,) or (3,), whose own z does not count [m]."""
        (x, y, z), (along, across) = self.point.tolist(), self.slope.tolist()
        return float(z + along * (place[0] - x) + across * (place[1] - y))

    def _tilt(self) -> Array:
        x, y = self.slope.tolist()
        turn = pin.Quaternion.FromTwoVectors(UP, np.array([-x, -y, 1.0]))
        return np.asarray(turn.toRotationMatrix())
