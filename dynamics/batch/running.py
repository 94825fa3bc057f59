"""How a batch runs: what enters is checked, kernels take ranges of rows, threads share them.

Where there is no kernel (no Numba, or a joint that kernels lack), and for the few rows that a
kernel hands back, the function for one state is called row by row. It raises what it would raise
for one state, and the row is named.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ConfigurationError, FootworkError, FootworkWarning
from ...robots.robot import Robot
from ..kernels import compiling
from ..kernels.body_table import body_table, unknown_joints
from ..kernels.scalars import LANES
from ..per_robot import per_robot

Array = NDArray[np.float64]

Kernel = tuple[Callable[..., int], Any]  # compiled, and the bodies it reads

_FLOAT = np.dtype(np.float64)


class Work(NamedTuple):
    """What is to be done for each row.

    Attributes:
        kernel: called as kernel(bodies, *tables, *values, out, first, last); −1, or the row from
            which on eight rows are handed back. None: there is none.
        single: the function for one state: single(*rows of the values) -> row of `out`.
        tables: what else the kernel reads, the same for all rows.
        in_lanes: out (blocks, …, LANES) instead of (N, …).
    """

    kernel: Callable[..., int] | None
    single: Callable[..., Any]
    tables: tuple[Any, ...] = ()
    in_lanes: bool = False


def run(
    robot: Robot,
    work: Work,
    values: Sequence[tuple[str, ArrayLike, int]],
    shape: tuple[int, ...],
    out: Array | None,
    threads: int,
) -> Array:
    """Return out (N, *shape), filled; `values` are (name, (N, width), width)."""
    arrays = [as_rows(value, width, name) for name, value, width in values]
    count = len(arrays[0])
    if any([len(array) != count for array in arrays]):
        sizes = ", ".join(f"{len(a)} of {v[0]}" for a, v in zip(arrays, values, strict=True))
        raise ConfigurationError(f"got {sizes}; expected as many rows of each")
    full = (-(-count // LANES), *shape, LANES) if work.in_lanes else (count, *shape)
    out = _room(full, out, arrays, zero=work.in_lanes)
    kernel = _kernel(robot, work.kernel) if work.kernel else None
    if type(threads) is int and threads == 1:
        _fill(work, kernel, arrays, out, 0, count)
        return out
    ranges = _ranges(count, threads)
    pool = _pool(os.getpid(), len(ranges))
    tasks = [pool.submit(_fill, work, kernel, arrays, out, *rows) for rows in ranges]
    wait(tasks)  # all of them, also when one fails: none may write to `out` later
    for task in tasks:
        task.result()
    return out


def as_rows(value: ArrayLike, width: int, name: str) -> Array:
    """Return an array (N, width) of floats, row by row in memory.

    Raises:
        ConfigurationError: another shape, or no numbers.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT and value.shape[1:] == (width,):
        return np.ascontiguousarray(value)  # itself if it is
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"an array of dtype {array.dtype}")
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{name}: got {error}; expected numbers (N, {width})") from None
    if array.ndim != 2 or array.shape[1] != width:
        raise ConfigurationError(
            f"{name}: got shape {array.shape}, expected (N, {width}): a state a row"
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def _room(shape: tuple[int, ...], out: Array | None, arrays: list[Array], zero: bool) -> Array:
    """Return `out` if it fits, or a new array."""
    if out is None:
        return _zeros_on_cache_lines(shape) if zero else np.empty(shape)
    fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == _FLOAT
    if not (fits and (flags := out.flags).c_contiguous and flags.writeable):
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ConfigurationError(
            f"out: got {found}; expected a writable float64 array {shape}, row by row"
        )
    if any([_may_share_memory(out, array) for array in arrays]):
        raise ConfigurationError("out: got memory of an input; expected an array of its own")
    return out


def _zeros_on_cache_lines(shape: tuple[int, ...]) -> Array:
    """Return zeros that start at a multiple of 64 bytes: a lane is then one cache line, not two."""
    size = math.prod(shape)
    room = np.zeros(size + LANES)
    start = -(room.ctypes.data // room.itemsize) % LANES
    return room[start : start + size].reshape(shape)


def _may_share_memory(a: Array, b: Array) -> bool:
    """Whether two arrays overlap, as far as their bounds tell."""
    if a.base is None and b.base is None:  # each owns its memory
        return a is b
    return np.may_share_memory(a, b)


def _ranges(count: int, threads: int) -> list[tuple[int, int]]:
    """Return (first, last) for each thread, cut between blocks of LANES rows."""
    if not isinstance(threads, int | np.integer) or isinstance(threads, bool) or threads < 1:
        raise ConfigurationError(f"threads: got {threads!r}; expected a whole number ≥ 1")
    blocks = -(-count // LANES)
    cuts = [min(LANES * (blocks * i // int(threads)), count) for i in range(int(threads) + 1)]
    return [(a, b) for a, b in pairwise(cuts) if b > a] or [(0, 0)]


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads that stay for the next call; a forked process has its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="footwork-batch")


def _fill(
    work: Work, kernel: Kernel | None, arrays: list[Array], out: Array, first: int, last: int
) -> None:
    """Rows first … last of out, by the kernel, and what it hands back one by one."""
    if kernel is None:
        _loop(work, arrays, out, first, last)
        return
    run_rows, bodies = kernel
    while (stopped := run_rows(bodies, *work.tables, *arrays, out, first, last)) >= 0:
        first = min(stopped + LANES, last)
        _loop(work, arrays, out, stopped, first)


def _loop(work: Work, arrays: list[Array], out: Array, first: int, last: int) -> None:
    """Rows first … last by the function for one state, whose errors get the row's number."""
    for row in range(first, last):
        try:
            answer = work.single(*[array[row] for array in arrays])
        except FootworkError as error:
            raise type(error)(f"row {row}: {error}") from None
        if work.in_lanes:
            out[row // LANES, ..., row % LANES] = answer
        else:
            out[row] = answer


def _kernel(robot: Robot, kernel: Callable[..., int]) -> Kernel | None:
    """Return the compiled kernel and the table it reads, if the robot's joints are known."""
    ready = _ready(robot)
    if kernel not in ready:
        ready[kernel] = _prepared(robot, kernel)
    return ready[kernel]


@per_robot
def _ready(robot: Robot) -> dict[Callable[..., int], Kernel | None]:
    """The kernels that were asked for."""
    return {}


def _prepared(robot: Robot, kernel: Callable[..., int]) -> Kernel | None:
    bodies = body_table(robot)
    if bodies is None:
        _note_joints(robot)
        return None
    if not compiling.available():
        _note_numba("Numba is not installed")
        return None
    try:
        return compiling.compiled(kernel), bodies
    except ImportError as error:  # Numba is there, but not for this NumPy or Python
        _note_numba(str(error))
        return None


@cache
def _note_numba(reason: str) -> None:
    warnings.warn(
        f"dynamics.batch calls Pinocchio state by state: {reason}. pip install 'footwork[fast]' "
        "for compiled kernels, 5 to 30 times as fast",
        FootworkWarning,
        stacklevel=6,
    )


@per_robot
def _note_joints(robot: Robot) -> None:
    names = ", ".join(map(repr, unknown_joints(robot)))
    warnings.warn(
        f"{robot.name!r}: dynamics.batch calls Pinocchio state by state, because kernels know "
        f"free flyers, hinges and sliders (without rotors in the base); not {names}",
        FootworkWarning,
        stacklevel=6,
    )
