"""Sensors: what a judged controller is told at each tick; controllers of (q, v, t) adapted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.robot import Robot


@dataclass(frozen=True, eq=False)
class Sensors:
    """What a controller is told at a tick.

    Attributes:
        t: time since the start [s].
        q: (nq,), as measured.
        v: (nv,), as measured.
        tau: (na,), the torques that act now: those of an earlier tick, within the motors' limits.
        touching: {contact: whether the ground pushes it}.
    """

    t: float
    q: Array
    v: Array
    tau: Array
    touching: Mapping[str, bool]


# sensors -> τ (na,); its attribute `status`, if there is one, is counted after each tick
Controller = Callable[[Sensors], ArrayLike]
# robot, q (nq,) where it starts, velocity (3,) -> a controller that has not begun
MakeController = Callable[[Robot, Array, Array], Controller]


class OfState:
    """A controller of `Sensors` from one that is called with (q, v, t) and gives a `Command`.

    Attributes:
        controller: a WholeBodyController, a WalkingController, …
        status: of the last command.

    Raises:
        ConfigurationError: nothing that can be called.
    """

    def __init__(self, controller: Any) -> None:
        if not callable(controller):
            raise ConfigurationError(
                f"controller: got {type(controller).__name__}, expected one that is called with "
                "(q, v, t)"
            )
        self.controller, self.status = controller, ""

    def __call__(self, sensors: Sensors) -> Array:
        """Return the torques (na,) of the controller's command."""
        command = self.controller(sensors.q, sensors.v, sensors.t)
        self.status = command.status
        tau: Array = command.tau
        return tau
