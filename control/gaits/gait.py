"""Gaits: which feet swing together and in which order, and the phases of so many steps.

The phases start where the feet are, with the centre of pressure under the centre of mass, and end
with it between the feet. On a terrain, footholds are on its surfaces. `control.GaitController`
follows a commanded velocity instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ... import dynamics
from ...arrays import Array
from ...contacts import ContactSet, Terrain
from ...dynamics import State
from ...dynamics.per_robot import per_robot
from ...errors import ContactError
from ...robots.robot import Robot
from ...robots.values import number
from ..dcm import Phase
from ..references import moved
from .footholds import foothold

RISE = 0.5  # the highest step up or down [heights of the centre of mass]


@dataclass(frozen=True)
class Gait:
    """Groups of feet that swing together, in turn, and for how long.

    Times are in those of a pendulum, 1/ω = √(h/g) with h the height of the centre of mass, so that
    one gait serves robots of all sizes.

    Attributes:
        groups: feet by their places, see `feet_by_place`.
        swing: duration of a swing [1/ω].
        double: duration with all feet on the ground, between two swings [1/ω].
        step: longest step in the natural time; longer ones would be taken sooner [h].
        climb: by how much swings last longer for what they go up or down on a terrain [1/ω for h]:
            heavy legs that are thrown up throw the robot up too.
    """

    groups: tuple[tuple[str, ...], ...]
    swing: float
    double: float
    step: float
    climb: float = 0.0


GAITS = {
    "walk": Gait((("left",), ("right",)), swing=1.4, double=0.4, step=0.5, climb=3.0),
    "trot": Gait((("left front", "right hind"), ("right front", "left hind")), 1.15, 0.3, step=0.5),
    "pace": Gait((("left front", "left hind"), ("right front", "right hind")), 0.9, 1.5, step=0.4),
    "bound": Gait((("left front", "right front"), ("left hind", "right hind")), 0.7, 1.2, step=0.4),
    "crawl": Gait(
        (("left hind",), ("left front",), ("right hind",), ("right front",)), 1.2, 0.6, step=0.2
    ),
}


def footsteps(
    contacts: ContactSet,
    q: ArrayLike,
    count: int,
    *,
    length: float = 0.0,
    swing: float = 0.6,
    double: float = 0.2,
    settle: float = 1.0,
    terrain: Terrain | None = None,
) -> list[Phase]:
    """Return `count` alternating steps of a biped; the last one brings the feet side by side.

    Args:
        contacts: two feet.
        q: where it stands (nq,).
        count: of steps.
        length: by which the swinging foot passes the stance foot, along the robot's x [m].
        swing, double: time on one foot and on two [s].
        settle: time on two feet at the beginning and at the end [s].
        terrain: where feet land, as stairs: steps are shortened or lengthened where an edge would
            be under a foot; as high as they stand when not given.

    Raises:
        ContactError: not two feet, or no place for one of them on the terrain.
    """
    length = number(length, "length", unit="[m]")
    feet, ahead = feet_by_place(contacts, q, 2), heading(contacts, q)
    names = contacts.names  # the first one goes first
    other = dict(zip(feet.values(), reversed(feet.values()), strict=True))

    def goal(places: dict[str, Any], k: int, name: str) -> Any:
        """From the swinging foot to the stance foot and past it; the last one stops beside it."""
        behind = ahead @ (places[other[name]].translation - places[name].translation)
        return moved(places[name], (behind + (length if k < count - 1 else 0.0)) * ahead)

    groups = [(names[k % 2],) for k in range(count)]
    return _from_standing(contacts, q, groups, goal, (swing, double, settle), terrain)


def trot(
    contacts: ContactSet,
    q: ArrayLike,
    count: int,
    *,
    length: float = 0.0,
    swing: float = 0.2,
    double: float = 0.05,
    settle: float = 0.5,
    terrain: Terrain | None = None,
) -> list[Phase]:
    """Return `count` swings of the two diagonals of a quadruped in turn.

    Arguments as of `footsteps`; each diagonal lands `length` / 2 ahead of the other, so it swings
    over `length` and the body advances by half of it [m].
    """
    length = number(length, "length", unit="[m]")
    ahead = heading(contacts, q)

    def goal(places: dict[str, Any], k: int, name: str) -> Any:
        """Two groups pass each other: the first and the last swing go half as far."""
        return moved(places[name], (0.5 if k in (0, count - 1) else 1.0) * length * ahead)

    groups = _repeated(GAITS["trot"], feet_by_place(contacts, q, 4), count)
    return _from_standing(contacts, q, groups, goal, (swing, double, settle), terrain)


def crawl(
    contacts: ContactSet,
    q: ArrayLike,
    count: int,
    *,
    length: float = 0.0,
    swing: float = 0.3,
    double: float = 0.3,
    settle: float = 0.5,
    terrain: Terrain | None = None,
) -> list[Phase]:
    """Return `count` swings of single feet of a quadruped: left hind, left front, right ones.

    Arguments as of `footsteps`; a foot goes `length` forward at each of its swings [m].
    """
    length = number(length, "length", unit="[m]")
    ahead = heading(contacts, q)
    groups = _repeated(GAITS["crawl"], feet_by_place(contacts, q, 4), count)
    return _from_standing(
        contacts, q, groups, lambda places, k, name: moved(places[name], length * ahead),
        (swing, double, settle), terrain,
    )  # fmt: skip


def swings_in_turn(
    contacts: ContactSet,
    places: dict[str, Any],
    groups: Sequence[tuple[str, ...]],
    goal: Callable[[dict[str, Any], int, str], Any],
    *,
    start: Array,
    swing: float,
    double: float,
    first: float,
    last: float,
    terrain: Terrain | None = None,
    reach: float | None = None,
    climb: float = 0.0,
    room: float = 0.0,
) -> list[Phase]:
    """Return phases in which groups of feet swing; the others carry with p in their middle.

    Args:
        contacts: all feet.
        places: T_world_contact of each, where they stand now (`pin.SE3`).
        groups: names of the feet that swing, one swing after the other.
        goal: (places by then, number of the swing, foot) -> T_world_contact where it should land.
        start: p (3,) at the beginning [m].
        swing, double: durations of a swing, and of the time on all feet between two [s].
        first, last: durations on all feet before the first swing and after the last [s].
        terrain: onto whose surfaces footholds are brought.
        reach, room: the highest step up or down, and the distance from risers [m], see
            `footholds.foothold`.
        climb: by how much a swing on the terrain lasts longer for what it goes up or down [s/m].

    Raises:
        ContactError: no place to stand near a goal.
    """
    for duration in (swing, double, first, last):
        number(duration, "duration", above=0, unit="[s]")
    places, phases, p = dict(places), [], start
    for k, group in enumerate(groups):
        target = middle(places, [name for name in contacts.names if name not in group])
        phases.append(Phase.of(double if k else first, p, target))
        landed = {name: goal(places, k, name) for name in group}
        rise = 0.0
        if terrain is not None:
            for name, T in landed.items():
                here = pin.SE3(T.rotation, places[name].translation)
                way = (T.translation - here.translation) * [1.0, 1.0, 0.0]
                landed[name] = foothold(contacts[name], here, way, terrain, reach, room)
                up = landed[name].translation[2] - here.translation[2]
                rise = max(rise, abs(float(up)))
        places.update(landed)
        phases.append(Phase.of(swing + climb * rise, target, target, landed))
        p = target
    phases.append(Phase.of(last, p, middle(places, contacts.names)))
    return phases


def feet_by_place(contacts: ContactSet, q: ArrayLike, count: int | None = None) -> dict[str, str]:
    """Return {place: contact}: "left", "right" of two feet, "left front", … of four.

    Args:
        contacts: the feet.
        q: where they stand (nq,).
        count: how many there have to be; None: two or four.

    Raises:
        ContactError: another number of feet.
    """
    expected = (2, 4) if count is None else (count,)
    if len(contacts) not in expected:
        raise ContactError(
            f"contacts: got {len(contacts)} ({', '.join(map(repr, contacts.names)) or 'none'}) of "
            f"{contacts.robot.name!r}, expected {' or '.join(map(str, expected))} feet to step with"
        )
    ahead = heading(contacts, q)
    left = np.cross([0.0, 0.0, 1.0], ahead)
    where = {name: T.translation for name, T in contacts.placements(q).items()}

    def lateral(names: Sequence[str]) -> list[str]:
        return sorted(names, key=lambda name: -float(left @ where[name]))

    if len(where) == 2:
        return dict(zip(("left", "right"), lateral(list(where)), strict=True))
    rows = sorted(where, key=lambda name: -float(ahead @ where[name]))
    front, hind = lateral(rows[:2]), lateral(rows[2:])
    names = ("left front", "right front", "left hind", "right hind")
    return dict(zip(names, [*front, *hind], strict=True))


def heading(contacts: ContactSet, q: ArrayLike | State) -> Array:
    """Return the robot's x axis, along the ground (3,)."""
    x, y, _ = State.of(contacts.robot, q).frame_placement(_root(contacts.robot)).rotation[:, 0]
    return np.asarray(np.array([x, y, 0.0]) / np.hypot(x, y))


def ahead_and_left(contacts: ContactSet, q: ArrayLike | State) -> Array:
    """Return the robot's x axis and the one to its left, along the ground, as columns (2, 2)."""
    x, y = heading(contacts, q)[:2]
    return np.array([[x, -y], [y, x]])


@per_robot
def _root(robot: Robot) -> str:
    """The first frame of the base."""
    return str(next(frame.name for frame in robot._model.frames if frame.parentJoint == 1))


def under_com(contacts: ContactSet, q: ArrayLike) -> Array:
    """Return the point under the centre of mass, as high as the feet are on average (3,) [m]."""
    x, y, _ = dynamics.com(contacts.robot, q)
    return np.array([x, y, middle(contacts.placements(q), contacts.names)[2]])


def middle(places: Mapping[str, Any], names: Sequence[str]) -> Array:
    """Return the mean of the places of some feet (3,) [m]; NumPy's takes longer for so few."""
    points = [places[name].translation.tolist() for name in names]
    return np.array([sum(values) / len(points) for values in zip(*points, strict=True)])


def _repeated(gait: Gait, feet: dict[str, str], count: int) -> list[tuple[str, ...]]:
    """The names of the feet of `count` swings."""
    groups = [tuple(feet[place] for place in group) for group in gait.groups]
    return [groups[k % len(groups)] for k in range(count)]


def _from_standing(
    contacts: ContactSet,
    q: ArrayLike,
    groups: Sequence[tuple[str, ...]],
    goal: Callable[[dict[str, Any], int, str], Any],
    times: tuple[float, float, float],
    terrain: Terrain | None,
) -> list[Phase]:
    swing, double, settle = times
    start = under_com(contacts, q)
    height = float(dynamics.com(contacts.robot, q)[2] - start[2])
    return swings_in_turn(
        contacts, dict(contacts.placements(q)), groups, goal, start=start, swing=swing,
        double=double, first=settle, last=settle, terrain=terrain, reach=RISE * height,
    )  # fmt: skip
