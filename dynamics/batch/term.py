"""Terms that batches offer, bound to one robot: kernels, tables and shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ...arrays import Array
from ...errors import warn
from ...robots.robot import Robot
from ..kernels import toolchain
from ..kernels.body_table import body_table, unknown_joints
from ..kernels.scalars import LANES
from ..kernels.toolchain import Kernel, Overload
from ..per_robot import per_robot


@dataclass(frozen=True, eq=False)
class Term:
    """A term of the equations of motion, worked out for each row.

    Attributes:
        kernel: called as kernel(table, *tables, *values, out, first, last, memory), see
            `kernels.rows`. None: there is none.
        single: the function for one state: single(robot, *rows of the values) -> row of `out`.
        takes: the names of the values, "Q", "V", "A", "tau", or those of `widths`.
        gives: the shape of a row of `out`; for a number may stand the name of a value as long as
            that, or a function of the robot.
        tables: tables(robot), what else the kernel reads, the same for all rows.
        in_lanes: out (blocks, …, LANES) instead of (N, …).
        requires: requires(robot) raises an error for robots that do not have the term.
        widths: sizes of the rows of other values.
    """

    kernel: Callable[..., int] | None
    single: Callable[..., Any]
    takes: tuple[str, ...]
    gives: tuple[int | str | Callable[[Robot], int], ...]
    tables: Callable[[Robot], tuple[Any, ...]] = lambda robot: ()
    in_lanes: bool = False
    requires: Callable[[Robot], object] = lambda robot: None
    widths: Mapping[str, int] = field(default_factory=dict)


class BoundTerm:
    """A term for one robot (which it does not keep alive).

    Attributes:
        term: what is worked out.
        compiles: whether there is a kernel for it.
        tables: the first arguments of the kernel.
        widths: sizes of the rows of the values.
        shape: of a row of the answer.
        one_row: the shape of the answers where there is but one row.
        new: new(shape) is an array for answers.
        many: the compiled kernel for eight rows at a time; None until it is used.
        one: the same for a single row, where all lanes but one would be idle.
    """

    many: Callable[..., int] | None = None
    one: Callable[..., int] | None = None

    def __init__(self, robot: Robot, term: Term) -> None:
        term.requires(robot)
        sizes = {"Q": robot.nq, "V": robot.nv, "A": robot.nv, "tau": robot.na, **term.widths}
        self.term = term
        self.widths = tuple(sizes[name] for name in term.takes)
        self.shape = tuple(
            sizes[x] if isinstance(x, str) else x if isinstance(x, int) else x(robot)
            for x in term.gives
        )
        self.one_row = self.full(1)
        self.new: Callable[..., Array] = _zeros_on_cache_lines if term.in_lanes else np.empty
        self.compiles = term.kernel is not None and _can_compile(robot)
        self.tables = (
            (body_table(robot).view(np.uint8), *term.tables(robot)) if self.compiles else ()
        )

    def full(self, count: int) -> tuple[int, ...]:
        """Return the shape of the answers of so many rows."""
        if self.term.in_lanes:
            return -(-count // LANES), *self.shape, LANES
        return count, *self.shape

    def overload(self, single: bool) -> Overload:
        """Return the kernel for these tables: for one row, or for eight at a time."""
        numbers = LANES if self.term.in_lanes or not single else 1
        values = [toolchain.read_only(2)] * len(self.widths)
        out = np.empty((0,) * len(self.one_row))
        kernel = _kernel(self.term.kernel, numbers)
        return kernel.overload(*self.tables, *values, out, 0, 0, np.empty(0))

    def select(self, count: int, single: bool) -> Callable[..., int] | None:
        """Return the compiled kernel, or None while row by row is sooner."""
        kernel = self.one if single else self.many
        if kernel is None and self.compiles:
            kernel = self.overload(single).select(count)
            if single:
                self.one = kernel
            else:
                self.many = kernel
            if kernel is None:
                _warn_without_kernels()
        return kernel


@cache
def _kernel(function: Callable[..., int], numbers: int) -> Kernel:
    """Return the kernel that some terms and all robots share."""
    return Kernel(function, numbers)


def bound(robot: Robot, term: Term) -> BoundTerm:
    """Return a term for a robot; the first time, it is said if there is no kernel."""
    try:
        return _bound(robot)[term]
    except KeyError:
        return _bound(robot).setdefault(term, BoundTerm(robot, term))


@per_robot
def _bound(robot: Robot) -> dict[Term, BoundTerm]:
    """The terms that were asked for."""
    return {}


def _zeros_on_cache_lines(shape: tuple[int, ...]) -> Array:
    """Return zeros that start at a multiple of 64 bytes: a lane is then one cache line, not two."""
    size = math.prod(shape)
    memory = np.zeros(size + LANES)
    start = -(memory.ctypes.data // memory.itemsize) % LANES
    return memory[start : start + size].reshape(shape)


def _can_compile(robot: Robot) -> bool:
    """Whether there are kernels for a robot; where not, it is said, once."""
    if unknown_joints(robot):
        _note_joints(robot)
        return False
    return not _warn_without_kernels()


def _warn_without_kernels() -> bool:
    instead = "dynamics.batch calls Pinocchio state by state"
    return toolchain.warn_without_kernels(instead, "4 to 30 times")


@per_robot
def _note_joints(robot: Robot) -> None:
    names = ", ".join(map(repr, unknown_joints(robot)))
    warn(
        f"{robot.name!r}: dynamics.batch calls Pinocchio state by state, because kernels know "
        f"free flyers as the base, hinges, sliders, translations and ball joints; not {names}"
    )
