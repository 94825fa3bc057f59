"""Numbers of kernels: SIMD lanes, rows of NumPy or SymPy expressions.

A kernel is plain Python on plain operators, so the same source can be read three ways:

- compiled: a number is `LANES` configurations side by side in one SIMD register, each in a lane of
  its own (`numba_lanes` has that type, `toolchain` the compiler); for a single state one float,
  LANES = 1;
- as NumPy: a number is a row of `LANES` floats, or one float. Slow, but every line can be stepped
  through; set NUMBA_DISABLE_JIT=1 to have it everywhere;
- as SymPy: a number is an expression, and the kernel prints its closed form (`closed_forms.py`).

The functions here are the NumPy and SymPy reading; `numba_lanes.COUNTERPARTS` has the compiled
ones.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES = 8  # doubles in a vector register of 512 bits; LLVM splits them where registers are shorter


def sincos(angle: Any) -> tuple[Any, Any]:
    """Return sin and cos of an angle [rad]."""
    if hasattr(angle, "free_symbols"):
        import sympy

        return sympy.sin(angle), sympy.cos(angle)
    return np.sin(angle), np.cos(angle)


def floor(x: Any) -> Any:
    """Return the largest whole number below x."""
    return np.floor(x)


def workspaces(memory: NDArray[np.float64], *counts: int) -> tuple[NDArray[np.float64], ...]:
    """Divide memory into workspaces of so many lanes each: floats (count, LANES).

    Raises:
        MemoryError: it is too small.
    """
    ends = np.cumsum(counts)
    if LANES * ends[-1] > len(memory):
        raise MemoryError
    rows = memory[: LANES * ends[-1]].reshape(-1, LANES)
    return tuple(np.split(rows, ends[:-1]))


def as_lanes(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """View floats (…, LANES) as lanes (…)."""
    return rows


def shaped(rows: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """View floats (…, LANES) as lanes of another shape of as many."""
    return rows.reshape((*shape, LANES))


def arrays(
    rows: NDArray[np.float64], shapes: tuple[tuple[int, ...], ...]
) -> tuple[NDArray[np.float64], ...]:
    """Divide floats (…, LANES) into lanes of these shapes, one after the other."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(rows[: ends[-1]], ends[:-1])
    return tuple(part.reshape((*shape, LANES)) for part, shape in zip(parts, shapes, strict=True))


def turn_in(X: NDArray[np.float64], row: int, lanes: NDArray[np.float64], k: int) -> None:
    """lanes[k : k + LANES] = the square X[row : row + LANES, k : k + LANES], transposed."""
    lanes[k : k + LANES] = X[row : row + LANES, k : k + LANES].T


def turn_in_each(X: tuple[NDArray[np.float64], ...], lanes: NDArray[np.float64], k: int) -> None:
    """lanes[k : k + LANES] = the square of X[0][k : k + LANES] …, transposed; the last repeats."""
    for lane in range(LANES):
        lanes[k : k + LANES, lane] = X[min(lane, len(X) - 1)][k : k + LANES]


def turn_out(lanes: NDArray[np.float64], k: int, X: NDArray[np.float64], row: int) -> None:
    """X[row : row + LANES, k : k + LANES] = the square lanes[k : k + LANES], transposed."""
    X[row : row + LANES, k : k + LANES] = lanes[k : k + LANES].T


# Lanes run the same instructions, so there is no `if` between them: both ways are worked out, and
# one of the results is taken.


def root(x: Any) -> Any:
    """Return √x, nan below zero."""
    return np.sqrt(x)


def inverse(x: Any) -> Any:
    """Return 1/x; of lanes to 1e-15, and nan where x is 0, infinite or subnormal."""
    return 1.0 / x


def roots(x: Any) -> tuple[Any, Any]:
    """Return √x and 1/√x; of lanes as `inverse`."""
    found = np.sqrt(x)
    return found, 1.0 / found


def choose(sign: Any, positive: Any, other: Any) -> Any:
    """Return `positive` where sign > 0, else `other` (also where sign is nan)."""
    return np.where(sign > 0, positive, other)


def larger(x: Any, y: Any) -> Any:
    """Return the larger of two, y where x is nan."""
    return np.where(x > y, x, y)


def smaller(x: Any, y: Any) -> Any:
    """Return the smaller of two, y where x is nan."""
    return np.where(x < y, x, y)


def size(x: Any) -> Any:
    """Return |x|."""
    return larger(x, -x)
