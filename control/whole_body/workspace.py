"""Workspace: the arrays of one tick's program in one block of memory, which a single copy keeps."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ..program.qp import Program
from ..tasks import PostureTask, Rows, Task
from ..tasks.forces import ForceLikeTask, ForceRows
from .structure import ProgramStructure


class TaskRows(NamedTuple):
    """The rows of all tasks at one state: dense, single entries of a, and on the forces."""

    dense: list[tuple[Task, Rows]]
    diagonal: list[tuple[PostureTask, Index, Array, Array]]
    forces: list[tuple[ForceLikeTask, ForceRows]]

    def residuals(self, a: Array, w: Array) -> dict[str, Array]:
        """Return each task's residual, A a − r or B w − c."""
        found = {task.name: rows.A @ a - rows.r for task, rows in self.dense}
        found |= {task.name: a[entries] - r for task, entries, r, _ in self.diagonal}
        return found | {task.name: rows.B @ w - rows.c for task, rows in self.forces}

    def errors(self) -> dict[str, Array]:
        """Return the errors of the motion tasks."""
        found = {task.name: rows.error for task, rows in self.dense}
        return found | {task.name: error for task, _, _, error in self.diagonal}


class Workspace:
    """Preallocated arrays of a `Program`, of the tasks' errors and of postures' accelerations.

    Attributes:
        arrays: by name, written at each tick.
    """

    def __init__(self, structure: ProgramStructure) -> None:
        self.structure = structure
        nv, dim = structure.robot.nv, structure.dim
        m = structure.dense[-1][1].stop if structure.dense else 0
        n = structure.diagonal[-1][1].stop if structure.diagonal else 0
        i = structure.constraints[-1][1].stop if structure.constraints else 0
        self.shapes = {
            "M": (nv, nv), "b": (nv,), "J": (dim, nv), "k": (dim,), "A": (m, nv), "r": (m,),
            "weight": (m,), "d": (nv,), "p": (nv,), "e": (m,), "posture_r": (n,),
            "posture_e": (n,), "s": (dim,), "L": (i, nv), "least": (i,),
        }  # fmt: skip
        self.memory = np.zeros(sum(prod(shape) for shape in self.shapes.values()))
        self.arrays: dict[str, Array] = self.views(self.memory)

    def views(self, memory: Array) -> dict[str, Array]:
        """Return the arrays in a block of memory."""
        found, start = {}, 0
        for name, shape in self.shapes.items():
            stop = start + prod(shape)
            found[name], start = memory[start:stop].reshape(shape), stop
        return found

    def of_program(self, of: dict[str, Array]) -> dict[str, Array]:
        """Return those of these arrays that are a `Program`'s, by its names."""
        return {name: x for name, x in of.items() if name not in ("e", "posture_r", "posture_e")}

    def task_rows(
        self, of: dict[str, Array], forces: list[tuple[ForceLikeTask, ForceRows]]
    ) -> TaskRows:
        """Return the rows of all tasks in these arrays."""
        dense = [(t, Rows(of["A"][i], of["r"][i], of["e"][i])) for t, i in self.structure.dense]
        diagonal, robot = self.structure.diagonal, self.structure.robot
        single = [
            (task, task.entries(robot), of["posture_r"][i], of["posture_e"][i])
            for task, i in diagonal
        ]
        return TaskRows(dense, single, forces)


class Snapshot:
    """A copy of the workspace at one state."""

    def __init__(
        self, workspace: Workspace, program: Program, forces: list[tuple[ForceLikeTask, ForceRows]]
    ) -> None:
        self._workspace, self._memory = workspace, workspace.memory.copy()
        self._given, self._forces = vars(program).copy(), forces

    @cached_property
    def _arrays(self) -> dict[str, Array]:
        return self._workspace.views(self._memory)

    @cached_property
    def program(self) -> Program:
        """The program that was solved."""
        return Program(**(self._given | self._workspace.of_program(self._arrays)))

    def residual(self, task: Task, a: Array) -> Array:
        """Return A a − r (rows,) of one of the dense tasks; `tasks` makes those of all."""
        arrays = self._arrays
        own = next(own for other, own in self._workspace.structure.dense if other is task)
        return np.asarray(arrays["A"][own] @ a - arrays["r"][own])

    @cached_property
    def tasks(self) -> TaskRows:
        """The rows of the tasks."""
        return self._workspace.task_rows(self._arrays, self._forces)
