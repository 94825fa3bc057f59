"""Gaits as phases: footsteps of a biped, trot and crawl of a quadruped.

Each starts where the feet are, with the centre of pressure under the centre of mass, and ends with
it between the feet. On a terrain, footholds are on its surfaces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import dynamics
from ..arrays import Array
from ..contacts import ContactSet, Terrain
from ..errors import ContactError
from .balance import Phase
from .footholds import foothold, moved


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
    names, ahead = list(_places(contacts, q, 2)), _heading(contacts, q)

    def way(places: dict[str, Any], k: int) -> float:
        """From the swinging foot to the stance foot and past it; the last one stops beside it."""
        swinging, stance = names[k % 2], names[(k + 1) % 2]
        behind = ahead @ (places[stance].translation - places[swinging].translation)
        return float(behind) + (length if k < count - 1 else 0.0)

    groups: list[tuple[str, ...]] = [(names[k % 2],) for k in range(count)]
    return _in_groups(contacts, q, groups, way, (swing, double, settle), terrain)


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

    Arguments as of `footsteps`; a diagonal passes the other by `length` [m].
    """
    left_front, right_front, left_hind, right_hind = _corners(contacts, q)
    pairs = [(left_front, right_hind), (right_front, left_hind)]
    groups: list[tuple[str, ...]] = [pairs[k % 2] for k in range(count)]

    def way(places: dict[str, Any], k: int) -> float:
        """Two groups pass each other: the first and the last swing go half as far."""
        return 0.5 * length if k in (0, count - 1) else length

    return _in_groups(contacts, q, groups, way, (swing, double, settle), terrain)


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
    left_front, right_front, left_hind, right_hind = _corners(contacts, q)
    order: list[tuple[str, ...]] = [(left_hind,), (left_front,), (right_hind,), (right_front,)]
    groups = [order[k % 4] for k in range(count)]
    times = (swing, double, settle)
    return _in_groups(contacts, q, groups, lambda places, k: length, times, terrain)


def _in_groups(
    contacts: ContactSet,
    q: ArrayLike,
    groups: list[tuple[str, ...]],
    way: Callable[[dict[str, Any], int], float],
    times: tuple[float, float, float],
    terrain: Terrain | None,
) -> list[Phase]:
    """Feet that swing together, in turn; the others carry with the point in their middle.

    The k-th group goes way(places, k) forward [m], with the feet where they are by then.
    """
    places, ahead = dict(contacts.placements(q)), _heading(contacts, q)
    swing, double, settle = times
    phases, p = [], _under(contacts, q)
    for k, group in enumerate(groups):
        stance = [name for name in contacts.names if name not in group]
        target = _middle(places, stance)
        phases.append(Phase(settle if k == 0 else double, p, target))
        step = way(places, k) * ahead
        for name in group:
            places[name] = _forward(contacts, places, name, step, terrain)
        phases.append(Phase(swing, target, target, {name: places[name] for name in group}))
        p = target
    phases.append(Phase(settle, p, _middle(places, list(contacts.names))))
    return phases


def _places(contacts: ContactSet, q: ArrayLike, count: int) -> dict[str, Any]:
    if len(contacts) != count:
        raise ContactError(f"contacts: got {len(contacts)}, expected the {count} feet")
    return dict(contacts.placements(q))


def _corners(contacts: ContactSet, q: ArrayLike) -> tuple[str, str, str, str]:
    """The names of left front, right front, left hind, right hind, by where they are."""
    places, ahead = _places(contacts, q, 4), _heading(contacts, q)
    left = np.cross([0.0, 0.0, 1.0], ahead)
    by_front = sorted(places, key=lambda name: -float(ahead @ places[name].translation))
    front, hind = (
        sorted(pair, key=lambda name: -float(left @ places[name].translation))
        for pair in (by_front[:2], by_front[2:])
    )
    return front[0], front[1], hind[0], hind[1]


def _heading(contacts: ContactSet, q: ArrayLike) -> Array:
    """The robot's x axis, along the ground (3,)."""
    root = next(f.name for f in contacts.robot._model.frames if f.parentJoint == 1)
    x = dynamics.frame_placement(contacts.robot, q, root).rotation[:, 0] * [1.0, 1.0, 0.0]
    return np.asarray(x / np.linalg.norm(x))


def _under(contacts: ContactSet, q: ArrayLike) -> Array:
    """The point under the centre of mass, as high as the feet are on average (3,)."""
    x, y, _ = dynamics.com(contacts.robot, q)
    z = _middle(dict(contacts.placements(q)), list(contacts.names))[2]
    return np.array([x, y, z])


def _forward(
    contacts: ContactSet, places: dict[str, Any], name: str, way: Array, terrain: Terrain | None
) -> Any:
    if terrain is None:
        return moved(places[name], way)
    return foothold(contacts[name], places[name], way, terrain)


def _middle(places: dict[str, Any], names: list[str]) -> Array:
    return np.asarray(np.mean([places[name].translation for name in names], axis=0))
