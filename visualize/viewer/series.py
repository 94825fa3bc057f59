"""Series: quantities over the time of an animation, which the page plots below the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics.motions.runs import spans
from ...robots.values import instance, mapping, number, sequence, text
from . import checks
from .checks import Color
from .errors import ViewerError

TONES = ("#0f766e", "#1d4ed8", "#b45309", "#7c3aed", "#be123c", "#4d7c0f")  # of the curves


@dataclass(frozen=True)
class Band:
    """A stretch of time that is marked.

    Attributes:
        begin, end: of it [s].
        text: shown below the picture while it lasts.
        color: of its ground in the plot.

    Raises:
        ViewerError: an end before the begin, an unknown colour.
    """

    begin: float
    end: float
    text: str = ""
    color: Color = "red"

    def __post_init__(self) -> None:
        begin = number(self.begin, "begin", unit="[s]", error=ViewerError)
        number(self.end, "end", at_least=begin, unit="[s]", error=ViewerError)
        checks.text(self.text, "text")
        checks.color(self.color)


@dataclass(frozen=True, eq=False, repr=False)
class Series:
    """Curves, or bars, of one unit over the time of an animation.

    Attributes:
        name: above the plot, such as "margin".
        t: (n,) times [s], increasing, on the clock of the animation.
        values: {name of a curve: (n,)}; what is not finite leaves a gap. Booleans are drawn as bars
            where they are true.
        unit: of the values.
        bands: stretches of time that are marked; under bars their texts alone are shown.
        limits: values at which a dashed line is drawn.
        span: (low, high) of the plot, marked where values are beyond; by default what holds values
            and limits.
        colors: {name of a curve: its colour}, of some.

    Raises:
        ViewerError: times that do not increase, values of another shape, an invalid span.
    """

    name: str
    t: ArrayLike
    values: Mapping[str, ArrayLike]
    unit: str = ""
    bands: Sequence[Band] = ()
    limits: Sequence[float] = ()
    span: tuple[float, float] | None = None
    colors: Mapping[str, Color] = field(default_factory=dict)

    def __post_init__(self) -> None:
        text(self.name, "name", error=ViewerError)
        checks.text(self.unit, "unit")
        t = checks.finite(self.t, "t", (None,))
        if not len(t) or np.any(np.diff(t) <= 0):
            raise ViewerError(f"t of series {self.name!r}: expected times [s] that increase")
        object.__setattr__(self, "t", t)
        curves = mapping(self.values, "values", kind="text", error=ViewerError)
        checked = {name: _values(name, values, len(t)) for name, values in curves.items()}
        object.__setattr__(self, "values", checked)
        limits = checks.finite(self.limits, "limits", (None,))
        object.__setattr__(self, "limits", limits.tolist())
        sequence(self.bands, "bands", Band, error=ViewerError)
        for tone in mapping(
            self.colors, "colors", curves, kind="curve", error=ViewerError
        ).values():
            checks.color(tone)
        if self.span is not None:
            low, high = checks.finite(self.span, "span", (2,))
            if not low < high:
                raise ViewerError(f"span: got {self.span!r}; expected a low number and a high one")

    @property
    def bars(self) -> bool:
        """Whether its values are booleans."""
        return any(np.asarray(values).dtype == bool for values in self.values.values())

    def bounds(self) -> tuple[float, float]:
        """Return the ends of the plot's axis: `span`, else around all values and limits."""
        if self.span is not None:
            return float(self.span[0]), float(self.span[1])
        every = np.concatenate([*map(np.ravel, map(np.asarray, self.values.values())), self.limits])
        finite = every[np.isfinite(every)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        room = 0.05 * (high - low) or 0.5 * abs(high) or 1.0
        return low - room, high + room


def lane(series: Series, start: float, floats: Any) -> dict[str, Any]:
    """Return what the page draws of a series in an animation that begins at `start` [s].

    `floats` packs an array for the page.
    """
    instance(series, "series", Series, error=ViewerError)
    times = np.asarray(series.t) - start
    low, high = series.bounds()
    tones = {**dict(zip(series.values, cycle(TONES), strict=False)), **series.colors}
    curves = [
        {"name": name, "color": checks.css(tones[name]), **_drawn(times, values, floats)}
        for name, values in series.values.items()
    ]
    bands = [[b.begin - start, b.end - start, b.text, checks.css(b.color)] for b in series.bands]
    return {
        "name": series.name, "unit": series.unit, "low": low, "high": high, "curves": curves,
        "times": floats(times), "bands": bands, "limits": list(series.limits),
    }  # fmt: skip


def stretches(t: Array, flags: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return (begin, end) [s] of where flags (n,) hold; a sample lasts to half-way to the next."""
    middle = (t[1:] + t[:-1]) / 2
    edges = np.concatenate([t[:1], middle, t[-1:]])
    return [(float(edges[begin]), float(edges[end])) for begin, end in spans(flags)]


def _drawn(times: Array, values: Any, floats: Any) -> dict[str, Any]:
    """The bars of booleans, or the values."""
    if values.dtype == bool:
        return {"bars": stretches(times, values)}
    return {"values": floats(values)}


def _values(name: str, values: Any, count: int) -> NDArray[Any]:
    """(n,) floats, or booleans."""
    found = np.array(values)
    if found.dtype != bool:
        found = np.array(values, dtype=float) if found.dtype.kind in "iuf" else found
    if found.shape != (count,) or found.dtype.kind not in "bf":
        raise ViewerError(
            f"values {name!r}: got {found.dtype} {found.shape}, expected numbers or booleans "
            f"({count},) as of the times"
        )
    return found
