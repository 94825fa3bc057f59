"""Jacobian and drift of a set of contacts, on a State, all contacts at once.

A contact's centre is fixed to a link at r_b, or a ball's radius away from it along the ground's
normal, at r = r_b + δ with δ constant in the world. With the joints' columns S = [S_v; S_ω] about
the world's origin, p the centre's place, and Ṫ, T̈, ω, α of its joint at a = 0:

    J_p = S_v + S_ω × p          J̇_p v = T̈ [r_b; 1] + α × δ
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..dynamics import State
from ..dynamics.spatial import skew
from ..dynamics.topology import carried_by, frames_of
from ..robots import Robot
from .contact import Contact

Array = NDArray[np.float64]


class ContactRows:
    """Where the centres of some contacts of a robot are fixed, and which motions carry them.

    Args:
        robot: whose frames the contacts name.
        contacts: in the order of the rows.
    """

    def __init__(self, robot: Robot, contacts: Sequence[Contact]) -> None:
        frames, count = frames_of(robot), len(contacts)
        ids = [robot.frame_id(contact.frame) for contact in contacts]
        self.contacts, self.nv = contacts, robot.nv
        self._joints = np.array([frames.joint[i] for i in ids], dtype=np.intp)
        places = [contact.on_frame.homogeneous for contact in contacts]
        local = frames.placement[ids] @ np.array(places).reshape(count, 4, 4)
        self._local, self._centres = local, np.ascontiguousarray(local[:, :, 3:])
        self._carried = np.array(carried_by(robot)[self._joints]).reshape(count, 1, robot.nv)
        shifts = np.array([contact.shift for contact in contacts]).reshape(count, 3)
        self._shifts = shifts if shifts.any() else None
        self._dims = {contact.dim for contact in contacts}

    def jacobian(self, state: State) -> Array:
        """Return J (dim, nv): velocities of the centres, world axes."""
        T = state.joint_placements[self._joints]
        p = (T @ self._centres)[:, :, 0]
        if self._shifts is not None:
            p += self._shifts
        J = state.joint_columns * self._carried
        J[:, :3] -= skew(p) @ J[:, 3:]
        return self._kept(state, J)

    def drift(self, state: State) -> Array:
        """Return J̇v (dim,): accelerations of the centres at a = 0, world axes."""
        _, second, _, alpha = state.joint_rates
        drift = np.empty((len(self.contacts), 6, 1))
        drift[:, :3] = second[self._joints] @ self._centres
        drift[:, 3:, 0] = alpha[self._joints]
        if self._shifts is not None:
            drift[:, :3, 0] += np.cross(drift[:, 3:, 0], self._shifts)
        return self._kept(state, drift)[:, 0]

    def _kept(self, state: State, full: Array) -> Array:
        """Of rows [linear; angular] (C, 6, n), each contact's own, one after the other."""
        width = full.shape[2]
        if self._dims <= {6}:
            return full.reshape(-1, width)
        if self._dims <= {3}:
            return full[:, :3].reshape(-1, width)
        R = (state.joint_placements[self._joints] @ self._local)[:, :, :3]
        blocks = []
        for contact, axes, rows in zip(self.contacts, R, full, strict=True):
            blocks += [rows[:3], contact.angular_rows(axes) @ rows[3:]]
        return np.concatenate(blocks)
