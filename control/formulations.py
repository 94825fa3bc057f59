"""Formulations of a controller's programs, kept for each set of contacts and tasks.

A change of contacts or tasks to what there was before finds its tables and kernels made.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from operator import is_
from typing import Any

from ..contacts import ContactSet
from ..robots.robot import Robot
from .constraints import Constraint
from .contact_model import ContactModel, layout
from .formulation import Formulation
from .limits import JointLimits
from .structure import AnyTask, Parameters, ProgramStructure, task_layout
from .tasks import Task
from .torque_range import TorqueRange

KEPT = 12  # formulations of earlier sets of contacts and tasks


class Formulations:
    """The formulations for some tasks and constraints, by the layouts of contacts and tasks.

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
        self._bound: dict[str, tuple[int, list[Any]]] = {}
        self._start()

    def _start(self) -> None:
        self._data = self.robot._model.createData()  # one for all: it takes a while
        self._models: dict[Hashable, ContactModel] = {}
        self._kept: dict[tuple[Any, ...], Formulation] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspaces, whose arrays a copy must not share."""
        own = {"_data", "_models", "_kept"}
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
        self._bound = {t.name: self._bind(t) for t in tasks if isinstance(t, Task)}
        self._sizes = {name: size for name, (size, _) in self._bound.items()}
        self.tasks = tasks
        self._layout = tuple(task_layout(task, self._sizes.get(task.name, 0)) for task in tasks)

    def set_constraints(self, rows: Sequence[tuple[Constraint, int]]) -> None:
        """Take other constraints, each with its number of rows."""
        self.rows, self._kept = rows, {}

    def _bind(self, task: Task) -> tuple[int, list[Any]]:
        """The task's number of rows, and its attributes; one that none was set of stays bound."""
        size, before = self._bound.get(task.name, (0, ()))
        now = list(vars(task).values())
        if len(now) == len(before) and all(map(is_, now, before)):
            return size, now
        size = int(task.bind(self.robot))
        return size, list(vars(task).values())

    def of(self, contacts: ContactSet, closures: int) -> Formulation:
        """Return that of some contacts, with so many rows of closures."""
        models = self.models(contacts)
        key = (closures, *[model.layout for model in models], *self._layout)
        if (found := self._kept.pop(key, None)) is None:
            found = self._formulated(contacts, models, closures)
        else:
            found.bind(contacts, models, self.tasks)
        self._kept[key] = found
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
        return found

    def _formulated(
        self, contacts: ContactSet, models: Sequence[ContactModel], closures: int
    ) -> Formulation:
        structure = ProgramStructure(
            contacts, models, self.tasks, self._sizes, self.parameters, closures, self.rows
        )
        return Formulation(structure, self.torques, self.joint_limits, self._data)

    def models(self, contacts: ContactSet) -> list[ContactModel]:
        """The models of some contacts; one is made of each layout when first needed."""
        found = []
        for contact in contacts:
            if (model := self._models.pop(layout(contact), None)) is None:
                model = ContactModel(self.robot, contact, self.sides, self.sole_share)
            self._models[model.layout] = model
            found.append(model.of(contact))
        while len(self._models) > KEPT + len(found):
            del self._models[next(iter(self._models))]
        return found
