"""Coarser meshes by clustering of vertices, for smaller pages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array


def coarser(
    vertices: Array, triangles: NDArray[np.int64], size: float
) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices (n, 3) and triangles (m, 3) with the vertices of each cube made their mean.

    Triangles that lose a corner, and repeated ones, are left out. `size` is that of the cubes [m];
    none of the shape moves by more than √3 of it.

    Source: J. Rossignac, P. Borrel, "Multi-resolution 3D approximations for rendering complex
    scenes" (1993).
    """
    cells = np.floor(vertices / size).astype(np.int64)
    _, index, count = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    index = index.ravel()
    sums = [np.bincount(index, vertices[:, k], len(count)) for k in range(3)]
    corners = index[triangles]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return np.column_stack(sums) / count[:, None], corners[np.sort(first)]
