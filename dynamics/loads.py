"""External wrenches on links: from world wrenches at named frames to generalised forces.

Pinocchio takes external forces in joint frames; here they are `Wrench`es that say where they act,
keyed by the link they act on, and are moved to wherever an algorithm wants them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigurationError
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from .wrench import Wrench

Array = NDArray[np.float64]


def external_torques(robot: Robot, q: ArrayLike, wrenches: Mapping[str, Wrench]) -> Array:
    """Return τ_ext = Σ Jᵗᵀ f + Jᴿᵀ m (nv,), what wrenches on links do as generalised forces.

    Args:
        wrenches: {frame: Wrench}: the wrench acts on the link that carries `frame`. Its axes are
            "world", "local" (those of `frame`), or the name of another frame of the robot; force,
            moment and point are coordinates in those axes, from that frame's origin. Without a
            point it acts at the origin of `frame`.

    Raises:
        ConfigurationError: a bad q, no such frame, or a value that is no `Wrench`.
    """
    q = check_configuration(robot, q)
    checked = check_wrenches(robot, wrenches)
    data = robot.workspace()
    pin.computeJointJacobians(robot.model, data, q)
    tau = np.zeros(robot.nv)
    for frame_id, wrench in checked:
        J = pin.getFrameJacobian(
            robot.model, _updated(robot, data, frame_id), frame_id, pin.LOCAL_WORLD_ALIGNED
        )
        tau += J.T @ world_wrench_at_origin(robot, data, frame_id, wrench)
    return tau


def check_wrenches(robot: Robot, wrenches: Mapping[str, Wrench] | None) -> list[tuple[int, Wrench]]:
    """Return [(frame id, wrench), …] of a mapping of external wrenches, or raise."""
    if wrenches is None:
        return []
    if not isinstance(wrenches, Mapping):
        raise ConfigurationError(
            f"wrenches: got {type(wrenches).__name__}; expected a mapping {{frame: Wrench}}"
        )
    for frame, wrench in wrenches.items():
        if not isinstance(wrench, Wrench):
            raise ConfigurationError(
                f"wrenches[{frame!r}]: got {type(wrench).__name__}; expected a Wrench"
            )
        if wrench.axes not in ("world", "local"):
            robot.frame_id(wrench.axes)
    return [(robot.frame_id(frame), wrench) for frame, wrench in wrenches.items()]


def world_wrench_at_origin(robot: Robot, data: Any, frame_id: int, wrench: Wrench) -> Array:
    """Return [f; m] (6,), world axes, about the origin of the frame placed as in `data`."""
    origin = _updated(robot, data, frame_id).oMf[frame_id].translation
    force, moment, point = wrench.force, wrench.moment, wrench.point
    if wrench.axes != "world":
        axes_id = frame_id if wrench.axes == "local" else robot.frame_id(wrench.axes)
        T_world_axes = _updated(robot, data, axes_id).oMf[axes_id]
        force, moment = T_world_axes.rotation @ force, T_world_axes.rotation @ moment
        point = None if point is None else T_world_axes.act(point)
    if point is not None:
        moment = moment + np.cross(point - origin, force)
    return np.concatenate([force, moment])


def joint_forces(robot: Robot, data: Any, wrenches: list[tuple[int, Wrench]]) -> Any:
    """Return the wrenches as Pinocchio's f_ext: one `pin.Force` a joint, in the joint's frame.

    `data` has the placements of the joints.
    """
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero()] * robot.model.njoints)
    for frame_id, wrench in wrenches:
        f = pin.Force(world_wrench_at_origin(robot, data, frame_id, wrench))
        joint = robot.model.frames[frame_id].parentJoint
        aligned = pin.SE3(np.eye(3), data.oMf[frame_id].translation)
        forces[joint] = forces[joint] + data.oMi[joint].actInv(aligned.act(f))
    return forces


def _updated(robot: Robot, data: Any, frame_id: int) -> Any:
    pin.updateFramePlacement(robot.model, data, frame_id)
    return data
