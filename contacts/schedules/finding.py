"""find_contacts: which corners of the feet touch at each sample of a motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.motions.motion import Motion, as_motion
from ...dynamics.motions.runs import spans
from ...errors import ContactError
from ...options import names_checked
from ...robots import Foot
from ...robots.robot import Robot
from ...robots.values import instance, number, texts, whole_number
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from ..point_paths import PointPaths
from ..terrain.faces import FACES_UP
from ..terrain.terrain import EMPTY, Terrain
from .corners import at_corners, on_grounds
from .masks import Mask, columns, hysteresis, without_gaps, without_short
from .report import Finding, remarks
from .schedule import ContactSchedule
from .thresholds import Thresholds, size_of, thresholds


@names_checked
def find_contacts(
    motion: Motion,
    terrain: Terrain | None = None,
    *,
    friction: float = 0.7,
    feet: Mapping[str, Foot] | None = None,
    frames: str | Iterable[str] = (),
    height: ArrayLike | None = None,
    speed: ArrayLike | None = None,
    offset: float | None = None,
    gap: float = 0.05,
    blip: float = 0.05,
    threads: int = 1,
) -> ContactSchedule:
    """Return which corners of the feet touch at each sample, by their heights and speeds.

    A corner touches from where its height above the ground and its speed fall below the second of
    two thresholds until one of them rises above, if both are below the first ones in between, at
    this corner or another one of the foot: a hysteresis that is the same forwards and backwards in
    time. Then gaps shorter than `gap` are closed, the ends left out at which a corner moves off
    from how it rests in between, and contacts shorter than `blip`. Corners are looked at one by
    one, so that a foot may stand on its heel, an edge or its toe. `finding` of the schedule says
    what was assumed and what is doubtful: feet above or in the ground, feet that slide.

    Args:
        motion: q and v along time; or a Trajectory, a ClosedLoop.
        terrain: the ground; without it the plane z = 0. Normals are those of its surfaces.
        friction: Coulomb coefficient μ where the terrain has none of its own.
        feet: these instead of the robot's, as for `at_feet`.
        frames: others that may touch, such as hands and knees, each with its origin.
        height: two thresholds [m], or one for both. Without it, as `thresholds` has them:
            1 and 2.5 % of the robot's size, and more where its feet stand at uneven heights.
        speed: likewise [m/s].
        offset: how high the ground of the motion is above that of the terrain [m]; without it the
            median height at which feet stand. Motions taken over from people float or sink.
        gap, blip: shortest times without and with contact [s].
        threads: that share the work.

    Raises:
        ContactError: no feet are known; values that cannot be.
        ConfigurationError: a frame that the robot does not have.
    """
    motion = as_motion(motion)
    if terrain is not None and not len(instance(terrain, "terrain", Terrain, error=ContactError)):
        raise ContactError(EMPTY)
    gap, blip = (
        number(x, name, at_least=0, unit="[s]", error=ContactError)
        for name, x in (("gap", gap), ("blip", blip))
    )
    offset = None if offset is None else number(offset, "offset", unit="[m]", error=ContactError)
    threads = whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)
    contacts, of_feet = _candidates(motion.robot, friction, feet, frames)
    paths = PointPaths.of(motion, contacts, threads)
    heights, speeds = paths.heights(terrain), paths.speeds
    own = slice(of_feet or len(contacts))  # hands do not tell where the ground is
    size = size_of(motion.robot, contacts)
    known = height, speed, offset
    limits = thresholds(size, motion.t, heights[:, own], speeds[:, own], *known)
    touching = _touching(contacts, motion.t, heights, speeds, limits, (gap, blip))
    distance = limits.distance(heights, speeds)
    alone: Mask = np.asarray(distance < 1)  # by the middle thresholds, whatever was before or after
    certainty = np.where(touching == alone, np.clip(np.abs(1 - distance), 0.0, 1.0), 0.0)
    said = remarks(motion.t, contacts, paths.positions, heights, speeds, touching, limits)
    finding = Finding(limits, (gap, blip), _changed(alone, touching), tuple(said))
    if terrain is not None:
        contacts, touching, certainty = _on_surfaces(
            contacts, paths.positions, touching, certainty, terrain, friction
        )
    return ContactSchedule(contacts, motion.t, touching, certainty, finding).used()


def _candidates(
    robot: Robot, friction: float, feet: Mapping[str, Foot] | None, frames: str | Iterable[str]
) -> tuple[ContactSet, int]:
    """All points that may touch, those of the feet first, and how many these are."""
    names = texts(frames, "frames", error=ContactError)
    alone = names and feet is None and not robot.feet
    known = [] if alone else list(at_corners(robot, friction, feet=feet))
    others = [PointContact(name, friction) for name in dict.fromkeys(names)]
    return ContactSet(robot, [*known, *others]), len(known)


def _touching(
    contacts: ContactSet,
    t: Array,
    heights: Array,
    speeds: Array,
    limits: Thresholds,
    least: tuple[float, float],
) -> Mask:
    """Which points touch (n, P): hysteresis, short gaps closed, ends trimmed, short ones left out.

    Args:
        contacts: of the points.
        t: (n,); heights, speeds: (n, P).
        limits: the thresholds.
        least: of gaps and contacts [s].
    """
    strict, loose = (limits.below(k, heights, speeds) for k in (0, 1))
    for own in contacts.wholes.values():
        strict[:, own] = np.any(strict[:, own], axis=1, keepdims=True)
    touching = columns(hysteresis, strict, loose)
    touching = columns(without_gaps, touching, t=t, least=least[0])
    touching = columns(limits.trimmed, touching, heights, speeds)
    return columns(without_short, touching, t=t, least=least[1])


def _changed(before: Mask, after: Mask) -> tuple[int, int]:
    """How many intervals there were at the middle thresholds, and how many there are."""
    count = [sum(len(spans(column)) for column in table.T) for table in (before, after)]
    return count[0], count[1]


def _on_surfaces(
    contacts: ContactSet,
    positions: Array,
    touching: Mask,
    certainty: Array,
    terrain: Terrain,
    friction: float,
) -> tuple[ContactSet, Mask, Array]:
    """A contact for each ground that a foot meets, with its columns; see `on_grounds`."""
    found: list[Contact] = []
    columns: list[tuple[Mask, Array]] = []
    for own in contacts.wholes.values():
        points = positions[:, own].reshape(-1, 3)
        on = touching[:, own]
        corners = [contacts.contacts[k] for k in own]
        upwards = bool(corners[0].part_of)
        grounds = np.zeros((on.size, 4))
        grounds[on.ravel()] = _ground(terrain, points[on.ravel()], friction, upwards)
        met = [
            (ground, on & (grounds == ground).all(axis=1).reshape(on.shape))
            for ground in _in_time(grounds[on.ravel()])
        ]
        for contact, k, mask in on_grounds(corners, met):
            found.append(contact)
            columns.append((mask, certainty[:, own[k]]))
    masks = np.array([mask for mask, _ in columns], dtype=bool).reshape(-1, len(touching)).T
    sure = np.array([column for _, column in columns]).reshape(-1, len(touching)).T
    return ContactSet(contacts.robot, found), masks, sure


def _in_time(grounds: Array) -> Array:
    """Different rows, in the order in which they come first."""
    different, first = np.unique(grounds, axis=0, return_index=True)
    return np.asarray(different[np.argsort(first)])


def _ground(terrain: Terrain, points: Array, friction: float, upwards: bool) -> Array:
    """Normals and friction (n, 4) of surfaces at points; a foot at an edge stands on its top."""
    normals = terrain.normal(points)
    if upwards:
        normals[normals[:, 2] < FACES_UP] = 0.0, 0.0, 1.0
    found = np.column_stack([normals, terrain.friction(points, friction)])
    return np.asarray(np.round(found, 9), dtype=float)
