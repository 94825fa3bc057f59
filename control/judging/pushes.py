"""Largest pushes that a controller survives, by direction, and the capture limit beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.geometry.polygon import convex_hull, sides
from ...dynamics import State
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from ...robots.values import array

HALVINGS = 4  # of the span between the largest survived and the smallest not survived
LARGEST = 4.0  # change of speed at which the search ends [m/s]
FIRST = 0.4  # where it begins when there is no capture limit [m/s]


class LargestPush(NamedTuple):
    """The largest push that was survived in a direction.

    Attributes:
        heading: of the push, from the world's x to y [degrees].
        survived: the largest change of speed that was survived [m/s].
        fell: the smallest that was not [m/s]; inf where none was found.
        capture: the limit of a linear inverted pendulum that stands [m/s], see `capture_limits`.
    """

    heading: float
    survived: float
    fell: float
    capture: float


def largest_push(survives: Callable[[float], bool], first: float) -> tuple[float, float]:
    """Return the largest change of speed that is survived, and the smallest that is not [m/s].

    Doubled from `first` until it is too large, then halved between. What is survived above a push
    that is not goes unnoticed.
    """
    low, high = 0.0, np.inf
    change = first if first > 0 else FIRST
    while change <= LARGEST:
        if not survives(change):
            high = change
            break
        low, change = change, 2 * change
    for _ in range(HALVINGS if np.isfinite(high) else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if survives(middle) else (low, middle)
    return low, high


def capture_limits(robot: Robot, q: ArrayLike, contacts: ContactSet, headings: ArrayLike) -> Array:
    """Return (n,), changes of speed ω d that a standing linear inverted pendulum withstands [m/s].

    ξ = c + ċ/ω stays within the support polygon when ‖ċ‖ ≤ ω d, with d from the centre of mass to
    the polygon's edge in the direction of the push, ω = √(g/h); zero where c is outside.

    Args:
        robot, q: where it stands (nq,).
        contacts: on level ground.
        headings: (n,), from x to y [degrees].

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """
    angles = np.radians(array(headings, "headings", (None,), meaning="directions [degrees]"))
    q = check_configuration(robot, q)
    feet = ContactSet.of(robot, contacts)
    points = feet.attachment.world_points(State(robot, q))
    corners, com = convex_hull(points[:, :2]), dynamics.com(robot, q)
    gravity = float(np.linalg.norm(robot._model.gravity.linear))
    height = float(com[2] - points[:, 2].mean())
    if len(corners) < 2 or height <= 0:
        return np.zeros(len(angles))
    normals, offsets = sides(corners)
    ahead = normals @ np.array([np.cos(angles), np.sin(angles)])  # (k, n)
    left = (offsets - normals @ com[:2])[:, None]
    ways = np.where(ahead > 1e-12, left / np.where(ahead > 1e-12, ahead, 1.0), np.inf)
    return np.asarray(np.sqrt(gravity / height) * np.maximum(ways.min(axis=0), 0.0))
