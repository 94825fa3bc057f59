"""Bounds on accelerations that keep joints within their ranges and speeds: `joint_limits`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics.kernels.toolchain import Kernel, read_only


class Ranges(NamedTuple):
    """Of each joint its entries in q and v, the ends of its range, and its largest speed (na,)."""

    rows_q: Index
    rows_v: Index
    lower: Array
    upper: Array
    speed: Array


def within(h, v, k, pushed):
    """Return the largest acceleration towards the end of a range, at h from there and a speed v."""
    fastest, beyond = k * k * h - 2 * k * v, v / k - h  # e
    if beyond > pushed:
        share = min(beyond / pushed - 1, 1.0)
        fastest = max(fastest, share * -k * k * pushed + (1 - share) * fastest)
    return fastest


def joint_bounds(q, v, ranges, k, grip, pushed, slowest, fastest):
    """Write the slowest and the fastest accelerations (na,) of joints at q (nq,) and v (nv,).

    Args:
        q, v: the state.
        ranges: of the joints.
        k, grip: rates of the barriers of ranges and speeds [1/s].
        pushed: δ [rad or m].
        slowest, fastest: are written.
    """
    for i in range(len(slowest)):
        x, dx = q[ranges.rows_q[i]], v[ranges.rows_v[i]]
        high = min(within(ranges.upper[i] - x, dx, k, pushed), grip * (ranges.speed[i] - dx))
        low = max(-within(x - ranges.lower[i], -dx, k, pushed), -grip * (ranges.speed[i] + dx))
        if low > high:
            low = high = (low + high) / 2
        slowest[i], fastest[i] = low, high


def _example() -> tuple[Any, ...]:
    q, row, index = read_only(1), np.empty(0), np.empty(0, np.intp)
    return q, q, Ranges(index, index, row, row, row), 1.0, 1.0, 1.0, row, row


# rounded as by NumPy
JOINT_BOUNDS = Kernel(joint_bounds, 1, fastmath=(), example=_example, each=5e-5, seconds=1.0)
