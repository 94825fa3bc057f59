"""Task of a frame relative to another one, both of which move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import placement, text
from .task import Task, pose_error, pose_error_jacobian, pose_rows


@names_checked
@dataclass(eq=False)
class RelativeTask(Task):
    """The pose of a frame as seen from another, or some of its rows: J a + J̇v = …

    With r = p − p_o and the other frame's rotation R_o and angular velocity ω_o, the value is
    R_oᵀ r, and J v = [R_oᵀ (ṙ − ω_o × r); R_oᵀ (ω − ω_o)].

    Attributes:
        target: T_seen_from_frame* (`pin.SE3`), or a reference of it.
        frame, seen_from: by name.
        rows_of: as of a `FrameTask`, in the axes of `seen_from`.
    """

    frame: str = field(kw_only=True)
    seen_from: str = field(kw_only=True)
    rows_of: str | Sequence[str] = field(default="pose", kw_only=True)

    rates = 6

    def _default_name(self) -> str:
        return f"{text(self.frame, 'frame')} seen from {text(self.seen_from, 'seen_from')}"

    def bind(self, robot: Robot) -> int:
        """Check the frames, target and rows."""
        for frame in (self.frame, self.seen_from):
            robot.frame_id(frame)
        if not callable(self.target):
            meaning = "T_seen_from_frame, or a reference of it"
            placement(self.target, f"target of {self.name!r}", meaning)
        self.chosen = pose_rows(self.rows_of)
        return len(self.chosen)

    def error(self, state: State, t: float) -> Array:
        """Return [p* − p; log(R* Rᵀ)] of the relative poses."""
        return self.select(state, self._whole_error(state, t))

    def _whole_error(self, state: State, t: float) -> Array:
        T = state.relative_placement(self.frame, self.seen_from)
        return pose_error(self.value_at(t), T, self.name)

    def error_jacobian(self, state: State, t: float) -> Array:
        """Return the derivative (rows, nv) of the error."""
        J = state.relative_jacobian(self.frame, self.seen_from)
        return self.select(state, pose_error_jacobian(self._whole_error(state, t), J))

    def jacobian(self, state: State) -> Array:
        """Return the chosen rows of J."""
        return self.select(state, state.relative_jacobian(self.frame, self.seen_from))

    def drift(self, state: State) -> Array:
        """Return the chosen rows of J̇v."""
        return self.select(state, state.relative_drift(self.frame, self.seen_from))

    def select(self, state: State, x: Array) -> Array:
        """Return the chosen rows."""
        return np.asarray(x[self.chosen])
