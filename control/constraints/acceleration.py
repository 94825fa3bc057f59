"""Limits of the acceleration and of the jerk of joints.

    |a| ≤ acceleration,        |a − a_before| ≤ jerk (t − t_before)

with the accelerations that the controller chose at its last tick, from the second one on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import number, texts
from ..tasks.task import joint_entries
from .constraint import Constraint, Inequalities, Tick


@names_checked
@dataclass(eq=False)
class AccelerationConstraint(Constraint):
    """Bounds on the accelerations of joints, and on how fast they change.

    Attributes:
        acceleration: the largest [rad/s² or m/s²], None: any.
        jerk: the largest [rad/s³ or m/s³]; None: any.
        joints: by name; None: all that are actuated.
    """

    acceleration: float | None = None
    jerk: float | None = None
    joints: Sequence[str] | None = field(default=None, kw_only=True)

    def _check(self) -> None:
        super()._check()
        for name in ("acceleration", "jerk"):
            if (value := getattr(self, name)) is not None:
                number(value, f"{name} of {self.name!r}", at_least=0)
        if self.joints is not None:
            texts(self.joints, "joints")
        if self.acceleration is None and self.jerk is None:
            raise ConfigurationError(f"{self.name!r}: got neither acceleration nor jerk")

    def bind(self, robot: Robot) -> int:
        """Look up the joints; check the bounds."""
        self._check()
        return 2 * len(self._entries(robot))

    def _entries(self, robot: Robot) -> list[tuple[str, int]]:
        """The joints, one a row, and their entries of v."""
        return [(name, i) for name, own in joint_entries(robot, self.joints).items() for i in own]

    def rows(self, state: State, t: float, before: Tick | None) -> Inequalities:
        """Return a ≥ the larger of the lower bounds, and −a ≥ minus the smaller upper bound."""
        rows = self._entries(state.robot)
        self._names, entries = [name for name, _ in rows], [i for _, i in rows]
        most = np.inf if self.acceleration is None else self.acceleration
        low, high = np.full(len(rows), -most), np.full(len(rows), most)
        if before is not None and self.jerk is not None:
            last, change = before.a[entries], self.jerk * (t - before.t)
            low, high = np.maximum(low, last - change), np.minimum(high, last + change)
        pick = np.eye(state.robot.nv)[entries]
        return Inequalities(np.concatenate([pick, -pick]), np.concatenate([low, -high]))

    def label(self, row: int) -> str:
        """Return "acceleration of <joint>"."""
        return f"{self.name} of {self._names[row % len(self._names)]}"
