"""Feet: where a robot stands, as pure geometry."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot: a sole (convex polygon) or a point, fixed to a frame of the robot.

    Attributes:
        name: what the robot's maker calls it.
        frame: the link (or other frame) that carries it.
        placement: T_frame_sole; +z of the sole points from the ground into the foot, x forward.
            For a point foot only the translation counts: the contact point in frame axes [m].
        vertices: (k, 2), corners of the sole in its x-y plane, counter-clockwise about +z [m];
            k = 0 for a point foot.
        radius: of the ball at a point foot's end [m]; 0 when it is not known. The ground then lies
            `radius` below the point.
    """

    name: str
    frame: str
    placement: Any = field(default_factory=pin.SE3.Identity)
    vertices: Array = field(default_factory=lambda: np.zeros((0, 2)))
    radius: float = 0.0

    @property
    def is_point(self) -> bool:
        """Whether the foot is a point, without a sole."""
        return len(self.vertices) == 0
