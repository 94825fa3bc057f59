"""Targets of tasks, copied at each tick into the tables that the compiled pass reads.

A row of targets (26,) is a value (12,), a velocity (6,), an acceleration (6,), gain and damping.
Targets, weights and gains may be set, or changed in place, at any time: so all of them are copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..robots.robot import Robot
from ..robots.values import array
from .tasks import ComTask, FrameTask, MomentumTask, PostureTask, Task

GAIN = 24  # followed by the damping


class _Gains:
    """Weight, gain and damping of a task, checked and copied when they have been set."""

    def __init__(self, task: Task, weight: Array, gains: Array) -> None:
        self.task, self.weight, self.gains = task, weight, gains
        self.forget()

    def forget(self) -> None:
        """Copy them at the next update."""
        self._last: tuple[Any, Any, Any] = (None, None, None)

    def update(self) -> None:
        """Copy them; an array may have been changed in place, so it always is."""
        task, (weight, gain, damping) = self.task, self._last
        if task.weight is not weight or isinstance(weight, np.ndarray):
            array(task.weight, f"weight of {task.name!r}", at_least=0)
            self.weight[:] = task.weight
        if task.gain is not gain or task.damping is not damping:
            self.gains[:] = task.gain, task.damping_rate
        self._last = task.weight, task.gain, task.damping


class VectorTarget:
    """Target of the centre of mass, or of the momentum."""

    def __init__(self, task: ComTask | MomentumTask, row: Array, weight: Array) -> None:
        size = 3 if isinstance(task, ComTask) else 6
        self.task, self.row, self.gains = task, row, _Gains(task, weight, row[GAIN:])
        self.value, self.velocity = row[:size], row[12 : 12 + size]
        # the third part of a momentum's reference is not used, and may be anything
        self.acceleration = row[18 : 18 + size] if size == 3 else None
        self.moving = False

    def update(self, t: float) -> None:
        """Copy the target at t."""
        target = self.task.target
        self.gains.update()
        if callable(target):
            self.moving = True
            self.value[:], self.velocity[:], acceleration = target(t)
            if self.acceleration is not None:
                self.acceleration[:] = acceleration
            return
        self.value[:] = target
        if self.moving:
            self.row[12:GAIN], self.moving = 0.0, False


class PoseTarget:
    """Target of a frame."""

    def __init__(self, task: FrameTask, row: Array, weight: Array) -> None:
        self.task, self.row, self.gains = task, row, _Gains(task, weight, row[GAIN:])
        self.rotation, self.translation = row[:9].reshape(3, 3), row[9:12]
        self.velocity, self.acceleration = row[12:18], row[18:24]
        self.moving = False
        self._target: Any = None

    def update(self, t: float) -> None:
        """Copy the target at t."""
        target = self.task.target
        self.gains.update()
        if callable(target):
            self.moving = True
            T, self.velocity[:], self.acceleration[:] = target(t)
            self.rotation[:], self.translation[:] = T.rotation, T.translation
            return
        if target is not self._target:  # these views follow in-place changes of the target
            self._target, self._R, self._p = target, target.rotation, target.translation
        self.rotation[:], self.translation[:] = self._R, self._p
        if self.moving:
            self.row[12:GAIN], self.moving = 0.0, False


class PostureTarget:
    """Target of a posture: the row (3 nv,) is q* ⊖ q, v*, a*."""

    def __init__(
        self, robot: Robot, task: PostureTask, row: Array, gains: Array, weight: Array
    ) -> None:
        self.model, self.task, self.gains = robot._model, task, _Gains(task, weight, gains)
        self.error, self.velocity, self.acceleration = row.reshape(3, robot.nv)
        self.moving = False

    def update(self, t: float, q: Array) -> None:
        """Copy the target at t, relative to q."""
        target = self.task.target
        self.gains.update()
        if callable(target):
            self.moving = True
            target, self.velocity[:], self.acceleration[:] = target(t)
        elif self.moving:
            self.velocity[:], self.acceleration[:], self.moving = 0.0, 0.0, False
        self.error[:] = pin.difference(self.model, q, target)
