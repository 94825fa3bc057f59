"""TorqueRange: between which torques a controller stays, at each velocity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..contacts.torque_limits import torque_bounds_of
from ..robots.robot import Robot


class TorqueRange:
    """What `torque_limits` means to a controller: bounds that stay, or those of motors at v.

    Attributes:
        lower, upper: (na,), at rest [N·m or N].
        by_speed: whether they change with the velocity.

    Raises:
        ConfigurationError: as `contacts.torque_limits.torque_bounds_of`.
    """

    def __init__(self, robot: Robot, torque_limits: bool | ArrayLike) -> None:
        bounds = torque_bounds_of(robot, torque_limits)
        self.lower, self.upper = np.array(bounds.lower), np.array(bounds.upper)
        asked = isinstance(torque_limits, bool | np.bool_) and bool(torque_limits)
        self.robot, self.by_speed = robot, asked and robot.motors.by_speed

    def at(self, v: Array) -> tuple[Array, Array]:
        """Return the least and the largest torques (na,) at v (nv,), finite."""
        if not self.by_speed:
            return self.lower, self.upper
        return self.robot.motors.at_speeds(v[self.robot.actuated_rows])
