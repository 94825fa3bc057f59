"""Verdicts along a motion, whatever contacts come and go: rows with the same ones are one batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array
from .contact_set import ContactSet
from .equilibrium import decision
from .equilibrium.balance import weight
from .equilibrium.balances import Balances
from .equilibrium.decision import Wanted
from .equilibrium.flight import write_flight
from .equilibrium.programs import Equilibrium
from .equilibrium.states import ContactStates
from .equilibrium.verdicts import Verdicts
from .motion_verdicts import MotionVerdicts
from .torque_limits import TorqueBounds


def along(
    contacts: ContactSet,
    qs: Array,
    touching: NDArray[np.bool_],
    loads: Array,
    friction: Array | None,
    bounds: TorqueBounds,
    threads: int,
    wanted: Wanted,
) -> MotionVerdicts:
    """Return the verdicts on N rows.

    Args:
        contacts: all that touch in some row.
        qs, touching: (N, nq), (N, C).
        loads: h (N, nv), to be balanced.
        friction: (N or 1, 2), instead of the contacts' own.
        bounds: of the torques, those of all rows or one for all.
        threads: that share the work.
        wanted: margins or not.
    """
    robot, limits = contacts.robot, contacts.limits
    out = Verdicts.allocate(len(loads), limits.point_count, robot.nv, robot.na)
    patterns, which = np.unique(touching, axis=0, return_inverse=True)
    for k, pattern in enumerate(patterns):
        rows = np.flatnonzero(which.reshape(-1) == k)
        those = [c for c, on in zip(contacts, pattern, strict=True) if on]
        some = contacts if pattern.all() else ContactSet(robot, those)
        own = friction if friction is None or len(friction) == 1 else friction[rows]
        found = _decided(some, qs[rows], loads[rows], own, bounds.at(rows), threads, wanted)
        out.put(rows, pattern[limits.owner], found)
    out.torques[:] += bounds.middle
    each = limits.friction[None] if friction is None else of_points(friction, limits.point_count)
    return MotionVerdicts.of(out, contacts, qs, touching, loads, each, bounds)


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
        balances = balances_along(contacts, qs, loads, friction, bounds)
        return decision.decide(balances, threads, wanted)
    out = Verdicts.allocate(len(qs), 0, robot.nv, robot.na)
    shifted, limits = bounds.shifted(robot, loads), np.atleast_2d(bounds.half)
    write_flight(shifted, limits, robot.actuated_rows, weight(robot), out)
    if not wanted.torque_margin:
        out.torque_margin[:] = np.nan
    if not wanted.margin:
        out.margin[:] = np.nan
    return out


def balances_along(
    contacts: ContactSet, qs: Array, loads: Array, friction: Array | None, bounds: TorqueBounds
) -> Balances:
    """Return the balances of rows with the same contacts. Arguments as for `along`."""
    loads, limits = bounds.shifted(contacts.robot, loads), np.atleast_2d(bounds.half)
    # what any state limits is among the kernel's inequalities
    first = Equilibrium.of(contacts, qs[0], loads[0], limits.min(axis=0))
    points = first.limits.point_count
    mu = first.limits.friction[None] if friction is None else of_points(friction, points)
    return Balances(ContactStates(first, contacts, qs), loads, mu, limits)


def of_points(friction: Array, points: int) -> Array:
    """Return μ (N, K, 2) of all points."""
    return np.tile(friction[:, None], (1, points, 1))
