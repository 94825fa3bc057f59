"""Paths of contact points along a motion: positions and velocities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index
from ..dynamics import batch
from ..dynamics.motions.motion import Motion
from .attachment import axes_and_arm
from .contact import Contact
from .contact_set import ContactSet
from .frames_along import frame_twists
from .terrain.terrain import Terrain


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


def _of_contact(contact: Contact, places: Array, twists: Array) -> tuple[Array, Array, Array]:
    """Positions, velocities and normals (n, k, 3) of a contact's points."""
    axes, arm = axes_and_arm(contact, places)
    arms = arm[:, None] + contact.points @ axes.transpose(0, 2, 1)
    positions = places[:, None, :3, 3] + arms
    velocities = twists[:, None, :3] + np.cross(twists[:, None, 3:], arms)
    if (surface := contact.surface) is not None:
        velocities = velocities - surface.velocity(positions)
    return positions, velocities, np.broadcast_to(axes[:, None, :, 2], positions.shape)
