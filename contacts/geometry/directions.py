"""Directions: spread evenly over the unit sphere, and the least turn between two."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...arrays import Array


def spread_directions(count: int) -> Array:
    """Return unit vectors (count, 3) spread over the sphere: Fibonacci's spiral."""
    k = np.arange(count)
    z, turn = 1 - (2 * k + 1) / count, np.pi * (1 + np.sqrt(5)) * k
    r = np.sqrt(1 - z**2)
    return np.column_stack([r * np.cos(turn), r * np.sin(turn), z])


def least_turn(a: Array, b: Array) -> Array:
    """Return the rotation (3, 3) by the least angle that takes the unit vector a to b."""
    return np.array(pin.Quaternion.FromTwoVectors(a, b).matrix())
