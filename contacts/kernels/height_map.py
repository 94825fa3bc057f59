"""The distance of points from a height map: triangles over a grid, and the walls at its ends.

The map is the solid below its surface. For a point p let b be the place of the rectangle nearest to
it seen from above. Any point x of the surface is then at least as far as

    ‖p − x‖² ≥ ‖p − b‖² + ‖b − x‖²    seen from above,

so that cells are looked at in rings around b, until a ring is farther than what was found. On a
triangle the nearest point is that of C. Ericson, "Real-time collision detection" (2005), 5.1.5.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dynamics.kernels.toolchain import Kernel, read_only

_TOUCHING = 1e-9  # nearer to the surface the normal is that of the triangle [m]


def distances(points, heights, low, high, cell, found, normals):
    """Write signed distances (n,), negative inside, and their gradients (n, 3).

    Args:
        points: (n, 3), in the axes of the map, its first vertex at x = y = 0 [m].
        heights: (rows, columns), of the vertices (i cell, j cell) [m].
        low, high: (rows − 1, columns − 1), the least and the largest of each cell's corners.
        cell: distance of vertices [m].
        found, normals: are written.
    """
    rows, columns = heights.shape
    ends = (rows - 1) * cell, (columns - 1) * cell
    for k in range(len(points)):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        bx, by = min(max(x, 0.0), ends[0]), min(max(y, 0.0), ends[1])
        i, j = min(int(bx / cell), rows - 2), min(int(by / cell), columns - 2)
        h = height(heights, cell, i, j, bx, by)
        away = (x - bx) ** 2 + (y - by) ** 2
        if away > 0 and z <= h:  # beside a wall
            best, nx, ny, nz = away, bx, by, z
        else:
            best, nx, ny, nz = away + (z - h) ** 2, bx, by, h
            inside = away == 0 and z < h
            if inside:
                best, nx, ny, nz = through_walls(heights, cell, ends, i, j, x, y, z, best, h)
            best, nx, ny, nz = among_cells(
                heights, low, high, cell, i, j, bx, by, x, y, z, away, best, nx, ny, nz
            )
        d = math.sqrt(best)
        sign = -1.0 if away == 0 and z < h else 1.0
        found[k] = sign * d
        if d > _TOUCHING:
            normals[k, 0] = sign * (x - nx) / d
            normals[k, 1] = sign * (y - ny) / d
            normals[k, 2] = sign * (z - nz) / d
        elif away > 0:
            flat = math.sqrt(away)
            normals[k, 0], normals[k, 1], normals[k, 2] = (x - bx) / flat, (y - by) / flat, 0.0
        else:
            a, b = slopes(heights, cell, i, j, bx, by)
            size = math.sqrt(1.0 + a * a + b * b)
            normals[k, 0], normals[k, 1], normals[k, 2] = -a / size, -b / size, 1.0 / size


def slopes(heights, cell, i, j, x, y):
    """Return ∂h/∂x and ∂h/∂y at a place of cell (i, j), which is cut from (i, j) to (i+1, j+1)."""
    u, w = x / cell - i, y / cell - j
    o, far = heights[i, j], heights[i + 1, j + 1]
    if u >= w:
        return (heights[i + 1, j] - o) / cell, (far - heights[i + 1, j]) / cell
    return (far - heights[i, j + 1]) / cell, (heights[i, j + 1] - o) / cell


def height(heights, cell, i, j, x, y):
    """Return h at a place of cell (i, j)."""
    a, b = slopes(heights, cell, i, j, x, y)
    return heights[i, j] + a * (x - i * cell) + b * (y - j * cell)


def through_walls(heights, cell, ends, i, j, x, y, z, best, h):
    """Return best and the nearest point, by the four upright walls, of a point inside."""
    rows, columns = heights.shape
    nx, ny, nz = x, y, h
    for side in range(4):
        wx, wy, wi, wj = x, y, i, j
        if side == 0:
            wx, wi = 0.0, 0
        elif side == 1:
            wx, wi = ends[0], rows - 2
        elif side == 2:
            wy, wj = 0.0, 0
        else:
            wy, wj = ends[1], columns - 2
        away = (x - wx) ** 2 + (y - wy) ** 2
        if away < best and z <= height(heights, cell, wi, wj, wx, wy):
            best, nx, ny, nz = away, wx, wy, z
    return best, nx, ny, nz


def among_cells(heights, low, high, cell, i, j, bx, by, x, y, z, away, best, nx, ny, nz):
    """Return best and the nearest point, by the triangles in rings of cells around (i, j)."""
    rows, columns = low.shape
    for ring in range(max(rows, columns)):
        if ring > 0 and away + ((ring - 1) * cell) ** 2 > best:
            break
        for r in range(max(i - ring, 0), min(i + ring, rows - 1) + 1):
            edge = abs(r - i) == ring
            for c in range(max(j - ring, 0), min(j + ring, columns - 1) + 1):
                if not edge and abs(c - j) != ring:
                    continue
                gap = max(z - high[r, c], low[r, c] - z, 0.0)
                aside = max(r * cell - bx, bx - (r + 1) * cell, 0.0)
                across = max(c * cell - by, by - (c + 1) * cell, 0.0)
                if away + gap * gap + aside * aside + across * across >= best:
                    continue
                for half in range(2):
                    tx, ty, tz = on_triangle(heights, cell, r, c, half, x, y, z)
                    square = (x - tx) ** 2 + (y - ty) ** 2 + (z - tz) ** 2
                    if square < best:
                        best, nx, ny, nz = square, tx, ty, tz
    return best, nx, ny, nz


def on_triangle(heights, cell, r, c, half, x, y, z):
    """Return the point of a triangle of cell (r, c) that is nearest to (x, y, z)."""
    ax, ay, az = r * cell, c * cell, heights[r, c]
    # e and f: from its first corner to the others
    ex, ey, ez = cell, (0.0 if half == 0 else cell), 0.0
    fx, fy, fz = (cell if half == 0 else 0.0), cell, 0.0
    ez = (heights[r + 1, c] if half == 0 else heights[r + 1, c + 1]) - az
    fz = (heights[r + 1, c + 1] if half == 0 else heights[r, c + 1]) - az
    px, py, pz = x - ax, y - ay, z - az
    ep, fp = ex * px + ey * py + ez * pz, fx * px + fy * py + fz * pz
    ee, ff = ex * ex + ey * ey + ez * ez, fx * fx + fy * fy + fz * fz
    ef = ex * fx + ey * fy + ez * fz
    s, t = weights(ep, fp, ee, ff, ef)
    return ax + s * ex + t * fx, ay + s * ey + t * fy, az + s * ez + t * fz


def weights(ep, fp, ee, ff, ef):
    """Return s, t ≥ 0 with s + t ≤ 1 of the least ‖s e + t f − p‖, from the inner products."""
    eq, fq = ep - ee, fp - ef  # of p − e
    er, fr = ep - ef, fp - ff  # of p − f
    if ep <= 0 and fp <= 0:
        return 0.0, 0.0
    if eq >= 0 and fq <= eq:
        return 1.0, 0.0
    vc = ep * fq - eq * fp
    if vc <= 0 and ep >= 0 and eq <= 0:
        return ep / (ep - eq), 0.0
    if fr >= 0 and er <= fr:
        return 0.0, 1.0
    vb = er * fp - ep * fr
    if vb <= 0 and fp >= 0 and fr <= 0:
        return 0.0, fp / (fp - fr)
    va = eq * fr - er * fq
    if va <= 0 and fq >= eq and er >= fr:
        t = (fq - eq) / ((fq - eq) + (er - fr))
        return 1.0 - t, t
    total = va + vb + vc
    return vb / total, vc / total


def _example() -> tuple[Any, ...]:
    table, three = read_only(2), np.empty((0, 3))
    return three, table, table, table, 1.0, np.empty(0), three


DISTANCES = Kernel(distances, 1, example=_example, each=5e-5, seconds=3.0)
