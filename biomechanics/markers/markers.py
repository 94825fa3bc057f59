"""Marker trajectories: positions, gaps, filtering and resampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ...arrays import Array
from ...dynamics.motions import filters
from ...dynamics.motions.differences import as_rate
from ...dynamics.motions.runs import spans
from ...errors import ConfigurationError, counted, unknown
from ...robots.values import array, each_once, number, texts
from .. import axes
from ..series.vectors import between


@dataclass(frozen=True, eq=False, repr=False)
class Markers:
    """Positions of m markers in n frames.

    Attributes:
        names: of the markers.
        positions: (n, m, 3) [m]; nan where a marker is missing.
        rate: frames per second [Hz]. Times are i/rate: those in files are often rounded.
        up: the vertical axis, "y" or "z".

    Raises:
        ConfigurationError: a name twice, a shape that does not fit, a bad rate or axis.
    """

    names: tuple[str, ...]
    positions: Array
    rate: float
    up: str = "y"

    def __post_init__(self) -> None:
        axes.up_vector(self.up)
        as_rate(self.rate)
        object.__setattr__(self, "names", texts(self.names, "names"))
        each_once(self.names, "markers")
        positions = array(self.positions, "positions", (None, len(self.names), 3), gaps=True)
        object.__setattr__(self, "positions", positions.copy())

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def t(self) -> Array:
        """(n,) times [s], from zero."""
        return np.arange(len(self)) / self.rate

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Array:
        """Return the positions (n, 3) of one marker [m].

        Raises:
            ConfigurationError: there is no such marker; the message has the nearest names.
        """
        if name not in self.names:
            raise ConfigurationError(unknown("marker", name, self.names))
        return self.positions[:, self.names.index(name)]

    @property
    def missing(self) -> dict[str, int]:
        """{marker: number of frames in which it is missing}, for markers with gaps."""
        lost = (~np.isfinite(self.positions).all(axis=2)).sum(axis=0)
        return {name: int(k) for name, k in zip(self.names, lost, strict=True) if k}

    def jumps(self, fastest: float = 30.0) -> dict[str, tuple[int, float]]:
        """{marker: (first frame, largest speed)} of those ever faster than `fastest` [m/s].

        A sprinter's foot reaches 20 m/s; more indicates a confusion of markers.
        """
        number(fastest, "fastest", at_least=0, unit="[m/s]", infinite=True)
        speeds = np.linalg.norm(np.diff(self.positions, axis=0), axis=2) * self.rate
        fast = speeds > fastest  # False for nan
        return {
            self.names[i]: (int(fast[:, i].argmax()) + 1, float(np.nanmax(speeds[:, i])))
            for i in np.flatnonzero(fast.any(axis=0))
        }

    def require_whole(self, names: Sequence[str] | None = None) -> None:
        """Raise if one of these markers (default: any) has gaps, and name them.

        Raises:
            ConfigurationError: markers with gaps.
        """
        gaps = []
        for name in self.names if names is None else texts(names, "names"):
            lost = spans(~np.isfinite(self[name]).all(axis=1))
            gaps += [f"{name!r} in frames {a} to {b - 1}" for a, b in lost]
        if gaps:
            more = f" and {len(gaps) - 6} more" if len(gaps) > 6 else ""
            raise ConfigurationError(
                f"markers are missing: {'; '.join(gaps[:6])}{more}; fill them (filled) or cut the "
                "trial (cut)"
            )

    def only(self, names: Sequence[str]) -> Self:
        """Return a subset of the markers, in this order."""
        names = texts(names, "names")
        chosen = [self[name] for name in names]
        positions = np.stack(chosen, axis=1) if names else np.zeros((len(self), 0, 3))
        return replace(self, names=names, positions=positions)

    def cut(self, first: int, last: int) -> Self:
        """Return the frames from first to last, both included."""
        return replace(self, positions=self.positions[between(first, last, len(self))])

    def filled(self, longest: float = 0.1) -> Self:
        """Return the same with gaps of up to `longest` seconds interpolated by a spline."""
        number(longest, "longest", at_least=0, unit="[s]")
        frames = round(longest * self.rate)
        lost = [self.names.index(name) for name in self.missing]
        positions = self.positions.copy()
        for i in lost:
            positions[:, i] = filters.fill_gaps(positions[:, i], frames)
        return replace(self, positions=positions)

    def lowpass(self, cutoff: float, order: int = 4) -> Self:
        """Return the low-pass filtered markers; see `filters.lowpass`.

        Raises:
            ConfigurationError: missing markers, a bad cut-off.
        """
        self.require_whole()
        return replace(self, positions=filters.lowpass(self.positions, self.rate, cutoff, order))

    def resampled(self, rate: float) -> Self:
        """Return the same at another rate [Hz], by a spline through the samples.

        Raises:
            ConfigurationError: missing markers, a bad rate.
        """
        self.require_whole()
        times = np.arange(int(self.t[-1] * as_rate(rate) + 1e-9) + 1) / rate
        return replace(
            self, positions=filters.resample(self.positions, self.rate, times), rate=float(rate)
        )

    def turned(self, up: str) -> Self:
        """Return the same with another vertical axis; see `axes.turning`."""
        R = axes.turning(self.up, up)
        return replace(self, positions=self.positions @ R.T, up=up)

    def __repr__(self) -> str:
        lost = f", missing somewhere: {list(self.missing)}" if self.missing else ""
        markers = counted(len(self.names), "marker")
        return f"Markers({markers}, {len(self)} frames at {self.rate:g} Hz, {self.up} up{lost})"
