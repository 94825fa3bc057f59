"""Workspace: the arrays of one tick's program in one block of memory, which a single copy keeps."""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from ...arrays import Array
from ..program.qp import Program
from ..tasks import Task
from ..tasks.forces import ForceLikeTask, ForceRows
from .structure import ProgramStructure


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
        """Return A a − r (rows,) of one of the dense tasks."""
        arrays = self._arrays
        own = next(own for other, own in self._workspace.structure.dense if other is task)
        return np.asarray(arrays["A"][own] @ a - arrays["r"][own])

    def residuals(self, a: Array, w: Array) -> dict[str, Array]:
        """Return each task's residual, A a − r or B w − c."""
        structure, r = self._workspace.structure, self._arrays["posture_r"]
        found = {task.name: self.residual(task, a) for task, _ in structure.dense}
        found |= {t.name: a[t.entries(structure.robot)] - r[own] for t, own in structure.diagonal}
        return found | {task.name: rows.B @ w - rows.c for task, rows in self._forces}

    def errors(self) -> dict[str, Array]:
        """Return the errors of the motion tasks."""
        structure, of = self._workspace.structure, self._arrays
        found = {task.name: of["e"][own] for task, own in structure.dense}
        return found | {task.name: of["posture_e"][own] for task, own in structure.diagonal}
