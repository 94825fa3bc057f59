"""Moving surfaces under contacts: an escalator, a turntable, the deck of a ship."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..errors import ContactError
from ..robots.values import vector

_ZERO = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class MovingSurface:
    """The motion of a rigid surface at one instant, in world axes.

        s(p) = v₀ + ω × (p − p₀)        ṡ(p) = a₀ + α × (p − p₀) + ω × (ω × (p − p₀))

    Attributes:
        linear: v₀ (3,), velocity of its point at `point` [m/s].
        angular: ω (3,) [rad/s].
        linear_acceleration: a₀ (3,), of that point of the surface [m/s²].
        angular_acceleration: α (3,) [rad/s²].
        point: p₀ (3,), in the world [m].

    Raises:
        ContactError: vectors that are not three finite numbers.
    """

    linear: Array = _ZERO  # type: ignore[assignment]
    angular: Array = _ZERO  # type: ignore[assignment]
    linear_acceleration: Array = _ZERO  # type: ignore[assignment]
    angular_acceleration: Array = _ZERO  # type: ignore[assignment]
    point: Array = _ZERO  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            given = vector(getattr(self, name), name, error=ContactError, frozen=True)
            object.__setattr__(self, name, given)

    def velocity(self, p: Array) -> Array:
        """Return the velocity (3,) of the surface's point that is at p (3,)."""
        return np.asarray(self.linear + np.cross(self.angular, p - self.point))

    def acceleration(self, p: Array) -> Array:
        """Return the acceleration (3,) of the surface's point that is at p (3,)."""
        return self.field_rate(p, self.velocity(p))

    def field_rate(self, p: Array, moving: Array) -> Array:
        """Return d s(p)/dt (3,), the rate of the surface's velocity under a p that moves so."""
        turning = np.cross(self.angular_acceleration, p - self.point)
        carried = np.cross(self.angular, moving - self.linear)
        return np.asarray(self.linear_acceleration + turning + carried)
