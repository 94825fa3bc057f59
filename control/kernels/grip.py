"""Slides of feet: how far each is from where it came to stand, see `grip`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.kernels.toolchain import Kernel, read_only
from .frames import add_cross, along, rotation_vector


class Standing(NamedTuple):
    """Feet that stand, one a row; places (12,) are R row by row, then p.

    joints: (n,) that carry them. local: (n, 12), their axes and centres in the axes of the joint,
    or axes of the world where `fixed` (n,). arms: (n, 3), as of `dynamics.kernels.points`.
    soles: (n,), whether they can turn about the normal by sliding alone.
    starts: (n, 12), R of the joint, and where they touched, as they came to stand.
    ways: (n, 3), the filtered way along two tangents [m] and the angle about the normal [rad].
    """

    joints: NDArray[np.intp]
    local: Array
    fixed: NDArray[np.bool_]
    arms: Array
    soles: NDArray[np.bool_]
    starts: Array
    ways: Array


def place_of(T, joint, local, fixed, arm, body, axes):
    """Write R of the body and where the foot touches into `body` (12,), its axes into `axes`."""
    for i in range(3):
        body[9 + i] = T[joint, i, 3] + arm[i]
        for j in range(3):
            body[3 * i + j] = T[joint, i, j]
            body[9 + i] += T[joint, i, j] * local[9 + j]
            axes[3 * i + j] = local[3 * i + j] if fixed else 0.0
            for k in range(3):
                axes[3 * i + j] += 0.0 if fixed else T[joint, i, k] * local[3 * k + j]


def slides(T, feet, share, slid, turned, tilted):
    """Take up how far feet are from their starts; return how many have slid, which start anew.

    Args:
        T: (joints, 3, 4), placements [R | p].
        feet: their starts and ways are written.
        share: of the new way in the filtered one.
        slid, turned: from which way [m] and angle [rad] on a foot has slid.
        tilted: angle [rad] from which on a sole has rolled over an edge.
    """
    body, axes, off, count = np.empty(12), np.empty(9), np.empty(6), 0
    for k in range(len(feet.joints)):
        start, way = feet.starts[k], feet.ways[k]
        place_of(T, feet.joints[k], feet.local[k], feet.fixed[k], feet.arms[k], body, axes)
        rotation_vector(start, body, off)
        for i in range(3):
            off[i] = body[9 + i] - start[9 + i]
        add_cross(off, 0, off, 3, feet.arms[k], 0)
        for i in range(2):
            way[i] += share * (along(axes, i, off, 0) - way[i])
        way[2] += share * ((along(axes, 2, off, 3) if feet.soles[k] else 0.0) - way[2])
        x, y = along(axes, 0, off, 3), along(axes, 1, off, 3)
        rolled = feet.soles[k] and x * x + y * y > tilted * tilted
        moved = way[0] * way[0] + way[1] * way[1] > slid * slid or abs(way[2]) > turned
        if rolled or moved:
            count += not rolled
            for i in range(12):
                start[i] = body[i]
            for i in range(3):
                way[i] = 0.0
    return count


def _example() -> tuple[Any, ...]:
    T, table, flags = read_only(3), np.empty((0, 0)), np.empty(0, np.bool_)
    feet = Standing(np.empty(0, np.intp), table, flags, table, flags, table, table)
    return T, feet, 0.0, 0.0, 0.0, 0.0


SLIDES = Kernel(slides, 1, arrays=True, example=_example, each=3e-4, seconds=2.0)
