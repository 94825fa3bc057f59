"""Joint stops: hard ends of the joints' ranges, which push but never pull.

A joint at the distance d from an end of its range may close it within a step h, no more:

    0 ≤ λ ⟂ u + d/h ≥ 0,     u = ±q̇⁺,

the law of a contact without friction, whose Jacobian is ± one row of the identity.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array, Index
from ...dynamics.topology import plain_coordinates
from ...robots.ranges import ranges
from ...robots.robot import Robot


class JointStops:
    """The ends of a robot's joints' ranges: first all lower ones, then all upper ones.

    Joints without a range of their own (continuous, ball, floating) have none.

    Attributes:
        rows: (K,), whose row of v.
        signs: (K,), +1 where the stop pushes q up, −1 where it pushes q down.
    """

    def __init__(self, robot: Robot) -> None:
        places, rows = plain_coordinates(robot)
        low, high = (ends[places] for ends in ranges(robot._model))
        has_low, has_high = low > -np.inf, high < np.inf
        self.rows = np.concatenate([rows[has_low], rows[has_high]])
        self.signs = np.repeat([1.0, -1.0], [has_low.sum(), has_high.sum()])
        self._places = np.concatenate([places[has_low], places[has_high]])
        self._ends = np.concatenate([low[has_low], high[has_high]])

    def __len__(self) -> int:
        return len(self.rows)

    def distances(self, q: Array) -> Array:
        """Return (K,), how far each joint may still go; negative beyond its end [rad or m]."""
        return np.asarray(self.signs * (q[self._places] - self._ends))

    def torques(self, which: Index, pushes: Array, nv: int) -> Array:
        """Return (nv,) of pushes (k,) ≥ 0 by k of them."""
        forces = self.signs[which] * pushes
        return np.asarray(np.bincount(self.rows[which], forces, nv), dtype=float)
