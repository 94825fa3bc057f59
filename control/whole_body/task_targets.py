"""Targets of tasks, copied at each tick into the tables that the compiled pass reads.

A row of targets (26,) is a value (12,), a velocity (6,), an acceleration (6,), gain and damping.
Targets, weights and gains may be set, or changed in place, at any time: so all of them are copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...robots.robot import Robot
from ...robots.values import array
from ..tasks import ComTask, FrameTask, MomentumTask, PostureTask, Task
from ..tasks.dcm import DcmTask
from ..tasks.task import check_pose, parts, sized

GAIN = 24  # followed by the damping


class _Target:
    """Target, weight, gain and damping of a task; velocity and acceleration of its reference."""

    velocity: Array
    acceleration: Array | None

    def __init__(self, task: Task, weight: Array, gains: Array) -> None:
        self.task, self.weight, self.gains, self.moving = task, weight, gains, False
        self.forget_gains()

    def bind(self, task: Any) -> None:
        """Take the place of the task from now on."""
        if task is not self.task:
            self.task, self.moving = task, True  # what its predecessor wrote is overwritten
            self.forget_gains()

    def forget_gains(self) -> None:
        """Copy weight, gain and damping at the next update."""
        self._last: tuple[Any, Any, Any, bytes] = (None, None, None, b"")

    def value_at(self, t: float) -> Any:
        """Return the target's value at t; copy the rest, and what has been set of the gains."""
        task, target, (weight, gain, damping, before) = self.task, self.task.target, self._last
        now = _bytes(task.weight)
        if task.weight is not weight or now != before:  # changed in place, perhaps
            array(task.weight, f"weight of {task.name!r}", (), self.weight.shape, at_least=0)
            self.weight[:] = task.weight
        if task.gain is not gain or task.damping is not damping:
            self.gains[:] = task.gain, task.damping_rate
        self._last = task.weight, task.gain, task.damping, now
        if callable(target):
            self.moving = True
            value, velocity, acceleration = parts(target(t), task.name)
            self.velocity[:] = sized(velocity, self.velocity.shape, task.name)
            if self.acceleration is not None:
                self.acceleration[:] = sized(acceleration, self.acceleration.shape, task.name)
            return value
        if self.moving:
            self.velocity[:], self.moving = 0.0, False
            if self.acceleration is not None:
                self.acceleration[:] = 0.0
        return target


class VectorTarget(_Target):
    """Target of the centre of mass, or of the momentum."""

    def __init__(self, task: ComTask | MomentumTask, row: Array, weight: Array) -> None:
        super().__init__(task, weight, row[GAIN:])
        size = 3 if isinstance(task, ComTask) else 6
        self.value, self.velocity = row[:size], row[12 : 12 + size]
        # the third part of a momentum's reference is not used, and may be anything
        self.acceleration = row[18 : 18 + size] if size == 3 else None

    def update(self, t: float) -> None:
        """Copy the target at t."""
        self.value[:] = sized(self.value_at(t), self.value.shape, self.task.name)


class DcmTarget(_Target):
    """Target of a divergent component: ξ*, ξ̇*, and where others have an acceleration k; and ω."""

    acceleration = None
    task: DcmTask

    def __init__(self, task: DcmTask, row: Array, weight: Array) -> None:
        super().__init__(task, weight, row[GAIN:])
        self.value, self.velocity, self.feedback = row[:3], row[12:15], row[18:21]

    def update(self, t: float) -> None:
        """Copy the target at t."""
        task, plan = self.task, self.value_at(t)
        self.value[:], self.velocity[:] = task.desired(t)
        self.feedback[:] = task.feedback, task.feedback, task.gain**0.5
        self.gains[0] = plan.omega


class PoseTarget(_Target):
    """Target of a frame."""

    def __init__(self, task: FrameTask, row: Array, weight: Array) -> None:
        super().__init__(task, weight, row[GAIN:])
        self.rotation, self.translation = row[:9].reshape(3, 3), row[9:12]
        self.velocity, self.acceleration = row[12:18], row[18:24]
        self._pose: Any = None

    def update(self, t: float) -> None:
        """Copy the target at t."""
        pose = self.value_at(t)
        if pose is not self._pose:  # these views follow in-place changes of a target
            check_pose(pose, self.task.name)
            self._pose, self._R, self._p = pose, pose.rotation, pose.translation
        self.rotation[:], self.translation[:] = self._R, self._p


class PostureTarget(_Target):
    """Target of a posture: the row (3 nv,) is q* ⊖ q, v*, a*."""

    def __init__(
        self, robot: Robot, task: PostureTask, row: Array, gains: Array, weight: Array
    ) -> None:
        super().__init__(task, weight, gains)
        self.model = robot._model
        self.error, self.velocity, self.acceleration = row.reshape(3, robot.nv)

    def update(self, t: float, q: Array) -> None:
        """Copy the target at t, relative to q."""
        target = sized(self.value_at(t), q.shape, self.task.name)
        self.error[:] = pin.difference(self.model, q, target)


def _bytes(weight: Any) -> bytes:
    return weight.tobytes() if isinstance(weight, np.ndarray) else b""
