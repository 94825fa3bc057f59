"""Frames along a motion: their twists, and the torques of wrenches on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Array
from ..dynamics import batch
from ..robots import Robot

_ROWS = 512  # Jacobians (rows, 6, nv) at a time, so that they stay in the cache


def frame_twists(robot: Robot, q: Array, v: Array, frame: str, threads: int = 1) -> Array:
    """Return J v = [v; ω] (n, 6) of a frame for q (n, nq) and v (n, nv), world axes."""
    twists = np.empty((len(q), 6))
    for rows, J in _jacobians(robot, q, frame, threads):
        twists[rows] = np.einsum("nij,nj->ni", J, v[rows])
    return twists


def frame_torques(robot: Robot, q: Array, frame: str, wrenches: Array) -> Array:
    """Return Jᵀw (n, nv) of wrenches w (n, 6) on a frame about its origin, world axes."""
    torques = np.empty((len(q), robot.nv))
    for rows, J in _jacobians(robot, q, frame):
        torques[rows] = np.einsum("nij,ni->nj", J, wrenches[rows])
    return torques


def _jacobians(
    robot: Robot, q: Array, frame: str, threads: int = 1
) -> Iterator[tuple[slice, Array]]:
    """Yield some rows after the other, and their J (rows, 6, nv), which the next overwrites."""
    J = np.empty((min(_ROWS, len(q)), 6, robot.nv))
    for first in range(0, len(q), _ROWS):
        rows = slice(first, min(first + _ROWS, len(q)))
        out = J[: rows.stop - first]
        batch.frame_jacobian(robot, q[rows], frame, out=out, threads=threads)
        yield rows, out
