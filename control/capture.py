"""Push recovery: a robot that stands, and steps when it would fall."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from ..contacts import ContactSet
from ..robots.robot import Robot
from .gaits import Gait
from .locomotion import GaitController


class PushRecoveryController(GaitController):
    """A GaitController that stands: pushed too hard, it steps, and then it stands again.

    Args:
        robot: floating base.
        contacts: its two or four feet.
        q: where it stands (nq,).
        gait: that it steps in, as of a GaitController.
        options: of the GaitController.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        gait: str | Gait | None = None,
        **options: Any,
    ) -> None:
        super().__init__(robot, contacts, q, gait, **options)
