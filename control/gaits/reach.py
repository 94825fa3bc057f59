"""Reach of the feet of a robot that walks: how far their footholds may be moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from .foothold_program import CLOSEST, Bounds
from .gait import ahead_and_left, feet_by_place

AROUND = np.array([[np.cos(x), np.sin(x)] for x in np.arange(12) * np.pi / 6])  # about a circle
OTHER_SIDE = {"left": "right", "right": "left"}


class Reach:
    """How far footholds may be moved: within reach, and so that legs do not cross.

    Args:
        feet: of the robot.
        q: where it stands (nq,); its feet are where they belong beside each other.
        farthest: from there [m].

    Attributes:
        opposite: {foot: (the one opposite, how far to the left of it [m])}, of two or four feet.
    """

    def __init__(self, feet: ContactSet, q: Array, farthest: float) -> None:
        self.feet, self.farthest = feet, farthest
        axes = ahead_and_left(feet, q)
        self._beside = {n: axes.T @ T.translation[:2] for n, T in feet.placements(q).items()}
        self.opposite = self._opposite(q) if len(feet) in (2, 4) else {}

    def _opposite(self, q: Array) -> dict[str, tuple[str, float]]:
        by_place, found = feet_by_place(self.feet, q), dict[str, tuple[str, float]]()
        for place, name in by_place.items():
            side, *row = place.split()
            other = by_place[" ".join([OTHER_SIDE[side], *row])]
            found[name] = other, float((self._beside[name] - self._beside[other])[1])
        return found

    def bounds(self, swings: Mapping[str, Any], state: State) -> Bounds:
        """Return how far these footholds {foot: T_world_contact} may be moved together."""
        axes = ahead_and_left(self.feet, state)
        places = dict(zip(self.feet.names, self.feet.attachment.positions(state), strict=True))
        carry = [name for name in self.feet.names if name not in swings]
        ways, crossing = np.zeros((len(swings), 2)), list[tuple[Array, float]]()
        for k, (name, goal) in enumerate(swings.items()):
            if carry:  # from where it stands beside the others
                others = sum(axes.T @ places[n][:2] - self._beside[n] for n in carry) / len(carry)
                ways[k] = axes.T @ goal.translation[:2] - self._beside[name] - others
            other, apart = self.opposite.get(name, ("", 0.0))
            if other in carry:
                side, left = np.sign(apart), axes[:, 1]
                lands = left @ (goal.translation - places[other])[:2]
                crossing.append((-side * left, side * (lands - CLOSEST * apart)))
        reach = self.farthest - (AROUND @ ways.T).max(axis=1)
        normals = np.vstack([AROUND @ axes.T, *[normal for normal, _ in crossing]])
        return Bounds(normals, np.maximum([*reach, *[most for _, most in crossing]], 0.0))
