"""Intervals of booleans along time: hysteresis, short ones left out, gaps closed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...dynamics.motions.runs import runs

Mask = NDArray[np.bool_]


def covered(starts: Index, ends: Index, count: int) -> Mask:
    """Return (count,) booleans, true within these runs, which do not overlap."""
    steps = np.zeros(count + 1, dtype=np.int8)
    steps[starts] += 1
    np.subtract.at(steps, ends, 1)
    return np.asarray(np.cumsum(steps[:-1]) > 0)


def hysteresis(strict: Mask, loose: Mask) -> Mask:
    """Return the runs of `loose` (n,) that have a sample of `strict`; alike in both directions."""
    starts, ends = runs(loose)
    seen = np.concatenate([[0], np.cumsum(strict & loose)])
    kept = seen[ends] > seen[starts]
    return covered(starts[kept], ends[kept], len(loose))


def without_short(mask: Mask, t: Array, least: float) -> Mask:
    """Return the mask (n,) without runs of less than `least` [s]; those at both ends stay.

    k samples last from the first of them to the one after the last.
    """
    starts, ends = runs(mask)
    inner = (starts > 0) & (ends < len(mask))
    lasts = t[np.minimum(ends, len(t) - 1)] - t[starts]
    kept = ~inner | (lasts >= least)
    return covered(starts[kept], ends[kept], len(mask))


def without_gaps(mask: Mask, t: Array, least: float) -> Mask:
    """Return the mask (n,) with gaps of less than `least` [s] between true samples closed."""
    return ~without_short(~mask, t, least)


def columns(rule: Callable[..., Mask], *tables: Mask | Array, **given: Array | float) -> Mask:
    """Return (n, C), a rule for masks (n,) applied to each column of tables (n, C)."""
    found = np.empty(tables[0].shape, dtype=bool)
    for k in range(len(found.T)):
        found[:, k] = rule(*(np.ascontiguousarray(table[:, k]) for table in tables), **given)
    return found
