"""Paths of contact points along a motion: positions and velocities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index
from ..dynamics import batch
from ..dynamics.motions.motion import Motion
from ..robots import Robot
from .contact import Contact
from .contact_set import ContactSet
from .terrain.terrain import Terrain

_ROWS = 512  # Jacobians (rows, 6, nv) at a time, so that they stay in the cache


class PointPaths(NamedTuple):
    """Of all points at which the ground may push.

    Attributes:
        owner: (P,), the contact of each.
        positions: (n, P, 3), in the world [m].
        velocities: (n, P, 3), against what is touched, world axes [m/s].
        normals: (n, P, 3), of the contacts, from the ground into the robot.
    """

    owner: Index
    positions: Array
    velocities: Array
    normals: Array

    @classmethod
    def of(cls, motion: Motion, contacts: ContactSet, threads: int = 1) -> PointPaths:
        """Return the paths of a set's points."""
        owner = contacts.attachment.owner
        shape = len(motion), len(owner), 3
        paths = cls(owner, *(np.empty(shape) for _ in range(3)))
        for frame in dict.fromkeys(contact.frame for contact in contacts):
            places = batch.frame_placement(motion.robot, motion.q, frame, threads=threads)
            twists = frame_twists(motion.robot, motion.q, motion.v, frame, threads)
            for k, contact in enumerate(contacts):
                if contact.frame == frame:
                    parts = _of_contact(contact, places, twists)
                    for path, part in zip(paths[1:], parts, strict=True):
                        path[:, owner == k] = part
        return paths

    @property
    def sliding(self) -> Array:
        """(n, P, 3), the velocities along the ground."""
        along = np.einsum("npi,npi->np", self.velocities, self.normals)
        return np.asarray(self.velocities - along[:, :, None] * self.normals)

    @property
    def speeds(self) -> Array:
        """(n, P) [m/s]."""
        v = self.velocities
        return np.asarray(np.sqrt(np.einsum("npi,npi->np", v, v)))

    def heights(self, terrain: Terrain | None) -> Array:
        """Return (n, P), how high above the ground the points are, z = 0 without terrain [m]."""
        if terrain is None:
            return np.asarray(self.positions[:, :, 2])
        return terrain.signed_distance(self.positions)


def frame_twists(robot: Robot, q: Array, v: Array, frame: str, threads: int = 1) -> Array:
    """Return J v = [v; ω] (n, 6) of a frame for q (n, nq) and v (n, nv), world axes."""
    count = len(q)
    twists, J = np.empty((count, 6)), np.empty((min(_ROWS, count), 6, robot.nv))
    for first in range(0, count, _ROWS):
        rows = slice(first, min(first + _ROWS, count))
        out = J[: rows.stop - first]
        batch.frame_jacobian(robot, q[rows], frame, out=out, threads=threads)
        twists[rows] = np.einsum("nij,nj->ni", out, v[rows])
    return twists


def _of_contact(contact: Contact, places: Array, twists: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and normals (n, k, 3) of a contact's points."""
    R, origin = places[:, :3, :3], places[:, :3, 3]
    turning, fixed = contact.axes_in_frame, contact.axes_in_world
    axes = np.eye(3) if turning is None else turning
    local = contact.centre_in_frame + contact.points @ axes.T
    arms = local @ R.transpose(0, 2, 1) + contact.ball_arm
    positions = origin[:, None] + arms
    velocities = twists[:, None, :3] + np.cross(twists[:, None, 3:], arms)
    if (surface := contact.surface) is not None:
        velocities = velocities - surface.velocity(positions)
    z = R @ axes[:, 2] if fixed is None else np.broadcast_to(fixed[:, 2], origin.shape)
    return positions, velocities, np.broadcast_to(z[:, None], positions.shape)
