"""The kernels of verdicts as they are compiled: of one problem, and of eight side by side."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...dynamics.kernels.scalars import LANES
from ...dynamics.kernels.toolchain import Kernel, read_only
from .contact_columns import ContactFrames, contact_columns, scale_rows
from .state_program import Answer, Constants, Whole, Workspace, state_answer, state_program
from .verdict import Found, Program, verdicts

_SECONDS = 40.0  # that compiling `verdicts` takes, about


def _tables(cls: Any) -> Any:
    """A NamedTuple of empty tables."""
    return cls._make([np.empty((0, 0))] * len(cls._fields))


def _of_verdicts() -> tuple[Any, ...]:
    return _tables(Program), 0, (0, 0, 0, 0), _tables(Found), 0, 0, np.empty(0)


def _frames() -> ContactFrames:
    joint, turns, owner = read_only(1, np.intp), read_only(1, bool), read_only(1, np.intp)
    T, table, row = read_only(3), read_only(2), read_only(1)
    return ContactFrames(table, joint, T, turns, table, table, owner, row, row)


def _constants() -> Constants:
    row, index = read_only(1), read_only(1, np.intp)
    whole = Whole(read_only(2), row, row, row)
    return Constants((0, 0, 0, 0), 1.0, index, index, index, index, whole)


def _of_program() -> tuple[Any, ...]:
    load, *others = _of_answer()
    return read_only(2), read_only(3), load, read_only(2), *others


def _of_answer() -> tuple[Any, ...]:
    row, table, hypercube = np.empty(0), np.empty((0, 0)), np.empty((0, 0, 0, 0))
    work = Workspace(hypercube, hypercube, table, _tables(Found), row)
    answer = Answer._make([row, hypercube, row, table, *[row] * 4])
    return row, _frames(), _constants(), work, _tables(Program), answer


def _of_columns() -> tuple[Any, ...]:
    J, R = read_only(4), read_only(4)
    return J, R, _frames(), np.empty((0, 0, 0, 0)), np.empty((0, 0))


def _of_scale() -> tuple[Any, ...]:
    return read_only(3), *[read_only(2)] * 3, _constants(), _tables(Program)


_options: dict[str, Any] = {"each": 2e-3, "seconds": _SECONDS, "inlined": 400}
VERDICTS = Kernel(verdicts, LANES, example=_of_verdicts, **_options)
VERDICT = Kernel(verdicts, 1, example=_of_verdicts, **_options)
PROGRAM = Kernel(state_program, 1, example=_of_program, seconds=3.0)
ANSWER = Kernel(state_answer, 1, example=_of_answer, seconds=2.0)
COLUMNS = Kernel(contact_columns, 1, example=_of_columns, seconds=2.0)
SCALE = Kernel(scale_rows, 1, example=_of_scale, seconds=2.0)

_OF_STATE = PROGRAM, VERDICT, ANSWER


class Kernels(NamedTuple):
    """What a verdict needs."""

    verdicts: Any
    columns: Any
    scale: Any


def select(count: int) -> Kernels | None:
    """Return the compiled kernels for so many problems; None where the conic solver is sooner."""
    kernel = VERDICT if count == 1 else VERDICTS
    found = kernel.select(count), COLUMNS.select(count), SCALE.select(count)
    return None if None in found else Kernels(*found)


def select_of_state() -> tuple[Any, ...] | None:
    """Return the compiled `state_program`, `verdicts` and `state_answer`, likewise.

    Their arguments are not checked, which takes longer than many a call.
    """
    if None in [kernel.select(1) for kernel in _OF_STATE]:
        return None
    return tuple(kernel.overload().unchecked() for kernel in _OF_STATE)


@contextmanager
def by_the_solver(count: int, counts: bool = True) -> Iterator[None]:
    """Count the time that the conic solver takes for so many problems, see `Kernel.uncompiled`."""
    with ExitStack() as stack:  # many need them all
        needed = _OF_STATE if count == 1 else (VERDICTS, COLUMNS, SCALE)
        for kernel in needed if counts else ():
            stack.enter_context(kernel.uncompiled(count))
        yield
