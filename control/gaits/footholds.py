"""Footholds of a gait on a terrain, and swing trajectories that clear it."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import chain
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import Contact, Terrain
from ...contacts.terrain.height_map import ROUGH, HeightMap
from ...contacts.terrain.terrain import Ground
from ...dynamics.spatial import cross, skew
from ...errors import ContactError
from ..kernels.profiles import bump, minimum_jerk
from ..references import Profile, Reference, moved, swing_of

CLEARANCE = 0.01  # clearance between a foot and any edge [m]
SIDE = 0.6  # how far places are searched, as a fraction of the reach
TRIED = 24  # places tried on each side along the way
TOUCH = 1e-3  # distance that counts as touching [m]
CLIMB = 0.3  # fraction of a swing's duration by which the rise precedes the horizontal motion
HEIGHTS = np.arange(1.0, 6.1, 0.5)  # factors on the swing height that are tried for clearance
FRACTIONS = np.linspace(0.0, 1.0, 33)  # of a swing's duration at which its clearance is looked at
BUMPS = np.array([bump(share)[0] for share in FRACTIONS])
EXACT = 1e-9  # distance from flat ground that is rounding [m]
STEEPEST = 0.7  # cosine of the steepest slope to stand on, 45°
AT_ONCE = 16, 48, 112, 240  # where the places to try are split, into more and more at a time
AROUND = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])  # a point, ahead and aside
UP = np.array([0.0, 0.0, 1.0])
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
    there = moved(T, way)
    found = near(contact, there, way, terrain, within, highest, room)
    if found is not None:
        return found
    raise ContactError(
        f"{contact.name!r} {_refusal(contact, there, terrain, highest)}, and finds no place with "
        "steps of a half to one and a half times that length; expected another length, or another "
        "start"
    )


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

    If there is any, one with `room` beside it [m], see `foothold`. What is across `way` counts
    twice. Beside T itself, of a grid of places, `tried` to each side along the way, those are tried
    whose ground is flat: the heights h under the foot's points and under its middle (at the edge of
    a stair a plane would pass through the corners alone) are on the plane A A⁺ h, on a height map
    nearly.
    """
    beside = np.split(T.translation[:2] + within * _grid(T, way, tried), AT_ONCE)
    flat = (_flat(contact, T, places, terrain, highest) for places in beside)
    second = None
    for places in filter(len, chain([T.translation[None, :2]], flat)):
        found = _footings(contact, T, places, terrain, highest, room)
        if (best := found.first()) is not None:
            return best
        second = second or found.first(with_room=False)
    return second


def _grid(T: Any, way: Array, tried: int) -> Array:
    """A grid of places (n, 2) in the unit circle, along the way and across it."""
    ahead = way[:2] if np.linalg.norm(way[:2]) > 0 else T.rotation[:2, 0]
    x, y = ahead / np.linalg.norm(ahead)
    return np.asarray(_unit_grid(tried) @ np.array([[x, y], [-y, x]]))


@lru_cache(maxsize=8)
def _unit_grid(tried: int) -> Array:
    """That grid, ahead and across (n, 2), the nearest first; across the way counts twice."""
    shares = np.linspace(-1.0, 1.0, 2 * tried + 1)
    grid = np.stack(np.meshgrid(shares, shares[tried % 4 :: 4], indexing="ij"), -1).reshape(-1, 2)
    grid = grid[np.hypot(*grid.T) <= 1]
    return np.asarray(grid[np.argsort(np.hypot(grid[:, 0], 2 * grid[:, 1]), kind="stable")])


def _flat(contact: Contact, T: Any, places: Array, terrain: Terrain, highest: float) -> Array:
    """Those of places (n, 2) where the ground under a foot is a plane, or nearly on a height map,
    and not too much higher or lower than T."""
    under = np.vstack([np.zeros(2), edges(contact) @ T.rotation[:2].T])
    heights = terrain.height((places[:, None] + under).reshape(-1, 2)).reshape(-1, len(under))
    A = np.column_stack([np.ones(len(under)), under])
    with np.errstate(invalid="ignore"):
        planes = heights @ np.linalg.pinv(A).T
        off = np.abs(heights - planes @ A.T).max(axis=1)
        rise = np.abs(planes[:, 0] - T.translation[2])
    rough = ROUGH if any(isinstance(part, HeightMap) for part in terrain.parts) else EXACT
    return np.asarray(places[(off < 2 * rough) & (rise < highest + rough)])


def edges(contact: Contact, clearance: float = CLEARANCE) -> Array:
    """Return (4 k, 3), places around each of a contact's points, in its axes [m]."""
    return np.asarray((contact.points[:, None] + clearance * AROUND).reshape(-1, 3))


def placed(
    contact: Contact, T: Any, terrain: Terrain, highest: float = np.inf, room: float = 0.0
) -> Any:
    """Return the place on the terrain at T (`pin.SE3`), None where the foot cannot stand there."""
    return _footings(contact, T, T.translation[None, :2], terrain, highest, room).first()


def _refusal(contact: Contact, T: Any, terrain: Terrain, highest: float) -> str:
    """Why the foot cannot stand at T."""
    found = _footings(contact, T, T.translation[None, :2], terrain, highest, 0.0)
    if found.ground.owners[0] < 0:
        return f"has no ground at {np.round(T.translation[:2], 3).tolist()} m"
    name = terrain.face_of(found.ground, 0, contact.points[:, :2]).name
    slope = np.degrees(np.arccos(found.ground.normals[0, 2]))
    reasons = (
        f"would step {found.rises[0]:+.3g} m to {name!r}, and {highest:.3g} m is the most",
        f"would stand on a slope of {slope:.0f}° on {name!r}",
        f"would stand {found.beyond[0]:.3g} m beyond where it can on {name!r}",
        f"would stand on {name!r} inside of something else",
    )
    return reasons[int(found.faults[1:, 0].argmax())]


class _Footings(NamedTuple):
    """Poses of a foot on the ground at n places, and what keeps it from standing there.

    Attributes:
        ground: under it.
        frames: (n, 3, 3), R_world_contact.
        rises: (n,), how much higher than at T it would stand [m].
        beyond: (n,), how far a point would be from the ground [m].
        faults: (6, n), whether there is no ground, it rises or falls too much, is too steep or not
            as far around the foot, is inside of something, or something rises beside it.
    """

    ground: Ground
    frames: Array
    rises: Array
    beyond: Array
    faults: Array

    def first(self, with_room: bool = True) -> Any:
        """The first T_world_contact where the foot can stand, None where there is none."""
        stands = ~self.faults[: None if with_room else -1].any(axis=0)
        if not stands.any():
            return None
        k = int(stands.argmax())
        return pin.SE3(self.frames[k], self.ground.points[k])


def _footings(
    contact: Contact, T: Any, places: Array, terrain: Terrain, highest: float, room: float
) -> _Footings:
    """The foot with the heading of T at places (n, 2), on the ground nearest to the height of T."""
    ground = terrain.ground_under(contact.points @ T.rotation[:2].T, places, T.translation[2])
    missing, rough = ground.owners < 0, ground.rough
    p, n = np.where(missing[:, None], 0.0, ground.points), ground.normals
    x = T.rotation[:, 0] - (n @ T.rotation[:, 0])[:, None] * n
    x /= np.sqrt((x * x).sum(axis=1))[:, None]
    frames = np.stack([x, cross(n.T, x.T).T, n], axis=2)
    # below its points and what is around them, just above that, and beside it
    around = contact.points[:, None] + (CLEARANCE + rough)[:, None, None, None] * AROUND
    under = around.reshape(len(places), -1, 3)
    above = under + (TOUCH + rough)[:, None, None] * UP
    aside = np.broadcast_to(edges(contact, room) + room * UP, under.shape)
    local = np.stack([under, above, aside], axis=1)
    at = np.einsum("nij,nabj->nabi", frames, local) + p[:, None, None]
    beyond = terrain.signed_distance(at[:, 0]).max(axis=1) - rough
    inside, beside = np.asarray(terrain.contains(at[:, 1:]).any(axis=2)).T
    rises = p[:, 2] - T.translation[2]
    faults = [
        missing,
        np.abs(rises) > highest,
        n[:, 2] < STEEPEST,
        beyond > EXACT,
        inside,
        beside & (room > 0),
    ]
    return _Footings(ground, frames, rises, beyond, np.array(faults))


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
    factor = 1.0
    if terrain is not None:
        free = partial(_clear, swept(points, start, goal, climb, along), height, terrain)
        factor = next(filter(free, HEIGHTS), HEIGHTS[0])
    return swing_of(start, goal, duration, begin, factor * height, climb, along)


def swept(points: Array, start: Any, goal: Any, climb: float, along: Profile) -> Array:
    """Where points r of a foot (k, 3) are at `FRACTIONS` (n,) of a `swing` without height:

    (n, k, 3), p + s (Δx, Δy, 0) + z (0, 0, Δz) + exp(s φ) R r, with exp by Rodrigues' formula.
    """
    s, z = _shares(climb, along)
    turn, arms = pin.log3(goal.rotation @ start.rotation.T), points @ start.rotation.T
    angle = sqrt(turn @ turn)
    U = skew(turn / angle if angle > 0 else turn)
    across = arms @ U.T
    sines, cosines = np.sin(angle * s)[:, None, None], np.cos(angle * s)[:, None, None]
    turned = arms + sines * across + (1 - cosines) * (across @ U.T)
    moved = np.column_stack([s, s, z]) * (goal.translation - start.translation)
    return np.asarray(turned + (start.translation + moved)[:, None])


@lru_cache(maxsize=16)
def _shares(climb: float, along: Profile) -> Array:
    """The shares (2, n) of a `swing`'s way along the ground and upwards, at `FRACTIONS`."""
    late, early, length = max(climb, 0.0), max(-climb, 0.0), 1 - abs(climb)
    ways = [
        (along((share - late) / length)[0], minimum_jerk((share - early) / length)[0])
        for share in FRACTIONS
    ]
    return np.array(ways).T


def _clear(swept: Array, height: float, terrain: Terrain, factor: float) -> bool:
    """Whether a swing that is so much higher keeps half of `height` from the terrain half-way."""
    lifted = swept + (factor * height * BUMPS)[:, None, None] * UP
    free = terrain.signed_distance(lifted).min(axis=1)
    deep = TOUCH + max(-free[0], -free[-1], 0.0)  # feet may seem to stand in the ground
    return bool((free > height / 2 * BUMPS - deep).all())
