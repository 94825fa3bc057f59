"""Signed distances of points from convex hulls in the plane, many at once."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array

_FLAT = 1e-9  # what counts as on a line [m]


def distance_outside(z: Array, points: Array, which: NDArray[np.bool_]) -> Array:
    """Return how far z lies outside the hull of some points, negative inside, (N,) [m].

    Args:
        z: (N, 2).
        points: (N, K, 2).
        which: (N, K), those that count. nan where none does.
    """
    N, K = which.shape
    away = np.linalg.norm(points - z[:, None], axis=2)
    nearest = np.where(which, away, np.inf).min(axis=1, initial=np.inf)
    beyond = np.full(N, -np.inf)
    for i, j in permutations(range(K), 2):
        edge = points[:, j] - points[:, i]
        length = np.linalg.norm(edge, axis=1)
        real = which[:, i] & which[:, j] & (length > _FLAT)
        along = edge / np.where(real, length, 1.0)[:, None]
        normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
        heights = ((points - points[:, i : i + 1]) * normal[:, None]).sum(axis=2)
        supports = real & (np.where(which, heights, -np.inf).max(axis=1) <= _FLAT)
        own = z - points[:, i]
        height = (own * normal).sum(axis=1)
        beyond = np.maximum(beyond, np.where(supports, height, -np.inf))
        within = np.clip((own * along).sum(axis=1), 0.0, length)
        foot = np.linalg.norm(own - within[:, None] * along, axis=1)
        nearest = np.minimum(nearest, np.where(real, foot, np.inf))
    inside = np.isfinite(beyond) & (beyond <= 0)
    out = np.where(inside, beyond, nearest)
    return np.where(which.any(axis=1) & np.isfinite(z).all(axis=1), out, np.nan)
