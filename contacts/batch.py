"""Many verdicts at once: states, frictions and loads in arrays, each answer with its proof.

They are decided as those of `contacts.static_hold` are (`equilibrium/decision.py`), eight problems
side by side. What the kernel does not know (hand holds, closures), or leaves open, is asked of the
conic solver, one by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..dynamics import Wrench
from ..errors import ContactError
from ..robots import Robot
from ..robots.configuration import check_reach, check_robot
from ..robots.values import array, boolean, whole_number
from .contact import Contact
from .contact_set import ContactSet
from .equilibrium import decision
from .equilibrium.balance import weight
from .equilibrium.balances import Balances
from .equilibrium.decision import Wanted
from .equilibrium.flight import write_flight
from .equilibrium.programs import Equilibrium
from .equilibrium.states import ContactStates
from .equilibrium.verdicts import Verdicts
from .loads_along import loads_along, table
from .motion_verdicts import MotionVerdicts
from .postures.collisions_along import SelfCollisions, self_collisions
from .torque_limits import TorqueBounds, torque_bounds_of

__all__ = [
    "MotionVerdicts",
    "SelfCollisions",
    "Verdicts",
    "contact_forces",
    "decide",
    "self_collisions",
    "static_hold",
]


def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | list[Contact],
    *,
    friction: ArrayLike | None = None,
    wrenches: Mapping[str, Wrench | ArrayLike] | ArrayLike | None = None,
    torque_limits: bool | ArrayLike = True,
    margin: bool = True,
    torque_margin: bool = False,
    threads: int = 1,
    out: Verdicts | None = None,
) -> Verdicts:
    """Decide many static holds: `contacts.static_hold` for each entry of what is given in arrays.

    Args:
        robot: with a floating base, if wrenches are given as an array.
        q: configurations (N, nq), or one (nq,) for all.
        contacts: a ContactSet of this robot, or any contacts.
        friction: instead of the contacts' own, μ of all of them: one number or (N,), or pairs
            (N, 2) along the contacts' two tangents.
        wrenches: {link: Wrench} as for `contacts.static_hold`, the same for all, or {link: (N, 6)},
            [force; moment about the link's origin] (`contacts.wrenches_along`); or (N, 6) or (6,),
            of the environment on the base link: [force; moment about the centre of mass]. World
            axes [N, N·m].
        torque_limits: as for `contacts.static_hold`; or a pair
            (lower, upper) of what limits them; arrays may also be (N, na), a row each.
        margin: False leaves margins out (nan), which takes half of the time where there are many
            contacts: whether it holds and with which forces, or along which motion it falls.
        torque_margin: True adds the torque margins.
        threads: that share the work.
        out: verdicts to write to, such as those of an earlier call of the same size.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, qs = ContactSet.of(robot, contacts), table(q, robot.nq, "q")
    check_reach(robot, qs)
    still = np.zeros((len(qs), robot.nv))
    loads = loads_along(robot, qs, still, still, wrenches)
    bounds = torque_bounds_of(robot, torque_limits, many=True)
    mu = None if friction is None else _friction(friction)
    balances = _balances(contact_set, qs, loads, mu, bounds)
    found = decide(balances, threads, margin=margin, torque_margin=torque_margin, out=out)
    found.torques[:] += bounds.middle
    return found


def contact_forces(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    contacts: ContactSet | Contact | list[Contact],
    *,
    active: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    wrenches: Mapping[str, Wrench | ArrayLike] | ArrayLike | None = None,
    torque_limits: bool | ArrayLike = True,
    margin: bool = True,
    torque_margin: bool = False,
    threads: int = 1,
) -> MotionVerdicts:
    """Decide along a motion: `contacts.contact_forces` for each row of q, v and a.

    Args:
        robot: with a floating base, if wrenches are given as an array.
        q, v, a: (N, nq), (N, nv), (N, nv), or one row of any for all.
        contacts: a ContactSet of this robot, or any contacts.
        active: (N, C) booleans, which contacts touch in each row; all of them by default. Forces
            of those that do not are zero.
        friction, wrenches, torque_limits, margin, torque_margin, threads: as for `static_hold`.

    Returns:
        Verdicts, which also know what was asked: forces in world axes, the ground's reaction and
        its ZMP, friction used. Where nothing touches what falls freely holds.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, velocities = ContactSet.of(robot, contacts), table(v, robot.nv, "v")
    bounds = torque_bounds_of(robot, torque_limits, velocities, many=True)
    given = {
        "q": table(q, robot.nq, "q"),
        "v": velocities,
        "a": table(a, robot.nv, "a"),
        "active": _active(active, contact_set),
        "torque_limits": np.atleast_2d(bounds.half),
        "wrenches": table(np.zeros(6), 6, "wrenches")
        if wrenches is None or isinstance(wrenches, Mapping)
        else table(wrenches, 6, "wrenches"),
    }
    qs, vs, accelerations, touching = _as_many(given)[:4]
    check_reach(robot, qs)
    whole, wanted = _threads(threads), _wanted(margin, torque_margin)
    loads = loads_along(robot, qs, vs, accelerations, wrenches, whole)
    mu = None if friction is None else _friction(friction, len(loads))
    out = Verdicts.allocate(len(loads), contact_set.limits.point_count, robot.nv, robot.na)
    patterns, which = np.unique(touching, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.reshape(-1) == k)
        those = [c for c, on in zip(contact_set, pattern, strict=True) if on]
        some = contact_set if pattern.all() else ContactSet(robot, those)
        own = mu if mu is None or len(mu) == 1 else mu[rows]
        found = _decided(some, qs[rows], loads[rows], own, bounds.at(rows), whole, wanted)
        out.put(rows, pattern[contact_set.limits.owner], found)
    out.torques[:] += bounds.middle
    limits = contact_set.limits
    each = limits.friction[None] if mu is None else _of_points(mu, limits.point_count)
    return MotionVerdicts.of(out, contact_set, qs, touching, loads, each, bounds)


def _decided(
    contacts: ContactSet,
    qs: Array,
    loads: Array,
    friction: Array | None,
    bounds: TorqueBounds,
    threads: int,
    wanted: Wanted,
) -> Verdicts:
    """Return the verdicts on rows with the same contacts, torques from the middle of bounds."""
    robot = contacts.robot
    if len(contacts) or robot.closures:
        balances = _balances(contacts, qs, loads, friction, bounds)
        return decision.decide(balances, threads, wanted)
    out = Verdicts.allocate(len(qs), 0, robot.nv, robot.na)
    shifted, limits = bounds.shifted(robot, loads), np.atleast_2d(bounds.half)
    write_flight(shifted, limits, robot.actuated_rows, weight(robot), out)
    if not wanted.torque_margin:
        out.torque_margin[:] = np.nan
    if not wanted.margin:
        out.margin[:] = np.nan
    return out


def _balances(
    contacts: ContactSet, qs: Array, loads: Array, friction: Array | None, bounds: TorqueBounds
) -> Balances:
    loads, limits = bounds.shifted(contacts.robot, loads), np.atleast_2d(bounds.half)
    # what any state limits is among the kernel's inequalities
    first = Equilibrium.of(contacts, qs[0], loads[0], limits.min(axis=0))
    points = first.limits.point_count
    mu = first.limits.friction[None] if friction is None else _of_points(friction, points)
    return Balances(ContactStates(first, contacts, qs), loads, mu, limits)


def _as_many(given: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """Return arrays of as many rows, those of which one was given repeated.

    Raises:
        ContactError: numbers of rows that do not fit each other.
    """
    count = max(map(len, given.values()))
    if any(len(rows) not in (1, count) for rows in given.values()):
        lengths = ", ".join(f"{len(rows)} of {name}" for name, rows in given.items())
        raise ContactError(f"got {lengths}; expected one N, or 1, of each")
    return [np.repeat(x, count // len(x), axis=0) for x in given.values()]


def _active(active: ArrayLike | None, contacts: ContactSet) -> NDArray[np.bool_]:
    """Return (N, C) booleans, one row if one was given, or none."""
    if active is None:
        return np.ones((1, len(contacts)), dtype=bool)
    rows = np.atleast_2d(np.asarray(active))
    if rows.ndim != 2 or rows.dtype != bool or rows.shape[1] != len(contacts) or not len(rows):
        raise ContactError(
            f"active: got {rows.dtype} {np.shape(active)}, expected booleans (N, C) with a "
            f"column for each of the {len(contacts)} contacts"
        )
    return rows


def decide(
    balances: Balances,
    threads: int = 1,
    *,
    margin: bool = True,
    torque_margin: bool = False,
    out: Verdicts | None = None,
) -> Verdicts:
    """Return the verdicts on many balances. Arguments as for `static_hold`."""
    return decision.decide(balances, _threads(threads), _wanted(margin, torque_margin), out)


def _threads(threads: int) -> int:
    return whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)


def _wanted(margin: bool, torque_margin: bool) -> Wanted:
    return Wanted(boolean(margin, "margin"), boolean(torque_margin, "torque_margin"))


def _friction(friction: ArrayLike, count: int | None = None) -> Array:
    """Return μ (N or 1, 2) of rows, from one number, numbers (N,) or pairs (N, 2)."""
    shapes = (), (None,), (None, 1), (None, 2)
    mu = array(friction, "friction", *shapes, at_least=0, error=ContactError)
    if not mu.size:
        raise ContactError("friction: got no values, expected (N,) or (N, 2)")
    pairs = mu.reshape(-1, 1) if mu.ndim < 2 else mu
    if count is not None and len(pairs) not in (1, count):
        raise ContactError(f"friction: got {len(pairs)} rows, expected {count}, or 1")
    return np.asarray(pairs * np.ones(2))


def _of_points(friction: Array, points: int) -> Array:
    """Return μ (N, K, 2) of all points."""
    return np.tile(friction[:, None], (1, points, 1))
