"""A flat patch: a convex polygon in its own x-y plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ContactError
from ..robots.values import FARTHEST, array, length

Array = NDArray[np.float64]


def patch_corners(
    frame: str,
    half_length: float | None,
    half_width: float | None,
    vertices: ArrayLike | None,
) -> Array:
    """Return the patch's corners (k, 2), from half sizes or from vertices but not from both."""
    sizes = (half_length, half_width)
    given = [size is not None for size in sizes]
    if (vertices is None) != all(given) or (vertices is not None and any(given)):
        raise ContactError(
            f"SurfaceContact({frame!r}): got half_length={half_length}, half_width={half_width}, "
            f"vertices={'None' if vertices is None else 'given'}; expected both half sizes or "
            f"the vertices"
        )
    return polygon(vertices) if vertices is not None else rectangle(*sizes)


def rectangle(half_length: float | None, half_width: float | None) -> Array:
    """Return the corners (4, 2) of a rectangle, counter-clockwise, x within ±half_length."""
    half = [
        length(size, name, error=ContactError)
        for name, size in (("half_length", half_length), ("half_width", half_width))
    ]
    signs = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]], dtype=float)
    return np.asarray(signs * np.array(half))


def polygon(vertices: ArrayLike) -> Array:
    """Return vertices (k, 2) after checking that they span an area.

    Their order is kept. Points inside the hull or on its edges are allowed: they change nothing.
    """
    points = array(vertices, "vertices", error=ContactError, largest=FARTHEST, frozen=True)
    if points.ndim == 2 and points.shape[1] == 3 and not points[:, 2].any():
        points = points[:, :2]
    if points.ndim != 2 or points.shape[1] != 2 or len(points) < 3:
        raise ContactError(
            f"vertices: got shape {points.shape}, expected (k, 2) with k ≥ 3, in the x-y plane of "
            f"the placed frame"
        )
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[-1] <= 1e-9 * max(spread[0], 1e-9):
        raise ContactError("vertices: got points on one line, expected a polygon with an area")
    return points
