"""Task of the actuated joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from .task import Task, joint_entries, sized


@dataclass(eq=False)
class PostureTask(Task):
    """The actuated joints: S a = …

    Attributes:
        target: q* (nq,), or a reference of it with v* and a* (nv,).
        joints: by name; None: all that are actuated.
    """

    joints: Sequence[str] | None = field(default=None, kw_only=True)

    diagonal = True

    def bind(self, robot: Robot) -> int:
        """Look up the joints; check the target."""
        if not callable(self.target):
            self.target = check_configuration(robot, self.target, f"target of {self.name!r}").copy()
        rows = [i for entries in joint_entries(robot, self.joints).values() for i in entries]
        contiguous = rows and rows == list(range(rows[0], rows[-1] + 1))
        # a slice makes views, which take a fraction of the time
        self.entries = slice(rows[0], rows[-1] + 1) if contiguous else np.array(rows, dtype=np.intp)
        return len(rows)

    def error(self, state: State, t: float) -> Array:
        """Return q* ⊖ q of the joints."""
        target = sized(self.value_at(t), state.q.shape, self.name)
        return np.asarray(state.robot.difference(state.q, target)[self.entries])

    def jacobian(self, state: State) -> Array:
        """Return rows of the identity."""
        return np.asarray(np.eye(state.robot.nv)[self.entries])

    def drift(self, state: State) -> Array:
        """Return zeros: these rows are constant."""
        return np.zeros(len(state.velocity[self.entries]))

    def select(self, state: State, x: Array) -> Array:
        """Return the joints' entries."""
        return sized(x, (state.robot.nv,), self.name)[self.entries]
