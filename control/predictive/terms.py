"""Terms of states that a prediction asks for: the centroidal map, the base, contacts, hips."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...contacts import ContactSet
from ...contacts.centres_along import centres_along
from ...dynamics import State, batch


class Terms(NamedTuple):
    """Terms of M states, world axes but for v and the bias.

    Attributes:
        com: (M, 3) [m].
        map: A_g (M, 6, nv), of the centroidal momentum.
        v, bias: (M, nv); what gravity and the motion take [N, N·m].
        base: R (M, 3, 3).
        jacobians, positions: of the contacts' centres (M, C, 6, nv), (M, C, 3) [m].
        hips: (M, C, 3), where their limbs begin [m].
    """

    com: Array
    map: Array
    v: Array
    bias: Array
    base: Array
    jacobians: Array
    positions: Array
    hips: Array

    @classmethod
    def of(cls, state: State, contacts: ContactSet, hips: Index) -> Terms:
        """Return those of one state; hips (C,) are the joints with which the limbs begin."""
        at, T = contacts.attachment, state.joint_placements
        one = (
            state.com, state.centroidal_map, state.velocity, state.bias, T[1, :, :3].copy(),
            at.centre_jacobians(state), at.positions(state), T[hips, :, 3],
        )  # fmt: skip
        return cls(*[term[None] for term in one])

    @classmethod
    def along(cls, contacts: ContactSet, hips: Index, q: Array, v: Array) -> Terms:
        """Return those of states (M, nq), (M, nv).

        Of one q for all, only v and the bias have M rows, the others one.
        """
        robot = contacts.robot
        J, _, p = centres_along(contacts, q)
        names = robot._model.names
        placed = {k: batch.frame_placement(robot, q, names[k]) for k in {1, *hips.tolist()} - {0}}
        of_hips = np.zeros_like(p)  # those of the world, where there is no limb
        for c, hip in enumerate(hips.tolist()):
            if hip:
                of_hips[:, c] = placed[hip][:, :3, 3]
        bias = batch.bias(robot, repeated(q, len(v)), v)
        return cls(
            batch.com(robot, q), batch.centroidal_map(robot, q), v, bias,
            placed[1][:, :3, :3].copy(), J, p, of_hips,
        )  # fmt: skip


def repeated(x: Array, count: int) -> Array:
    """Return an array with `count` rows: as it is, or its one row repeated."""
    if len(x) != count:
        x = np.broadcast_to(x, (count, *x.shape[1:]))
    return np.ascontiguousarray(x)
