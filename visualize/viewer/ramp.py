"""ColorRamp: a colour scale of numbers, such as margins, with its bar in the legend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from ...robots.values import number, text, whole_number
from . import checks
from .checks import Color
from .errors import ViewerError

RED_TO_GREEN: tuple[Color, ...] = ("#b3122d", "#e4572e", "#f2b134", "#8fbf4d", "#1f8a4c")


@dataclass(frozen=True)
class ColorRamp:
    """Colours between a low and a high number, in steps; beyond, the colours of the ends.

    Attributes:
        low, high: the numbers, low < high.
        name: what is measured, for the legend.
        unit: of the numbers, for the legend.
        colors: at even distances from low to high, at least two; by default red to green.
        steps: into how many colours they are mixed.
    """

    low: float
    high: float
    name: str = ""
    unit: str = ""
    colors: tuple[Color, ...] = RED_TO_GREEN
    steps: int = 16

    def __post_init__(self) -> None:
        ends = [number(getattr(self, end), end, error=ViewerError) for end in ("low", "high")]
        if not ends[0] < ends[1]:
            raise ViewerError(f"low: got {self.low!r}; expected one below high = {self.high!r}")
        for name in ("name", "unit"):
            text(getattr(self, name), name, empty=True, error=ViewerError)
        if len(self.colors) < 2 or whole_number(self.steps, "steps", error=ViewerError) < 2:
            raise ViewerError(
                f"got {len(self.colors)} colours in {self.steps} steps; expected two or more"
            )
        for tone in self.colors:
            checks.color(tone)

    def color(self, value: float) -> str:
        """Return "#rrggbb" for a number; ±inf have the colours of the ends.

        Raises:
            ViewerError: nan.
        """
        if math.isnan(value):
            raise ViewerError("value: got nan; expected a number")
        share = float(np.clip((value - self.low) / (self.high - self.low), 0.0, 1.0))
        return self.tones()[min(int(share * self.steps), self.steps - 1)]

    def tones(self) -> tuple[str, ...]:
        """Return its colours, from low to high."""
        return _mixed(tuple(map(checks.color, self.colors)), self.steps)

    def ends(self) -> tuple[str, str]:
        """Return what a legend writes at its ends: "≤ 0 N", "≥ 175 N"."""
        unit = f" {self.unit}" if self.unit else ""
        return f"≤ {self.low:.3g}{unit}", f"≥ {self.high:.3g}{unit}"


@cache
def _mixed(colors: tuple[int, ...], steps: int) -> tuple[str, ...]:
    ends = np.array([checks.channels(color) for color in colors], dtype=float)
    places = np.linspace(0, len(ends) - 1, steps)
    mixed = [np.interp(places, np.arange(len(ends)), channel) for channel in ends.T]
    return tuple("#{:02x}{:02x}{:02x}".format(*row) for row in np.rint(mixed).astype(int).T)
