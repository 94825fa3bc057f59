"""Coriolis and centrifugal terms: the matrix C(q, v) = C(q) v and the tensor C(q) behind it.

The force vᵀCv is unique, the matrix is not. Ours is Pinocchio's: linear in v, and dM/dt − 2 (C @ v)
is skew on every base, so that vᵀ(dM/dt − 2C)v = 0 is not the only thing that holds.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..robots.configuration import check_configuration, check_velocity
from ..robots.robot import Robot
from . import jacobian_sums
from .kinematics import is_depth_first, require_fixed_axes

Array = NDArray[np.float64]


def coriolis_matrix(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Return C @ v (nv, nv), Pinocchio's `computeCoriolisMatrix`: (C @ v) @ v is the force vᵀCv.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    v = check_velocity(robot, v)
    require_fixed_axes(robot)
    if not is_depth_first(robot):  # Pinocchio would be silently wrong
        return coriolis_tensor(robot, q) @ v
    q = check_configuration(robot, q)
    return np.array(pin.computeCoriolisMatrix(robot.model, robot.workspace(), q, v), order="C")


def coriolis_tensor(robot: Robot, q: ArrayLike) -> Array:
    """Return C(q) (nv, nv, nv): (C @ v)[i, j] = Σ_k C[i, j, k] v[k] is `coriolis_matrix`.

    Symmetric in (j, k) but where both are directions of the base (or of one spherical joint): such
    a basis is no coordinate basis, see `structure_constants`.

    Raises:
        ConfigurationError: a bad q.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    require_fixed_axes(robot)
    if not is_depth_first(robot):
        return jacobian_sums.coriolis_tensor(robot, q)
    q = check_configuration(robot, q)
    model, data = robot.model, robot.workspace()
    # linear in v: its slices are the matrices of unit velocities
    C = np.empty((robot.nv,) * 3)
    for k, direction in enumerate(np.eye(robot.nv)):
        C[:, :, k] = pin.computeCoriolisMatrix(model, data, q, direction)
    return C
