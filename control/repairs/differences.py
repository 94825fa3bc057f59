"""Differences: velocity and acceleration of samples as sparse sums of their neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array, Index
from ...dynamics.motions.curves import short_ended
from ...dynamics.motions.differences import POINTS, differentiate

REACH = POINTS // 2  # samples to each side that a derivative reads, but near the ends


class Differences(NamedTuple):
    """ẋ_k = Σ_d first[k, d] x[taps[k, d]], and ẍ_k with `second`.

    Attributes:
        taps: (n, m), which samples.
        first, second: (n, m), weights [1/s], [1/s²].
    """

    taps: Index
    first: Array
    second: Array

    @classmethod
    def of(cls, count: int, rate: float) -> Differences:
        """Return those that `Motion.of` takes of so many samples, three or more, at a rate [Hz]."""
        units = np.eye(count)
        return cls._read(short_ended(units, rate, 1), short_ended(units, rate, 2))

    @classmethod
    def of_three(cls, count: int, rate: float) -> Differences:
        """Return those of three samples: of parabolas."""
        units = np.eye(count)
        return cls._read(differentiate(units, rate, 1, 3), differentiate(units, rate, 2, 3))

    @classmethod
    def _read(cls, first: Array, second: Array) -> Differences:
        """From the derivatives of unit samples, (n, n) each: the columns that rows read."""
        read = (first != 0) | (second != 0)
        starts = read.argmax(axis=1)
        width = int((len(read) - read[:, ::-1].argmax(axis=1) - starts).max())
        taps = np.minimum(starts, len(read) - width)[:, None] + np.arange(width)
        rows = np.arange(len(read))[:, None]
        return cls(taps, first[rows, taps], second[rows, taps])

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Return ẋ and ẍ (n, …) of samples x (n, …)."""
        near = x[self.taps]
        return (
            np.einsum("nd,nd...->n...", self.first, near),
            np.einsum("nd,nd...->n...", self.second, near),
        )
