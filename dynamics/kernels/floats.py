# mypy: disable-error-code="no-untyped-def, misc, no-untyped-call, import-untyped, attr-defined"
"""The number of the compiled reading of a single state: a float, in arrays of one lane.

Imported by `compiling` alone, as `lanes` is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from . import memory, scalars
from .body_table import as_bodies
from .compiling import INLINED
from .memory import in_parts, without_last_axis

OPTIONS: dict[str, Any] = {"fastmath": {"contract", "nsz"}}  # as lanes reckon
_inlined = {**INLINED, **OPTIONS}


@intrinsic
def as_lanes(typingctx, rows):
    """View floats (…, 1) as floats (…)."""
    view = types.Array(types.float64, rows.ndim - 1, "C")

    def codegen(context, builder, sig, args):
        return without_last_axis(context, builder, rows, args[0], view)

    return view(rows), codegen


@njit(**_inlined)
def rooms(memory, *counts):
    """Divide memory into room for so many numbers each (count, 1)."""
    total = 0
    for count in counts:
        total += count
    if total > len(memory):
        raise MemoryError
    return in_parts(memory[:total].reshape(total, 1), counts)


@njit(**_inlined)
def turn_in(X, row, lanes, k):
    """A square of one number."""
    lanes[k, 0] = X[row, k]


@njit(**_inlined)
def turn_out(lanes, k, X, row):
    """A square of one number."""
    X[row, k] = lanes[k, 0]


@njit(**_inlined)
def floor(x):
    """The largest whole number below."""
    return np.floor(x)


# plain function -> what stands for it in kernels compiled for one state
COUNTERPARTS = {
    scalars.as_lanes: as_lanes,
    scalars.rooms: rooms,
    scalars.turn_in: turn_in,
    scalars.turn_out: turn_out,
    scalars.floor: floor,
    as_bodies: memory.as_bodies,
}
