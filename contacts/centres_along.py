"""Centres of contacts in many configurations: Jacobians, axes, positions."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..dynamics import batch
from ..dynamics.spatial import skew
from .attachment import axes_and_arm
from .contact_set import ContactSet


def centres_along(contacts: ContactSet, Q: Array) -> tuple[Array, Array, Array]:
    """Return the Jacobians (N, C, 6, nv), linear rows first, the axes (N, C, 3, 3), and positions.

    Those of `Attachment`, world axes, positions (N, C, 3) [m], for configurations (N, nq).
    """
    robot, count = contacts.robot, len(Q)
    J = np.empty((count, len(contacts), 6, robot.nv))
    R, arms = np.empty((count, len(contacts), 3, 3)), np.empty((count, len(contacts), 3))
    p = np.empty((count, len(contacts), 3))
    frames = {contact.frame for contact in contacts}  # corners of a sole share one
    placed = {frame: batch.frame_placement(robot, Q, frame) for frame in frames}
    moved = {frame: batch.frame_jacobian(robot, Q, frame) for frame in frames}
    for c, contact in enumerate(contacts):
        J[:, c] = moved[contact.frame]
        R[:, c], arms[:, c] = axes_and_arm(contact, placed[contact.frame])
        p[:, c] = placed[contact.frame][:, :3, 3]
    J[:, :, :3] -= skew(arms) @ J[:, :, 3:]  # of the centre at r from the frame's origin
    return J, R, p + arms
