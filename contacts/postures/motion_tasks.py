"""Motion tasks of the inverse kinematics: errors with derivatives and weights, one below the other.

The tasks are those of `control.tasks`, which controllers follow; here they are known by what is
asked of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...errors import ContactError
from ...robots import Robot
from ...robots.values import array


@runtime_checkable
class MotionTask(Protocol):
    """What the inverse kinematics asks of a task; those of `control.tasks` have it.

    Attributes:
        name: by which answers report it.
        weight: of its squared error, a number or one a row.
    """

    name: str
    weight: Any

    def bind(self, robot: Robot) -> int:
        """Check names and target for a robot; return the number of rows."""

    def error(self, state: State, t: float) -> Array:
        """Return x* − x (rows,) [m, rad]."""

    def error_jacobian(self, state: State, t: float) -> Array:
        """Return the derivative (rows, nv) of the error along tangent steps."""

    def velocity_rows(self, state: State, t: float) -> tuple[Array, Array]:
        """Return J (rows, nv) and ẋ* (rows,): J v = ẋ* brings x to its target."""


_SUCH = "such as control.FrameTask, ComTask or PostureTask"


@dataclass(frozen=True, eq=False)
class TaskRows:
    """Tasks one below the other, at a time.

    Attributes:
        tasks: which.
        sizes: rows of each.
        t: time at which their references are read [s].
    """

    tasks: tuple[MotionTask, ...]
    sizes: tuple[int, ...]
    t: float

    @classmethod
    def of(cls, robot: Robot, tasks: Sequence[MotionTask], name: str, t: float) -> TaskRows:
        """Return the rows of tasks of a robot.

        Raises:
            ContactError: an item that is not a motion task.
            ConfigurationError: a task that does not fit the robot, or its weight its rows.
        """
        if isinstance(tasks, str | bytes | Mapping) or not isinstance(tasks, Iterable):
            raise ContactError(
                f"{name}: got {tasks!r:.80}, expected a sequence of motion tasks {_SUCH}"
            )
        given = tuple(tasks)
        for i, task in enumerate(given):
            if isinstance(task, type) or not isinstance(task, MotionTask):
                raise ContactError(f"{name}[{i}]: got {task!r:.80}, expected a motion task {_SUCH}")
        sizes = tuple(task.bind(robot) for task in given)
        for task, size in zip(given, sizes, strict=True):
            array(task.weight, f"weight of {task.name!r}", (), (size,), at_least=0)
        return cls(given, sizes, t)

    def __len__(self) -> int:
        return sum(self.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the tasks."""
        return tuple(task.name for task in self.tasks)

    def parts(self, start: int = 0) -> dict[str, slice]:
        """Return {task: its rows}, counted from `start`."""
        ends = np.cumsum([start, *self.sizes]).tolist()
        return {n: slice(a, b) for n, a, b in zip(self.names, ends, ends[1:], strict=False)}

    def error(self, state: State) -> Array:
        """Return x* − x (m,) of all."""
        return _stacked([task.error(state, self.t) for task in self.tasks], (0,))

    def error_jacobian(self, state: State) -> Array:
        """Return the derivative (m, nv) of the errors."""
        rows = [task.error_jacobian(state, self.t) for task in self.tasks]
        return _stacked(rows, (0, state.robot.nv))

    def velocity_rows(self, state: State) -> tuple[Array, Array]:
        """Return J (m, nv) and the ẋ* (m,) that all ask for."""
        rows = [task.velocity_rows(state, self.t) for task in self.tasks]
        return _stacked([J for J, _ in rows], (0, state.robot.nv)), _stacked(
            [asked for _, asked in rows], (0,)
        )

    @property
    def roots(self) -> Array:
        """√w (m,) of the rows."""
        weights = [
            np.broadcast_to(np.asarray(task.weight, dtype=float), (size,))
            for task, size in zip(self.tasks, self.sizes, strict=True)
        ]
        return np.sqrt(_stacked(weights, (0,)))

    def named(self, values: Array) -> dict[str, Array]:
        """Return {task: its part of values (m,)}, copies."""
        return {name: values[rows].copy() for name, rows in self.parts().items()}


def _stacked(rows: Sequence[Array], empty: tuple[int, ...]) -> Array:
    return np.concatenate(rows) if rows else np.zeros(empty)


NO_TASKS = TaskRows((), (), 0.0)
