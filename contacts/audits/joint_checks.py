"""Checks of joints and links: ranges and speeds, self-collision, and jumps in the data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...arrays import Array
from ...dynamics.motions.motion import Motion
from ...robots.ranges import ranges, velocity_limits
from ..postures.collisions_along import self_collisions
from .check import Check


def joint_checks(motion: Motion, limits: Mapping[str, float]) -> list[Check]:
    """Return the checks of ranges, speeds and jumps; `collision_check` is asked apart."""
    return [
        range_check(motion, limits["range"]),
        speed_check(motion, limits["speed"]),
        jump_check(motion, limits["jump"]),
    ]


def range_check(motion: Motion, limit: float) -> Check:
    """Return by how much joints leave their ranges, max(lower − q, q − upper) [rad or m]."""
    robot = motion.robot
    lower, upper = ranges(robot._model)
    rows = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
    q = motion.q[:, rows]
    outside = np.maximum(lower[rows] - q, q - upper[rows])
    joints = zip(robot._model.names, robot._model.nqs, strict=True)
    names = [name for name, count in joints for _ in range(count)]  # of each entry of q
    return Check.worst_of("range", limit, outside, tuple(names[row] for row in rows.tolist()))


def speed_check(motion: Motion, limit: float) -> Check:
    """Return the largest |v| / limit of all joints that have a speed limit [-]."""
    robot = motion.robot
    fastest = velocity_limits(robot._model)
    rows = np.flatnonzero(np.isfinite(fastest))
    used = np.abs(motion.v[:, rows]) / fastest[rows]
    names = robot.joint_of_row
    return Check.worst_of("speed", limit, used, tuple(names[row] for row in rows.tolist()))


def collision_check(motion: Motion, limit: float, threads: int) -> Check:
    """Return the deepest overlap of two links at each sample [m]; see `self_collisions`."""
    found = self_collisions(motion.robot, motion.q, threads=threads)
    pairs = tuple(" and ".join(links) for links in found.links)
    return Check("collision", limit, -found.nearest, found.nearest_pair, pairs)


def jump_check(motion: Motion, limit: float) -> Check:
    """Return by how much the step to a sample differs from the steps around it [rad or m].

        |d_k − (d_{k−1} + d_{k+1}) / 2|,   d_k = q_k ⊖ q_{k−1}   (per time)

    A missing sample, a turn of 2π in a joint or a seam between two takes is such a jump.
    """
    robot, steps = motion.robot, _steps(motion)
    table = np.zeros((len(motion), robot.nv))
    if len(steps) >= 3:
        speeds = steps / np.diff(motion.t)[:, None]
        usual = (speeds[:-2] + speeds[2:]) / 2 * np.diff(motion.t)[1:-1, None]
        jumps = np.abs(steps[1:-1] - usual)
        # a jump shows in the steps before and after it too, half as large
        largest = jumps >= np.maximum(_shifted(jumps, 1), _shifted(jumps, -1))
        table[2:-1] = np.where(largest, jumps, 0.0)
    return Check.worst_of("jump", limit, table, robot.joint_of_row)


def _steps(motion: Motion) -> Array:
    """q_{k+1} ⊖ q_k (n − 1, nv)."""
    pairs = zip(motion.q[:-1], motion.q[1:], strict=True)
    found = [motion.robot.difference(before, after) for before, after in pairs]
    return np.array(found).reshape(-1, motion.robot.nv)


def _shifted(rows: Array, by: int) -> Array:
    """Rows of the neighbours, 0 beyond the ends."""
    moved = np.roll(rows, by, axis=0)
    moved[0 if by > 0 else -1] = 0.0
    return moved
