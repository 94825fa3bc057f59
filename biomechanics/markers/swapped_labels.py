"""Swapped labels of markers, found by the distances that a segment keeps.

With D_ab the median over the frames of the distance between markers a and b of one segment, a
marker at x departs from its segment by r_a(x)² = mean_c (|x − x_c| − D_ac)². In a frame in which
two markers have each other's label, r_a(x_b)² + r_b(x_a)² is far below r_a(x_a)² + r_b(x_b)².
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.motions.runs import spans
from .marker_sets import MarkerSet
from .markers import Markers

DEPARTURE = 0.012  # rms [m] that skin and cameras do not cause within one segment
BETTER = 9.0  # ratio of the squares by which the other labels have to fit better
_SEGMENTS = (
    ("ankle lateral", "ankle medial", "heel", "toe lateral", "toe medial"),
    ("knee lateral", "knee medial", "ankle lateral", "ankle medial"),
)


def relabelled(markers: Markers, names: MarkerSet) -> tuple[Markers, list[str]]:
    """Return the markers with swapped labels put right, and a note for each pair."""
    groups = [[leg[x] for x in s] for leg in names.legs.values() for s in _SEGMENTS]
    groups += [list(names.pelvis.values())] if names.pelvis else []
    index = {name: i for i, name in enumerate(markers.names)}
    joined = np.zeros((len(index), len(index)), dtype=bool)  # whether two are of one segment
    for group in groups:
        rows = [index[name] for name in group]
        joined[np.ix_(rows, rows)] = True
    np.fill_diagonal(joined, False)
    x, notes = markers.positions.copy(), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing are nan
        apart = _distances(x)
        kept = np.nanmedian(apart, axis=0)
        for a, b in combinations(range(len(index)), 2):
            frames = _swapped(apart, kept, joined, a, b)
            if not frames.any():
                continue
            x[frames, a], x[frames, b] = x[frames, b], x[frames, a]
            apart[frames] = _distances(x[frames])
            where = ", ".join(f"{i} to {j - 1}" for i, j in spans(frames)[:4])
            notes.append(
                f"markers {markers.names[a]!r} and {markers.names[b]!r} have each other's label in "
                f"frames {where}: put right"
            )
    return replace(markers, positions=x), notes


def _swapped(
    apart: Array, kept: Array, joined: NDArray[np.bool_], a: int, b: int
) -> NDArray[np.bool_]:
    """(n,) whether a and b fit their segments far better with each other's label."""

    def departure(at: int, label: int, other: int) -> Array:
        """(n,) the mean square by which x_at departs from the label's distances [m²]."""
        rows = [c for c in np.flatnonzero(joined[label]) if c != other]
        away = apart[:, at, rows] - kept[label, rows]
        return np.asarray(np.nanmean(away**2, axis=1))

    before = departure(a, a, b) + departure(b, b, a)
    after = departure(b, a, b) + departure(a, b, a)
    return np.asarray((before > 2 * DEPARTURE**2) & (BETTER * after < before))


def _distances(x: Array) -> Array:
    """(n, m, m) distances of markers (n, m, 3)."""
    return np.asarray(np.linalg.norm(x[:, :, None] - x[:, None], axis=3))
