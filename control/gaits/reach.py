"""Reach of the feet of a robot that walks: how far their footholds may be moved."""

from __future__ import annotations

from collections.abc import Mapping
from math import copysign
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from .foothold_program import AROUND, CLOSEST, Bounds
from .gait import ahead_and_left, left_and_right


class Reach:
    """How far footholds may be moved: within reach, and so that legs do not cross.

    Args:
        feet: of the robot.
        q: where it stands (nq,); its feet are where they belong.
        farthest: from there [m].
        beneath: whether it is measured from where a foot belongs beneath the centre of mass when it
            lands, for a robot that is pushed takes its hips along; else beside the feet that carry.

    Attributes:
        opposite: {foot: (the one opposite, how far to the left of it [m])}, of feet in pairs.
    """

    def __init__(self, feet: ContactSet, q: Array, farthest: float, beneath: bool = False) -> None:
        self.feet, self.farthest, self._beneath = feet, farthest, beneath
        axes, state = ahead_and_left(feet, q)[:, :2].T, State(feet.robot, q)
        self._beside = feet.attachment.positions(state)[:, :2] @ axes
        self._com = state.com[:2] @ axes
        self.opposite = self._opposite(q)

    def _opposite(self, q: Array) -> dict[str, tuple[str, float]]:
        if len(self.feet) % 2:  # those of one side are between those of the other
            return {}
        lateral = dict(zip(self.feet.names, self._beside[:, 1].tolist(), strict=True))
        found = dict[str, tuple[str, float]]()
        for left, right in zip(*left_and_right(self.feet, q), strict=True):
            apart = lateral[left] - lateral[right]
            found |= {left: (right, apart), right: (left, -apart)}
        return found

    def bounds(self, swings: Mapping[str, Any], state: State) -> Bounds:
        """Return how far these footholds {foot: T_world_contact} may be moved together."""
        axes, names = ahead_and_left(self.feet, state)[:, :2].T, self.feet.names
        places = self.feet.attachment.positions(state)[:, :2] @ axes
        goals = np.array([T.translation[:2] for T in swings.values()]) @ axes
        carry = [k for k, name in enumerate(names) if name not in swings]
        com = state.com[:2]
        ways = goals - self._beside[[names.index(name) for name in swings]]
        if self._beneath:
            ways -= com @ axes - self._com
        elif carry:
            ways -= (places - self._beside)[carry].sum(axis=0) / len(carry)
        else:
            ways[:] = 0.0
        around = AROUND @ axes.T
        normals, most = [*around], (self.farthest - (AROUND @ ways.T).max(axis=1)).tolist()
        for name, (_, lands) in zip(swings, goals.tolist(), strict=True):
            other, apart = self.opposite.get(name, ("", 0.0))
            if other and other not in swings:
                side = copysign(1.0, apart)
                between = lands - float(places[names.index(other), 1])
                normals.append(-side * axes[:, 1])
                most.append(side * (between - CLOSEST * apart))
        return Bounds(np.array(normals), np.array(most), com if self._beneath else None)

    def ahead(self, bounds: Bounds, state: State, left: float) -> Bounds:
        """Return the bounds with the robot where it will be in a time [s], if they go with it."""
        if bounds.beneath is None:
            return bounds
        com, most = (state.com + left * state.com_velocity)[:2], bounds.most.copy()
        most[: len(AROUND)] += bounds.normals[: len(AROUND)] @ (com - bounds.beneath)
        return Bounds(bounds.normals, most, com)
