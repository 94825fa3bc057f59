"""The direction from a frame to a point, in the axes of the frame.

With the origin p of the frame, its rotation R, ρ = ‖p* − p‖, u = (p* − p)/ρ and P = 1 − u uᵀ,

    y = Rᵀu,      ẏ = Rᵀ(u̇ − ω × u),      ÿ = Rᵀ(ü − 2 ω × u̇ − ω̇ × u + ω × (ω × u))
    u̇ = −P ṗ/ρ,   ü = (u̇ (uᵀṗ) + u (u̇ᵀṗ) − P p̈)/ρ − u̇ ρ̇/ρ,   ρ̇ = −uᵀṗ
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import State
from ..dynamics.spatial import skew
from ..errors import ConfigurationError
from ..robots.values import array


@dataclass(frozen=True, eq=False)
class Direction:
    """The direction from a frame to a point, at a state.

    Attributes:
        state: of the robot.
        frame: by name.
        R: (3, 3), of the frame.
        u: (3,), from its origin to the point, world axes.
        distance: ρ [m].
    """

    state: State
    frame: str
    R: Array
    u: Array
    distance: float

    @classmethod
    def to(cls, point: ArrayLike, state: State, frame: str, name: str) -> Direction:
        """Return the direction to a point (3,) in the world [m]; `name` is whose it is in errors.

        Raises:
            ConfigurationError: what is no point, or the frame's origin.
        """
        T = state.frame_placement(frame)
        r = array(point, f"target of {name!r}", (3,), meaning="[m]") - T.translation
        distance = float(np.linalg.norm(r))
        if not distance > 1e-9:
            raise ConfigurationError(
                f"{name!r}: the target is in the frame's origin; expected one to look at"
            )
        return cls(state, frame, np.array(T.rotation), r / distance, distance)

    @property
    def value(self) -> Array:
        """y (3,), a unit vector."""
        return np.asarray(self.R.T @ self.u)

    @property
    def jacobian(self) -> Array:
        """∂y/∂q (3, nv), ẏ = J v."""
        J, u = self.state.frame_jacobian(self.frame), self.u
        across = J[:3] - np.outer(u, u @ J[:3])
        return np.asarray(self.R.T @ (skew(u) @ J[3:] - across / self.distance))

    @property
    def drift(self) -> Array:
        """ÿ (3,) at a = 0."""
        u, distance = self.u, self.distance
        p1, w = np.split(self.state.frame_velocity(self.frame), 2)
        p2, w1 = np.split(self.state.frame_drift(self.frame), 2)
        along = u @ p1
        u1 = (along * u - p1) / distance
        u2 = (along * u1 + (u1 @ p1) * u + (u @ p2) * u - p2 + along * u1) / distance
        turned = 2 * np.cross(w, u1) + np.cross(w1, u) - np.cross(w, np.cross(w, u))
        return np.asarray(self.R.T @ (u2 - turned))


def unit_axis(axis: ArrayLike, name: str) -> Array:
    """Return an axis (3,) of any length as a unit vector.

    Raises:
        ConfigurationError: none.
    """
    found = array(axis, f"axis of {name!r}", (3,))
    if not (size := float(np.linalg.norm(found))) > 0:
        raise ConfigurationError(f"axis of {name!r}: got {found}; expected a direction")
    return np.asarray(found / size)
