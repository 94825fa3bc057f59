"""Regressors: the dynamics as linear functions of inertial parameters.

The parameters of a link are π = [m, m c (3), Ixx, Ixy, Iyy, Ixz, Iyz, Izz] (10,): mass, first
moment and inertia about the joint's origin, in the joint's axes. Links welded together are one.
Source: C. Atkeson, C. An, J. Hollerbach, "Estimation of inertial parameters of manipulator loads
and links" (1986).
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.configuration import check_robot, check_velocity
from ..robots.robot import Robot
from .state import State
from .workspace import workspace_of


def inertial_parameters(robot: Robot) -> Array:
    """Return π (10 k,) of the k moving links, in joint order."""
    check_robot(robot)
    links = list(robot._model.inertias)[1:]
    return np.concatenate([link.toDynamicParameters() for link in links] or [np.zeros(0)])


def torque_regressor(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, a: ArrayLike
) -> Array:
    """Return Y (nv, 10 k): Y π + armature · a = inverse_dynamics(q, v, a).

    A free joint with an armature has its centrifugal force beside it (`free_armature`).

    Raises:
        ConfigurationError: a bad q, v or a.
    """
    state, a = State.of(robot, q, v), check_velocity(robot, a, "a")
    data = workspace_of(robot).data
    Y = pin.computeJointTorqueRegressor(robot._model, data, state.q, state.velocity, a)
    return np.array(Y, order="C").reshape(robot.nv, -1)  # nv = 1: Pinocchio gives a vector
