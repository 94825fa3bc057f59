"""Rows of contacts and tasks, as these state them themselves: the reference implementation.

`compiled_rows` computes the same in a fraction of the time, for the robots it supports.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...errors import ConfigurationError
from ...robots.values import array
from ..tasks import Task
from .structure import ProgramStructure


def fill_rows(
    structure: ProgramStructure,
    arrays: dict[str, Array],
    state: State,
    t: float,
    loads: Mapping[str, float],
) -> bool:
    """Fill a workspace's arrays at a state, in NumPy; return whether all is finite."""
    arrays["M"][:], arrays["b"][:] = state.mass_matrix, state.bias
    for model, rows in structure.contact_rows:  # J (dim, nv) and k = −J̇v − damping J v (dim,)
        damping = structure.parameters.contact_damping
        arrays["J"][rows], arrays["k"][rows] = model.constraint(state, damping)
    for dense, rows in structure.dense:  # A (m, nv), r (m,) and their weights (m,)
        fill_task(arrays, dense, rows, state, t, structure.contacts)
    d, p = arrays["d"], arrays["p"]  # (nv,): several tasks on one entry add up to one
    d[:], p[:] = structure.parameters.regularisation, 0.0
    for task, rows in structure.diagonal:
        _, r, error = task.rows(state, t)
        array(task.weight, f"weight of {task.name!r}", (), r.shape, at_least=0)
        arrays["posture_r"][rows], arrays["posture_e"][rows] = r, error
        entries = task.entries(state.robot)
        d[entries] += task.weight
        p[entries] += task.weight * r
    p /= np.maximum(d, 1e-300)  # without a task d may be 0, and p is
    arrays["s"][:] = structure.P @ structure.nominal_forces(state, loads)
    return all(bool(np.isfinite(arrays[x]).all()) for x in ("b", "k", "r", "p"))


def fill_task(
    arrays: dict[str, Array],
    task: Task,
    rows: slice,
    state: State,
    t: float,
    contacts: ContactSet,
) -> None:
    """Fill the rows of one dense task."""
    own = arrays["weight"][rows]
    own[:] = array(task.weight, f"weight of {task.name!r}", (), own.shape, at_least=0)
    for name, x in zip("Are", task.rows(state, t, contacts), strict=True):
        fill(arrays[name][rows], x, task.name)


def fill(into: Array, rows: Any, name: str) -> None:
    """Copy rows of a task or a constraint: as many as it said, for NumPy would fit others to it.

    Of a single row the first axis may be missing.
    """
    shape = np.shape(rows)
    if shape != into.shape and (1, *shape) != into.shape:
        raise ConfigurationError(f"{name!r}: got rows of shape {shape}, expected {into.shape}")
    into[:] = rows
