"""The zero-moment point of contact forces."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..arrays import Array
from ..dynamics import Wrench
from ..robots.values import instance, mapping, number

_UP = np.array([0.0, 0.0, 1.0])


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
    found = zmp_of(force, moment, origin)
    return None if np.isnan(found).any() else found


def zmp_of(force: Array, moment: Array, point: Array, normal: Array = _UP) -> Array:
    """Return z = p + n × m_p/(n·f) (…, 3), in the plane through p: where only a moment about n is.

    Args:
        force, moment: f and m_p (…, 3), about p.
        point, normal: p and n (3,), of the plane.

    Returns:
        z [m]; nan where they do not press.
    """
    pressing = np.asarray(force @ normal)
    presses = pressing > 1e-9 * (1 + np.linalg.norm(force, axis=-1))
    pressing = np.where(presses, pressing, np.nan)
    return np.asarray(point + np.cross(normal, moment) / pressing[..., None])
