"""Task of the actuated joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pinocchio as pin

from ...arrays import Array, Index
from ...dynamics import State
from ...options import names_checked
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from .task import Task, joint_entries, sized


@names_checked
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
        """Check the joints and the target."""
        if not callable(self.target):
            self.target = check_configuration(robot, self.target, f"target of {self.name!r}").copy()
        return len(self.entries(robot))

    def entries(self, robot: Robot) -> Index:
        """Return the joints' entries of v (rows,), which are others of another robot."""
        rows = [i for own in joint_entries(robot, self.joints).values() for i in own]
        return np.array(rows, dtype=np.intp)

    def error(self, state: State, t: float) -> Array:
        """Return q* ⊖ q of the joints."""
        target = sized(self.value_at(t), state.q.shape, self.name)
        return np.asarray(state.robot.difference(state.q, target)[self.entries(state.robot)])

    def jacobian(self, state: State) -> Array:
        """Return rows of the identity."""
        return np.asarray(np.eye(state.robot.nv)[self.entries(state.robot)])

    def error_jacobian(self, state: State, t: float) -> Array:
        """Return rows of ∂(q* ⊖ q)/∂q (rows, nv): −1 but of joints that turn as balls do."""
        target = sized(self.value_at(t), state.q.shape, self.name)
        slopes = pin.dDifference(state.robot._model, state.q, target)[0]
        return np.asarray(slopes)[self.entries(state.robot)]

    def drift(self, state: State) -> Array:
        """Return zeros: these rows are constant."""
        return np.zeros(len(self.entries(state.robot)))

    def select(self, state: State, x: Array) -> Array:
        """Return the joints' entries."""
        return sized(x, (state.robot.nv,), self.name)[self.entries(state.robot)]
