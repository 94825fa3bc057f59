"""Convex polygons laid over a terrain, for drawing.

What a picture of stairs shows of a support region: the pieces that lie on each step, and on the
ground between them. Everything is cut in the horizontal plane and lifted onto the faces last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ..geometry.polygon import SQUARE, area, convex_hull, cut, sides
from .faces import FACES_UP, Face
from .height_map import HeightMap
from .terrain import Terrain

_SLIVER = 1e-9  # [m²]


def drape(terrain: Terrain, vertices: ArrayLike, below: float = np.inf) -> list[Array]:
    """Return the pieces (m, 3) of a convex polygon (k, 2) on the highest faces under it [m].

    What comes to lie higher than `below` is left out, such as the top of a wall.
    """
    corners = np.asarray(vertices, dtype=float).reshape(-1, 2)
    flat = [solid for solid in terrain.solids if not isinstance(solid, HeightMap)]
    faces = [f for solid in flat for f in solid.faces if f.normal[2] >= FACES_UP]
    footprints = [_footprint(face) for face in faces]
    draped = []
    for face, footprint in zip(faces, footprints, strict=True):
        pieces = _seen([within(corners, *footprint)])
        for other, above in zip(faces, footprints, strict=True):
            pieces = _seen([p for piece in pieces for p in _beside(piece, face, other, above)])
        draped += [_lifted(piece, face) for piece in pieces]
    for solid in terrain.solids:
        if isinstance(solid, HeightMap):
            draped += _on_triangles(corners, solid)
    return [piece for piece in draped if piece[:, 2].mean() < below]


def _on_triangles(corners: Array, ground: HeightMap) -> list[Array]:
    """The pieces of a convex polygon (k, 2) on the triangles of a height map."""
    found = ground.vertices[ground.triangles]
    seen = found[..., :2]
    near = (seen.max(axis=1) >= corners.min(axis=0)) & (seen.min(axis=1) <= corners.max(axis=0))
    pieces = []
    for triangle in found[near.all(axis=1)]:
        piece = within(corners, *sides(triangle[:, :2]))
        if area(piece) > _SLIVER:
            n = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
            z = triangle[0, 2] - (piece - triangle[0, :2]) @ n[:2] / n[2]
            pieces.append(np.column_stack([piece, z]))
    return pieces


def _footprint(face: Face) -> tuple[Array, Array]:
    """Normals (4, 2) and offsets (4,) of a face's sides seen from above; none of a plane."""
    if not np.isfinite(face.half_size).all():
        return np.zeros((0, 2)), np.zeros(0)
    edges = (SQUARE * face.half_size) @ face.placement.rotation[:2, :2].T
    return sides(convex_hull(edges + face.placement.translation[:2]))


def within(corners: Array, normals: Array, offsets: Array) -> Array:
    """Return the part of a convex polygon (k, 2) for which normals @ x ≤ offsets."""
    for n, b in zip(normals, offsets, strict=True):
        corners = cut(corners, n, b)
    return corners


def _seen(pieces: list[Array]) -> list[Array]:
    return [piece for piece in pieces if area(piece) > _SLIVER]


def _beside(piece: Array, face: Face, other: Face, footprint: tuple[Array, Array]) -> list[Array]:
    """What of a piece on `face` is not hidden by a higher face: one part beside each side of its
    footprint."""
    normals, offsets = footprint
    covered = within(piece, normals, offsets)
    if other is face or len(normals) == 0 or len(covered) < 3:
        return [piece]
    middle = covered.mean(axis=0, keepdims=True)
    if _lifted(middle, other)[0, 2] <= _lifted(middle, face)[0, 2]:
        return [piece]
    parts = []
    for n, b in zip(normals, offsets, strict=True):
        parts.append(cut(piece, -n, -b))
        piece = cut(piece, n, b)
    return parts


def _lifted(corners: Array, face: Face) -> Array:
    """Points (m, 3) of the face's plane above or below corners (m, 2)."""
    n, o = face.normal, face.placement.translation
    return np.column_stack([corners, o[2] - (corners - o[:2]) @ n[:2] / n[2]])
