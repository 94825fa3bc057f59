"""Controllers that can be judged: functions of readings; those of (q, v, t) adapted."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError, FootworkError
from ...robots.robot import Robot
from ..calling import arguments_of, called, check_estimator, estimate_of, raised, takes
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


def check_maker(make_controller: Any) -> None:
    """Refuse what cannot be called with (robot, q, velocity)."""
    got = type(make_controller).__name__
    if callable(make_controller):
        try:
            taken = signature(make_controller)
        except (TypeError, ValueError):  # of builtins
            return
        if takes(taken, 3):
            return
        got = called(make_controller, taken)
    raise ConfigurationError(
        f"make_controller: got {got}, expected a function of (robot, q, velocity) that returns a "
        "controller"
    )


def made(
    make_controller: MakeController,
    robot: Robot,
    q: Array,
    velocity: Array,
    sensors: Sensors | None,
) -> Controller:
    """Return a controller of `Readings`: the one made, `OfState` of it, or one that calls a law.

    Raises:
        ConfigurationError: an error of `make_controller` that is none of footwork's; what is called
            with neither; a controller of q and v, and sensors whose readings have no base.
    """
    try:
        controller = make_controller(robot, q.copy(), velocity.copy())
    except FootworkError:
        raise
    except Exception as error:
        raise ConfigurationError(f"make_controller: {raised(error)}") from error
    arguments = arguments_of(controller, "make_controller(…)", "readings")
    if arguments == "readings":
        found: Controller = controller
        return found
    if sensors is not None:
        raise ConfigurationError(
            f"make_controller: got a {type(controller).__name__}, which needs q and v, and sensors "
            "that do not measure the base; expected judging.OfState(controller, estimator)"
        )
    if arguments == "q, v, t":
        return OfState(controller)
    return lambda readings: controller(readings.t, readings.q, readings.v)
