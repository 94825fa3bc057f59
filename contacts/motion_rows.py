"""Rows of a motion under contact, as batches are asked about them: checked, one array of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array, Index
from ..errors import ContactError
from ..robots import Robot
from ..robots.configuration import check_reach, check_robot
from ..robots.values import array, common_length
from .contact_set import Contacts, ContactSet
from .equilibrium.balance import weight
from .equilibrium.balances import Balances
from .equilibrium.flight import write_flight
from .equilibrium.programs import Equilibrium
from .equilibrium.states import ContactStates
from .equilibrium.verdicts import Verdicts
from .limits import ContactLimits
from .loads_along import Wrenches, loads_along, table
from .torque_limits import TorqueBounds, TorqueLimits, torque_bounds_of


class MotionRows(NamedTuple):
    """N rows of a motion, with what pushes and limits.

    Attributes:
        contacts: all that touch in some row.
        q, v, a: (N, nq), (N, nv), (N, nv).
        active: (N, C), which contacts touch.
        load: h (N, nv) [N, N·m].
        friction: (N or 1, 2), of all contacts; None: the contacts' own.
        bounds: of the torques.
    """

    contacts: ContactSet
    q: Array
    v: Array
    a: Array
    active: NDArray[np.bool_]
    load: Array
    friction: Array | None
    bounds: TorqueBounds

    @classmethod
    def of(
        cls,
        robot: Robot,
        motion: tuple[ArrayLike, ArrayLike, ArrayLike],
        contacts: Contacts,
        active: ArrayLike | None = None,
        friction: ArrayLike | None = None,
        wrenches: Wrenches | None = None,
        torque_limits: TorqueLimits = True,
        threads: int = 1,
    ) -> MotionRows:
        """Return rows of q, v and a; arguments as for `batch.contact_forces`.

        Raises:
            ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
        """
        check_robot(robot)
        contact_set, velocities = ContactSet.of(robot, contacts), table(motion[1], robot.nv, "v")
        bounds = torque_bounds_of(robot, torque_limits, velocities, many=True)
        pushes = None if wrenches is None or isinstance(wrenches, Mapping) else wrenches
        given = {
            # its own, as the verdicts are asked for more when the caller's buffers have changed
            "q": table(motion[0], robot.nq, "q").copy(),
            "v": velocities.copy(),
            "a": table(motion[2], robot.nv, "a").copy(),
            "active": _active(active, contact_set).copy(),
            "torque_limits": np.atleast_2d(bounds.half),
            "wrenches": table(np.zeros(6) if pushes is None else pushes, 6, "wrenches"),
        }
        qs, vs, accelerations, touching = _as_many(given)[:4]
        check_reach(robot, qs)
        loads = loads_along(robot, qs, vs, accelerations, wrenches, threads)
        mu = None if friction is None else frictions(friction, len(loads)).copy()
        return cls(contact_set, qs, vs, accelerations, touching, loads, mu, bounds)

    @property
    def point_friction(self) -> Array:
        """(N or 1, K, 2), μ of the contacts' points."""
        return _of_points(self.contacts.limits, self.friction)

    def at(self, rows: Index | slice) -> MotionRows:
        """Return some rows."""
        mu = self.friction
        own = mu if mu is None or len(mu) == 1 else mu[rows]
        motion = self.q[rows], self.v[rows], self.a[rows], self.active[rows], self.load[rows]
        return MotionRows(self.contacts, *motion, own, self.bounds.at(rows))

    def without_torque_limits(self) -> MotionRows:
        """Return the same rows with joints of any strength."""
        return self._replace(bounds=TorqueBounds.about(np.full(self.contacts.robot.na, np.inf)))

    def by_contacts(self) -> Iterator[SameContacts]:
        """Yield the rows in which the same contacts touch."""
        patterns, which = np.unique(self.active, axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            rows = np.flatnonzero(which.reshape(-1) == k)
            part = self if len(patterns) == 1 else self.at(rows)
            some = self.contacts if pattern.all() else self.contacts.only(pattern)
            asked = part._replace(contacts=some, active=part.active[:, pattern])
            yield SameContacts(rows, pattern, asked)


class SameContacts(NamedTuple):
    """Rows in which the same contacts touch.

    Attributes:
        rows: (n,), which they are.
        pattern: (C,), the contacts that touch.
        asked: these rows, with these contacts alone.
    """

    rows: Index
    pattern: NDArray[np.bool_]
    asked: MotionRows

    @property
    def balances(self) -> Balances:
        """What contacts and torques have to balance."""
        asked = self.asked
        return balances_of(asked.contacts, asked.q, asked.load, asked.friction, asked.bounds)

    def in_flight(self) -> Verdicts:
        """Return the verdicts where nothing touches."""
        asked, robot = self.asked, self.asked.contacts.robot
        out = Verdicts.allocate(len(asked.q), 0, robot.nv, robot.na)
        shifted, limits = asked.bounds.shifted(robot, asked.load), np.atleast_2d(asked.bounds.half)
        write_flight(shifted, limits, robot.actuated_rows, weight(robot), out)
        return out


def balances_of(
    contacts: ContactSet, qs: Array, loads: Array, friction: Array | None, bounds: TorqueBounds
) -> Balances:
    """Return balances of loads h (N, nv) at qs (N, nq), friction (N or 1, 2) of all contacts."""
    loads, limits = bounds.shifted(contacts.robot, loads), np.atleast_2d(bounds.half)
    # what any state limits is among the kernel's inequalities
    first = _first(contacts, qs, loads, limits)
    mu = _of_points(first.limits, friction)
    return Balances(ContactStates(first, contacts, qs), loads, mu, limits)


def _first(contacts: ContactSet, qs: Array, loads: Array, limits: Array) -> Equilibrium:
    """The balance from which what all share is read; of no states that of any state."""
    robot = contacts.robot
    q, load = (qs[0], loads[0]) if len(qs) and len(loads) else (robot.neutral(), np.zeros(robot.nv))
    return Equilibrium.of(contacts, q, load, limits.min(axis=0, initial=np.inf))


def _as_many(given: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """Return arrays of as many rows, those of which one was given repeated.

    Raises:
        ContactError: numbers of rows that do not fit each other.
    """
    lengths = {name: len(rows) for name, rows in given.items()}
    count = common_length(**lengths, error=ContactError)
    return [x if len(x) == count else np.repeat(x, count, axis=0) for x in given.values()]


def _active(active: ArrayLike | None, contacts: ContactSet) -> NDArray[np.bool_]:
    """Return (N, C) booleans, one row if one was given, or none."""
    if active is None:
        return np.ones((1, len(contacts)), dtype=bool)
    rows = np.atleast_2d(np.asarray(active))
    if rows.ndim != 2 or rows.dtype != bool or rows.shape[1] != len(contacts):
        raise ContactError(
            f"active: got {rows.dtype} {np.shape(active)}, expected booleans (N, C) with a "
            f"column for each of the {len(contacts)} contacts"
        )
    return rows


def frictions(friction: ArrayLike, count: int | None = None) -> Array:
    """Return μ (N or 1, 2) of rows, from one number, numbers (N,) or pairs (N, 2)."""
    shapes = (), (None,), (None, 1), (None, 2)
    mu = array(friction, "friction", *shapes, at_least=0, error=ContactError)
    pairs = mu.reshape(-1, 1) if mu.ndim < 2 else mu
    if count is not None and len(pairs) not in (1, count):
        raise ContactError(f"friction: got {len(pairs)} rows, expected {count}, or 1")
    return np.asarray(pairs * np.ones(2))


def _of_points(limits: ContactLimits, friction: Array | None) -> Array:
    """Return μ (N or 1, K, 2) of all points, from that of rows (N or 1, 2), or their own."""
    if friction is None:
        return limits.friction[None]
    return np.tile(friction[:, None], (1, limits.point_count, 1))
