"""Task of the direction in which a frame sees a point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import text
from ..direction import Direction, unit_axis
from .task import Rows, Task, check_size


@names_checked
@dataclass(eq=False)
class GazeTask(Task):
    """An axis of a frame, as of a camera or a hand, points at a target: y → axis.

    The value is the direction y = Rᵀ(p* − p)/‖p* − p‖ of the target in the axes of the frame, three
    rows of which two are independent; ‖axis − y‖ = 2 sin(θ/2) at an angle θ. How the frame turns
    about its axis is free. `GazeConstraint` keeps the target within an angle.

    Attributes:
        target: p* (3,), in the world [m], or a reference of it; it may be set at any time.
        frame: by name.
        axis: (3,), in the frame, of any length.
    """

    frame: str = field(kw_only=True)
    axis: ArrayLike = field(default=(1.0, 0.0, 0.0), kw_only=True)

    rates = 3

    def _default_name(self) -> str:
        return f"gaze of {text(self.frame, 'frame')}"

    def _check(self) -> None:
        super()._check()
        self._axis = unit_axis(self.axis, self.name)

    def bind(self, robot: Robot) -> int:
        """Look up the frame; check target and axis."""
        self._check()
        robot.frame_id(self.frame)
        check_size(self.target, 3, self.name)
        return 3

    def error(self, state: State, t: float) -> Array:
        """Return axis − y (3,)."""
        return self._axis - self._direction(state, t).value

    def error_jacobian(self, state: State, t: float) -> Array:
        """Return −∂y/∂q (3, nv)."""
        return -self._direction(state, t).jacobian

    def jacobian(self, state: State) -> Array:
        """Return J = ∂y/∂q (3, nv), of a target that is a point."""
        return self._direction(state).jacobian

    def drift(self, state: State) -> Array:
        """Return ÿ at a = 0 (3,), of a target that is a point."""
        return self._direction(state).drift

    def rows(self, state: State, t: float, contacts: ContactSet | None = None) -> Rows:
        """Return ∂y/∂q, gain (axis − y) − damping ẏ less ÿ at a = 0, and the error."""
        y = self._direction(state, t)
        error = self._axis - y.value
        return Rows(y.jacobian, self.gain * error - self.damping_rate * y.rate - y.drift, error)

    def desired_velocity(self, state: State, t: float) -> Array:
        """Return √gain (1 − y yᵀ) (axis − y), less what a moving target adds to ẏ.

        Unit vectors have no velocity along themselves.
        """
        return self.velocity_rows(state, t)[1]

    def velocity_rows(self, state: State, t: float) -> tuple[Array, Array]:
        """Return J = ∂y/∂q (3, nv) at t, and the `desired_velocity` (3,) there."""
        direction = self._direction(state, t)
        y = direction.value
        back = np.sqrt(self.gain) * (self._axis - y * (y @ self._axis))
        return direction.jacobian, np.asarray(back - direction.rate_of_point)

    def _direction(self, state: State, t: float | None = None) -> Direction:
        """The direction at a time, which that to a point does not depend on."""
        if not callable(self.target):
            return Direction.to(self.target, state, self.frame, self.name)
        if t is None:
            raise ConfigurationError(
                f"{self.name!r}: got a reference, with which J depends on the time; expected a "
                "target that is a point (3,) [m], which may be set at any time"
            )
        point, *rates = self.reference(t)
        return Direction.to(point, state, self.frame, self.name, *rates)
