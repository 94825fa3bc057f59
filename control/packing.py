"""Packing: the values of one tick in one piece of memory, which one copy keeps."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .force_tasks import ForceLikeTask, ForceRows
from .qp import Array, Program
from .tasks import PostureTask, Rows, Task

if TYPE_CHECKING:
    from .assembly import Layout


class AskedRows(NamedTuple):
    """What tasks asked at one state: dense rows, single entries of a, rows on the forces."""

    dense: list[tuple[Task, Rows]]
    single: list[tuple[PostureTask, Array, Array]]
    forces: list[tuple[ForceLikeTask, ForceRows]]

    def residuals(self, a: Array, w: Array) -> dict[str, Array]:
        """Return what each task lacks, A a − r or B w − c."""
        lacks = {task.name: rows.A @ a - rows.r for task, rows in self.dense}
        lacks |= {task.name: a[task.entries] - asked for task, asked, _ in self.single}
        return lacks | {task.name: rows.B @ w - rows.c for task, rows in self.forces}

    def errors(self) -> dict[str, Array]:
        """Return the errors of the motion tasks."""
        found = {task.name: rows.error for task, rows in self.dense}
        return found | {task.name: error for task, _, error in self.single}

    def motion(self, nv: int) -> list[tuple[Task, Rows]]:
        """Return all motion tasks as dense rows."""
        eye = np.eye(nv)
        single = [(t, Rows(eye[t.entries], asked, error)) for t, asked, error in self.single]
        return [*self.dense, *single]


class Bounds(NamedTuple):
    """The part of a program that is not packed: the forces' weights, and bounds; as there."""

    P: Array
    lower: Array
    upper: Array
    limits: Array
    slowest: Array
    fastest: Array


class Packing:
    """Where the values of a tick are, and whose they are.

    Attributes:
        arrays: by name, those of a `Program` and the errors of tasks; written by each tick.
        dense, single: tasks and their rows.
    """

    def __init__(self, layout: Layout) -> None:
        nv, dim = layout.robot.nv, layout.dim
        self.dense: list[tuple[Task, slice]] = _in_a_row(layout.dense, layout.sizes)
        self.single: list[tuple[PostureTask, slice]] = _in_a_row(layout.single, layout.sizes)
        m, n = _end(self.dense), _end(self.single)
        self.shapes = {
            "M": (nv, nv), "b": (nv,), "J": (dim, nv), "k": (dim,), "A": (m, nv), "r": (m,),
            "weight": (m,), "d": (nv,), "p": (nv,), "e": (m,), "asked": (n,), "entry_e": (n,),
            "s": (dim,),
        }  # fmt: skip
        self.memory = np.zeros(sum(prod(shape) for shape in self.shapes.values()))
        self.arrays: dict[str, Array] = self.views(self.memory)
        self.fixed = (layout.actuated, layout.unactuated, layout.F, layout.N)

    def views(self, memory: Array) -> dict[str, Array]:
        """Return the arrays in a piece of memory."""
        found, start = {}, 0
        for name, shape in self.shapes.items():
            stop = start + prod(shape)
            found[name], start = memory[start:stop].reshape(shape), stop
        return found

    def program(self, of: dict[str, Array], bounds: Bounds) -> Program:
        """Return the program of these arrays."""
        actuated, unactuated, F, N = self.fixed
        return Program(
            of["M"], of["b"], of["J"], of["k"], actuated, unactuated, of["A"], of["r"],
            of["weight"], of["d"], of["p"], bounds.P, of["s"], F, N, *bounds[1:],
        )  # fmt: skip

    def asked(
        self, of: dict[str, Array], forces: list[tuple[ForceLikeTask, ForceRows]]
    ) -> AskedRows:
        """Return what tasks asked, in these arrays."""
        dense = [(task, Rows(of["A"][i], of["r"][i], of["e"][i])) for task, i in self.dense]
        single = [(task, of["asked"][i], of["entry_e"][i]) for task, i in self.single]
        return AskedRows(dense, single, forces)


class Laid:
    """What was laid out for one state, in memory of its own."""

    def __init__(
        self,
        packing: Packing,
        bounds: Bounds,
        forces: list[tuple[ForceLikeTask, ForceRows]],
    ) -> None:
        self._packing, self._memory = packing, packing.memory.copy()
        self._bounds, self._forces = bounds, forces

    @cached_property
    def _arrays(self) -> dict[str, Array]:
        return self._packing.views(self._memory)

    @cached_property
    def program(self) -> Program:
        """The program that was solved."""
        return self._packing.program(self._arrays, self._bounds)

    @cached_property
    def asked(self) -> AskedRows:
        """What tasks asked."""
        return self._packing.asked(self._arrays, self._forces)


def _in_a_row(tasks: list[Any], sizes: dict[str, int]) -> list[tuple[Any, slice]]:
    """Tasks with their rows, one after the other."""
    found, start = [], 0
    for task in tasks:
        found.append((task, slice(start, start + sizes[task.name])))
        start += sizes[task.name]
    return found


def _end(rows: list[tuple[Any, slice]]) -> int:
    return rows[-1][1].stop if rows else 0
