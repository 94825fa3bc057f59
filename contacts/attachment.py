"""Kinematics of contacts on a robot: poses, J, J̇v and H of several at once.

The centre of a contact is fixed to a body, at r in the axes of its joint: p = p_j + R_j r; a ball
of radius ρ touches the ground at p − ρ n. The rows of J are the velocity of the point that touches,
v + ω × p of the joints' columns [v; ω] about the world's origin, and then parts of ω: none of a
point, n·ω of a soft one, ω of a patch, y·ω and z·ω of a line, which is free to turn about its x.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..dynamics import State
from ..dynamics.body_points import BodyPoints
from ..dynamics.spatial import cross, hessian_from, skew
from ..dynamics.topology import carried_by, frames_of, require_fixed_axes
from ..errors import ContactError
from ..robots import Robot


class Attached(ABC):
    """Where a contact sits on its body, and what of that body's motion its J has as rows."""

    frame: str

    @property
    @abstractmethod
    def points(self) -> Array:
        """(k, 3), where the ground may push, in contact axes from the centre [m]."""

    @property
    @abstractmethod
    def centre_in_frame(self) -> Array:
        """(3,), the point of the body that J is about, in the axes of the frame [m]."""

    @property
    @abstractmethod
    def angular_rows(self) -> Array:
        """(k, 3), parts of ω that are rows of J, world axes."""

    @property
    def axes_in_frame(self) -> Array | None:
        """(3, 3), the contact's axes in those of the frame, if they turn with it."""
        return None

    @property
    def axes_in_world(self) -> Array | None:
        """(3, 3), the contact's axes, if they are those of the ground."""
        return None

    @property
    def ball_arm(self) -> Array:
        """(3,), from the middle of a ball to where it touches the ground, world axes [m]."""
        return np.zeros(3)

    @property
    def turning_axes(self) -> tuple[int, ...]:
        """The contact's axes (0, 1, 2) about which ω is a row of J."""
        return ()


def axes_and_arm(contact: Attached, T: Array) -> tuple[Array, Array]:
    """Return the axes R (N or 1, 3, 3) of a contact and the arm (N, 3) to its centre, world axes.

    Args:
        contact: whose axes are those of the ground, or turn with its frame.
        T: (N, 4, 4), placements of its frame.
    """
    turn, own = T[:, :3, :3], contact.axes_in_frame
    arm = turn @ contact.centre_in_frame + contact.ball_arm
    return (np.array(contact.axes_in_world)[None] if own is None else turn @ own), arm


def placement_on_joint(robot: Robot, contact: Attached) -> tuple[int, Any]:
    """Return the joint that carries a contact, and T_joint_contact (`pin.SE3`) at its centre.

    Its axes are those of the contact's frame where the contact's own stay in the world.
    """
    frame, own = robot._model.frames[robot.frame_id(contact.frame)], contact.axes_in_frame
    T = pin.SE3(np.eye(3) if own is None else own, np.array(contact.centre_in_frame))
    return int(frame.parentJoint), frame.placement * T


class Attachment:
    """K contacts on the joints of a robot, as arrays.

    Args:
        robot: the robot.
        contacts: of it.

    Attributes:
        joints: (K,), the joints that carry the contacts, Pinocchio's indices.
        world_fixed: (K,), contacts whose axes stay in the world as the body turns.
        ball_arms: (K, 3), from the middles of balls to where they touch, 0 of others [m].
        points: (P, 3), where the ground may push on them, in their axes from their centres [m].
        owner: (P,), the contact of each point.
    """

    def __init__(self, robot: Robot, contacts: Sequence[Attached]) -> None:
        frames, count = frames_of(robot), len(contacts)
        ids = [robot.frame_id(contact.frame) for contact in contacts]
        self.robot = robot
        self.joints = np.array([frames.joint[i] for i in ids], dtype=np.intp)
        self._centres, self._axes = np.zeros((count, 4, 1)), np.zeros((count, 3, 3))
        self.world_fixed = np.zeros(count, dtype=bool)  # axes of the world, not of the body
        self.ball_arms = np.zeros((count, 3))
        for k, (i, contact) in enumerate(zip(ids, contacts, strict=True)):
            T = frames.placement[i]
            self._centres[k, :, 0] = T @ np.append(contact.centre_in_frame, 1.0)
            self.ball_arms[k] = contact.ball_arm
            if contact.axes_in_frame is not None:
                self._axes[k] = T[:3, :3] @ contact.axes_in_frame
            elif contact.axes_in_world is not None:
                self._axes[k], self.world_fixed[k] = contact.axes_in_world, True
            else:
                kind = type(contact).__name__
                raise ContactError(f"{kind}: expected axes_in_frame or axes_in_world, got neither")
        self._balls, fixed = bool(self.ball_arms.any()), self.world_fixed
        self._all_turn, self._none_turns = not fixed.any(), bool(fixed.all())
        self._middles = BodyPoints(self.joints, self._centres[:, :3, 0], self.ball_arms)  # of balls
        points = [contact.points for contact in contacts]
        self.owner = np.repeat(np.arange(count), [len(p) for p in points])
        self.points = np.vstack([np.zeros((0, 3)), *points])
        self.points.setflags(write=False)
        self._lay_out_rows(contacts)

    def _lay_out_rows(self, contacts: Sequence[Attached]) -> None:
        """Which parts of the contacts' [v; ω] are rows of J: three of v, then some of ω."""
        blocks: list[Array] = []
        owner: list[int] = []
        self._turning: list[tuple[int, int, int]] = []  # (row, contact, axis of the contact)
        for k, contact in enumerate(contacts):
            fixed, axes = contact.angular_rows, contact.turning_axes
            block = np.zeros((3 + len(fixed) + len(axes), 6 * len(contacts)))
            block[:3, 6 * k : 6 * k + 3] = np.eye(3)
            block[3 : 3 + len(fixed), 6 * k + 3 : 6 * k + 6] = fixed
            self._turning += [
                (len(owner) + 3 + len(fixed) + i, k, axis) for i, axis in enumerate(axes)
            ]
            blocks.append(block)
            owner += [k] * len(block)
        self.dim = len(owner)
        self._selection = np.vstack([np.zeros((0, 6 * len(contacts))), *blocks])
        self._is_all = np.array_equal(self._selection, np.eye(6 * len(contacts)))
        chosen = self._selection.argmax(axis=1) if self.dim else np.zeros(0, dtype=np.intp)
        units = np.array_equal(self._selection, np.eye(6 * len(contacts))[chosen])
        self._plain_rows = chosen if units and not self._turning else None

    @property
    def local_frames(self) -> Array:
        """(K, 3, 4), axes and centres in the axes of the joints; axes of the ground where these
        stay in the world."""
        return np.concatenate([self._axes, self._centres[:, :3]], axis=2)

    @cached_property
    def radii(self) -> Array:
        """(K,), of balls, 0 of others [m]."""
        return np.asarray(np.linalg.norm(self.ball_arms, axis=1))

    # --- places ------------------------------------------------------------------------------

    def positions(self, state: State) -> Array:
        """Return where the contacts touch (K, 3), in the world [m]."""
        p = (state.joint_placements.take(self.joints, 0) @ self._centres)[:, :, 0]
        return p + self.ball_arms if self._balls else p

    def rotations(self, state: State) -> Array:
        """Return the contacts' axes (K, 3, 3), columns, z the normal into the robot."""
        if self._none_turns:
            return self._axes.copy()
        R = state.joint_placements[self.joints, :, :3] @ self._axes
        if not self._all_turn:
            R[self.world_fixed] = self._axes[self.world_fixed]
        return R

    def arms(self, state: State) -> Array:
        """Return the points (P, 3) from their contacts' centres, world axes [m]."""
        return np.asarray((self.rotations(state)[self.owner] @ self.points[:, :, None])[:, :, 0])

    def world_points(self, state: State) -> Array:
        """Return the points (P, 3), in the world [m]."""
        return self.arms(state) + self.positions(state)[self.owner]

    def selection(self, state: State) -> Array:
        """Return P (dim, 6K): the rows of J are those parts of the contacts' [v; ω]."""
        if not self._turning:
            return self._selection
        P, R = self._selection.copy(), self.rotations(state)
        for row, k, axis in self._turning:
            P[row, 6 * k + 3 : 6 * k + 6] = R[k, :, axis]
        return P

    def _chosen(self, parts: Array, state: State) -> Array:
        """Return P @ parts (6K, …)."""
        if self._plain_rows is None:
            return np.asarray(self.selection(state).dot(parts))
        return parts if self._is_all else np.asarray(parts.take(self._plain_rows, 0))

    # --- motions -----------------------------------------------------------------------------

    def jacobian(self, state: State) -> Array:
        """Return J (dim, nv)."""
        J = self.centre_jacobians(state).reshape(6 * len(self.joints), state.robot.nv)
        return self._chosen(J, state)

    def centre_jacobians(self, state: State) -> Array:
        """Return (K, 6, nv): the velocity of each point that touches, and ω, world axes."""
        carried = carried_by(self.robot)
        return self._middles.jacobians(state.joint_columns, state.joint_placements, carried)

    def point_jacobians(self, state: State) -> Array:
        """Return (P, 3, nv), the Jacobian of each point, world axes: J_v + J_ω × r."""
        J = self.centre_jacobians(state)[self.owner]
        return np.asarray(J[:, :3] - skew(self.arms(state)) @ J[:, 3:])

    def drift(self, state: State) -> Array:
        """Return (dJ/dt) v (dim,); for an axis y of the body d(y·ω)/dt = y·α, as (ω × y)·ω = 0."""
        # the arm of a ball does not turn with it: α × r, without ω × (ω × r)
        y = self._middles.accelerations(state.joint_placements, state.joint_motions)
        return self._chosen(y.reshape(-1), state)

    def hessian(self, state: State) -> Array:
        """Return H (dim, nv, nv), H[r, j, k] = ∂J[r, j]/∂(k-th tangent direction).

        Of an axis y of the body, with ∂y/∂k = J_ω,k × y: y·H_ω,jk + (J_ω,k × y)·J_ω,j.
        """
        require_fixed_axes(self.robot)
        nv, P = self.robot.nv, self.selection(state)
        full = np.empty((len(self.joints), 6, nv, nv))
        for k, J in enumerate(self.centre_jacobians(state)):
            arm = self.ball_arms[k]
            J[:3] -= cross(J[3:], arm[:, None])  # back to the body's point
            full[k] = hessian_from(self.robot, J)
            full[k, :3] += cross(full[k, 3:], arm[:, None, None])
        H = np.tensordot(P, full.reshape(-1, nv, nv), axes=1)
        for row, k, _ in self._turning:
            omega = state.joint_columns[3:] * carried_by(self.robot)[self.joints[k]]
            H[row] += omega.T @ cross(omega, P[row, 6 * k + 3 : 6 * k + 6][:, None])
        return np.asarray(H)

    def twists(self, state: State) -> Array:
        """Return [v; ω] (K, 6) of the points that touch, world axes."""
        return self.centre_jacobians(state) @ state.velocity
