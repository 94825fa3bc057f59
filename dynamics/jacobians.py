"""Jacobians of more than frames: points, the centre of mass, momenta, frames seen from frames.

Each comes with its drift (what it adds to the acceleration at a = 0) and, where controllers and
planners ask for it, its Hessian H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction).
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.robot import Robot
from .state import State

# --- a point of a link -----------------------------------------------------------------------


def point_jacobian(robot: Robot, q: ArrayLike | State, frame: str, point: ArrayLike) -> Array:
    """Return J (3, nv), world axes: J v is the velocity [m/s] of a point fixed to a frame.

    `point` (3,) is in the frame's own coordinates [m].

    Raises:
        ConfigurationError: a bad q or point, or no such frame.
    """
    return State.of(robot, q).point_jacobian(frame, point)


def point_drift(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, frame: str, point: ArrayLike
) -> Array:
    """Return J̇v (3,) [m/s²]: the acceleration of the point at a = 0, world axes.

    Raises:
        ConfigurationError: a bad q, v or point, or no such frame.
    """
    return State.of(robot, q, v).point_drift(frame, point)


def point_hessian(robot: Robot, q: ArrayLike | State, frame: str, point: ArrayLike) -> Array:
    """Return H (3, nv, nv) of a point fixed to a frame, so that `H @ v @ v` is its drift.

    Raises:
        ConfigurationError: a bad q or point, or no such frame.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q).point_hessian(frame, point)


# --- the centre of mass and the momenta ------------------------------------------------------


def com_drift(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return J̇_com v (3,) [m/s²]: the acceleration of the centre of mass at a = 0.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q, v).com_drift.copy()


def com_hessian(robot: Robot, q: ArrayLike | State) -> Array:
    """Return H (3, nv, nv) of the centre of mass, so that `H @ v @ v` is `com_drift`.

    Raises:
        ConfigurationError: a bad q.
        ModelError: no mass, or a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q).com_hessian.copy()


def angular_momentum_jacobian(robot: Robot, q: ArrayLike | State) -> Array:
    """Return the angular rows of A_g (3, nv): times v, the angular momentum at the centre of mass.

    Raises:
        ConfigurationError: a bad q.
        ModelError: the robot has no mass.
    """
    return State.of(robot, q).angular_momentum_jacobian.copy()


def centroidal_map_derivative(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None
) -> Array:
    """Return dA_g/dt (6, nv) along v; times v it is `centroidal_drift`.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: no mass, or a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q, v).centroidal_map_derivative.copy()


def centroidal_hessian(robot: Robot, q: ArrayLike | State) -> Array:
    """Return H (6, nv, nv) of A_g: `H @ v` is `centroidal_map_derivative`.

    Raises:
        ConfigurationError: a bad q.
        ModelError: no mass, or a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q).centroidal_hessian.copy()


# --- a frame seen from another ---------------------------------------------------------------


def relative_placement(robot: Robot, q: ArrayLike | State, frame: str, seen_from: str) -> Any:
    """Return T_seen_from_frame (`pin.SE3`): where `frame` is in the coordinates of `seen_from`.

    Raises:
        ConfigurationError: a bad q, or no such frame.
    """
    return State.of(robot, q).relative_placement(frame, seen_from)


def relative_jacobian(robot: Robot, q: ArrayLike | State, frame: str, seen_from: str) -> Array:
    """Return J (6, nv): the velocity of the origin of `frame` and its angular velocity, as seen by
    one who moves with `seen_from`, in the axes of that one.

    What `frame_jacobian` is when `seen_from` stands still in the world and is aligned with it.

    Raises:
        ConfigurationError: a bad q, or no such frame.
    """
    return State.of(robot, q).relative_jacobian(frame, seen_from)


def relative_drift(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, frame: str, seen_from: str
) -> Array:
    """Return J̇v (6,) of `relative_jacobian`: the relative acceleration at a = 0.

    With the centrifugal and Coriolis accelerations of the turning axes taken off.

    Raises:
        ConfigurationError: a bad q or v, or no such frame.
    """
    return State.of(robot, q, v).relative_drift(frame, seen_from)
