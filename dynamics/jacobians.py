"""Jacobians of more than frames: points, the centre of mass, momenta, frames seen from frames.

Each comes with its drift (what it adds to the acceleration at a = 0) and, where controllers and
planners ask for it, its Hessian H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..robots.configuration import as_vector, check_configuration, check_velocity
from ..robots.robot import Robot
from . import centroidal
from .columns import columns
from .kinematics import (
    frame_drift,
    frame_jacobian,
    frame_placement,
    hessian_from,
    require_fixed_axes,
)

Array = NDArray[np.float64]


# --- a point of a link -----------------------------------------------------------------------


def point_jacobian(robot: Robot, q: ArrayLike, frame: str, point: ArrayLike) -> Array:
    """Return J (3, nv), world axes: J v is the velocity [m/s] of a point fixed to a frame.

    `point` (3,) is in the frame's own coordinates [m].

    Raises:
        ConfigurationError: a bad q or point, or no such frame.
    """
    return _at_point(robot, q, frame, point)[:3]


def point_drift(robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, point: ArrayLike) -> Array:
    """Return J̇v (3,) [m/s²]: the acceleration of the point at a = 0, world axes.

    Raises:
        ConfigurationError: a bad q, v or point, or no such frame.
    """
    r = _lever(robot, q, frame, point)
    angular = (frame_jacobian(robot, q, frame) @ check_velocity(robot, v))[3:]
    drift = frame_drift(robot, q, v, frame)
    return drift[:3] + np.cross(drift[3:], r) + np.cross(angular, np.cross(angular, r))


def point_hessian(robot: Robot, q: ArrayLike, frame: str, point: ArrayLike) -> Array:
    """Return H (3, nv, nv) of a point fixed to a frame, so that `H @ v @ v` is its drift.

    Raises:
        ConfigurationError: a bad q or point, or no such frame.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    require_fixed_axes(robot)
    return hessian_from(robot, _at_point(robot, q, frame, point))[:3]


# --- the centre of mass and the momenta ------------------------------------------------------


def com_drift(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Return J̇_com v (3,) [m/s²]: the acceleration of the centre of mass at a = 0.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    return centroidal.centroidal_drift(robot, q, v)[:3] / robot.mass


def com_hessian(robot: Robot, q: ArrayLike) -> Array:
    """Return H (3, nv, nv) of the centre of mass, so that `H @ v @ v` is `com_drift`.

    Raises:
        ConfigurationError: a bad q.
        ModelError: no mass, or a joint whose axes turn within its own body (no URDF has one).
    """
    require_fixed_axes(robot)
    linear = centroidal.com_jacobian(robot, q)
    axes = pin.computeJointJacobians(robot.model, robot.workspace(), np.asarray(q, dtype=float))
    return hessian_from(robot, np.concatenate([linear, columns(axes)[3:]]))[:3]


def angular_momentum_jacobian(robot: Robot, q: ArrayLike) -> Array:
    """Return the angular rows of A_g (3, nv): times v, the angular momentum at the centre of mass.

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    return centroidal.centroidal_map(robot, q)[3:]


def centroidal_map_derivative(robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Return dA_g/dt (6, nv) along v; times v it is `centroidal_drift`.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: no mass, or a joint whose axes turn within its own body (no URDF has one).
    """
    require_fixed_axes(robot)
    q, v = check_configuration(robot, q), check_velocity(robot, v)
    data = robot.workspace()
    pin.centerOfMass(robot.model, data, q, v)  # Pinocchio (4.1) reads its velocity, unset, below
    dA = columns(pin.computeCentroidalMapTimeVariation(robot.model, data, q, v))
    dA = centroidal.about_whole_robot(robot, data, dA)
    welded = 1.0 - centroidal.moving_share(robot)
    if welded > 0.0:  # the lever to the centre of the whole robot changes too
        A, lever_rate = columns(data.Ag, "K"), welded * np.array(data.vcom[0])
        dA[3:] += np.cross(lever_rate, A[:3], axisb=0, axisc=0)
    return dA


def centroidal_hessian(robot: Robot, q: ArrayLike) -> Array:
    """Return H (6, nv, nv) of A_g: `H @ v` is `centroidal_map_derivative`.

    Raises:
        ConfigurationError: a bad q.
        ModelError: no mass, or a joint whose axes turn within its own body (no URDF has one).
    """
    q = check_configuration(robot, q)
    H = np.empty((6, robot.nv, robot.nv))
    for k, direction in enumerate(np.eye(robot.nv)):  # linear in v
        H[:, :, k] = centroidal_map_derivative(robot, q, direction)
    return H


# --- a frame seen from another ---------------------------------------------------------------


def relative_placement(robot: Robot, q: ArrayLike, frame: str, seen_from: str) -> Any:
    """Return T_seen_from_frame (`pin.SE3`): where `frame` is in the coordinates of `seen_from`.

    Raises:
        ConfigurationError: a bad q, or no such frame.
    """
    return frame_placement(robot, q, seen_from).actInv(frame_placement(robot, q, frame))


def relative_jacobian(robot: Robot, q: ArrayLike, frame: str, seen_from: str) -> Array:
    """Return J (6, nv): the velocity of the origin of `frame` and its angular velocity, as seen by
    one who moves with `seen_from`, in the axes of that one.

    What `frame_jacobian` is when `seen_from` stands still in the world and is aligned with it.

    Raises:
        ConfigurationError: a bad q, or no such frame.
    """
    J, Jo = frame_jacobian(robot, q, frame), frame_jacobian(robot, q, seen_from)
    R, r = _between(robot, q, frame, seen_from)
    linear = J[:3] - Jo[:3] - np.cross(Jo[3:], r, axisa=0, axisc=0)
    return np.concatenate([R.T @ linear, R.T @ (J[3:] - Jo[3:])])


def relative_drift(robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, seen_from: str) -> Array:
    """Return J̇v (6,) of `relative_jacobian`: the relative acceleration at a = 0.

    With the centrifugal and Coriolis accelerations of the turning axes taken off.

    Raises:
        ConfigurationError: a bad q or v, or no such frame.
    """
    v = check_velocity(robot, v)
    u, uo = frame_jacobian(robot, q, frame) @ v, frame_jacobian(robot, q, seen_from) @ v
    a, ao = frame_drift(robot, q, v, frame), frame_drift(robot, q, v, seen_from)
    R, r = _between(robot, q, frame, seen_from)
    w, relative = uo[3:], u[:3] - uo[:3] - np.cross(uo[3:], r)
    euler, centrifugal = np.cross(ao[3:], r), np.cross(w, np.cross(w, r))
    linear = a[:3] - ao[:3] - euler - centrifugal - 2 * np.cross(w, relative)
    angular = a[3:] - ao[3:] - np.cross(w, u[3:])
    return np.concatenate([R.T @ linear, R.T @ angular])


def _between(robot: Robot, q: ArrayLike, frame: str, seen_from: str) -> tuple[Array, Array]:
    """Return (R of `seen_from`, r from its origin to that of `frame`), world axes."""
    T, To = frame_placement(robot, q, frame), frame_placement(robot, q, seen_from)
    return To.rotation, T.translation - To.translation


def _lever(robot: Robot, q: ArrayLike, frame: str, point: ArrayLike) -> Array:
    """Return r (3,) from the frame's origin to the point, world axes."""
    point = as_vector(point, 3, "point", f"a point in the coordinates of {frame!r}")
    return np.array(frame_placement(robot, q, frame).rotation @ point)


def _at_point(robot: Robot, q: ArrayLike, frame: str, point: ArrayLike) -> Array:
    """Return J (6, nv) of the frame moved to the point, world axes."""
    J, r = frame_jacobian(robot, q, frame), _lever(robot, q, frame, point)
    J[:3] += np.cross(J[3:], r, axisa=0, axisc=0)
    return J
