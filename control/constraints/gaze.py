"""Gaze cone: an axis of a frame points at a target within an angle.

With the axis d, the direction u = (p* − p)/ρ to the target and P = 1 − u uᵀ,

    h = dᵀu − cos(angle),      ḣ = (d × u)ᵀ ω − (P d)ᵀ ṗ/ρ
    ḧ = (ω̇ × d + ω × (ω × d))ᵀ u + 2 (ω × d)ᵀ u̇ + dᵀü,        u̇ = −P ṗ/ρ
    ü = (u̇ (uᵀṗ) + u (u̇ᵀṗ) − P p̈)/ρ − u̇ ρ̇/ρ,                  ρ̇ = −uᵀṗ
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics import State
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ...robots.values import array, number, text
from .constraint import Barrier


@dataclass(eq=False)
class GazeConstraint(Barrier):
    """The axis of a frame, as of a camera, points at a target within an angle.

    Attributes:
        target: (3,), in the world [m]; it may be set at any time.
        frame: by name.
        axis: (3,), in the frame, of any length.
        angle: half the opening of the cone [rad], up to π.
    """

    target: ArrayLike
    frame: str = field(kw_only=True)
    angle: float = field(kw_only=True)
    axis: ArrayLike = field(default=(1.0, 0.0, 0.0), kw_only=True)

    def _default_name(self) -> str:
        return f"gaze of {text(self.frame, 'frame')}"

    def _check(self) -> None:
        super()._check()
        place = array(self.target, f"target of {self.name!r}", (3,), meaning="[m]")
        self.target = place.copy()
        number(self.angle, f"angle of {self.name!r}", above=0, at_most=np.pi, unit="[rad]")
        axis = array(self.axis, f"axis of {self.name!r}", (3,))
        if not (size := float(np.linalg.norm(axis))) > 0:
            raise ConfigurationError(f"axis of {self.name!r}: got {axis}; expected a direction")
        self._axis = axis / size

    def bind(self, robot: Robot) -> int:
        """Look up the frame."""
        self._check()
        robot.frame_id(self.frame)
        return 1

    def value(self, state: State) -> Array:
        """Return dᵀu − cos(angle)."""
        d, u, _ = self._directions(state)
        return np.array([d @ u - np.cos(self.angle)])

    def jacobian(self, state: State) -> Array:
        """Return the derivative of the cosine (1, nv)."""
        (d, u, distance), J = self._directions(state), state.frame_jacobian(self.frame)
        across = d - (d @ u) * u
        return np.asarray(np.cross(d, u) @ J[3:] - across @ J[:3] / distance)[None]

    def drift(self, state: State) -> Array:
        """Return ḧ at a = 0."""
        d, u, distance = self._directions(state)
        velocity, drift = state.frame_velocity(self.frame), state.frame_drift(self.frame)
        (p1, w), (p2, w1) = np.split(velocity, 2), np.split(drift, 2)
        d1 = np.cross(w, d)
        d2 = np.cross(w1, d) + np.cross(w, d1)
        along = u @ p1
        u1 = (along * u - p1) / distance
        u2 = (along * u1 + (u1 @ p1) * u + (u @ p2) * u - p2 + along * u1) / distance
        return np.array([d2 @ u + 2 * d1 @ u1 + d @ u2])

    def _directions(self, state: State) -> tuple[Array, Array, float]:
        """(d, u, ρ)"""
        T = state.frame_placement(self.frame)
        r = np.asarray(self.target, dtype=float) - T.translation
        distance = float(np.linalg.norm(r))
        if not distance > 1e-9:
            raise ConfigurationError(
                f"{self.name!r}: the target is in the frame's origin; expected one to look at"
            )
        return T.rotation @ self._axis, r / distance, distance
