"""Support polygon of the contacts that carry a robot that stands, and whether ξ has left it."""

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
    """

    def __init__(self, share: float) -> None:
        self.share = max(share, STANDS)
        self._contacts: ContactSet | None = None
        self._normals, self._offsets = np.zeros((0, 2)), np.zeros(0)

    def is_left(self, contacts: ContactSet, state: State, point: Array) -> bool:
        """Return whether a point (2,) is outside [m]; fewer than three points have no polygon."""
        if contacts is not self._contacts:
            self._contacts = contacts
            self._normals, self._offsets = self._sides(contacts, state)
        return bool((self._normals @ point - self._offsets).max(initial=-np.inf) > 0)

    def _sides(self, contacts: ContactSet, state: State) -> tuple[Array, Array]:
        poses = [(contact.pose(state), contact.points) for contact in contacts]
        corners = [T.act(self.share * point)[:2] for T, points in poses for point in points]
        return sides(convex_hull(corners)) if len(corners) > 2 else (np.zeros((0, 2)), np.zeros(0))


def room(points: Array, p: Array) -> float:
    """Return how far p (2,) is inside the polygon of points (k, 2) [m]; 0 outside, or of a line."""
    return max(-signed_distance(convex_hull(points), p), 0.0)
