"""Contact frames on the joints of a robot, Jacobians and force columns, by compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...dynamics.state import State
from ...dynamics.topology import carried_by, frames_of
from ..contact_set import ContactSet
from .problems import Layout

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


class ContactFrames(NamedTuple):
    """Frames and points of contacts in the axes of the joints that carry them.

    Attributes:
        carried: (joints, nv), 1 for the columns that move a joint.
        joint: (C,), that carries each contact.
        local: (C, 3, 4), axes and centre in that joint.
        turns: (C,), whether the axes turn with the joint; else they are the world's.
        lift: (C, 3), from the centre to where the ground is touched, world axes [m].
        points: (K, 3), in contact axes [m]; owner: (K,).
        torsion: (K,), γ of soft points, else 0 [m].
        presses: (C,), 1 where the margin takes normal force away.
    """

    carried: Array
    joint: Indices
    local: Array
    turns: NDArray[np.bool_]
    lift: Array
    points: Array
    owner: Indices
    torsion: Array
    presses: Array


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
    carried = carried_by(robot)
    return ContactFrames(carried, joint, local, turns, lift, points, limits.owner, torsion, presses)


def centre_jacobians(state: State, contacts: ContactSet, placing: Any) -> tuple[Array, Array]:
    """Return J (1, C, 6, nv) of the contacts' centres, world axes, and their axes R (1, C, 3, 3).

    Args:
        state: of the robot.
        contacts: of it.
        placing: `kernels.contact_columns.place`, compiled or not.
    """
    frames, nv = contact_frames(contacts), state.robot.nv
    J, R = np.empty((1, len(frames.joint), 6, nv)), np.empty((1, len(frames.joint), 3, 3))
    T, S = state.joint_placements, state.joint_columns
    placing(S, T, frames.carried, frames.joint, frames.local, frames.turns, frames.lift, R[0], J[0])
    return J, R


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
    filling(J, R, frames.points, frames.owner, frames.torsion, frames.presses, columns, pulls)
    return columns.reshape(N, nv, D * K), pulls
