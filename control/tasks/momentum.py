"""Task of the momentum about the centre of mass."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...arrays import Array
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import one_of
from .task import ChosenRows, check_size, parts, sized


@names_checked
@dataclass(eq=False)
class MomentumTask(ChosenRows):
    """The momentum about the centre of mass: A_g a + Ȧ_g v = ḣ* + gain (h* − h).

    Attributes:
        target: h* = [linear; angular] (6,), world axes [N·s, N·m·s], or a reference t -> (h*, ḣ*,
            anything).
        rows_of: "angular", "linear" or "both".
        gain: on h* − h [1/s].
    """

    gain: float = field(default=10.0, kw_only=True)
    rows_of: str = field(default="angular", kw_only=True)

    terms = "centroidal_momentum", "centroidal_map", "centroidal_drift"

    def bind(self, robot: Robot) -> int:
        """Check target and rows."""
        named = {"angular": [3, 4, 5], "linear": [0, 1, 2], "both": list(range(6))}
        self.chosen = np.array(named[one_of(self.rows_of, "rows_of", named)])
        check_size(self.target, 6, self.name)
        return len(self.chosen)

    def error_jacobian(self, state: State, t: float) -> Array:
        """Refuse: momentum is of velocities, and no configuration has one."""
        raise ConfigurationError(
            f"{self.name!r}: got a momentum task, expected tasks on the configuration; velocities "
            "have a momentum, see `solve_velocity`"
        )

    def desired_velocity(self, state: State, t: float) -> Array:
        """Return h* in the chosen rows: A_g v = h*."""
        return self.select(state, sized(self.value_at(t), (6,), self.name))

    def desired_acceleration(self, state: State, t: float, J: Array, error: Array) -> Array:
        """Return ḣ* + gain (h* − h)."""
        if not callable(self.target):
            return np.asarray(self.gain * error)
        rate = sized(parts(self.target(t), self.name)[1], (6,), self.name)
        return np.asarray(self.gain * error + self.select(state, rate))
