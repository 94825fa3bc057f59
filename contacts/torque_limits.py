"""Torque limits of joints: what `torque_limits=` accepts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import FootworkWarning, counted
from ..robots import Robot
from ..robots.configuration import check_robot
from ..robots.values import array


def torque_limits_of(robot: Robot, torque_limits: bool | ArrayLike) -> Array:
    """Return the largest |τ| (na,) that `torque_limits` means [N·m or N], inf without limit.

    True: those of the description, with one warning about joints for which it gives none or zero;
    False: none; a number: the same for all, 1 being one newton metre; an array (na,): those.

    Raises:
        ConfigurationError: an array of the wrong shape, with nan or negative entries.
    """
    check_robot(robot)
    if not isinstance(torque_limits, bool | np.bool_):
        shapes, name = ((), (robot.na,)), "torque_limits"
        meaning = "one for all actuated joints or one each, inf for unlimited; or True, False"
        rules: Any = {"meaning": meaning, "at_least": 0, "infinite": True}
        return np.full(robot.na, array(torque_limits, name, *shapes, **rules))
    if not torque_limits:
        return np.full(robot.na, np.inf)
    if names := robot.unlimited_joints:
        warnings.warn(
            f"{robot.name!r}: no torque limit for {counted(len(names), 'joint')}, taken as "
            f"unlimited: {', '.join(names[:8])}{', …' if len(names) > 8 else ''}",
            FootworkWarning,
            stacklevel=3,
        )
    return robot.torque_limits
