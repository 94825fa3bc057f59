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

from ..arrays import Array, Index
from ..dynamics import Wrench, external_torques
from ..dynamics import batch as many_states
from ..errors import ContactError
from ..robots import Robot
from ..robots.configuration import check_reach, check_robot
from ..robots.values import array, boolean, whole_number
from .contact import Contact
from .contact_set import ContactSet
from .equilibrium import decision
from .equilibrium.balances import Balances
from .equilibrium.programs import Equilibrium
from .equilibrium.states import ContactStates
from .equilibrium.verdicts import Verdicts
from .torque_limits import TorqueBounds, torque_bounds_of

__all__ = ["Verdicts", "contact_forces", "decide", "static_hold"]


def static_hold(
    robot: Robot,
    q: ArrayLike,
    contacts: ContactSet | Contact | list[Contact],
    *,
    friction: ArrayLike | None = None,
    wrenches: Mapping[str, Wrench] | ArrayLike | None = None,
    torque_limits: bool | ArrayLike = True,
    margin: bool = True,
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
        wrenches: {link: Wrench} as for `contacts.static_hold`, the same for all; or (N, 6) or
            (6,), of the environment on the base link: [force; moment about the centre of mass],
            world axes [N, N·m].
        torque_limits: as for `contacts.static_hold`; arrays may also be (N, na), a row each.
        margin: False leaves margins out (nan), which takes half of the time where there are many
            contacts: whether it holds and with which forces, or along which motion it falls.
        threads: that share the work.
        out: verdicts to write to, such as those of an earlier call of the same size.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, qs = ContactSet.of(robot, contacts), _table(q, robot.nq, "q")
    check_reach(robot, qs)
    still = np.zeros((len(qs), robot.nv))
    loads = _loads(robot, qs, still, still, wrenches)
    bounds = torque_bounds_of(robot, torque_limits, many=True)
    balances = _balances(contact_set, qs, loads, friction, bounds)
    return decide(balances, threads, margin=margin, out=out)


def contact_forces(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    contacts: ContactSet | Contact | list[Contact],
    *,
    active: ArrayLike | None = None,
    friction: ArrayLike | None = None,
    wrenches: Mapping[str, Wrench] | ArrayLike | None = None,
    torque_limits: bool | ArrayLike = True,
    margin: bool = True,
    threads: int = 1,
) -> Verdicts:
    """Decide along a motion: `contacts.contact_forces` for each row of q, v and a.

    Args:
        robot: with a floating base, if wrenches are given as an array.
        q, v, a: (N, nq), (N, nv), (N, nv), or one row of any for all.
        contacts: a ContactSet of this robot, or any contacts.
        active: (N, C) booleans, which contacts touch in each row; all of them by default. Forces
            of those that do not are zero.
        friction, wrenches, torque_limits, margin, threads: as for `static_hold`.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set = ContactSet.of(robot, contacts)
    bounds = torque_bounds_of(robot, torque_limits, many=True)
    given = {
        "q": _table(q, robot.nq, "q"),
        "v": _table(v, robot.nv, "v"),
        "a": _table(a, robot.nv, "a"),
        "active": _active(active, contact_set),
        "torque_limits": np.atleast_2d(bounds.half),
        "wrenches": _table(np.zeros(6), 6, "wrenches")
        if wrenches is None or isinstance(wrenches, Mapping)
        else _table(wrenches, 6, "wrenches"),
    }
    qs, vs, accelerations, touching = _as_many(given)[:4]
    check_reach(robot, qs)
    loads = _loads(robot, qs, vs, accelerations, wrenches)
    out = Verdicts.allocate(len(loads), contact_set.limits.point_count, robot.nv)
    patterns, which = np.unique(touching, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.reshape(-1) == k)
        those = [c for c, on in zip(contact_set, pattern, strict=True) if on]
        some = contact_set if pattern.all() else ContactSet(robot, those)
        own = None if friction is None else _rows(friction, rows, len(loads))
        balances = _balances(some, qs[rows], loads[rows], own, bounds.at(rows))
        found = decide(balances, threads, margin=margin)
        out.put(rows, pattern[contact_set.limits.owner], found)
    return out


def _balances(
    contacts: ContactSet, qs: Array, loads: Array, friction: ArrayLike | None, bounds: TorqueBounds
) -> Balances:
    loads, limits = bounds.shifted(contacts.robot, loads), np.atleast_2d(bounds.half)
    # what any state limits is among the kernel's inequalities
    first = Equilibrium.of(contacts, qs[0], loads[0], limits.min(axis=0))
    points = first.limits.point_count
    mu = first.limits.friction[None] if friction is None else _frictions(friction, points)
    return Balances(ContactStates(first, contacts, qs), loads, mu, limits)


def _loads(
    robot: Robot,
    qs: Array,
    vs: Array,
    accelerations: Array,
    wrenches: Mapping[str, Wrench] | ArrayLike | None,
) -> Array:
    """Return h = τ_g + τ_ext − M a − vᵀCv (N, nv)."""
    loads = -many_states.inverse_dynamics(robot, qs, vs, accelerations)
    if isinstance(wrenches, Mapping):
        return loads + _torques_of(robot, qs, wrenches)
    return (
        loads if wrenches is None else loads + _pushed(robot, qs, _table(wrenches, 6, "wrenches"))
    )


def _torques_of(robot: Robot, qs: Array, wrenches: Mapping[str, Wrench]) -> Array:
    """Return τ_ext (N, nv) of {frame: Wrench}, as `external_torques` for each row.

    Those in world axes go through the frames' Jacobians of all rows at once.
    """
    external_torques(robot, qs[0], wrenches)  # raises what there is to raise
    if any(wrench.axes != "world" for wrench in wrenches.values()):
        return np.stack([external_torques(robot, q, wrenches) for q in qs])
    total = np.zeros((len(qs), robot.nv))
    for frame, wrench in wrenches.items():
        J, moment = many_states.frame_jacobian(robot, qs, frame), wrench.moment
        if wrench.point is not None:
            origins = many_states.frame_placement(robot, qs, frame)[:, :3, 3]
            moment = moment + np.cross(wrench.point - origins, wrench.force)
        total += wrench.force @ J[:, :3]
        total += (np.broadcast_to(moment, (len(qs), 3))[:, None] @ J[:, 3:])[:, 0]
    return total


def _pushed(robot: Robot, qs: Array, wrenches: Array) -> Array:
    """Return what wrenches (N or 1, 6) about the centre of mass do to the robot, (N or 1, nv).

    They act on the base, whose velocities are in its own axes: Rᵀ f, Rᵀ (m + (c − p) × f).

    Raises:
        ContactError: a fixed base, or numbers of rows that do not fit.
    """
    if not robot.is_floating:
        raise ContactError(f"wrenches: {robot.name!r} has a fixed base; expected a floating one")
    if 1 != len(qs) != len(wrenches) != 1:
        raise ContactError(f"got {len(qs)} q and {len(wrenches)} wrenches; expected as many, or 1")
    R = _turns(qs[:, 3:7])
    arms = many_states.com(robot, qs) - qs[:, :3]
    force, moment = wrenches[:, :3], wrenches[:, 3:]
    out = np.zeros((max(len(qs), len(wrenches)), robot.nv))
    out[:, :3] = (force[:, None] @ R)[:, 0]
    out[:, 3:6] = ((moment + np.cross(arms, force))[:, None] @ R)[:, 0]
    return out


def _turns(quaternions: Array) -> Array:
    """Return R (N, 3, 3) of unit quaternions (x, y, z, w), (N, 4): 1 + 2 w [u×] + 2 [u×]²."""
    u, w = quaternions[:, :3], quaternions[:, 3]
    U = np.zeros((len(u), 3, 3))
    U[:, 0, 1], U[:, 0, 2], U[:, 1, 2] = -u[:, 2], u[:, 1], -u[:, 0]
    U -= U.transpose(0, 2, 1)
    return np.asarray(np.eye(3) + 2 * w[:, None, None] * U + 2 * U @ U)


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


def _rows(friction: ArrayLike, rows: Index, count: int) -> Array:
    """Return the friction of some of `count` rows."""
    mu = np.atleast_1d(_friction(friction))
    if len(mu) not in (1, count):
        raise ContactError(f"friction: got {len(mu)} rows, expected {count}, or 1")
    return mu if len(mu) == 1 else mu[rows]


def decide(
    balances: Balances, threads: int = 1, *, margin: bool = True, out: Verdicts | None = None
) -> Verdicts:
    """Return the verdicts on many balances. Arguments as for `static_hold`."""
    whole = whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)
    return decision.decide(balances, whole, margin=boolean(margin, "margin"), out=out)


def _table(value: ArrayLike, width: int, name: str) -> Array:
    """Return (N, width) finite numbers, one row if one was given."""
    rows = np.atleast_2d(array(value, name, (width,), (None, width), error=ContactError))
    if not len(rows):
        raise ContactError(f"{name}: got no rows, expected ({width},) or (N, {width})")
    return rows


def _frictions(friction: ArrayLike, points: int) -> Array:
    """Return μ (N, K, 2) of all points, from numbers (N,) or pairs (N, 2)."""
    mu = np.atleast_1d(_friction(friction))
    pairs = mu[:, None] if mu.ndim == 1 else mu
    return np.tile(pairs[:, None] * np.ones(2), (1, points, 1))


def _friction(friction: ArrayLike) -> Array:
    """Return μ, or one or two of every row."""
    shapes = (), (None,), (None, 1), (None, 2)
    mu = array(friction, "friction", *shapes, at_least=0, error=ContactError)
    if not mu.size:
        raise ContactError("friction: got no values, expected (N,) or (N, 2)")
    return mu
