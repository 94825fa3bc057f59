"""Checks of the feet: slip, drift, gap above the ground and penetration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.motions.motion import Motion
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
    """Return the checks of all feet, and of other contacts.

    slip: how fast a foot that touches moves along the ground [m/s]; drift: how far it has moved
    since it touches [m]; gap: how high it is above the ground [m]; each of that corner which does
    so least, as corners that are about to leave the ground move. penetration: how deep any corner
    is in the ground [m].
    """
    contacts = schedule.contacts
    paths = PointPaths.of(motion, contacts, threads)
    touching = schedule.touching[:, paths.owner]
    heights, sliding = paths.heights(terrain), paths.sliding
    feet = {name: np.isin(paths.owner, own) for name, own in contacts.wholes.items()}
    tables = {
        "slip": _where(touching, np.linalg.norm(sliding, axis=2)),
        "drift": _where(touching, _drift(sliding, touching, motion.t)),
        "gap": _where(touching, heights),
    }
    least = {name: _by_foot(np.fmin, table, feet) for name, table in tables.items()}
    every = least | {"penetration": _by_foot(np.fmax, -heights, feet)}
    return [Check.worst_of(n, limits[n], table, tuple(feet)) for n, table in every.items()]


def _by_foot(join: np.ufunc, table: Array, feet: Mapping[str, NDArray[np.bool_]]) -> Array:
    """Join the columns (n, P) of each foot's corners, (n, feet)."""
    if not feet:
        return np.zeros((len(table), 0))
    return np.stack([join.reduce(table[:, own], axis=1) for own in feet.values()], axis=1)


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
