"""Motions of frames as arrays: references, the columns of a Jacobian moved to a point, Hessians."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..errors import ConfigurationError, unknown
from ..robots.robot import Robot
from .topology import moved_by

LOCAL_WORLD_ALIGNED = "LOCAL_WORLD_ALIGNED"
_REFERENCES = {
    "LOCAL": pin.ReferenceFrame.LOCAL,
    "WORLD": pin.ReferenceFrame.WORLD,
    "LOCAL_WORLD_ALIGNED": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}

_IDENTITY = np.eye(6)
_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])
# x @ SKEW is [x×], row by row: [x×] y = x × y
SKEW = np.zeros((3, 9))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    SKEW[_i, 3 * _k + _j], SKEW[_i, 3 * _j + _k] = 1.0, -1.0
SKEW.setflags(write=False)


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


def skew(x: Array) -> Array:
    """Return [x×] (…, 3, 3) of x (…, 3), with [x×] y = x × y."""
    return np.asarray((x @ SKEW).reshape(*x.shape, 3))


def rotations(quaternions: Array) -> Array:
    """Return R (n, 3, 3) of unit quaternions (x, y, z, w), (n, 4): 1 + 2 w [u×] + 2 [u×]²."""
    U, w = skew(quaternions[:, :3]), quaternions[:, 3]
    return np.asarray(np.eye(3) + 2 * w[:, None, None] * U + 2 * U @ U)


def up_in_base(quaternions: Array) -> Array:
    """Return the world's z in the axes that unit quaternions (…, 4) turn, (…, 3): Rᵀz."""
    x, y, z, w = quaternions.T
    return np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]).T


def rotation_vectors(R: Array) -> Array:
    """Return log R (n, 3) of rotations (n, 3, 3) [rad]."""
    return np.array([pin.log3(one) for one in R]).reshape(-1, 3)


def cross(a: Array, b: Array) -> Array:
    """Return a × b along the first axis, with broadcasting."""
    forth = a.take(_NEXT, 0) * b.take(_AFTER, 0)
    return np.asarray(forth - a.take(_AFTER, 0) * b.take(_NEXT, 0))


def to_reference(T: Array, reference: Any) -> Array:
    """Return X (6, 6): motions about the world's origin in the reference of a frame are X @ them.

    T (3, 4) is [R | p] of the frame. The velocity of its body's point at p is v_p = v − p × ω.
    """
    X = _IDENTITY.copy()
    if reference == pin.ReferenceFrame.WORLD:
        return X
    x, y, z = T[:, 3].tolist()
    X[0, 4], X[0, 5], X[1, 3] = z, -y, -z
    X[1, 5], X[2, 3], X[2, 4] = x, y, -x
    if reference == pin.ReferenceFrame.LOCAL:
        return np.asarray((T[:, :3].T @ X.reshape(2, 3, 6)).reshape(6, 6))
    return X


def hessian_from(robot: Robot, J: Array) -> Array:
    """Return the Hessian (6, nv, nv) of J (6, nv), world axes: columns l_j at a point and ω_j.

    The point is one of a link or, with the axes ω_j of all joints, the centre of mass. A motion k
    at or before joint j turns everything after it, ∂l_j = ω_k × l_j and ∂ω_j = ω_k × ω_j; a motion
    k after joint j leaves ω_j and moves the point, ∂l_j = ω_j × l_k.
    """
    linear, angular, moved = J[:3], J[3:], moved_by(robot)
    H = np.empty((6, robot.nv, robot.nv))
    turned = cross_columns(angular, linear)  # ω_k × l_j at [:, j, k]
    carried = np.where(moved.T, turned.transpose(0, 2, 1), 0.0)  # ω_j × l_k
    H[:3] = np.where(moved, turned, carried)
    H[3:] = np.where(moved, cross_columns(angular, angular), 0.0)
    return H


def referred(H: Array, T: Array, J: Array, reference: Any) -> Array:
    """Return the Hessian in a reference, from H and J of a frame at T in LOCAL_WORLD_ALIGNED."""
    R, p = T[:, :3], T[:, 3]
    if reference == pin.ReferenceFrame.LOCAL:  # ∂(Rᵀ J) = Rᵀ (∂J − ω_k × J)
        turning = np.stack([cross_columns(J[3:], J[:3]), cross_columns(J[3:], J[3:])])
        H = np.einsum("sr,asjk->arjk", R, H.reshape(2, 3, *H.shape[1:]) - turning)
    elif reference == pin.ReferenceFrame.WORLD:  # ∂(l + p × ω) = ∂l + l_k × ω + p × ∂ω
        H[:3] += cross_columns(J[:3], J[3:]) + cross(p[:, None, None], H[3:])
    return np.ascontiguousarray(H.reshape(6, *H.shape[-2:]))


def cross_columns(a: Array, b: Array) -> Array:
    """Return a_k × b_j at [:, j, k] for columns of a and b (3, nv)."""
    return cross(a[:, None, :], b[:, :, None])
