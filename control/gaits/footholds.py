"""Footholds of a gait on a terrain, and swing trajectories that clear it."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import Contact, Terrain
from ...contacts.terrain.height_map import ROUGH, HeightMap
from ...errors import ContactError
from ..kernels.profiles import bump, minimum_jerk
from ..references import Profile, Reference, moved, swing_of

CLEARANCE = 0.01  # clearance between a foot and any edge [m]
SIDE = 0.6  # how far places are searched, as a fraction of the reach
TRIED = 24  # places tried on each side along the way
TOUCH = 1e-3  # distance that counts as touching [m]
CLIMB = 0.3  # fraction of a swing's duration by which the rise precedes the horizontal motion
HEIGHTS = np.arange(1.0, 6.1, 0.5)  # factors on the swing height that are tried for clearance
EXACT = 1e-9  # distance from flat ground that is rounding [m]
STEEPEST = 0.7  # cosine of the steepest slope to stand on, 45°
LEVEL = 0.01  # difference of heights below which ground counts as level [m]


def foothold(
    contact: Contact,
    T: Any,
    way: Array,
    terrain: Terrain,
    reach: float | None = None,
    room: float = 0.0,
) -> Any:
    """Return T_world_contact (`pin.SE3`), on the terrain straight below or above T moved by `way`.

    Where the foot cannot stand there, the step is as little longer, shorter or to the side as it
    can be, by up to a half of its length or `SIDE` of its reach; across its way counts twice.

    Args:
        contact: whose points have to stand, `CLEARANCE` away from any edge.
        T: where it was, T_world_contact.
        way: (3,) [m].
        terrain: see `contacts.Terrain`.
        reach: how much higher or lower than it stood it may stand, and as far as `SIDE` of that
            from where it should [m]; None: at any height, within half of its way.
        room: to what rises beside the foot by as much or more, where there is such a place [m]:
            from there it can be lifted over it on its way.

    Raises:
        ContactError: no place to stand within these steps.
    """
    highest = np.inf if reach is None else reach
    within = max(0.5 * float(np.linalg.norm(way)), SIDE * (reach or 0.0))
    for space in dict.fromkeys((room, 0.0)):
        found, refusal = placed(contact, moved(T, way), terrain, highest, space)
        if found is None:
            found = near(contact, moved(T, way), way, terrain, within, highest, space)
        if found is not None:
            break
    else:
        raise ContactError(
            f"{contact.name!r} {refusal}, and finds no place with steps of a half to one and a "
            "half times that length; expected another length, or another start"
        )
    return found


def near(
    contact: Contact,
    T: Any,
    way: Array,
    terrain: Terrain,
    within: float,
    highest: float,
    room: float = 0.0,
    tried: int = TRIED,
) -> Any:
    """Return the place nearest to T where a foot can stand, `within` [m] from there, or None.

    What is across `way` counts twice. Of a grid of places, `tried` to each side along the way,
    those are tried whose ground is flat: the heights h under the foot's points and under its middle
    (at the edge of a stair a plane would pass through the corners alone) are on the plane A A⁺ h,
    on a height map nearly.
    """
    ahead = way[:2] if np.linalg.norm(way[:2]) > 0 else T.rotation[:2, 0]
    ahead = ahead / np.linalg.norm(ahead)
    shares = np.linspace(-1.0, 1.0, 2 * tried + 1)
    grid = np.stack(np.meshgrid(shares, shares[tried % 4 :: 4], indexing="ij"), -1).reshape(-1, 2)
    grid = within * grid[np.hypot(*grid.T) <= 1]
    grid = grid[np.argsort(np.hypot(grid[:, 0], 2 * grid[:, 1]), kind="stable")]
    places = T.translation[:2] + grid @ np.array([ahead, [-ahead[1], ahead[0]]])
    under = np.vstack([np.zeros(2), edges(contact) @ T.rotation[:2].T])
    heights = terrain.height((places[:, None] + under).reshape(-1, 2)).reshape(-1, len(under))
    A = np.column_stack([np.ones(len(under)), under])
    with np.errstate(invalid="ignore"):
        planes = heights @ np.linalg.pinv(A).T
        off = np.abs(heights - planes @ A.T).max(axis=1)
        rise = np.abs(planes[:, 0] - T.translation[2])
    rough = ROUGH if any(isinstance(part, HeightMap) for part in terrain.parts) else EXACT
    for place in places[(off < 2 * rough) & (rise < highest + rough)]:
        there = pin.SE3(T.rotation, np.append(place, T.translation[2]))
        found, _ = placed(contact, there, terrain, highest, room)
        if found is not None:
            return found
    return None


def edges(contact: Contact, clearance: float = CLEARANCE) -> Array:
    """Return (4 k, 3), places around each of a contact's points, in its axes [m]."""
    around = clearance * np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])
    return np.asarray((contact.points[:, None] + around).reshape(-1, 3))


def placed(
    contact: Contact, T: Any, terrain: Terrain, highest: float = np.inf, room: float = 0.0
) -> tuple[Any, str]:
    """The place on the terrain at T, or None and why the foot cannot stand there."""
    x, y, z = T.translation
    hit = terrain.ground(x, y, z, contact.points @ T.rotation[:2].T)
    if hit is None:
        return None, f"has no ground at {np.round(T.translation[:2], 3).tolist()} m"
    face, point = hit
    if abs(rise := point[2] - z) > highest:
        return None, f"would step {rise:+.3g} m to {face.name!r}, and {highest:.3g} m is the most"
    if face.normal[2] < STEEPEST:
        slope = np.degrees(np.arccos(face.normal[2]))
        return None, f"would stand on a slope of {slope:.0f}° on {face.name!r}"
    placed = face.frame(point, T.rotation[:, 0])
    corners, up = edges(contact, CLEARANCE + face.rough), np.array([0.0, 0.0, 1.0])
    around = [corners, corners + (TOUCH + face.rough) * up, edges(contact, room) + room * up]
    places = np.array(around) @ placed.rotation.T + placed.translation
    under, above, beside = terrain.signed_distance(places)
    if (over := under.max() - face.rough) > EXACT:
        return None, f"would stand {over:.3g} m beyond where it can on {face.name!r}"
    if above.min() <= 0:
        return None, f"would stand on {face.name!r} inside of something else"
    if room > 0 and beside.min() <= 0:
        return None, f"would stand on {face.name!r} too near to what rises there"
    return placed, ""


def over_ground(
    points: Array,
    start: Any,
    goal: Any,
    duration: float,
    begin: float,
    height: float,
    terrain: Terrain | None = None,
    along: Profile = minimum_jerk,
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
        along: as of `references.swing`.
    """
    rise = goal.translation[2] - start.translation[2]
    climb = CLIMB * float(np.sign(rise)) if abs(rise) > LEVEL else 0.0
    ways = (swing_of(start, goal, duration, begin, k * height, climb, along) for k in HEIGHTS)
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
