"""Footholds: where feet of a gait stand on a terrain, and how they get there clear of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..contacts import Contact, Terrain
from ..errors import ContactError
from .references import Reference, bump, swing

Array = NDArray[np.float64]

EDGE = 1e-3  # what a sole may stand over an edge, or in a riser [m]
CLIMB = 0.3  # share of a swing's time by which a rise goes ahead of the way
LEVEL = 0.01  # heights that differ by less are one [m]


def foothold(contact: Contact, T: Any, terrain: Terrain) -> Any:
    """Return T_world_contact (`pin.SE3`): a place T brought straight onto the terrain.

    Raises:
        ContactError: nothing there, an edge under the foot, or something in its way.
    """
    hit = terrain.ground(*T.translation)
    if hit is None:
        raise ContactError(f"{contact.name!r}: no ground at {np.round(T.translation[:2], 3)} m")
    face, point = hit
    placed = face.frame(point, T.rotation[:, 0])
    corners = np.array([placed.act(p) for p in contact.points])
    over = face.overhang(corners)
    radius = getattr(contact, "radius", 0.0)
    inside = radius - terrain.signed_distance(corners + (radius + EDGE) * face.normal).min()
    if over > EDGE or inside > 0:
        what = f"{over:.3g} m over an edge" if over > EDGE else f"{inside:.3g} m inside"
        raise ContactError(
            f"{contact.name!r} would stand {what} of {face.name!r}; expected steps of another "
            "length, or another start"
        )
    return placed


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
    for times in np.arange(1.0, 11.0, 0.5):
        way = swing(start, goal, duration, begin, times * height, climb)
        if terrain is None or _clear(points, way, begin, duration, terrain, 0.5 * height):
            break
    return way


def _clear(
    points: Array, way: Reference, begin: float, duration: float, terrain: Terrain, room: float
) -> bool:
    shares = np.linspace(0.02, 0.98, 33)
    poses = [way(begin + share * duration).value for share in shares]
    places = np.array([points @ T.rotation.T + T.translation for T in poses])
    wanted = room * np.array([bump(share)[0] for share in shares])
    return bool((terrain.signed_distance(places).min(axis=1) > wanted - EDGE).all())


def moved(T: Any, way: Array) -> Any:
    """Return T (`pin.SE3`) moved by (3,) [m]."""
    return pin.SE3(T.rotation, T.translation + way)
