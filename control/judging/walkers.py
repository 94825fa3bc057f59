"""Footwork's own controllers of gaits, as controllers that can be judged."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ...contacts import Terrain, at_feet
from ...contacts.cones.friction_cone import Friction
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from ...robots.values import boolean, instance, vector
from ..estimation import Estimator, Sensors
from ..gaits.locomotion import GaitController
from ..gaits.rolling import rolling
from ..predictive import PredictiveGait
from ..whole_body.standing import stand
from .controllers import OfState


def walker(
    robot: Robot,
    q: ArrayLike,
    velocity: ArrayLike,
    *,
    gait: str = "stand",
    friction: Friction = 0.7,
    sensors: Sensors | None = None,
    predictive: bool = False,
    terrain: Terrain | None = None,
) -> OfState:
    """Return footwork's controller of a gait at a velocity, to be judged.

    Args:
        robot, q: who, and where it stands (nq,).
        velocity: (v_x, v_y) [m/s] and ω_z [rad/s]; has no effect when it stands.
        gait: "stand", or one of `control.gaits.GAITS`.
        friction: that the controller assumes.
        predictive: whether a `PredictiveGait` walks instead of a `GaitController`.
        terrain: that it knows; level when not given.
        sensors: q and v are estimated from their readings; when not given, the readings have them.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """
    command = vector(velocity, "velocity", "v_x, v_y [m/s] and ω_z [rad/s]")
    kind = PredictiveGait if boolean(predictive, "predictive") else GaitController
    feet = at_feet(robot, friction)
    if terrain is not None:
        instance(terrain, "terrain", Terrain)
    estimator = None if sensors is None else Estimator(robot, feet, q, sensors=sensors)
    if gait == "stand":
        lines = rolling(feet, check_configuration(robot, q), steps=False)
        return OfState(stand(robot, lines, q)[0], estimator)
    walks = kind(robot, feet, q, gait, velocity=command, terrain=terrain)
    return OfState(walks, estimator)
