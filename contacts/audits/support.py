"""Distances of ground points from the support polygon, and headings relative to the base."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

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


def ground_axes(q: Array, normal: Array) -> Array:
    """Return (2, 3): forwards and to the left of a floating base, along the ground."""
    x, y = pin.Quaternion(q[3:7]).matrix().T[:2]
    ahead = x - (x @ normal) * normal
    if np.linalg.norm(ahead) < 0.1:  # it looks up or down
        ahead = np.cross(y, normal)
    ahead = ahead / np.linalg.norm(ahead)
    return np.array([ahead, np.cross(normal, ahead)])


def way(q: Array, direction: Array, normal: Array) -> str:
    """Return where a direction points along the ground: forwards, backwards, to a side."""
    return _WAYS[_quarter(ground_axes(q, normal) @ direction)]


def outside(z: Array, points: Array, q: Array, normal: Array) -> PolygonDistance:
    """Return how far z lies outside the hull of points (k, 3) of the ground."""
    axes = ground_axes(q, normal)
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
