"""Footholds of a gait on a terrain, and swing trajectories that clear it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pinocchio as pin

from ..arrays import Array
from ..contacts import Contact, Terrain
from ..errors import ContactError
from .references import Reference, bump, swing

CLEARANCE = 0.01  # clearance between a foot and any edge [m]
TOUCH = 1e-3  # distance that counts as touching [m]
CLIMB = 0.3  # fraction of a swing's duration by which the rise precedes the horizontal motion
HEIGHTS = np.arange(1.0, 6.1, 0.5)  # factors on the swing height that are tried for clearance
LEVEL = 0.01  # difference of heights below which ground counts as level [m]


def foothold(contact: Contact, T: Any, way: Array, terrain: Terrain) -> Any:
    """Return T_world_contact (`pin.SE3`), on the terrain straight below or above T moved by `way`.

    Where an edge would be under the foot, the step is shortened or lengthened by up to a half, as
    little as it can.

    Args:
        contact: whose points have to stand, `CLEARANCE` away from any edge.
        T: where it was, T_world_contact.
        way: (3,) [m].
        terrain: see `contacts.Terrain`.

    Raises:
        ContactError: no place to stand within these steps.
    """
    fractions = np.arange(0.0, 0.51, 0.02)
    refusals = []
    for share in np.column_stack([1 - fractions, 1 + fractions]).ravel():
        found, refusal = placed(contact, moved(T, share * way), terrain)
        if found is not None:
            return found
        refusals.append(refusal)
    raise ContactError(
        f"{contact.name!r} {refusals[0]}, and finds no place with steps of a half to one and a "
        "half times that length; expected another length, or another start"
    )


def placed(contact: Contact, T: Any, terrain: Terrain) -> tuple[Any, str]:
    """The place on the terrain at T, or None and why the foot cannot stand there."""
    hit = terrain.ground(*T.translation)
    if hit is None:
        return None, f"has no ground at {np.round(T.translation[:2], 3).tolist()} m"
    face, point = hit
    placed = face.frame(point, T.rotation[:, 0])
    around = CLEARANCE * np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    corners = np.array([placed.act(p + d) for p in contact.points for d in around])
    over = face.overhang(corners)
    if over > 0:
        return None, f"would stand {over:.3g} m beyond where it can on {face.name!r}"
    if terrain.signed_distance(corners + TOUCH * face.normal).min() <= 0:
        return None, f"would stand on {face.name!r} inside of something else"
    return placed, ""


def over_ground(
    points: Array,
    start: Any,
    goal: Any,
    duration: float,
    begin: float,
    height: float,
    terrain: Terrain | None = None,
) -> Reference:
    """Return the swing of a foot between two places (`pin.SE3`), clear of the terrain.

    Where it climbs, it rises before it goes ahead; where it descends, it goes ahead first. Its
    height grows until each point keeps half of `height` from the terrain half-way.

    Args:
        points: (k, 3), the foot's corners in the axes of its frame [m].
        start, goal: T_world_frame.
        duration, begin: [s].
        height: of the bump, at least [m].
        terrain: None where nothing is in the way.
    """
    rise = goal.translation[2] - start.translation[2]
    climb = CLIMB * float(np.sign(rise)) if abs(rise) > LEVEL else 0.0
    ways = (swing(start, goal, duration, begin, k * height, climb) for k in HEIGHTS)
    lowest = next(ways)
    if terrain is None:
        return lowest
    clear = (
        w for w in chain([lowest], ways) if _clear(points, w, begin, duration, terrain, height / 2)
    )
    return next(clear, lowest)


def _clear(
    points: Array, way: Reference, begin: float, duration: float, terrain: Terrain, clearance: float
) -> bool:
    fractions = np.linspace(0.0, 1.0, 33)
    poses = [way(begin + share * duration).value for share in fractions]
    places = np.array([points @ T.rotation.T + T.translation for T in poses])
    free = terrain.signed_distance(places).min(axis=1)
    deep = TOUCH + max(-free[0], -free[-1], 0.0)  # feet may seem to stand in the ground
    return bool((free > clearance * np.array([bump(share)[0] for share in fractions]) - deep).all())


def moved(T: Any, way: Array) -> Any:
    """Return T (`pin.SE3`) moved by (3,) [m]."""
    return pin.SE3(T.rotation, T.translation + way)
