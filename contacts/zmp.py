"""The zero-moment point of contact forces."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..dynamics import Wrench
from ..robots.values import instance, mapping, number


def zero_moment_point(wrenches: Mapping[str, Wrench], height: float = 0.0) -> Array | None:
    """Return where in a level plane the sum of wrenches has no moment but about the vertical.

        z = O + (ẑ × m_O)/(ẑ · f),      O = (0, 0, height)

    Args:
        wrenches: of the ground on the robot, each with its point, world axes.
        height: of the plane [m].

    Returns:
        z (3,) [m]; None where they do not press.
    """
    origin = np.array([0.0, 0.0, number(height, "height", unit="[m]")])
    for name, wrench in mapping(wrenches, "wrenches", kind="contact").items():
        instance(wrench, f"wrenches[{name!r}]", Wrench)
    moved = [wrench.at(origin) for wrench in wrenches.values()]
    force = sum((w.force for w in moved), np.zeros(3))
    moment = sum((w.moment for w in moved), np.zeros(3))
    if not force[2] > 1e-9 * (1 + float(np.linalg.norm(force))):
        return None
    return np.asarray(origin + np.cross([0.0, 0.0, 1.0], moment) / force[2])
