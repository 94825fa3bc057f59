"""Vertical axis of a laboratory (often y) and of robots (z), and the rotation between them."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..errors import ConfigurationError, unknown

_UP = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def up_vector(up: str) -> Array:
    """Return the unit vector (3,) of "x", "y" or "z".

    Raises:
        ConfigurationError: there is no such axis.
    """
    if not isinstance(up, str) or up not in _UP:
        raise ConfigurationError(unknown("axis", up, _UP))
    return np.array(_UP[up])


def turning(old: str, new: str) -> Array:
    """Return R_new_old (3, 3), the quarter turn (or identity) between two vertical axes.

    From y up to z up, (x, y, z) becomes (x, −z, y): x keeps its direction.
    """
    a, b = up_vector(old), up_vector(new)
    axis = np.cross(a, b)
    if not axis.any():
        return np.eye(3)
    # the axis stays, a goes to b and b to −a
    return np.asarray(np.outer(axis, axis) + np.outer(b, a) - np.outer(a, b))
