"""Controllers that can be judged: functions of readings; those of (q, v, t) adapted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.robot import Robot
from ..calling import arguments_of, check_estimator, estimate_of
from ..estimation.sensors import Readings, Sensors

# readings -> τ (na,); its attribute `status`, if there is one, is counted after each tick
Controller = Callable[[Readings], ArrayLike]
# robot, q (nq,) where it starts, velocity (3,) -> a controller that has not begun, or one of
# (q, v, t) that gives commands, or a law of (t, q, v)
MakeController = Callable[[Robot, Array, Array], Any]


class OfState:
    """A controller of `Readings` from one that is called with (q, v, t) and gives a `Command`.

    Args:
        controller: a WholeBodyController, a WalkingController, …
        estimator: that gives it q and v, as an `Estimator`; None: the readings have them.

    Attributes:
        status: of the last command.

    Raises:
        ConfigurationError: nothing that can be called; an answer of the estimator without q and v.
    """

    def __init__(self, controller: Any, estimator: Any = None) -> None:
        if not callable(controller):
            raise ConfigurationError(
                f"controller: got {type(controller).__name__}, expected one that is called with "
                "(q, v, t)"
            )
        check_estimator(estimator)
        self.controller, self.estimator, self.status = controller, estimator, ""

    def __call__(self, readings: Readings) -> Array:
        """Return the torques (na,) of the controller's command."""
        q, v = estimate_of(self.estimator, readings)
        command = self.controller(q, v, readings.t)
        self.status = command.status
        tau: Array = command.tau
        return tau


class OfLaw:
    """A controller of `Readings` from a law (t, q, v) -> τ."""

    def __init__(self, law: Callable[[float, Array, Array], ArrayLike]) -> None:
        self.law = law

    def __call__(self, readings: Readings) -> ArrayLike:
        """Return the torques (na,) of the law."""
        return self.law(readings.t, readings.q, readings.v)


def of_readings(controller: Any, sensors: Sensors | None) -> Controller:
    """Return a controller of `Readings`: the same, or `OfState` or `OfLaw` of one of q and v.

    Raises:
        ConfigurationError: what is called with neither; one of q and v, and sensors whose readings
            have no base.
    """
    arguments = arguments_of(controller, "make_controller(…)", "readings")
    if arguments == "readings":
        found: Controller = controller
        return found
    if sensors is not None:
        raise ConfigurationError(
            f"make_controller: got a {type(controller).__name__}, which needs q and v, and sensors "
            "that do not measure the base; expected judging.OfState(controller, estimator)"
        )
    return OfState(controller) if arguments == "q, v, t" else OfLaw(controller)
