"""Where frames are and how they move: placements, Jacobians J, drifts J̇v and Hessians H.

A frame Jacobian J (6, nv) has its linear rows first; J v is the frame's twist in a reference:

- "LOCAL_WORLD_ALIGNED" (the default): velocity of the frame's origin and angular velocity, both in
  world axes.
- "LOCAL": the same two vectors in the frame's own axes.
- "WORLD": velocity of the body's point that passes the world's origin and angular velocity, both in
  world axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigurationError, ModelError, unknown
from ..robots.configuration import check_configuration, check_velocity
from ..robots.robot import Robot
from .columns import columns
from .per_robot import per_robot

Array = NDArray[np.float64]

LOCAL_WORLD_ALIGNED = "LOCAL_WORLD_ALIGNED"
_REFERENCES = {
    "LOCAL": pin.ReferenceFrame.LOCAL,
    "WORLD": pin.ReferenceFrame.WORLD,
    "LOCAL_WORLD_ALIGNED": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}

# joints whose axes, seen from the body they carry, change with q
_TURNING_AXES = ("Composite", "SphericalZYX", "Universal", "Ellipsoid")


def as_reference(reference: Any) -> Any:
    """Return the `pin.ReferenceFrame` named "LOCAL", "WORLD" or "LOCAL_WORLD_ALIGNED".

    Raises:
        ConfigurationError: there is no such reference.
    """
    try:
        return _REFERENCES[reference]
    except (KeyError, TypeError):
        if isinstance(reference, pin.ReferenceFrame):
            return reference
        raise ConfigurationError(unknown("reference", reference, _REFERENCES)) from None


def frame_placement(robot: Robot, q: ArrayLike, frame: str) -> Any:
    """Return T_world_frame (`pin.SE3`): `.rotation` (3, 3), `.translation` (3,) [m].

    Raises:
        ConfigurationError: a bad q, or no such frame.
    """
    q, frame_id = check_configuration(robot, q), robot.frame_id(frame)
    data = robot.workspace()
    pin.forwardKinematics(robot.model, data, q)
    return pin.SE3(pin.updateFramePlacement(robot.model, data, frame_id))


def frame_jacobian(
    robot: Robot, q: ArrayLike, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
) -> Array:
    """Return J (6, nv), linear rows first: J v is the frame's twist [m/s; rad/s] in `reference`.

    Raises:
        ConfigurationError: a bad q, no such frame, or no such reference.
    """
    q, frame_id, reference = _checked(robot, q, frame, reference)
    data = robot.workspace()
    J = pin.computeFrameJacobian(robot.model, data, q, frame_id, reference)
    return columns(J)


def frame_jacobian_derivative(
    robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
) -> Array:
    """Return dJ/dt (6, nv) along v, equal to `frame_hessian(…) @ v`.

    Raises:
        ConfigurationError: a bad q or v, no such frame, or no such reference.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    q, frame_id, reference = _checked(robot, q, frame, reference)
    v = check_velocity(robot, v)
    require_fixed_axes(robot)
    data = robot.workspace()
    pin.computeJointJacobiansTimeVariation(robot.model, data, q, v)
    pin.updateFramePlacement(robot.model, data, frame_id)
    return columns(pin.getFrameJacobianTimeVariation(robot.model, data, frame_id, reference))


def frame_drift(
    robot: Robot, q: ArrayLike, v: ArrayLike, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
) -> Array:
    """Return J̇v (6,) [m/s²; rad/s²], the part of the frame's acceleration that is there at a = 0.

    In "LOCAL_WORLD_ALIGNED" it is the classical acceleration (of the frame's origin), so that
    J a + J̇v is what an accelerometer without gravity measures; in "LOCAL" and "WORLD" the spatial
    one. Equal to `frame_hessian(…) @ v @ v` in each.

    Raises:
        ConfigurationError: a bad q or v, no such frame, or no such reference.
    """
    q, frame_id, reference = _checked(robot, q, frame, reference)
    v = check_velocity(robot, v)
    data = robot.workspace()
    pin.forwardKinematics(robot.model, data, q, v, np.zeros(robot.nv))
    return drift_from(robot, data, frame_id, reference)


def drift_from(robot: Robot, data: Any, frame_id: int, reference: Any) -> Array:
    """Return J̇v (6,) from a `data` on which forwardKinematics(q, v, 0) has run."""
    pin.updateFramePlacement(robot.model, data, frame_id)
    classical = reference == pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    acceleration = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
    return np.array(acceleration(robot.model, data, frame_id, reference).vector)


def frame_hessian(
    robot: Robot, q: ArrayLike, frame: str, reference: Any = LOCAL_WORLD_ALIGNED
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
    q, frame_id, reference = _checked(robot, q, frame, reference)
    data = robot.workspace()
    require_fixed_axes(robot)
    pin.computeJointJacobians(robot.model, data, q)
    T_world_frame = pin.updateFramePlacement(robot.model, data, frame_id)
    R, p = T_world_frame.rotation, T_world_frame.translation
    J = columns(pin.getFrameJacobian(robot.model, data, frame_id, pin.LOCAL_WORLD_ALIGNED))
    H = hessian_from(robot, J)
    if reference == pin.ReferenceFrame.LOCAL:  # ∂(Rᵀ J) = Rᵀ (∂J − ω_k × J)
        turning = np.stack([_cross(J[3:], J[:3]), _cross(J[3:], J[3:])])
        H = np.einsum("sr,asjk->arjk", R, H.reshape(2, 3, *H.shape[1:]) - turning)
    elif reference == pin.ReferenceFrame.WORLD:  # ∂(l + p × ω) = ∂l + l_k × ω + p × ∂ω
        H[:3] += _cross(J[:3], J[3:]) + np.cross(p, H[3:], axisb=0, axisc=0)
    return np.ascontiguousarray(H.reshape(6, robot.nv, robot.nv))


def hessian_from(robot: Robot, J: Array) -> Array:
    """Return the Hessian (6, nv, nv) of J (6, nv), world axes: columns l_j at a point and ω_j.

    The point is one of a link or, with the axes ω_j of all joints, the centre of mass.
    """
    linear, angular = J[:3], J[3:]
    moved = moved_by(robot)
    turned = _cross(angular, linear)  # ω_k × l_j at [:, j, k]
    carried = np.where(moved.T, -_cross(linear, angular), 0.0)  # ω_j × l_k = −l_k × ω_j
    return np.concatenate(
        [np.where(moved, turned, carried), np.where(moved, _cross(angular, angular), 0.0)]
    )


@per_robot
def moved_by(robot: Robot) -> NDArray[np.bool_]:
    """Return (nv, nv), True at [j, k] where the motion k carries the axis of the motion j along.

    That is: the joint of k is the joint of j or one between it and the root.
    """
    model = robot.model
    joint_of = np.repeat(np.arange(model.njoints), model.nvs)
    moved = np.zeros((robot.nv, robot.nv), dtype=bool)
    for joint in range(1, model.njoints):
        moved[np.ix_(joint_of == joint, np.isin(joint_of, list(model.supports[joint])))] = True
    moved.setflags(write=False)
    return moved


@per_robot
def _joints_with_turning_axes(robot: Robot) -> tuple[str, ...]:
    kinds = [joint.shortname().removeprefix("JointModel") for joint in robot.model.joints]
    names = robot.model.names
    return tuple(names[i] for i, kind in enumerate(kinds) if kind.startswith(_TURNING_AXES))


def require_fixed_axes(robot: Robot) -> None:
    """Refuse joints whose axes turn within the body they carry (URDF knows none of them).

    Pinocchio takes such axes as constant in dJ/dt and in the Coriolis matrix, and is wrong there.

    Raises:
        ModelError: the robot has one.
    """
    if turning := _joints_with_turning_axes(robot):
        raise ModelError(
            f"{robot.name!r}: the axes of {', '.join(map(repr, turning))} turn within their own "
            "body, so derivatives of J and the Coriolis matrix are not available; expected "
            "revolute, prismatic, spherical, planar or free joints (one joint a degree of freedom)"
        )


@per_robot
def is_depth_first(robot: Robot) -> bool:
    """Whether every subtree is a contiguous range of v, as Pinocchio's crba silently assumes."""
    subtrees = moved_by(robot).T  # row k: the motions that k carries
    return all(
        np.flatnonzero(row)[-1] - np.flatnonzero(row)[0] + 1 == row.sum() for row in subtrees
    )


def _cross(a: Array, b: Array) -> Array:
    """Return a_k × b_j at [:, j, k] for columns of a and b (3, nv)."""
    return np.cross(a[:, None, :], b[:, :, None], axis=0)


def _checked(robot: Robot, q: ArrayLike, frame: str, reference: Any) -> tuple[Array, int, Any]:
    return check_configuration(robot, q), robot.frame_id(frame), as_reference(reference)
