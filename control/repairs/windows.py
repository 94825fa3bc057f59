"""Windows of a long motion, repaired one after the other, each half over the last."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Array
from ...progress import progress_bar
from .differences import REACH
from .iterate import Iterate
from .iteration import Iteration
from .limits import Limits
from .objective import Objective

_PAD = 2 * REACH  # samples beyond a window, so that derivatives near it are those of the whole


def mended(
    first: Iterate, objective: Objective, limits: Limits, t: Array, own: dict[str, Any]
) -> tuple[Array, str, int]:
    """Return (q, why the search ended, how many programs it took)."""
    windows = windows_of(t, own["window"])
    q, forces, count, status = first.q.copy(), first.forces.copy(), 0, ""
    programs = len(windows) * own["steps"]
    with progress_bar(total=programs, unit="program") as bar:
        for window in windows:
            rows = slice(max(window.start - _PAD, 0), min(window.stop + _PAD, len(t)))
            here = Iterate(first.problem, q, forces).part(rows)
            inner = slice(window.start - rows.start, window.stop - rows.start)
            search = Iteration(here, objective.part(rows), limits, inner, bar.update)
            status = search.run(own["steps"])
            q[rows], forces[rows] = search.here.q, search.here.forces
            count += search.steps
            bar.update(own["steps"] - search.steps)
    return q, status, count


def windows_of(t: Array, length: float) -> list[slice]:
    """Return slices of samples that cover times (n,), each half over the last one."""
    if t[-1] - t[0] <= length:
        return [slice(0, len(t))]
    found, start = [], float(t[0])
    while True:
        first, last = np.searchsorted(t, [start - 1e-9, start + length + 1e-9])
        found.append(slice(int(first), int(last)))
        if last >= len(t):
            return found
        start += length / 2
