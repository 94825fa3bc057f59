"""Contact frames on the joints of a robot, and force columns, by compiled code."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...dynamics.topology import carried_by, frames_of
from ..contact_set import ContactSet
from ..kernels.contact_columns import ContactFrames
from .problems import Layout

Array = NDArray[np.float64]
_frames: WeakKeyDictionary[ContactSet, ContactFrames] = WeakKeyDictionary()


def contact_frames(contacts: ContactSet) -> ContactFrames:
    """Return the frames of contacts; worked out once."""
    found = _frames.get(contacts)
    if found is None:
        found = _frames[contacts] = _computed(contacts)
    return found


def _computed(contacts: ContactSet) -> ContactFrames:
    robot, C, limits = contacts.robot, len(contacts), contacts.limits
    frames, local, lift = frames_of(robot), np.zeros((C, 3, 4)), np.zeros((C, 3))
    joint, turns = np.zeros(C, dtype=np.intp), np.ones(C, dtype=bool)
    for c, contact in enumerate(contacts):
        frame = robot.frame_id(contact.frame)
        T, joint[c] = frames.placement[frame], frames.joint[frame]
        own, turns[c] = contact.axes_in_frame, contact.axes_in_frame is not None
        local[c, :, :3] = contact.axes_in_world if own is None else T[:3, :3] @ own
        lift[c] = contact.ball_arm
        local[c, :, 3] = T[:3, :3] @ contact.centre_in_frame + T[:3, 3]
    torsion = np.zeros(limits.point_count)
    torsion[limits.first[limits.soft]] = limits.torsion[limits.soft]
    points = np.vstack([np.zeros((0, 3)), *(contact.points for contact in contacts)])
    presses = limits.presses.astype(float)
    owner = limits.owner.copy()
    for array in (joint, local, turns, lift, points, owner, torsion, presses):
        array.setflags(write=False)
    at_joints = carried_by(robot), joint, local, turns, lift
    return ContactFrames(*at_joints, points, owner, torsion, presses)


def columns_of(
    contacts: ContactSet, layout: Layout, J: Array, R: Array, filling: Any
) -> tuple[Array, Array]:
    """Return what a newton of each entry, and of the margin, does to the robot.

    That is (N, nv, D K) in the order of the kernel, and (N, nv).

    Args:
        contacts: that the kernel knows.
        layout: of them.
        J: (N, C, 6, nv), of their centres, world axes.
        R: (N, C, 3, 3), their axes.
        filling: `kernels.contact_columns.contact_columns`, compiled or not.
    """
    frames, (N, _, _, nv), (_, D, K, _) = contact_frames(contacts), J.shape, layout.sizes
    columns, pulls = np.empty((N, nv, D, K)), np.empty((N, nv))
    filling(J, R, frames, columns, pulls)
    return columns.reshape(N, nv, D * K), pulls
