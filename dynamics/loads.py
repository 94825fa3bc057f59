"""External wrenches on links: from world wrenches at named frames to generalised forces.

Pinocchio takes external forces in joint frames; here they are `Wrench`es that say where they act,
keyed by the link they act on, and are moved to wherever an algorithm wants them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..robots.robot import Robot
from ..robots.values import instance, mapping
from .spatial import cross
from .wrench import Wrench


def check_wrenches(robot: Robot, wrenches: Mapping[str, Wrench] | None) -> list[tuple[int, Wrench]]:
    """Return [(frame id, wrench), …] of a mapping of external wrenches, or raise."""
    if wrenches is None:
        return []
    for frame, wrench in mapping(wrenches, "wrenches", kind="frame").items():
        if instance(wrench, f"wrenches[{frame!r}]", Wrench).axes not in ("world", "local"):
            robot.frame_id(wrench.axes)
    return [(robot.frame_id(frame), wrench) for frame, wrench in wrenches.items()]


def world_wrench(wrench: Wrench, T: Array, axes: Array) -> Array:
    """Return [f; m] (6,), world axes, about the origin of the frame at T.

    T and axes (3, 4) are [R | p] of the frame that the wrench is on, and of the one in whose axes
    its numbers are.
    """
    force, moment, point = wrench.force, wrench.moment, wrench.point
    if wrench.axes != "world":
        R, origin = axes[:, :3], axes[:, 3]
        force, moment = R @ force, R @ moment
        point = None if point is None else R @ point + origin
    if point is not None:
        moment = moment + cross(point - T[:, 3], force)
    return np.concatenate([force, moment])


def world_wrench_at_origin(robot: Robot, data: Any, frame_id: int, wrench: Wrench) -> Array:
    """Return [f; m] (6,), world axes, about the origin of the frame placed as in `data`."""
    other = wrench.axes not in ("world", "local")
    axes_id = robot.frame_id(wrench.axes) if other else frame_id
    T, axes = (
        pin.updateFramePlacement(robot._model, data, i).homogeneous[:3] for i in (frame_id, axes_id)
    )
    return world_wrench(wrench, T, axes)
