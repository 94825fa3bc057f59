"""Edges of a terrain under flat soles: contact between edge and sole.

A flat sole z = 0, with (x, y) in a convex polygon P of its own axes and the robot above it, meets a
terrain of flat pieces at corners of P, or at the terrain's convex edges: the polygon that it shares
with a face has as its corners those of P over the face, ends of the face's edges under P, and
places where these edges cross the outline of P. An edge from a to b is under P from a + t₀ (b − a)
to a + t₁ (b − a), with

    n_k·(a + t (b − a)) ≤ o_k    for each side k of P    (M. Cyrus, J. Beck, 1978).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ..geometry.polygon import sides
from ..kernels.edges import FACING, SAME, SHALLOW, UNDER_SOLE


class Edges(NamedTuple):
    """Straight convex edges.

    Attributes:
        ends: (n, 2, 3), in the world [m].
        normals: (n, 2, 3), outward, of the two faces that meet there.
    """

    ends: Array
    normals: Array

    @classmethod
    def none(cls) -> Edges:
        """Return no edges."""
        return cls(np.zeros((0, 2, 3)), np.zeros((0, 2, 3)))

    @classmethod
    def joined(cls, parts: list[Edges]) -> Edges:
        """Return the edges of several solids."""
        every = [cls.none(), *parts]
        return cls(*(np.concatenate(arrays) for arrays in zip(*every, strict=True)))


class Outline(NamedTuple):
    """The outline of a sole in its axes, n·(x, y) ≤ o.

    Attributes:
        normals: (k, 2).
        offsets: (k,) [m].
        radius: of the circle about the origin that it lies in [m].
    """

    normals: Array
    offsets: Array
    radius: float

    @classmethod
    def of(cls, corners: Array) -> Outline:
        """Return that of a convex polygon (k, 2), its corners counter-clockwise."""
        normals, offsets = sides(corners)
        return cls(normals, offsets, float(np.linalg.norm(corners, axis=1).max()))


def under(edges: Edges, T: Array, outline: Outline, reach: float) -> tuple[Array, Index]:
    """Return places (m, 3) of edges under a sole, in its axes, and 2 i, 2 i + 1 for ends of edge i.

    An edge beside the sole, such as that of a riser which its toe touches, is not under it: it lies
    deeper in the sole than its outline is away.

    Args:
        edges: of the terrain.
        T: (3, 4), T_world_sole.
        outline: of the sole.
        reach: how far below the sole they may be [m].
    """
    if (kernel := UNDER_SOLE.select(1)) is not None:
        found: tuple[Array, Index] = kernel(*edges, np.ascontiguousarray(T), *outline, reach)
        return found
    with UNDER_SOLE.uncompiled(1):
        return _by_numpy(edges, T, outline, reach)


def _by_numpy(edges: Edges, T: Array, outline: Outline, reach: float) -> tuple[Array, Index]:
    """The same without the kernel."""
    R, p = T[:, :3], T[:, 3]
    which = _near(edges, p, outline.radius + reach)
    facing = (edges.normals[which] @ R[:, 2]).max(axis=1, initial=-1.0) > FACING
    which = which[facing]
    local = (edges.ends[which] - p) @ R
    start, along = local[:, 0], local[:, 1] - local[:, 0]
    room = outline.offsets - start[:, :2] @ outline.normals.T
    speed = along[:, :2] @ outline.normals.T
    with np.errstate(divide="ignore", invalid="ignore"):
        t = room / speed
    first = np.where(speed < 0, t, np.where((speed == 0) & (room < 0), 2.0, 0.0)).max(axis=1)
    last = np.where(speed > 0, t, 1.0).min(axis=1)
    first, last = np.maximum(first, 0.0), np.minimum(last, 1.0)
    middle = start + 0.5 * (first + last)[:, None] * along
    inside = (outline.offsets - middle[:, :2] @ outline.normals.T).min(axis=1)
    found = np.flatnonzero((first <= last) & (middle[:, 2] < inside + SHALLOW))
    shares = np.stack([first, last], axis=1)[found, :, None]
    places = start[found, None] + shares * along[found, None]
    names = 2 * which[found, None] + np.arange(2)
    within = places[..., 2] > -reach
    return _once(places[within], names[within])


def _near(edges: Edges, place: Array, reach: float) -> Index:
    """Which edges come within `reach` of a place (3,) [m], and perhaps a few more."""
    ends = edges.ends
    away = 0.5 * (ends[:, 0] + ends[:, 1]) - place
    half = ends[:, 1] - ends[:, 0]
    far = np.sqrt((away * away).sum(axis=1)) - 0.5 * np.sqrt((half * half).sum(axis=1))
    return np.flatnonzero(far <= reach)


def _once(places: Array, names: Index) -> tuple[Array, Index]:
    """Places (m, 3) and names (m,) without those of one place."""
    if len(places) < 2:
        return places, names
    apart = np.abs(places[:, None] - places).max(axis=2) > SAME
    first = (apart | ~np.tri(len(places), k=-1, dtype=bool)).all(axis=1)
    return places[first], names[first]
