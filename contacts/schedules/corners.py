"""Corners of soles as contacts of their own: what a foot touches with as it rolls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...robots import Foot, Robot
from ..cones.friction_cone import Friction, unit_vector
from ..contact import Contact, PointContact
from ..contact_set import ContactSet, at_feet
from ..geometry.polygon import centroid_weights, convex_hull
from ..surface_contact import PlacedContact
from .masks import Mask


def at_corners(
    robot: Robot,
    friction: Friction = 0.7,
    *,
    feet: Mapping[str, Foot] | None = None,
    normal: ArrayLike = (0.0, 0.0, 1.0),
) -> ContactSet:
    """Return contacts at the corners of the robot's soles, one by one, and at its ball feet.

    A sole that rolls over its heel or its toe touches along an edge: its own z is then not the
    normal of the ground, so that each corner is a point with the normal given. The corners
    "left_foot.1", "left_foot.2", … are parts of "left_foot" and lose its share of a margin
    together: while all touch, the margin is that of the sole as a `SurfaceContact` on that ground.

    Args:
        robot: whose feet.
        friction: Coulomb coefficient μ of all.
        feet: these instead of `robot.feet`, as for `at_feet`.
        normal: (3,), unit vector of the ground, into the robot, world axes.

    Raises:
        ContactError: no feet are known, as for `at_feet`.
    """
    soles = at_feet(robot, friction, feet=feet)
    return ContactSet(robot, [p for sole in soles for p in corner_points(sole, normal)])


def corner_points(contact: Contact, normal: ArrayLike = (0.0, 0.0, 1.0)) -> list[Contact]:
    """Return the corners of a patch's hull as points on ground of this normal; a point itself."""
    n = unit_vector(normal, "normal")
    if isinstance(contact, PointContact):
        return [replace(contact, normal=n)]
    if not isinstance(contact, PlacedContact):
        return [contact]
    corners = convex_hull(contact.corners)
    frame, mu, whole = contact.frame, contact.friction, contact.name
    return [
        PointContact(frame, mu, n, place, name=f"{whole}.{k}", part_of=whole, weight=float(weight))
        for k, (place, weight) in enumerate(
            zip(_places(contact, corners), centroid_weights(corners), strict=True), 1
        )
    ]


def on_grounds(
    points: Sequence[Contact], grounds: Iterable[tuple[ArrayLike, Mask]]
) -> Iterator[tuple[Contact, int, Mask]]:
    """Yield (contact, which of the points it is at, when it touches) for each ground of a foot.

    On the first ground all of its points, on others those that touch there, called
    "left_foot.1/2" and so on.

    Args:
        points: k of the foot.
        grounds: [normal, μ] (4,) of each, and which points touch it (n, k).
    """
    for order, (ground, touching) in enumerate(grounds):
        for k, (contact, mask) in enumerate(zip(points, touching.T, strict=True)):
            if order == 0 or mask.any():
                yield _placed(contact, np.asarray(ground), order), k, mask


def _placed(contact: Contact, ground: Array, order: int) -> Contact:
    normal = ground[:3] / np.linalg.norm(ground[:3])
    name = contact.name + (f"/{order + 1}" if order else "")
    return replace(contact, name=name, normal=normal, friction=float(ground[3]))  # type: ignore[call-arg]


def _places(contact: PlacedContact, corners: Array) -> Array:
    """Corners (k, 2) in the axes of the contact's frame (k, 3)."""
    return np.array([contact.placement.act(np.append(corner, 0.0)) for corner in corners])
