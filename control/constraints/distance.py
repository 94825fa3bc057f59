"""Distance of two points of frames: with r = p_b − p_a, ρ = ‖r‖ and u = r/ρ,

ρ̇ = uᵀ ṙ,        ρ̈ = uᵀ r̈ + ‖ṙ − (uᵀ ṙ) u‖² / ρ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import array, number, texts
from .constraint import Barrier


@names_checked
@dataclass(eq=False)
class DistanceConstraint(Barrier):
    """least ≤ ‖p_b − p_a‖ ≤ most.

    Attributes:
        frames: a and b, by name; "universe" is the world.
        least, most: [m]; None: any.
        points: (2, 3), in the coordinates of the frames [m]; None: their origins.
    """

    frames: Sequence[str]
    least: float = field(default=0.0, kw_only=True)
    most: float | None = field(default=None, kw_only=True)
    points: ArrayLike | None = field(default=None, kw_only=True)

    def _default_name(self) -> str:
        return "distance of " + " and ".join(texts(self.frames, "frames"))

    def _check(self) -> None:
        super()._check()
        if len(texts(self.frames, "frames")) != 2:
            raise ConfigurationError(f"frames: got {self.frames!r}; expected two names")
        least = number(self.least, f"least of {self.name!r}", at_least=0, unit="[m]")
        most = self.most
        if most is not None:
            number(most, f"most of {self.name!r}", above=least, unit="[m]")
        if self.points is not None:
            array(self.points, f"points of {self.name!r}", (2, 3), meaning="[m]")
        kept = [(1.0, least)] * (least > 0) + [(-1.0, most)] * (most is not None)
        self._signs, self._bounds = np.array(kept, dtype=float).reshape(-1, 2).T
        if not kept:
            raise ConfigurationError(f"{self.name!r}: got neither least nor most")

    def bind(self, robot: Robot) -> int:
        """Look up the frames; return the number of bounds."""
        self._check()
        a, b = (robot._model.frames[robot.frame_id(frame)].parentJoint for frame in self.frames)
        if a == b:
            raise ConfigurationError(
                f"frames: got {self.frames!r}, of one body; expected two that joints move apart"
            )
        places = np.zeros((2, 3)) if self.points is None else np.asarray(self.points, dtype=float)
        self._ends = list(zip(self.frames, places, strict=True))
        return len(self._bounds)

    def value(self, state: State) -> Array:
        """Return ρ − least and most − ρ [m]."""
        return np.asarray(self._signs * (self._between(state)[1] - self._bounds))

    def jacobian(self, state: State) -> Array:
        """Return ±uᵀ(J_b − J_a)."""
        u, _ = self._between(state)
        return np.outer(self._signs, u @ self._relative(state))

    def drift(self, state: State) -> Array:
        """Return ±ρ̈ at a = 0."""
        u, distance = self._between(state)
        a, b = (state.point_drift(frame, point) for frame, point in self._ends)
        rate = self._relative(state) @ state.velocity
        across = rate - (u @ rate) * u
        return np.asarray(self._signs * (u @ (b - a) + across @ across / distance))

    def _between(self, state: State) -> tuple[Array, float]:
        """(u, ρ)"""
        a, b = (state.frame_placement(frame).act(point) for frame, point in self._ends)
        r = np.asarray(b - a)
        distance = float(np.linalg.norm(r))
        if not distance > 1e-9:
            raise ConfigurationError(
                f"{self.name!r}: the points coincide; expected a distance with a direction"
            )
        return r / distance, distance

    def _relative(self, state: State) -> Array:
        """J_b − J_a (3, nv)."""
        a, b = (state.point_jacobian(frame, point) for frame, point in self._ends)
        return np.asarray(b - a)
