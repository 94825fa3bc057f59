"""Many verdicts at once: states, frictions and loads in arrays, each answer with its proof.

They are decided as those of `contacts.static_hold` are (`equilibrium/decision.py`), eight problems
side by side. What the kernel does not know (hand holds), or leaves open, is asked of the conic
solver, one by one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array, Index
from ..dynamics import Wrench
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
from .equilibrium.pushes import pushed, torques_of
from .equilibrium.states import ContactStates
from .equilibrium.verdicts import Verdicts
from .torque_limits import torque_limits_of

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
        torque_limits: as for `contacts.static_hold`.
        margin: False leaves margins out (nan), which takes half of the time where there are many
            contacts: whether it holds and with which forces, or along which motion it falls.
        threads: that share the work.
        out: verdicts to write to, such as those of an earlier call of the same size.

    Raises:
        ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
    """
    check_robot(robot)
    contact_set, limits = ContactSet.of(robot, contacts), torque_limits_of(robot, torque_limits)
    qs = _table(q, robot.nq, "q")
    check_reach(robot, qs)
    still = np.zeros((len(qs), robot.nv))
    loads = _loads(robot, qs, still, still, wrenches)
    return decide(
        _balances(contact_set, qs, loads, friction, limits), threads, margin=margin, out=out
    )


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
    contact_set, limits = ContactSet.of(robot, contacts), torque_limits_of(robot, torque_limits)
    given = [
        _table(q, robot.nq, "q"),
        _table(v, robot.nv, "v"),
        _table(a, robot.nv, "a"),
        np.ones((1, len(contact_set)), dtype=bool)
        if active is None
        else _active(active, contact_set),
    ]
    count = max(map(len, given))
    if any(len(rows) not in (1, count) for rows in given):
        lengths = ", ".join(str(len(rows)) for rows in given)
        raise ContactError(
            f"got {lengths} rows of q, v, a and active; expected one N, or 1, of each"
        )
    qs, vs, accelerations, touching = (np.repeat(x, count // len(x), axis=0) for x in given)
    check_reach(robot, qs)
    loads = _loads(robot, qs, vs, accelerations, wrenches)
    out = Verdicts.allocate(len(loads), contact_set.limits.point_count, robot.nv)
    patterns, which = np.unique(touching, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.reshape(-1) == k)
        those = [c for c, on in zip(contact_set, pattern, strict=True) if on]
        some = contact_set if pattern.all() else ContactSet(robot, those)
        own = (
            friction if friction is None or np.ndim(friction) == 0 else _rows(friction, rows, count)
        )
        balances = _balances(some, qs[rows], loads[rows], own, limits)
        found = decide(balances, threads, margin=margin)
        out.put(rows, pattern[contact_set.limits.owner], found)
    return out


def _balances(
    contacts: ContactSet, qs: Array, loads: Array, friction: ArrayLike | None, limits: Array
) -> Balances:
    first = Equilibrium.of(contacts, qs[0], loads[0], limits)
    points = first.limits.point_count
    mu = first.limits.friction[None] if friction is None else _frictions(friction, points)
    return Balances(ContactStates(first, contacts, qs, limits), loads, mu)


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
        return loads + torques_of(robot, qs, wrenches)
    return loads if wrenches is None else loads + pushed(robot, qs, _table(wrenches, 6, "wrenches"))


def _active(active: ArrayLike, contacts: ContactSet) -> NDArray[np.bool_]:
    """Return (N, C) booleans, one row if one was given."""
    rows = np.atleast_2d(np.asarray(active))
    if rows.ndim != 2 or rows.dtype != bool or rows.shape[1] != len(contacts) or not len(rows):
        raise ContactError(
            f"active: got {rows.dtype} {np.shape(active)}, expected booleans (N, C) with a "
            f"column for each of the {len(contacts)} contacts"
        )
    return rows


def _rows(friction: ArrayLike, rows: Index, count: int) -> Array:
    """Return the friction of some of `count` rows."""
    mu = _friction(friction)
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
