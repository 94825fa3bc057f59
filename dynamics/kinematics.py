"""Kinematics of frames: placements, Jacobians J, drifts J̇v and Hessians H.

A frame Jacobian J (6, nv) has its linear rows first; J v is the frame's twist in a reference:

- "LOCAL_WORLD_ALIGNED" (the default): velocity of the frame's origin and angular velocity, both in
  world axes.
- "LOCAL": the same two vectors in the frame's own axes.
- "WORLD": velocity of the body's point that passes the world's origin and angular velocity, both in
  world axes.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.robot import Robot
from .spatial import LOCAL_WORLD_ALIGNED
from .state import State


def frame_placement(robot: Robot, q: ArrayLike | State, frame: str) -> Any:
    """Return T_world_frame (`pin.SE3`): `.rotation` (3, 3), `.translation` (3,) [m].

    Raises:
        ConfigurationError: a bad q, or no such frame.
    """
    return State.of(robot, q).frame_placement(frame)


def frame_jacobian(
    robot: Robot, q: ArrayLike | State, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
) -> Array:
    """Return J (6, nv), linear rows first: J v is the frame's twist [m/s; rad/s] in `reference`.

    Raises:
        ConfigurationError: a bad q, no such frame, or no such reference.
    """
    return State.of(robot, q).frame_jacobian(frame, reference)


def frame_jacobian_derivative(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    frame: str,
    reference: Any = LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return dJ/dt (6, nv) along v, equal to `frame_hessian(…) @ v`.

    Raises:
        ConfigurationError: a bad q or v, no such frame, or no such reference.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q, v).frame_jacobian_derivative(frame, reference)


def frame_drift(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    frame: str,
    reference: Any = LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return J̇v (6,) [m/s²; rad/s²], the part of the frame's acceleration that is there at a = 0.

    In "LOCAL_WORLD_ALIGNED" it is the classical acceleration (of the frame's origin), so that
    J a + J̇v is what an accelerometer without gravity measures; in "LOCAL" and "WORLD" the spatial
    one. Equal to `frame_hessian(…) @ v @ v` in each.

    Raises:
        ConfigurationError: a bad q or v, no such frame, or no such reference.
    """
    return State.of(robot, q, v).frame_drift(frame, reference)


def frame_velocity(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    frame: str,
    reference: Any = LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return J v (6,) [m/s; rad/s]: equivalent to Pinocchio's `getFrameVelocity`.

    Raises:
        ConfigurationError: a bad q or v, no such frame, or no such reference.
    """
    return State.of(robot, q, v).frame_velocity(frame, reference)


def frame_acceleration(
    robot: Robot,
    q: ArrayLike | State,
    v: ArrayLike | None,
    a: ArrayLike,
    frame: str,
    reference: Any = LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return J a + J̇v (6,) [m/s²; rad/s²], without gravity.

    In "LOCAL_WORLD_ALIGNED" equivalent to Pinocchio's `getFrameClassicalAcceleration`, in "LOCAL"
    and "WORLD" to its `getFrameAcceleration`, the spatial one.

    Raises:
        ConfigurationError: a bad q, v or a, no such frame, or no such reference.
    """
    return State.of(robot, q, v).frame_acceleration(a, frame, reference)


def frame_hessian(
    robot: Robot, q: ArrayLike | State, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
) -> Array:
    """Return H (6, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction) at q.

    So `H @ v` is dJ/dt and `H @ v @ v` the drift. H is not symmetric in (j, k): finite rotations do
    not commute, so the order counts for the angular rows and for two directions of the base.

    With (l_j, ω_j) the columns of J in LOCAL_WORLD_ALIGNED: a motion k at or before joint j turns
    everything after it, ∂l_j = ω_k × l_j and ∂ω_j = ω_k × ω_j; a motion k after joint j leaves ω_j
    and moves the frame's origin, ∂l_j = ω_j × l_k.

    Raises:
        ConfigurationError: a bad q, no such frame, or no such reference.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    return State.of(robot, q).frame_hessian(frame, reference)
