"""Matrices with one column: eigenpy hands those of a robot with nv = 1 over as vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def columns(matrix: Any, rows: int) -> Array:
    """Return a copy (rows, nv) of what Pinocchio returned, also for nv = 1."""
    return np.array(matrix, order="C").reshape(rows, -1)
