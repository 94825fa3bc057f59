"""The Coriolis matrix and tensor by recursion, or link by link where no recursion is available."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..robots.robot import Robot
from . import jacobian_sums
from .columns import check_out
from .free_armature import add_coriolis, coriolis
from .kernels.body_table import body_table, velocity_chains
from .kernels.coriolis import CORIOLIS_TENSOR
from .topology import is_depth_first, require_fixed_axes
from .workspace import workspace_of


def coriolis_matrix(robot: Robot, q: Array, v: Array) -> Array:
    """Return C @ v (nv, nv) at a checked state."""
    require_fixed_axes(robot)
    if not is_depth_first(robot):  # Pinocchio would be silently wrong
        return coriolis_tensor(robot, q) @ v
    C = pin.computeCoriolisMatrix(robot._model, workspace_of(robot).data, q, v)
    own: Array = np.array(C, order="C") + coriolis(robot, v)
    return own


def coriolis_tensor(robot: Robot, q: Array, out: Array | None = None) -> Array:
    """Return C (nv, nv, nv) at a checked q, in `out` if there is one."""
    require_fixed_axes(robot)
    shape = (robot.nv,) * 3
    C = np.zeros(shape) if out is None else check_out(out, shape)
    if not is_depth_first(robot):
        C[...] = jacobian_sums.coriolis_tensor(robot, q)
        return C
    bodies = body_table(robot)
    if bodies is None:
        _fill_by_directions(robot, q, C)
    elif (kernel := CORIOLIS_TENSOR.select(1)) is not None:
        kernel(bodies.view(np.uint8), *velocity_chains(robot), q, C)
    else:
        with CORIOLIS_TENSOR.uncompiled(1):
            _fill_by_directions(robot, q, C)
    return add_coriolis(robot, C)


def _fill_by_directions(robot: Robot, q: Array, C: Array) -> None:
    """Fill C, linear in v: its slices are the Coriolis matrices of unit velocities."""
    model, data = robot._model, workspace_of(robot).data
    for k, direction in enumerate(np.eye(robot.nv)):
        C[:, :, k] = pin.computeCoriolisMatrix(model, data, q, direction)
