"""Points fixed to bodies: their Jacobians and accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array, Index
from .kernels.points import POINT_ACCELERATIONS, POINT_JACOBIANS
from .per_robot import per_robot
from .spatial import skew
from .topology import frames_of

# of [v; ω]: the factors ω_y v_z, ω_z v_x, ω_x v_y and ω_z v_y, ω_x v_z, ω_y v_x of ω × v
_OMEGA_TIMES_V = np.array([4, 5, 3, 5, 3, 4, 2, 0, 1, 1, 2, 0])

_EACH = 1e-5  # about what a point takes without a kernel [s]


def jacobians_at(
    S: Array, T: Array, carried: Array, joints: Index, points: Array, arms: Array
) -> Array:
    """Return J (K, 6, nv) of points, linear rows first, world axes.

    Args:
        S: (6, nv), columns of the joints about the world's origin.
        T: (njoints, 3, 4), placements of the joints.
        carried: (njoints, nv), 1 for the columns that move a joint.
        joints, points, arms: as of `BodyPoints`.
    """
    kernel: Any = POINT_JACOBIANS.select(len(joints))
    if kernel is not None:
        J = np.empty((len(joints), *S.shape))
        kernel(S, T, carried, joints, points, arms, J)
        return J
    POINT_JACOBIANS.overload().record(len(joints), _EACH * len(joints))
    of_joints = T.take(joints, 0)
    x = (of_joints[:, :, :3] @ points[:, :, None])[:, :, 0] + of_joints[:, :, 3] + arms
    J = S * carried.take(joints, 0)[:, None]
    J[:, :3] -= skew(x) @ J[:, 3:]
    return J


class BodyPoints:
    """K points of bodies.

    Args:
        joints: (K,), that carry them, Pinocchio's indices.
        points: (K, 3), in the axes of their joint.
        arms: (K, 3), from there to what is asked for, world axes, whatever the body does: as from
            the middle of a ball to where it touches the ground. None: zero.
    """

    def __init__(self, joints: Index, points: Array, arms: Array | None = None) -> None:
        self.joints, self.points = joints, np.ascontiguousarray(points)
        self.arms = np.zeros((len(points), 3)) if arms is None else arms
        # of rows: m @ X is the motion m of the joint as seen at the point, v + ω × r
        self.shifts = np.zeros((len(points), 6, 6))
        self.shifts[...] = np.eye(6)
        self.shifts[..., 3:, :3] = skew(self.points)

    def jacobians(self, S: Array, T: Array, carried: Array) -> Array:
        """Return J (K, 6, nv), linear rows first, world axes.

        Args:
            S: (6, nv), columns of the joints about the world's origin.
            T: (njoints, 3, 4), placements of the joints.
            carried: (njoints, nv), 1 for the columns that move a joint.
        """
        return jacobians_at(S, T, carried, self.joints, self.points, self.arms)

    def motions(self, of_joints: Array) -> Array:
        """Return (K, 2, 6): twist and spatial acceleration at the points, in the joints' axes.

        Args:
            of_joints: (njoints, 2, 6), the same of the joints.
        """
        return np.asarray(of_joints.take(self.joints, 0) @ self.shifts)

    def accelerations(self, T: Array, of_joints: Array) -> Array:
        """Return (K, 2, 3): the classical accelerations, plus α × arm, and α, world axes.

        Args:
            T: (njoints, 3, 4), placements of the joints.
            of_joints: (njoints, 2, 6), their twists and spatial accelerations, in their axes.
        """
        kernel: Any = POINT_ACCELERATIONS.select(len(self.joints))
        if kernel is not None:
            out = np.empty((len(self.joints), 2, 3))
            kernel(T, of_joints, self.joints, self.points, self.arms, out)
            return out
        POINT_ACCELERATIONS.overload().record(len(self.joints), _EACH * len(self.joints))
        motions = self.motions(of_joints)
        factors = motions[:, 0].take(_OMEGA_TIMES_V, 1)
        products = factors[:, :6] * factors[:, 6:]
        local = motions[:, 1].reshape(-1, 2, 3)
        local[:, 0] += products[:, :3] - products[:, 3:]
        y = local @ T.take(self.joints, 0)[:, :, :3].swapaxes(1, 2)
        y[:, 0] -= (skew(self.arms) @ y[:, 1, :, None])[:, :, 0]
        return np.asarray(y)


@per_robot
def frame_origins(robot: Any) -> list[BodyPoints]:
    """Return the origin of each frame, by Pinocchio's index."""
    frames = frames_of(robot)
    return [
        BodyPoints(np.array([joint]), placement[None, :3, 3])
        for joint, placement in zip(frames.joint, frames.placement, strict=True)
    ]
