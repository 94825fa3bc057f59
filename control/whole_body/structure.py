"""Structure of a whole-body program: contact models, rows of tasks, and constant matrices.

Everything here stays the same from tick to tick, until contacts or tasks change.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import accumulate
from operator import is_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...dynamics.topology import carried_by
from ...robots.values import array, texts
from ..constraints import Constraint
from ..program.contact_model import FACING_UP, ContactModel
from ..tasks import ComTask, FrameTask, MomentumTask, PostureTask, Task
from ..tasks.forces import ForceLikeTask
from .switching import FULL, LEAST

AnyTask = Task | ForceLikeTask


def task_layout(task: AnyTask, size: int) -> Hashable:
    """Return what tasks have in common that take each other's place in a structure."""
    if isinstance(task, PostureTask) and type(task) is PostureTask:
        joints = None if task.joints is None else texts(task.joints, "joints")
        return PostureTask, task.name, joints
    if isinstance(task, FrameTask) and type(task) is FrameTask:
        at = None if task.point is None else task.local.translation.tobytes()
        return FrameTask, task.name, task.frame, at, task.axes, task.chosen.tobytes()
    if isinstance(task, ComTask | MomentumTask) and type(task) in (ComTask, MomentumTask):
        return type(task), task.name, task.chosen.tobytes()
    return task, size


class Parameters(NamedTuple):
    """Parameters of the program's cost and constraints, as of `WholeBodyController`."""

    contact_damping: float
    force_weight: float
    regularisation: float


class ProgramStructure:
    """The part of a whole-body program that does not depend on the state.

    Attributes:
        robot, contacts, parameters: as given.
        models: of the contacts, in order; contact_rows: their rows of w.
        closures: the rows of w of the robot's closures, below.
        columns, others: entries of v that move any contact or closure, and those that move none.
        actuated, unactuated: rows of S, and the others.
        dense, diagonal: motion tasks with their rows; of diagonal ones each row has a single entry.
        forces: force tasks.
        constraints: inequalities with their rows.
        F, N, lower, upper: cones and normal forces, as in `Program`.
        P: (dim, dim), cost of unevenly distributed contact forces; evenness: its scale.
        weight: of the robot [N].
    """

    def __init__(
        self,
        contacts: ContactSet,
        models: Sequence[ContactModel],
        tasks: Sequence[AnyTask],
        sizes: Sequence[int],
        parameters: Parameters,
        closures: int = 0,
        constraints: Sequence[tuple[Constraint, int]] = (),
    ) -> None:
        self.parameters = parameters
        self.robot = robot = contacts.robot
        self.weight = robot.weight
        self.closures = slice(contacts.dim, contacts.dim + closures)
        self._add_contacts(models)
        driven = robot.selection_matrix.any(axis=0)
        self.actuated, self.unactuated = np.flatnonzero(driven), np.flatnonzero(~driven)
        self.constraints: list[tuple[Constraint, slice]]
        self.constraints = _stacked([c for c, _ in constraints], [size for _, size in constraints])
        self._place(models, tasks, sizes)
        self.models: tuple[ContactModel, ...] = ()
        self.contact_rows: list[tuple[ContactModel, slice]] = []
        self._faces, self.F = list[Array](), _block_diagonal([], closures)
        self.bind_contacts(contacts, models)
        self._tasks: Sequence[AnyTask] = ()
        self.dense: list[tuple[Any, slice]] = []
        self.diagonal: list[tuple[Any, slice]] = []
        self.forces: list[Any] = []
        self.bind_tasks(tasks)

    def _place(
        self, models: Sequence[ContactModel], tasks: Sequence[AnyTask], sizes: Sequence[int]
    ) -> None:
        """Where models and tasks of these shapes and layouts have their rows."""
        self._own = [own for _, own in _stacked(models, [model.dim for model in models])]
        motion = [(i, task) for i, task in enumerate(tasks) if isinstance(task, Task)]
        dense = [i for i, task in motion if not task.diagonal]
        diagonal = [i for i, task in motion if isinstance(task, PostureTask)]
        self._dense = _stacked(dense, [sizes[i] for i in dense])
        self._diagonal = _stacked(diagonal, [sizes[i] for i in diagonal])
        self._forces = [i for i, task in enumerate(tasks) if isinstance(task, ForceLikeTask)]

    def bind_contacts(self, contacts: ContactSet, models: Sequence[ContactModel]) -> bool:
        """Take other contacts of the same shapes; return whether any model is another one."""
        self.contacts = contacts
        if same_objects(models, self.models):
            return False
        self.models = tuple(models)
        faces = [model.faces for model in models]
        if not same_objects(faces, self._faces):
            rest = self.closures.stop - self.closures.start
            self._faces, self.F = faces, _block_diagonal(faces, rest)
        self.contact_rows = list(zip(models, self._own, strict=True))
        return True

    def bind_tasks(self, tasks: Sequence[AnyTask]) -> bool:
        """Take other tasks of the same layouts; return whether any is another one."""
        if same_objects(tasks, self._tasks):
            return False
        self._tasks = tasks
        self.dense = [(tasks[i], own) for i, own in self._dense]
        self.diagonal = [(tasks[i], own) for i, own in self._diagonal]
        self.forces = [tasks[i] for i in self._forces]
        return True

    def _add_contacts(self, models: Sequence[ContactModel]) -> None:
        robot, parameters = self.robot, self.parameters
        moved_by = carried_by(robot)[[model.joint for model in models]]
        moving: NDArray[np.bool_] = np.asarray(moved_by.any(axis=0))
        if robot.closures:
            moving[robot._closure_rows.columns] = True
        self.columns, self.others = np.flatnonzero(moving), np.flatnonzero(~moving)
        rest = self.closures.stop - self.closures.start
        self.N = _block_diagonal([np.eye(1, model.dim, 2) for model in models], rest)
        # arrays of their own, row-major: the kernels are compiled once for all controllers
        self.lower = np.array([model.bounds[0] for model in models])
        self.upper = np.array([model.bounds[1] for model in models])
        metric = _block_diagonal([*[model.metric for model in models], np.zeros((rest, rest))])
        self.evenness = parameters.force_weight / max(robot.mass, 1e-9) ** 2
        self.P = self.evenness * metric

    @property
    def dim(self) -> int:
        """Size of w."""
        return len(self.P)

    def load_fractions(self, loads: Mapping[str, float]) -> list[float]:
        """Return each contact's load fraction: 1, but for those being loaded or unloaded."""
        return [loads.get(model.name, 1.0) for model in self.models]

    def nominal_forces(self, state: State, loads: Mapping[str, float]) -> Array:
        """Return w (dim,) that distributes the weight over the contacts that face upwards."""
        ups = [model.up(state) for model in self.models]
        pairs = zip(ups, self.load_fractions(loads), strict=True)
        parts = [part * float(up[2] > FACING_UP) for up, part in pairs]
        total, w = sum(parts) + 1e-12, np.zeros(self.dim)
        for (_, rows), up, part in zip(self.contact_rows, ups, parts, strict=True):
            w[rows.start : rows.start + 3] = self.weight * part / total * up
        return w

    def given_forces(self, nominal: Mapping[str, ArrayLike]) -> Array:
        """Return w (dim,) of contact forces that are given; zero where none is."""
        w = np.zeros(self.dim)
        for model, rows in self.contact_rows:
            if (given := nominal.get(model.name)) is not None:
                w[rows] = array(given, f"nominal force of {model.name!r}", (model.dim,))
        return w

    def cost_factors(self, loads: Mapping[str, float], given: bool) -> list[tuple[slice, float]]:
        """Return rows of contacts on a ramp, and what their costs are multiplied by.

        Not of points whose forces are given: a prediction knows how they are loaded.
        """
        return [
            (rows, 1 / max(loads[model.name], LEAST))
            for model, rows in self.contact_rows
            if model.name in loads and not (given and model.dim < 6)
        ]

    def normal_bounds(self, loads: Mapping[str, float]) -> tuple[Array, Array]:
        """Return the bounds of the normal forces, scaled by the contacts' load fractions."""
        if not loads:
            return self.lower, self.upper
        lower, upper = self.lower.copy(), self.upper.copy()
        for i, model in enumerate(self.models):
            if (load := loads.get(model.name)) is not None:
                cap = load * FULL * self.weight
                lower[i] = max(lower[i], -cap) if lower[i] < 0 else load * lower[i]
                upper[i] = min(upper[i], cap)
        return lower, upper


def same_objects(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether two sequences are of the same objects."""
    return len(some) == len(others) and all(map(is_, some, others))


def _block_diagonal(matrices: list[Array], rest: int = 0) -> NDArray[np.float64]:
    """The matrices in a diagonal, then `rest` columns of zeros."""
    sizes = np.array([x.shape for x in matrices], dtype=int).reshape(-1, 2)
    found, at, left = np.zeros(sizes.sum(axis=0) + np.array([0, rest])), 0, 0
    for x, (rows, columns) in zip(matrices, sizes.tolist(), strict=True):
        found[at : at + rows, left : left + columns] = x
        at, left = at + rows, left + columns
    return found


def _stacked(items: Sequence[Any], sizes: Sequence[int]) -> list[tuple[Any, slice]]:
    """Items with their rows, one below the other."""
    ends = list(accumulate(sizes, initial=0))
    return [(item, slice(*ends[i : i + 2])) for i, item in enumerate(items)]
