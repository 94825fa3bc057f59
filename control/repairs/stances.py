"""Stances: where feet stand while they touch, one place on the ground for each interval.

The place is the rigid motion that takes the corners nearest to where they were on average, on the
ground below (W. Kabsch, "A solution for the best rotation to relate two sets of vectors" (1976)).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts import Terrain
from ...dynamics.motions.runs import spans
from ...robots.registration import registration
from .corners import Corners


def stand(corners: Corners, places: Array, terrain: Terrain) -> Array:
    """Return (n, K, 3), where each corner stands while it touches; nan where it does not.

    Args:
        corners: when they touch.
        places: (n, K, 3), where they are, with the drop of balls [m].
        terrain: the ground.
    """
    goal = np.full(places.shape, np.nan)
    for foot in range(len(corners.frames)):
        own = np.flatnonzero(corners.owner == foot)
        touching = corners.touching[:, own]
        for span in spans(touching.any(axis=1)):
            rows = slice(*span)
            on = touching[rows]
            near = places[rows][:, own]
            distances, normals = terrain.distance_and_normal(near)
            ground = near - distances[..., None] * normals
            stood = _fitted(corners.local[own] + corners.drop[own], ground, on)
            goal[rows, own] = np.where(on[:, :, None], stood, np.nan)
    return goal


def _fitted(local: Array, world: Array, on: NDArray[np.bool_]) -> Any:
    """Return R l + t (k, 3), nearest to world places (m, k, 3) where `on` (m, k)."""
    T, _ = registration(world[on], np.broadcast_to(local, world.shape)[on])
    return local @ T.rotation.T + T.translation
