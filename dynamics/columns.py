"""Matrices with one column: eigenpy hands those of a robot with nv = 1 over as vectors."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..arrays import Array


def columns(matrix: Any, order: Literal["C", "K"] = "C") -> Array:
    """Return a copy (…, nv) of what Pinocchio returned, also for nv = 1; "K" keeps its layout."""
    copy = np.array(matrix, order=order)
    return copy if copy.ndim == 2 else copy[:, None]
