"""The direction from a frame to a point, in the axes of the frame.

With the origin p of the frame, its rotation R, r = p* − p, ρ = ‖r‖, u = r/ρ and P = 1 − u uᵀ,

    y = Rᵀu,      ẏ = Rᵀ(u̇ − ω × u),      ÿ = Rᵀ(ü − 2 ω × u̇ − ω̇ × u + ω × (ω × u))
    u̇ = P ṙ/ρ,    ü = (P r̈ − u̇ (uᵀṙ) − u (u̇ᵀṙ))/ρ − u̇ ρ̇/ρ,   ρ̇ = uᵀṙ
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import State
from ..dynamics.spatial import skew
from ..errors import ConfigurationError
from ..robots.values import array, direction

STILL: Array = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Direction:
    """The direction from a frame to a point, at a state.

    Attributes:
        state: of the robot.
        frame: by name.
        R: (3, 3), of the frame.
        u: (3,), from its origin to the point, world axes.
        distance: ρ [m].
        velocity, acceleration: ṗ* and p̈* (3,) [m/s, m/s²].
    """

    state: State
    frame: str
    R: Array
    u: Array
    distance: float
    velocity: Array
    acceleration: Array

    @classmethod
    def to(
        cls,
        point: ArrayLike,
        state: State,
        frame: str,
        name: str,
        velocity: Array = STILL,
        acceleration: Array = STILL,
    ) -> Direction:
        """Return the direction to a point (3,) in the world [m]; `name` is whose it is in errors.

        Raises:
            ConfigurationError: an invalid point, or the frame's origin.
        """
        T = state.frame_placement(frame)
        r = array(point, f"target of {name!r}", (3,), meaning="[m]") - T.translation
        distance = float(np.linalg.norm(r))
        if not distance > 1e-9:
            raise ConfigurationError(
                f"{name!r}: the target is in the frame's origin; expected one to look at"
            )
        R = np.array(T.rotation)
        return cls(state, frame, R, r / distance, distance, velocity, acceleration)

    @property
    def value(self) -> Array:
        """y (3,), a unit vector."""
        return np.asarray(self.R.T @ self.u)

    @property
    def jacobian(self) -> Array:
        """∂y/∂q (3, nv)."""
        J, u = self.state.frame_jacobian(self.frame), self.u
        across = J[:3] - np.outer(u, u @ J[:3])
        return np.asarray(self.R.T @ (skew(u) @ J[3:] - across / self.distance))

    @property
    def rate(self) -> Array:
        """ẏ (3,): J v, and what the point's velocity adds."""
        (r1, w), u = self._rates, self.u
        return np.asarray(self.R.T @ ((r1 - u * (u @ r1)) / self.distance - np.cross(w, u)))

    @property
    def rate_of_point(self) -> Array:
        """(1/d) Rᵀ (1 − u uᵀ) ṗ (3,), what the velocity of the point adds to ẏ [1/s]."""
        u = self.u
        return np.asarray(self.R.T @ (self.velocity - u * (u @ self.velocity)) / self.distance)

    @property
    def drift(self) -> Array:
        """ÿ (3,) at a = 0."""
        u, distance = self.u, self.distance
        r1, w = self._rates
        p2, w1 = np.split(self.state.frame_drift(self.frame), 2)
        r2, along = self.acceleration - p2, u @ r1
        u1 = (r1 - along * u) / distance
        u2 = (r2 - (u @ r2) * u - along * u1 - (u1 @ r1) * u - along * u1) / distance
        turned = 2 * np.cross(w, u1) + np.cross(w1, u) - np.cross(w, np.cross(w, u))
        return np.asarray(self.R.T @ (u2 - turned))

    @property
    def _rates(self) -> tuple[Array, Array]:
        """ṙ and ω (3,)."""
        p1, w = np.split(self.state.frame_velocity(self.frame), 2)
        return self.velocity - p1, w


def unit_axis(axis: ArrayLike, name: str) -> Array:
    """Return an axis (3,) of any length as a unit vector.

    Raises:
        ConfigurationError: none.
    """
    found = direction(axis, f"axis of {name!r}")
    return np.asarray(found / np.linalg.norm(found))
