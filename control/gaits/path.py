"""Path of a robot that goes at a commanded velocity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..kernels import path as ground_path
from ..kernels.path import GroundPose
from ..references import moved


@dataclass(frozen=True, eq=False)
class Path:
    """Poses P(t) on the ground, from a time on at a constant velocity in their own axes.

    Attributes:
        start: P at `begin` (`pin.SE3`), z up.
        velocity: (vx, vy, wz) [m/s, rad/s].
        begin: [s]; before, P is `start`.
    """

    start: Any
    velocity: Array
    begin: float

    def at(self, t: float) -> Any:
        """Return P(t) (`pin.SE3`)."""
        P = self.along(t)
        return pin.SE3(rotation(P), np.array([P.x, P.y, self.start.translation[2]]))

    def along(self, t: float) -> GroundPose:
        """Return P(t) as a pose on the ground."""
        return ground_path.along(self.origin, self.velocity.tolist(), max(t - self.begin, 0.0))

    @cached_property
    def origin(self) -> GroundPose:
        """The start as a pose on the ground."""
        (x, y, _), (c, s, _) = self.start.translation.tolist(), self.start.rotation[:, 0].tolist()
        return GroundPose(x, y, c, s)

    @cached_property
    def stands(self) -> bool:
        """Whether it stays where it is."""
        return not self.velocity.any()

    def turned(self, t: float, velocity: Array) -> Path:
        """Return the path that goes on with another velocity from t on."""
        return Path(self.at(t), velocity, t)

    def towards(self, t: float, velocity: Array, most: Sequence[float]) -> Path:
        """Return the path that goes on from t on with a velocity, or one that differs by `most`."""
        if (velocity == self.velocity).all():
            return self
        changes, limits = velocity - self.velocity, np.array(most)
        return self.turned(t, self.velocity + np.clip(changes, -limits, limits))

    def put(self, t: float, way: Array) -> Path:
        """Return the path that stays from t on, moved by (3,) [m]."""
        return Path(moved(self.at(t), way), np.zeros(3), t)


def rotation(P: GroundPose) -> Array:
    """Return the axes of a pose on the ground (3, 3), z up."""
    return np.array([[P.c, -P.s, 0.0], [P.s, P.c, 0.0], [0.0, 0.0, 1.0]])
