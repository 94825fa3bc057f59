"""Distances of ground points from the support polygon, and directions in words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ..geometry.polygon import convex_hull, sides, signed_distance

_SIDES = ("in front of", "left of", "behind", "right of")
_WAYS = ("forwards", "to the left", "backwards", "to the right")


class PolygonDistance(NamedTuple):
    """Where a point lies beside a polygon.

    Attributes:
        distance: to it, negative inside [m].
        away: (3,), unit vector along the ground, from the polygon to the point.
        side: in words.
    """

    distance: float
    away: Array
    side: str


def way(direction: Array, axes: Array) -> str:
    """Return where a direction points: forwards, backwards or to a side.

    Args:
        direction: (3,).
        axes: (2, 3), ahead and to the left along the ground, see `forward.ground_axes`.
    """
    return _WAYS[_quarter(axes @ direction)]


def outside(z: Array, points: Array, axes: Array) -> PolygonDistance:
    """Return how far z (3,) lies outside the hull of points (k, 3); axes as for `way`."""
    p, corners = axes @ z, convex_hull(points @ axes.T)
    if len(corners) > 2:
        normals, offsets = sides(corners)
        away = normals[np.argmax(normals @ p - offsets)]
    else:
        away = p - corners.mean(axis=0)
    away = away / max(float(np.linalg.norm(away)), 1e-12)
    return PolygonDistance(signed_distance(corners, p), away @ axes, _SIDES[_quarter(away)])


def _quarter(direction: Array) -> int:
    """Which of four directions, forwards, left, back and right, is nearest."""
    return round(float(np.arctan2(direction[1], direction[0])) / (np.pi / 2)) % 4
