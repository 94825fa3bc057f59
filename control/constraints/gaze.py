"""Gaze cone: an axis of a frame points at a target within an angle.

With the axis d of the frame and the direction y of the target in its axes (`control.direction`),

    h = dᵀy − cos(angle),      ḣ = dᵀẏ,      ḧ = dᵀÿ
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import array, number, text
from ..direction import Direction, unit_axis
from .constraint import Barrier


@names_checked
@dataclass(eq=False)
class GazeConstraint(Barrier):
    """The axis of a frame, as of a camera, points at a target within an angle.

    Attributes:
        target: (3,), in the world [m]; it may be set at any time.
        frame: by name.
        axis: (3,), in the frame, of any length.
        angle: half the opening of the cone [rad], up to π.
    """

    target: ArrayLike
    frame: str = field(kw_only=True)
    angle: float = field(kw_only=True)
    axis: ArrayLike = field(default=(1.0, 0.0, 0.0), kw_only=True)

    def _default_name(self) -> str:
        return f"gaze of {text(self.frame, 'frame')}"

    def _check(self) -> None:
        super()._check()
        place = array(self.target, f"target of {self.name!r}", (3,), meaning="[m]")
        self.target = place.copy()
        number(self.angle, f"angle of {self.name!r}", above=0, at_most=np.pi, unit="[rad]")
        self._axis = unit_axis(self.axis, self.name)

    def bind(self, robot: Robot) -> int:
        """Look up the frame."""
        self._check()
        robot.frame_id(self.frame)
        return 1

    def value(self, state: State) -> Array:
        """Return dᵀy − cos(angle)."""
        return np.array([self._axis @ self._direction(state).value - np.cos(self.angle)])

    def jacobian(self, state: State) -> Array:
        """Return the derivative of the cosine (1, nv)."""
        return np.asarray(self._axis @ self._direction(state).jacobian)[None]

    def drift(self, state: State) -> Array:
        """Return ḧ at a = 0."""
        return np.array([self._axis @ self._direction(state).drift])

    def _direction(self, state: State) -> Direction:
        return Direction.to(self.target, state, self.frame, self.name)
