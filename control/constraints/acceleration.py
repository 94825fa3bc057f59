"""Limits of the acceleration and of the jerk of joints.

    |a| ≤ acceleration,        |a − a_before| ≤ jerk (t − t_before)

with the accelerations that the controller chose at its last tick, from the second one on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics import State
from ...dynamics.per_robot import per_robot
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import number, texts
from ..tasks.task import joint_entries
from .constraint import Constraint, Inequalities, Tick


class _JointRows(NamedTuple):
    """Joints of a robot, one a row, their entries of v, and L = [S; −S] of these."""

    names: list[str]
    entries: Index
    L: Array


@per_robot
def _known(robot: Robot) -> dict[tuple[str, ...] | None, _JointRows]:
    """{joints: their rows}, of those that constraints have asked for."""
    return {}


def _joint_rows(robot: Robot, joints: Sequence[str] | None) -> _JointRows:
    known, asked = _known(robot), None if joints is None else tuple(joints)
    if asked not in known:
        rows = [(name, i) for name, own in joint_entries(robot, joints).items() for i in own]
        entries = np.array([i for _, i in rows], dtype=np.intp)
        S = np.eye(robot.nv)[entries]
        L = np.concatenate([S, -S])
        L.setflags(write=False)
        known[asked] = _JointRows([name for name, _ in rows], entries, L)
    return known[asked]


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
        return len(_joint_rows(robot, self.joints).L)

    def rows(self, state: State, t: float, before: Tick | None) -> Inequalities:
        """Return a ≥ the larger of the lower bounds, and −a ≥ minus the smaller upper bound."""
        self._names, entries, L = _joint_rows(state.robot, self.joints)
        most = np.inf if self.acceleration is None else self.acceleration
        low, high = np.full(len(entries), -most), np.full(len(entries), most)
        if before is not None and self.jerk is not None:
            last, change = before.a[entries], self.jerk * (t - before.t)
            low, high = np.maximum(low, last - change), np.minimum(high, last + change)
        return Inequalities(L, np.concatenate([low, -high]))

    def label(self, row: int) -> str:
        """Return "acceleration of <joint>"."""
        return f"{self.name} of {self._names[row % len(self._names)]}"
