"""Corners: the points of a schedule's contacts on the robot, and when they touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...contacts import Contact, ContactSet, PointContact
from ...contacts.schedules.schedule import ContactSchedule
from ...dynamics import batch, frame_placement
from ...dynamics.spatial import skew
from ...errors import ContactError
from ...robots.robot import Robot


class Placed(NamedTuple):
    """Corners at n samples.

    Attributes:
        places: (n, K, 3), in the world [m].
        arms: (n, K, 3), from the origins of their frames, world axes [m].
        jacobians: (n, F, 6, nv), of the frames that carry them, world axes at their origins.
        rotations: (n, F, 3, 3), of these frames.
    """

    places: Array
    arms: Array
    jacobians: Array
    rotations: Array


@dataclass(frozen=True, eq=False)
class Corners:
    """K points at which the ground pushes on F bodies of a robot.

    Attributes:
        robot: whose points they are.
        frames: F names, a frame of each body.
        owner: (K,), the body of each point.
        local: (K, 3), in the axes of the frame [m]; of a ball its middle.
        drop: (K, 3), from there to where the ground is touched, world axes [m]; 0 but for balls.
        axes: (K, 3, 3), columns: two tangents and the normal, of the world or of the frame.
        turning: (K,), whether these axes are the frame's.
        friction: (K, 2), along the tangents.
        touching: (n, K).
        contact: (K,), which contact of the schedule each point belongs to.
        shares: (K,), of each point in what its foot loses for a margin.
    """

    robot: Robot
    frames: tuple[str, ...]
    owner: Index
    local: Array
    drop: Array
    axes: Array
    turning: NDArray[np.bool_]
    friction: Array
    touching: NDArray[np.bool_]
    contact: Index
    shares: Array

    @classmethod
    def of(cls, schedule: ContactSchedule, friction: float | None = None) -> Corners:
        """Return the corners of a schedule, with this friction instead of the contacts' own.

        Raises:
            ContactError: no contacts, hand holds, torsional friction, bounds of normal forces,
                moving surfaces.
        """
        contacts = schedule.contacts
        if not len(contacts):
            raise ContactError(
                "schedule: got no contacts, expected those on which the robot stands"
            )
        _check(contacts)
        robot, q = contacts.robot, contacts.robot.posture()
        joints = contacts.attachment.joints.tolist()
        bodies = list(dict.fromkeys(joints))
        frames = tuple(contacts.contacts[joints.index(body)].frame for body in bodies)
        placed = {
            body: frame_placement(robot, q, f) for body, f in zip(bodies, frames, strict=True)
        }
        parts = [_points(c, robot, q, placed[j]) for c, j in zip(contacts, joints, strict=True)]
        local, drop, axes = (np.concatenate(part) for part in zip(*parts, strict=True))
        limits = contacts.limits
        of_frame = np.array([bodies.index(joint) for joint in joints], dtype=np.intp)
        is_point = np.array([isinstance(c, PointContact) for c in contacts])
        shares = np.array([c.weight if isinstance(c, PointContact) else 1.0 for c in contacts])
        mu = limits.friction if friction is None else np.full(limits.friction.shape, friction)
        return cls(
            robot, frames, of_frame[limits.owner], local, drop, axes, ~is_point[limits.owner], mu,
            schedule.touching[:, limits.owner], limits.owner, shares[limits.owner],
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.owner)

    def part(self, rows: slice) -> Corners:
        """Return the same corners at some samples."""
        return replace(self, touching=self.touching[rows])

    def ends(self, q: Array) -> Array:
        """Return where they touch, or would, (n, K, 3) in the world [m]."""
        return np.asarray(self.at(q).places + self.drop)

    def at(self, q: Array) -> Placed:
        """Return where they are in configurations (n, nq)."""
        T = np.stack([batch.frame_placement(self.robot, q, name) for name in self.frames], axis=1)
        J = np.stack([batch.frame_jacobian(self.robot, q, name) for name in self.frames], axis=1)
        R = T[:, :, :3, :3]
        arms = np.einsum("nkij,kj->nki", R[:, self.owner], self.local)
        return Placed(T[:, self.owner][:, :, :3, 3] + arms, arms, J, R)

    def jacobian(self, placed: Placed, arms: Array) -> Array:
        """Return (n, K, 3, nv), of the points at `arms` from the origins of their frames."""
        J = placed.jacobians[:, self.owner]
        return np.asarray(J[:, :, :3] - skew(arms) @ J[:, :, 3:])

    def axes_at(self, placed: Placed) -> Array:
        """Return (n, K, 3, 3), tangents and normals in the world."""
        turned = placed.rotations[:, self.owner] @ self.axes
        return np.where(self.turning[:, None, None], turned, self.axes)


def _points(contact: Contact, robot: Robot, q: Array, T: Any) -> tuple[Array, Array, Array]:
    """Places, drops and axes of a contact's points, as `Corners` has them, about a body at T."""
    middle = contact.pose(robot, q).translation - contact.ball_arm
    points = contact.world_points(robot, q) if contact.dim > 4 else middle[None]
    local = (points - T.translation) @ T.rotation
    axes = contact.axes_in_world if isinstance(contact, PointContact) else None
    if axes is None:
        axes = T.rotation.T @ contact.pose(robot, q).rotation
    return local, np.tile(contact.ball_arm, (len(local), 1)), np.tile(axes, (len(local), 1, 1))


def _check(contacts: ContactSet) -> None:
    for contact in contacts:
        odd = [
            word
            for word, there in (
                ("bilateral", contact.bilateral),
                ("torsional_friction", contact.torsional_friction),
                ("min_normal", contact.min_normal is not None),
                ("max_normal", contact.max_normal is not None),
                ("surface", contact.surface is not None),
            )
            if there
        ]
        if odd:
            raise ContactError(
                f"{contact.name!r} has {', '.join(odd)}; repairs know points and patches that "
                "push on ground at rest, with friction"
            )
