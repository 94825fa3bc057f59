"""Feeds: what a task asks for now, copied into the tables of the compiled pass at each tick.

A goal (26,) is a value (12,), a velocity (6,), an acceleration (6,), gain and damping. Targets,
weights and gains may be set, or changed in place, at any time: so all are copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..robots.robot import Robot
from .tasks import ComTask, FrameTask, MomentumTask, PostureTask

Array = NDArray[np.float64]

GAIN, DAMPING = 24, 25


def damping_of(task: Any) -> float:
    """Return the damping, 2 √gain where none is given."""
    return float(2 * task.gain**0.5 if task.damping is None else task.damping)


class VectorFeed:
    """Of the centre of mass, or of the momentum."""

    def __init__(self, task: ComTask | MomentumTask, goal: Array, weight: Array) -> None:
        size = 3 if isinstance(task, ComTask) else 6
        self.task, self.goal, self.weight = task, goal, weight
        self.value, self.velocity = goal[:size], goal[12 : 12 + size]
        # of a momentum the reference's third part may be anything
        self.acceleration = goal[18 : 18 + size] if size == 3 else None
        self.moving = False

    def __call__(self, t: float) -> None:
        """Copy what is asked at t."""
        task, target = self.task, self.task.target
        self.weight[:] = task.weight
        self.goal[GAIN], self.goal[DAMPING] = task.gain, damping_of(task)
        if callable(target):
            self.moving = True
            self.value[:], self.velocity[:], ahead = target(t)
            if self.acceleration is not None:
                self.acceleration[:] = ahead
            return
        self.value[:] = target
        if self.moving:
            self.goal[12:GAIN], self.moving = 0.0, False


class PoseFeed:
    """Of a frame."""

    def __init__(self, task: FrameTask, goal: Array, weight: Array) -> None:
        self.task, self.goal, self.weight = task, goal, weight
        self.rotation, self.translation = goal[:9].reshape(3, 3), goal[9:12]
        self.velocity, self.acceleration = goal[12:18], goal[18:24]
        self.moving = False
        self._target: Any = None

    def __call__(self, t: float) -> None:
        """Copy what is asked at t."""
        task, target = self.task, self.task.target
        self.weight[:] = task.weight
        self.goal[GAIN], self.goal[DAMPING] = task.gain, damping_of(task)
        if callable(target):
            self.moving = True
            T, self.velocity[:], self.acceleration[:] = target(t)
            self.rotation[:], self.translation[:] = T.rotation, T.translation
            return
        if target is not self._target:  # these views follow what is written into the target
            self._target, self._R, self._p = target, target.rotation, target.translation
        self.rotation[:], self.translation[:] = self._R, self._p
        if self.moving:
            self.goal[12:GAIN], self.moving = 0.0, False


class EntryFeed:
    """Of a posture: the goal (3 nv,) is q* ⊖ q, v*, a*."""

    def __init__(
        self, robot: Robot, task: PostureTask, goal: Array, gains: Array, weight: Array
    ) -> None:
        self.model, self.task, self.gains, self.weight = robot.model, task, gains, weight
        self.error, self.velocity, self.acceleration = goal.reshape(3, robot.nv)
        self.moving = False

    def __call__(self, t: float, q: Array) -> None:
        """Copy what is asked at t."""
        task, target = self.task, self.task.target
        self.weight[:] = task.weight
        self.gains[0], self.gains[1] = task.gain, damping_of(task)
        if callable(target):
            self.moving = True
            target, self.velocity[:], self.acceleration[:] = target(t)
        elif self.moving:
            self.velocity[:], self.acceleration[:], self.moving = 0.0, 0.0, False
        self.error[:] = pin.difference(self.model, q, target)
