"""Checks of the feet: slip, drift, gap above the ground and penetration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.motions.motion import Motion
from ..contact_set import ContactSet
from ..point_paths import PointPaths
from ..schedules.schedule import ContactSchedule
from ..terrain.terrain import Terrain
from .check import Check


def feet_checks(
    motion: Motion,
    schedule: ContactSchedule,
    terrain: Terrain | None,
    limits: Mapping[str, float],
    threads: int,
) -> list[Check]:
    """Return the checks of all points of the schedule's contacts.

    slip: the fastest that a point which touches moves along the ground [m/s]; drift: how far it
    has moved since it touches [m]; gap: how high it is [m]; penetration: how deep any point is.
    """
    contacts = schedule.contacts
    paths = PointPaths.of(motion, contacts, threads)
    touching = schedule.touching[:, paths.owner]
    heights, sliding = paths.heights(terrain), paths.sliding
    names = feet_names(contacts)
    subjects = tuple(names[k] for k in paths.owner.tolist())
    tables = {
        "slip": _where(touching, np.linalg.norm(sliding, axis=2)),
        "drift": _where(touching, _drift(sliding, touching, motion.t)),
        "gap": _where(touching, heights),
        "penetration": -heights,
    }
    return [Check.worst_of(n, limits[n], table, subjects) for n, table in tables.items()]


def feet_names(contacts: ContactSet) -> tuple[str, ...]:
    """Return for each contact the sole that it is a corner of, or its own name."""
    return tuple(contact.part_of or contact.name for contact in contacts)


def _where(asked: NDArray[np.bool_], values: Array) -> Array:
    return np.where(asked, values, np.nan)


def _drift(sliding: Array, touching: NDArray[np.bool_], t: Array) -> Array:
    """|∫ u dt| (n, P) of velocities u (n, P, 3) since each point began to touch [m]."""
    drift = np.zeros(touching.shape)
    total = np.zeros(sliding.shape[1:])
    for i in range(1, len(t)):
        step = (sliding[i] + sliding[i - 1]) * ((t[i] - t[i - 1]) / 2)
        total = np.where((touching[i] & touching[i - 1])[:, None], total + step, 0.0)
        drift[i] = np.linalg.norm(total, axis=1)
    return drift
