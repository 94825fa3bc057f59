"""Task of the pose of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...dynamics.spatial import skew
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import one_of, placement, vector
from .task import Task, pose_error, pose_error_jacobian, pose_rows


@names_checked
@dataclass(eq=False)
class FrameTask(Task):
    """The pose of a frame, or of a point that it carries, or some of its rows: J a + J̇v = …

    The orientation's error is the rotation vector log(R* Rᵀ), so that all rows are in the axes of
    the world, or in those of the frame.

    Attributes:
        frame: by name.
        target: T_world_frame* (`pin.SE3`), or a reference of it.
        rows_of: "pose", "position", "orientation", or some of "x", "y", "z", "rx", "ry", "rz".
        axes: "world" or "frame", whose directions the rows are.
        point: in the coordinates of the frame, whose place the target is, with the orientation of
            the frame [m]; None: its origin.
    """

    frame: str = field(kw_only=True)
    rows_of: str | Sequence[str] = field(default="pose", kw_only=True)
    axes: str = field(default="world", kw_only=True)
    point: ArrayLike | None = field(default=None, kw_only=True)

    rates = 6

    def _default_name(self) -> str:
        return self.frame

    def bind(self, robot: Robot) -> int:
        """Check the frame, target and rows."""
        robot.frame_id(self.frame)
        if not callable(self.target):
            meaning = "T_world_frame, or a reference of it"
            placement(self.target, f"target of {self.name!r}", meaning)
        one_of(self.axes, "axes", ("world", "frame"))
        if self.point is not None:
            vector(self.point, f"point of {self.name!r}", "[m]")
        self.chosen = pose_rows(self.rows_of)
        return len(self.chosen)

    def error(self, state: State, t: float) -> Array:
        """Return [p* − p; log(R* Rᵀ)]."""
        return self.select(state, self._world_error(state, t))

    def _world_error(self, state: State, t: float) -> Array:
        """The whole error (6,), world axes."""
        here = state.frame_placement(self.frame) * self.local
        return pose_error(self.value_at(t), here, self.name)

    def jacobian(self, state: State) -> Array:
        """Return the chosen rows of J."""
        return self.select(state, self._world_jacobian(state))

    def _world_jacobian(self, state: State) -> Array:
        """The whole J (6, nv), world axes."""
        J = state.frame_jacobian(self.frame)
        if self.point is not None:
            J = np.vstack([state.point_jacobian(self.frame, self.point), J[3:]])
        return np.asarray(J)

    def error_jacobian(self, state: State, t: float) -> Array:
        """Return the derivative (rows, nv) of the error; d(Rᵀe) = Rᵀ(de + e × ω) in its axes."""
        e, J = self._world_error(state, t), self._world_jacobian(state)
        rows = pose_error_jacobian(e, J)
        if self.axes == "frame":
            rows += np.vstack([skew(part) @ J[3:] for part in (e[:3], e[3:])])
        return self.select(state, rows)

    def drift(self, state: State) -> Array:
        """Return the chosen rows of J̇v."""
        drift = state.frame_drift(self.frame)
        if self.point is not None:
            drift = np.append(state.point_drift(self.frame, self.point), drift[3:])
        return self.select(state, drift)

    @property
    def local(self) -> Any:
        """T_frame_point (`pin.SE3`), whose axes are the frame's."""
        point = np.zeros(3) if self.point is None else np.asarray(self.point, dtype=float)
        return pin.SE3(np.eye(3), point)

    def select(self, state: State, x: Array) -> Array:
        """Return the chosen rows, in the task's axes."""
        if self.axes == "frame":
            R = state.frame_placement(self.frame).rotation
            x = np.kron(np.eye(2), R.T) @ x
        return np.asarray(x[self.chosen])
