"""Task of the direction in which a frame sees a point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import array, text
from ..direction import Direction, unit_axis
from .task import Task


@names_checked
@dataclass(eq=False)
class GazeTask(Task):
    """An axis of a frame, as of a camera or a hand, points at a target: y → axis.

    The value is the direction y = Rᵀ(p* − p)/‖p* − p‖ of the target in the axes of the frame, three
    rows of which two are independent; ‖axis − y‖ = 2 sin(θ/2) at an angle θ. How the frame turns
    about its axis is free. `GazeConstraint` keeps the target within an angle.

    Attributes:
        target: (3,), in the world [m]; it may be set at any time.
        frame: by name.
        axis: (3,), in the frame, of any length.
    """

    frame: str = field(kw_only=True)
    axis: ArrayLike = field(default=(1.0, 0.0, 0.0), kw_only=True)

    def _default_name(self) -> str:
        return f"gaze of {text(self.frame, 'frame')}"

    def _check(self) -> None:
        super()._check()
        self._axis = unit_axis(self.axis, self.name)

    def bind(self, robot: Robot) -> int:
        """Look up the frame; check target and axis."""
        self._check()
        robot.frame_id(self.frame)
        if callable(self.target):
            raise ConfigurationError(
                f"target of {self.name!r}: got a reference, expected a point (3,) [m]; it may be "
                "set at any time"
            )
        array(self.target, f"target of {self.name!r}", (3,), meaning="[m]")
        return 3

    def error(self, state: State, t: float) -> Array:
        """Return axis − y (3,)."""
        return self._axis - self._direction(state).value

    def jacobian(self, state: State) -> Array:
        """Return ∂y/∂q (3, nv)."""
        return self._direction(state).jacobian

    def drift(self, state: State) -> Array:
        """Return ÿ at a = 0 (3,)."""
        return self._direction(state).drift

    def desired_velocity(self, state: State, t: float) -> Array:
        """Return √gain (1 − y yᵀ) (axis − y): unit vectors have no velocity along themselves."""
        y = self._direction(state).value
        return np.asarray(np.sqrt(self.gain) * (self._axis - y * (y @ self._axis)))

    def _direction(self, state: State) -> Direction:
        return Direction.to(self.target, state, self.frame, self.name)
