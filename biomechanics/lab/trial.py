"""Trials of a motion laboratory: markers, force plates, and notes on the files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from ...errors import ConfigurationError, counted
from ...robots.values import number
from ..markers.markers import Markers
from .force_plates import ForcePlate


@dataclass(frozen=True, eq=False, repr=False)
class Trial:
    """Synchronous measurements of a trial.

    Attributes:
        markers: of the body.
        plates: force plates, possibly none.
        source: the file.
        notes: remarks of the reader: rounded times, gaps, plates never loaded.
    """

    markers: Markers
    plates: tuple[ForcePlate, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for plate in self.plates:
            if plate.up != self.markers.up:
                raise ConfigurationError(
                    f"plate {plate.name!r} has {plate.up} up, the markers {self.markers.up}"
                )

    def turned(self, up: str) -> Self:
        """Return the same with another vertical axis."""
        plates = tuple(plate.turned(up) for plate in self.plates)
        return replace(self, markers=self.markers.turned(up), plates=plates)

    def cut(self, first: int, last: int) -> Self:
        """Return the frames from first to last, both included, with their samples of the plates.

        Raises:
            ConfigurationError: frames outside the trial.
        """
        markers = self.markers.cut(first, last)
        plates = []
        for plate in self.plates:
            ratio = plate.rate / markers.rate
            stop = min(round((last + 1) * ratio), len(plate))
            plates.append(plate.cut(round(first * ratio), stop - 1))
        return replace(self, markers=markers, plates=tuple(plates))

    def smoothed(self, cutoff: float | None, force_cutoff: float | None = None) -> Self:
        """Return filtered markers, and plates filtered and resampled at the marker frames.

        By default markers and forces have the same cut-off: impacts in the forces alone cause
        artificial joint moments (E. Kristianslund et al. 2012).

        Args:
            cutoff: [Hz]; None: no filter.
            force_cutoff: [Hz] of the plates; None: the same.

        Raises:
            ConfigurationError: missing markers, a bad cut-off, plates that end before the markers.
        """
        markers = self.markers if cutoff is None else self.markers.lowpass(cutoff)
        force_cutoff = cutoff if force_cutoff is None else force_cutoff
        plates = self.plates
        if force_cutoff is not None:
            number(force_cutoff, "force_cutoff", above=0, unit="[Hz]")
            plates = tuple(plate.lowpass(force_cutoff) for plate in plates)
        plates = tuple(plate.resampled(markers.rate, len(markers)) for plate in plates)
        return replace(self, markers=markers, plates=plates)

    def __repr__(self) -> str:
        return f"Trial({self.source!r}, {self.markers!r}, {counted(len(self.plates), 'plate')})"
