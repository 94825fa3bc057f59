"""Meshes of triangles: coarser ones for smaller pages, and normals for those that have none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array

CREASE_COSINE = 0.75  # faces that meet at a smaller cosine (41°) keep a sharp edge between them


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


def smooth(
    vertices: Array, triangles: NDArray[np.int64], crease: float = CREASE_COSINE
) -> tuple[Array, NDArray[np.int64], Array]:
    """Return vertices, triangles and unit normals with sharp edges kept and round ones smooth.

    Each corner of a triangle gets the mean normal, weighted by area, of the faces around its vertex
    that meet its own face at a cosine of at least `crease`; corners that agree share a vertex.
    """
    edges = vertices[triangles]
    weighted = np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0])
    area = np.linalg.norm(weighted, axis=1, keepdims=True)
    unit = weighted / np.where(area > 0, area, 1.0)
    first, second = _neighbours(triangles)
    near = np.einsum("ij,ij->i", unit[first // 3], unit[second // 3]) >= crease
    first, second = first[near], second[near]
    sums = np.column_stack(
        [np.bincount(first, weighted[second // 3, k], 3 * len(triangles)) for k in range(3)]
    )
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    normals = np.where(length > 0, sums / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])
    return _share(vertices, triangles.ravel(), normals)


def _neighbours(triangles: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of corners (index 3 * face + k) that lie at the same vertex."""
    flat = triangles.ravel()
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat)
    counts = counts[counts > 0]
    starts = np.cumsum(counts) - counts
    sizes = np.repeat(counts, counts)  # of the group of each corner, in order
    first = np.repeat(np.arange(len(flat)), sizes)
    within = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    second = np.repeat(np.repeat(starts, counts), sizes) + within
    return order[first], order[second]


def _share(
    vertices: Array, corners: NDArray[np.int64], normals: Array
) -> tuple[Array, NDArray[np.int64], Array]:
    steps = np.rint(normals * 500).astype(np.int64) + 512
    key = ((corners * 1024 + steps[:, 0]) * 1024 + steps[:, 1]) * 1024 + steps[:, 2]
    _, chosen, index = np.unique(key, return_index=True, return_inverse=True)
    return vertices[corners[chosen]], index.reshape(-1, 3), normals[chosen]
