"""Rows of contacts and tasks, as these state them themselves: the reference implementation.

`compiled_rows` computes the same in a fraction of the time, for the robots it supports.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..dynamics import State
from ..robots.values import array
from .structure import ProgramStructure
from .tasks import Task


class ReferenceRows:
    """Fills a workspace's arrays at each state, in NumPy."""

    def __init__(self, structure: ProgramStructure, arrays: dict[str, Array]) -> None:
        self.structure, self.arrays = structure, arrays

    def fill(self, state: State, t: float, loads: Mapping[str, float]) -> bool:
        """Fill the arrays; return whether all is finite."""
        self.arrays["M"][:], self.arrays["b"][:] = state.mass_matrix, state.bias
        self._contacts(state)
        self._dense(state, t)
        self._diagonal(state, t)
        self.arrays["s"][:] = self.structure.P @ self.structure.nominal_forces(state, loads)
        return all(bool(np.isfinite(self.arrays[x]).all()) for x in ("b", "k", "r", "p"))

    def _contacts(self, state: State) -> None:
        """J (dim, nv) and k = −J̇v − damping J v (dim,)."""
        J, k, damping = (
            self.arrays["J"],
            self.arrays["k"],
            self.structure.parameters.contact_damping,
        )
        for model, rows in self.structure.contact_rows:
            J[rows], k[rows] = model.constraint(state, damping)

    def _dense(self, state: State, t: float) -> None:
        """A (m, nv), r (m,) and their weights (m,)."""
        for task, rows in self.structure.dense:
            fill_task(self.arrays, task, rows, state, t)

    def _diagonal(self, state: State, t: float) -> None:
        """d and p (nv,): several tasks on one entry add up to one."""
        d, p = self.arrays["d"], self.arrays["p"]
        d[:], p[:] = self.structure.parameters.regularisation, 0.0
        for task, rows in self.structure.diagonal:
            _, r, error = task.rows(state, t)
            array(task.weight, f"weight of {task.name!r}", at_least=0)
            self.arrays["posture_r"][rows], self.arrays["posture_e"][rows] = r, error
            d[task.entries] += task.weight
            p[task.entries] += task.weight * r
        p /= np.maximum(d, 1e-300)  # without a task d may be 0, and p is


def fill_task(arrays: dict[str, Array], task: Task, rows: slice, state: State, t: float) -> None:
    """Fill the rows of one dense task."""
    array(task.weight, f"weight of {task.name!r}", at_least=0)
    arrays["A"][rows], arrays["r"][rows], arrays["e"][rows] = task.rows(state, t)
    arrays["weight"][rows] = task.weight
