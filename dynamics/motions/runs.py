"""Runs of true samples: where they begin, and where they have ended (one past the last)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Index


def runs(flags: ArrayLike) -> tuple[Index, Index]:
    """Return the begins and the ends (k,) of the runs in which flags (n,) are true."""
    padded = np.concatenate([[False], np.asarray(flags, dtype=bool), [False]])
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return edges[::2], edges[1::2]


def spans(flags: ArrayLike) -> list[tuple[int, int]]:
    """Return [(begin, end), …] of these runs."""
    begins, ends = runs(flags)
    return list(zip(begins.tolist(), ends.tolist(), strict=True))
