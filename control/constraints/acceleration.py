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
from ...robots.robot import Robot
from ...robots.values import number, texts
from ..tasks.task import joint_entries
from .constraint import Constraint, Inequalities, Tick


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
        entries = joint_entries(robot, self.joints)
        rows = [(name, i) for name in entries for i in entries[name]]
        self._names, picked = [name for name, _ in rows], [i for _, i in rows]
        pick = np.eye(robot.nv)[picked]
        self._L, self._entries = np.concatenate([pick, -pick]), np.array(picked, dtype=np.intp)
        return 2 * len(rows)

    def rows(self, state: State, t: float, before: Tick | None) -> Inequalities:
        """Return a ≥ the larger of the lower bounds, and −a ≥ minus the smaller upper bound."""
        most = np.inf if self.acceleration is None else self.acceleration
        low, high = np.full(len(self._entries), -most), np.full(len(self._entries), most)
        if before is not None and self.jerk is not None:
            last, change = before.a[self._entries], self.jerk * (t - before.t)
            low, high = np.maximum(low, last - change), np.minimum(high, last + change)
        return Inequalities(self._L, np.concatenate([low, -high]))

    def label(self, row: int) -> str:
        """Return "acceleration of <joint>"."""
        return f"{self.name} of {self._names[row % len(self._names)]}"
