"""Arrays of results: copies of Pinocchio's, and those given as `out`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..arrays import Array
from ..errors import ConfigurationError


def columns(matrix: Any, order: Literal["C", "K"] = "C") -> Array:
    """Return a copy (…, nv) of what Pinocchio returned; "K" keeps its layout.

    eigenpy hands matrices with one column, of a robot with nv = 1, over as vectors.
    """
    copy = np.array(matrix, order=order)
    return copy if copy.ndim == 2 else copy[:, None]


def check_out(out: Array, shape: tuple[int, ...]) -> Array:
    """Return `out` if results of this shape can be written to it.

    Raises:
        ConfigurationError: another shape or type, not row by row, or read-only.
    """
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == np.float64
    masked = isinstance(out, np.ma.MaskedArray)  # kernels would write past the mask
    if masked or not (fits and out.flags.carray):  # in order, aligned, writable
        found = f"{out.dtype} {out.shape}" if type(out) is np.ndarray else type(out).__name__
        raise ConfigurationError(
            f"out: got {found}; expected a writable float64 array {shape}, row by row"
        )
    return out
