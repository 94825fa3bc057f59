"""Convex hulls in the plane, by Andrew's monotone chain.

A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions" (1979).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def hull(points, tolerance):
    """Return the corners (k, 2) of the hull of a few points, as `hull_of_sorted` finds them."""
    p = points.copy()
    for i in range(len(p)):  # by x, then y
        x, y, j = points[i, 0], points[i, 1], i
        while j > 0 and (p[j - 1, 0] > x or (p[j - 1, 0] == x and p[j - 1, 1] > y)):
            p[j] = p[j - 1]
            j -= 1
        p[j, 0], p[j, 1] = x, y
    corners = np.empty((2 * len(p), 2))
    return corners[: hull_of_sorted(p, corners, tolerance)].copy()


def hull_of_sorted(p: Any, corners: Any, tolerance: float) -> int:
    """Write the corners of the hull, counter-clockwise; return how many.

    Corners within `tolerance` of the segment between their neighbours are left out, one by one and
    the nearest first. A segment gives two corners, coinciding points one, no points none.

    Args:
        p: k points, sorted by x, then y: an array (k, 2), or a list of pairs, sooner where this is
            not compiled.
        corners: of the same kind, room for 2 k.
    """
    k, m = len(p), 0
    for sweep in range(2):
        first = m
        for i in range(k):
            new = p[i] if sweep == 0 else p[k - 1 - i]
            while m - first >= 2 and not turns_left(corners[m - 2], corners[m - 1], new):
                m -= 1
            if m == first or corners[m - 1][0] != new[0] or corners[m - 1][1] != new[1]:
                corners[m] = new
                m += 1
        m = max(m - 1, first)  # the last point is the next chain's first
    if m == 0 and k > 0:
        corners[0], m = p[0], 1
    count: int = simplified(corners, m, tolerance)
    return count


def simplified(corners, count, tolerance):
    """Leave out corners within `tolerance` of the segment between their neighbours, in place."""
    while tolerance > 0 and count > 1:
        at, least = -1, tolerance
        for i in range(count):
            before, after = corners[(i - 1) % count], corners[(i + 1) % count]
            height = distance(corners[i], before, after)
            if height <= least:
                at, least = i, height
        if at < 0:
            break
        count -= 1
        for i in range(at, count):
            corners[i] = corners[i + 1]
    return count


def turns_left(a, b, c):
    """Whether the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0


def distance(x, a, b):
    """Return the distance of x to the segment from a to b."""
    u, v, s, t = b[0] - a[0], b[1] - a[1], x[0] - a[0], x[1] - a[1]
    length = u * u + v * v
    share = 0.0 if length == 0 else min(max((s * u + t * v) / length, 0.0), 1.0)
    return math.hypot(s - share * u, t - share * v)
