"""Which foot stood on which plate, and when."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .axes import up_vector
from .force_plates import ForcePlate
from .series import dot
from .wrench_series import WrenchSeries

Array = NDArray[np.float64]


class Footfall(NamedTuple):
    """One foot on one plate, once.

    Attributes:
        plate: its name.
        foot: the segment that stood on it; None where none was near.
        first: frame in which the plate was first loaded.
        last: frame in which it was last loaded.
        distance: from the centre of pressure to the middle of the foot, average, horizontal [m].
    """

    plate: str
    foot: str | None
    first: int
    last: int
    distance: float


def footfalls(
    plates: tuple[ForcePlate, ...], feet: Mapping[str, Array], nearest: float = 0.25
) -> list[Footfall]:
    """Return the footfalls of all plates, in order of time.

    Args:
        plates: at the rate of the markers.
        feet: {segment: middle of the foot (n, 3)} [m].
        nearest: a centre of pressure farther away than this from every foot belongs to none [m].
    """
    found = []
    for plate in plates:
        for first, last in plate.steps():
            away = {name: _distance(plate, middle, first, last) for name, middle in feet.items()}
            foot = min(away, key=lambda name: away[name])
            near = foot if away[foot] <= nearest else None
            found.append(Footfall(plate.name, near, first, last, away[foot]))
    return sorted(found, key=lambda step: step.first)


def _distance(plate: ForcePlate, middle: Array, first: int, last: int) -> float:
    """Average over a step, heavier where more force is [m]."""
    rows = slice(first, last + 1)
    gap = plate.centre_of_pressure[rows] - middle[rows]
    u = up_vector(plate.up)
    gap = gap - dot(gap, u[None])[:, None] * u
    return float(np.average(np.linalg.norm(gap, axis=1), weights=plate.vertical[rows]))


def ground_wrenches(
    plates: tuple[ForcePlate, ...], steps: list[Footfall]
) -> dict[str, list[WrenchSeries]]:
    """Return {foot: wrenches of the ground on it}, each from one step on to halfway to the next."""
    wrenches: dict[str, list[WrenchSeries]] = {}
    for plate in plates:
        own = [step for step in steps if step.plate == plate.name]
        middles = [(a.last + b.first) // 2 for a, b in pairwise(own)]
        bounds = [0, *middles, len(plate)]
        for step, begin, end in zip(own, bounds, bounds[1:], strict=False):
            if step.foot is not None:
                frames = np.arange(len(plate))
                here = ((frames >= begin) & (frames < end))[:, None]
                wrench = WrenchSeries(plate.force * here, plate.moment * here, plate.origin)
                wrenches.setdefault(step.foot, []).append(wrench)
    return wrenches
