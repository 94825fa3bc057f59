"""Edges of a terrain under a flat sole, one by one: the formulas of `terrain.edges`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dynamics.kernels.gauss import dot
from ...dynamics.kernels.toolchain import Kernel

FACING = 0.5  # cosine between a sole and the face that it may rest on
SHALLOW = 1e-4  # depth at which an edge in a sole is not beside the sole [m]
SAME = 1e-9  # places nearer to each other are the same [m]


def comes_near(ends, place, reach):
    """Whether an edge (2, 3) comes within `reach` of a place (3,), or perhaps does."""
    away, size = 0.0, 0.0
    for i in range(3):
        middle = 0.5 * (ends[0, i] + ends[1, i]) - place[i]
        away += middle * middle
        size += (ends[1, i] - ends[0, i]) ** 2
    return math.sqrt(away) - 0.5 * math.sqrt(size) <= reach


def into_sole(T, p, out):
    """Write a place of the world in the axes of the sole."""
    for a in range(3):
        out[a] = 0.0
        for i in range(3):
            out[a] += T[i, a] * (p[i] - T[i, 3])


def depth(normals, offsets, p):
    """Return how far inside of the outline a place is."""
    least = np.inf
    for k in range(len(offsets)):
        least = min(least, offsets[k] - normals[k, 0] * p[0] - normals[k, 1] * p[1])
    return least


def cut(normals, offsets, start, along):
    """Return between which shares of it an edge is over the outline."""
    first, last = 0.0, 1.0
    for k in range(len(offsets)):
        room = offsets[k] - normals[k, 0] * start[0] - normals[k, 1] * start[1]
        speed = normals[k, 0] * along[0] + normals[k, 1] * along[1]
        if speed < 0:
            first = max(first, room / speed)
        elif speed > 0:
            last = min(last, room / speed)
        elif room < 0:
            first = 2.0
    return first, last


def under_sole(ends, faces, T, normals, offsets, radius, reach):
    """Return places (m, 3) of edges under a sole, in its axes, and 2 i, 2 i + 1 for ends of edge i.

    Args:
        ends, faces: (n, 2, 3), of the edges, and the normals of their faces.
        T: (3, 4), the sole's pose.
        normals, offsets, radius: of its outline.
        reach: how far below the sole they may be [m].
    """
    up, place = T[:, 2].copy(), T[:, 3].copy()
    near = np.empty(len(ends), np.bool_)
    for i in range(len(ends)):
        near[i] = comes_near(ends[i], place, radius + reach)
        near[i] = near[i] and max(dot(faces[i, 0], up), dot(faces[i, 1], up)) > FACING
    places, names, count = np.empty((2 * near.sum(), 3)), np.empty(2 * near.sum(), np.intp), 0
    start, along, middle = np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(ends)):
        if not near[i]:
            continue
        into_sole(T, ends[i, 0], start)
        into_sole(T, ends[i, 1], along)
        for a in range(3):
            along[a] -= start[a]
        first, last = cut(normals, offsets, start, along)
        for a in range(3):
            middle[a] = start[a] + 0.5 * (first + last) * along[a]
        if first > last or middle[2] >= depth(normals, offsets, middle) + SHALLOW:
            continue
        for end in range(2):
            share = first if end == 0 else last
            for a in range(3):
                places[count, a] = start[a] + share * along[a]
            names[count] = 2 * i + end
            if places[count, 2] > -reach and not known(places, count):
                count += 1
    return places[:count].copy(), names[:count].copy()


def known(places, count):
    """Whether a place is one of those before it."""
    for i in range(count):
        away = 0.0
        for a in range(3):
            away = max(away, abs(places[i, a] - places[count, a]))
        if away <= SAME:
            return True
    return False


def _example() -> tuple[Any, ...]:
    edges, table, row = np.empty((0, 2, 3)), np.empty((0, 0)), np.empty(0)
    for array in (edges, table, row):
        array.flags.writeable = False
    return edges, edges, table, table, row, 1.0, 1.0


UNDER_SOLE = Kernel(under_sole, 1, arrays=True, example=_example, each=2e-4, seconds=3.0)
