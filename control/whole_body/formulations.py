"""Formulations of a controller's programs, kept for each set of contacts and tasks.

A change of contacts or tasks to what there was before finds its tables and kernels made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from ...contacts import Contact, ContactSet
from ...robots.robot import Robot
from ...robots.values import whole_number
from ..constraints import Constraint
from ..program.contact_model import ContactModel, layout
from ..tasks import Task
from .formulation import Formulation
from .joint_limits import JointLimits
from .structure import AnyTask, Parameters, ProgramStructure, same_objects, task_layout
from .torque_range import TorqueRange

KEPT = 12  # formulations of earlier sets of contacts and tasks


class Formulations:
    """The formulations for some tasks and constraints, by shapes of contacts and layouts of tasks.

    Args:
        robot: of the controller.
        torques, joint_limits, parameters: as of a `Formulation` and its structure.
        sides, sole_share: of the models of contacts.
    """

    tasks: tuple[AnyTask, ...]
    rows: Sequence[tuple[Constraint, int]]

    def __init__(
        self,
        robot: Robot,
        torques: TorqueRange,
        joint_limits: JointLimits | None,
        parameters: Parameters,
        sides: int,
        sole_share: float,
    ) -> None:
        self.robot, self.torques, self.joint_limits = robot, torques, joint_limits
        self.parameters, self.sides, self.sole_share = parameters, sides, sole_share
        self.tasks, self.rows = (), ()
        self._start()

    def _start(self) -> None:
        self._data = self.robot._model.createData()  # one for all: it takes a while
        self._bound: dict[str, _Bound] = {}
        self._models: dict[Hashable, ContactModel] = {}
        self._kept: dict[tuple[Any, ...], Formulation] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspaces, whose arrays a copy must not share."""
        own = {"_data", "_bound", "_models", "_kept"}
        return {name: value for name, value in vars(self).items() if name not in own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._start()

    def __len__(self) -> int:
        return len(self._kept)

    def set_tasks(self, tasks: tuple[AnyTask, ...]) -> None:
        """Take other tasks.

        Raises:
            ConfigurationError: names or values that do not fit the robot.
        """
        for task in tasks:
            self._bind(task)
        self.take(tasks)

    def take(self, tasks: tuple[AnyTask, ...]) -> None:
        """Take other tasks; those that have been here are as they were set then."""
        self.tasks, self._taken = tasks, [self._known(task) for task in tasks]
        _keep(self._bound, KEPT + len(tasks))

    def set_constraints(self, rows: Sequence[tuple[Constraint, int]]) -> None:
        """Take other constraints, each with its number of rows."""
        self.rows, self._kept = rows, {}

    def _known(self, task: AnyTask) -> _Bound:
        """The task as it was bound last."""
        found = self._bound.get(task.name)
        return self._bind(task) if found is None or found.values[0] is not task else found

    def _bind(self, task: AnyTask) -> _Bound:
        """The task with its names looked up; one that only another reference was set of stays."""
        found = self._bound.pop(task.name, None)
        if found is None or not same_objects(found.values, _values(task)):
            size = rows_of(task, self.robot) if isinstance(task, Task) else 0
            found = _Bound(size, task_layout(task, size), _values(task))
        self._bound[task.name] = found
        return found

    def of(self, contacts: ContactSet, closures: int) -> Formulation:
        """Return that of some contacts, with so many rows of closures."""
        models = self.models(contacts)
        key = (closures, *[model.shape for model in models], *[one.layout for one in self._taken])
        if (found := self._kept.pop(key, None)) is None:
            found = self._formulated(contacts, models, closures)
        else:
            found.bind(contacts, models, self.tasks)
        self._kept[key] = found
        _keep(self._kept, KEPT)
        return found

    def _formulated(
        self, contacts: ContactSet, models: Sequence[ContactModel], closures: int
    ) -> Formulation:
        sizes = [one.size for one in self._taken]
        structure = ProgramStructure(
            contacts, models, self.tasks, sizes, self.parameters, closures, self.rows
        )
        return Formulation(structure, self.torques, self.joint_limits, self._data)

    def require(self, contact: Contact) -> None:
        """Make the model of a contact's layout, if there is none.

        Raises:
            ContactError: a contact that has no model.
        """
        if layout(contact) not in self._models:
            self.models([contact])

    def models(self, contacts: Iterable[Contact]) -> list[ContactModel]:
        """The models of some contacts; one is made of each layout when first needed."""
        found = []
        for contact in contacts:
            kept = self._models.pop(layout(contact), None)
            if kept is None:
                kept = ContactModel(self.robot, contact, self.sides, self.sole_share)
            self._models[kept.layout] = model = kept.of(contact)
            found.append(model)
        _keep(self._models, KEPT + len(found))
        return found


def rows_of(bound: Task | Constraint, robot: Robot) -> int:
    """Return how many rows a task or a constraint says that it has."""
    return whole_number(bound.bind(robot), f"rows of {bound.name!r}", at_least=0)


class _Bound(NamedTuple):
    """A task's number of rows, its layout, and the values that it was bound with."""

    size: int
    layout: Hashable
    values: list[Any]


def _values(task: AnyTask) -> list[Any]:
    """The task and its attributes, but for a reference, of which nothing is looked up."""
    own = vars(task)
    if callable(own.get("target")):
        own = own | {"target": None}
    return [task, *own.values()]


def _keep(found: dict[Any, Any], most: int) -> None:
    """Keep those that were used last."""
    while len(found) > most:
        del found[next(iter(found))]
