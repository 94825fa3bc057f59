"""Support polygon of the contacts that carry a robot that stands, and whether ξ has left it.

Two points have a line instead. Beside it nothing holds ξ, so that it is left as soon as ξ is beside
it by more than the errors of measured velocities.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.geometry.polygon import convex_hull, sides, signed_distance
from ...dynamics import State

STANDS = 0.6  # the least share of the soles whose support polygon ξ leaves before it steps


class Support:
    """The support polygon of contacts, which stay where they are while the robot stands.

    Args:
        share: of soles about their centres; at least 0.6 is used.
        beside: how far beside the line of two points ξ may be [m].
    """

    def __init__(self, share: float, beside: float) -> None:
        self.share, self.beside = max(share, STANDS), beside
        self._contacts: ContactSet | None = None
        self._normals, self._offsets = np.zeros((0, 2)), np.zeros(0)

    def is_left(self, contacts: ContactSet, state: State, point: Array) -> bool:
        """Return whether a point (2,) is outside [m]; a single point has no outside."""
        if contacts is not self._contacts:
            self._contacts = contacts
            self._normals, self._offsets = self._sides(contacts, state)
        return bool((self._normals @ point - self._offsets).max(initial=-np.inf) > 0)

    def _sides(self, contacts: ContactSet, state: State) -> tuple[Array, Array]:
        poses = [(contact.pose(state), contact.points) for contact in contacts]
        corners = [T.act(self.share * point)[:2] for T, points in poses for point in points]
        if len(corners) < 2:
            return np.zeros((0, 2)), np.zeros(0)
        normals, offsets = sides(convex_hull(corners))
        return normals, offsets + (self.beside if len(corners) == 2 else 0.0)


def room(points: Array, p: Array) -> float:
    """Return how far p (2,) is inside the polygon of points (k, 2) [m]; 0 outside, or of a line."""
    return max(-signed_distance(convex_hull(points), p), 0.0)
