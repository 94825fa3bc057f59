"""Execution of batches: kernels take ranges of rows, threads share them, input is checked.

Kernels check what they are given themselves, so arrays of floats go straight to them; a call that a
kernel does not take (other types or sizes, rows in doubt, several threads) is looked at here.
Where there is no kernel (no Numba, or a joint that kernels lack), while it would take longer to
compile one, and for the few rows that a kernel hands back, the function for one state is called row
by row. It raises what it would raise for one state, and the row is named.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError, FootworkError
from ...robots import values
from ...robots.robot import Robot
from ..columns import check_out
from ..kernels.rows import DONE, MISFIT
from ..kernels.scalars import LANES
from ..workspace import KERNEL_MEMORY
from .term import BoundTerm, Term, bound

_FLOAT = np.dtype(np.float64)
_NOTHING = nullcontext()
_PART = 32 * LANES  # rows done one by one before it is asked again whether there is a kernel


def run(
    robot: Robot,
    term: Term,
    given: tuple[ArrayLike, ...],
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Return out (N, *shape), filled; `given` are (N, width) each, in the order of term.takes."""
    task = bound(robot, term)
    if task.compiles and type(threads) is int and threads == 1:
        try:
            for value in given:
                if type(value) is not np.ndarray:  # a kernel would read what a masked array hides
                    raise TypeError
            count = len(given[0])  # type: ignore[arg-type]
            if count == 1:
                kernel, shape = task.one, task.one_row
            else:
                kernel, shape = task.many, task.full(count)
            if kernel is not None:
                target = task.new(shape) if out is None else out
                if kernel(*(task.tables + given + (target, 0, count, KERNEL_MEMORY.array))) == DONE:
                    return target
        except Exception:  # no arrays, or not as the kernel takes them: what it is, is said below
            pass
    return run_bound(robot, task, given, out, threads)


def run_bound(
    robot: Robot, task: BoundTerm, given: Sequence[ArrayLike], out: Array | None, threads: int
) -> Array:
    """The same for a bound term, of anything that can be read as rows of numbers."""
    term = task.term
    arrays = [
        as_rows(value, width, name)
        for value, width, name in zip(given, task.widths, term.takes, strict=True)
    ]
    count = len(arrays[0])
    if any([len(array) != count for array in arrays]):
        sizes = ", ".join(f"{len(a)} of {n}" for a, n in zip(arrays, term.takes, strict=True))
        raise ConfigurationError(f"got {sizes}; expected as many rows of each")
    shape = task.full(count)
    out = task.new(shape) if out is None else _fitting(shape, out, arrays)
    here, *others = _ranges(count, threads)
    if others:
        pool = _pool(os.getpid(), len(others))
        tasks = [pool.submit(_fill, robot, task, arrays, out, *rows) for rows in others]
        try:
            _fill(robot, task, arrays, out, *here)
        finally:
            wait(tasks)  # all of them, also when one fails: none may write to `out` later
        for other in tasks:
            other.result()
    else:
        _fill(robot, task, arrays, out, *here)
    return out


def as_rows(value: ArrayLike, width: int, name: str) -> Array:
    """Return an array (N, width) of floats, row by row in memory.

    Raises:
        ConfigurationError: another shape, or no numbers.
    """
    if type(value) is np.ndarray and value.dtype is _FLOAT and value.shape[1:] == (width,):
        return np.require(value, requirements=["C", "A"])  # itself if it is in order, and aligned
    rows = values.array(value, name, (None, width), meaning="a state a row")
    return np.require(rows, np.float64, ["C", "A"])


def _fitting(shape: tuple[int, ...], out: Array, arrays: list[Array]) -> Array:
    """Return `out` if it can be written to, and is no input."""
    check_out(out, shape)
    if any([_may_share_memory(out, array) for array in arrays]):
        raise ConfigurationError("out: got memory of an input; expected an array of its own")
    return out


def _may_share_memory(a: Array, b: Array) -> bool:
    """Whether two arrays overlap, as far as their bounds tell."""
    if a.base is None and b.base is None:  # each owns its memory
        return a is b
    return np.may_share_memory(a, b)


def _ranges(count: int, threads: int) -> list[tuple[int, int]]:
    """Return (first, last) for each thread, cut between blocks of LANES rows."""
    threads = values.whole_number(threads, "threads", at_least=1, exact=True)
    blocks = -(-count // LANES)
    cuts = [min(LANES * (blocks * i // threads), count) for i in range(threads + 1)]
    return [(a, b) for a, b in pairwise(cuts) if b > a] or [(0, 0)]


@cache
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """Threads that stay for the next call; a forked process has its own."""
    return ThreadPoolExecutor(threads, thread_name_prefix="footwork-batch")


def _fill(
    robot: Robot, task: BoundTerm, arrays: list[Array], out: Array, first: int, last: int
) -> None:
    """Rows first … last of out: by the kernel and, where it hands one back, one by one."""
    single = len(arrays[0]) == 1
    while first < last:
        kernel = task.select(last - first, single)
        if kernel is None:
            stop = min(first + _PART, last) if task.compiles else last
            with task.overload(single).uncompiled(stop - first) if task.compiles else _NOTHING:
                _loop(robot, task, arrays, out, first, stop)
        elif (stopped := _call(kernel, task, arrays, out, first, last)) == DONE:
            return
        elif stopped == MISFIT:
            raise FootworkError(f"a kernel does not take what was checked ({task.term.takes})")
        else:
            stop = min(stopped + LANES, last)
            _loop(robot, task, arrays, out, stopped, stop)
        first = stop


def _call(
    kernel: Callable[..., int],
    task: BoundTerm,
    arrays: list[Array],
    out: Array,
    first: int,
    last: int,
) -> int:
    """Rows first … last by the kernel, in memory that grows until it is enough."""
    while True:
        try:
            return kernel(*task.tables, *arrays, out, first, last, KERNEL_MEMORY.array)
        except MemoryError:
            KERNEL_MEMORY.of(2 * len(KERNEL_MEMORY.array))


def _loop(
    robot: Robot, task: BoundTerm, arrays: list[Array], out: Array, first: int, last: int
) -> None:
    """Rows first … last by the function for one state, whose errors get the row's number."""
    for row in range(first, last):
        try:
            answer = task.term.single(robot, *[array[row] for array in arrays])
        except FootworkError as error:
            raise type(error)(f"row {row}: {error}") from None
        if task.term.in_lanes:
            out[row // LANES, ..., row % LANES] = answer
        else:
            out[row] = answer
