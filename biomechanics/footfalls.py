"""Footfalls: assignment of force plates to feet, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .axes import up_vector
from .lab.force_plates import ForcePlate
from .series.vectors import dot
from .series.wrenches import WrenchSeries

NEAREST = 0.25  # largest distance at which a centre of pressure is assigned to a foot [m]


class Footfall(NamedTuple):
    """One step of a foot on a plate.

    Attributes:
        plate: its name.
        foot: the segment on it; None if none was near.
        first: frame in which the plate was first loaded.
        last: frame in which it was last loaded.
        distance: mean horizontal distance of the centre of pressure from the middle of the foot
            [m].
    """

    plate: str
    foot: str | None
    first: int
    last: int
    distance: float


def footfalls(plates: tuple[ForcePlate, ...], feet: Mapping[str, Array]) -> list[Footfall]:
    """Return the footfalls of all plates, in order of time.

    Args:
        plates: at the rate of the markers.
        feet: {segment: middle of the foot (n, 3)} [m].
    """
    found = []
    for plate in plates:
        centre = plate.centre_of_pressure
        for first, last in plate.steps():
            away = {
                name: _distance(plate, centre - middle, first, last)
                for name, middle in feet.items()
            }
            foot = min(away, key=lambda name: away[name])
            near = foot if away[foot] <= NEAREST else None
            found.append(Footfall(plate.name, near, first, last, away[foot]))
    return sorted(found, key=lambda step: step.first)


def _distance(plate: ForcePlate, gap: Array, first: int, last: int) -> float:
    """Return the force-weighted mean horizontal length of vectors (n, 3) over a step [m]."""
    rows = slice(first, last + 1)
    u = up_vector(plate.up)
    gap = gap[rows] - dot(gap[rows], u[None])[:, None] * u
    return float(np.average(np.linalg.norm(gap, axis=1), weights=plate.vertical[rows]))


def ground_wrenches(
    plates: tuple[ForcePlate, ...], steps: list[Footfall]
) -> dict[str, list[WrenchSeries]]:
    """Return {foot: ground reaction wrenches on it, one per plate}.

    A plate is assigned to a foot from one of its steps to halfway towards another foot's step.
    """
    wrenches: dict[str, list[WrenchSeries]] = {}
    for plate in plates:
        own = [step for step in steps if step.plate == plate.name]
        middles = [(a.last + b.first) // 2 for a, b in pairwise(own)]
        bounds = [0, *middles, len(plate)]
        for foot in dict.fromkeys(step.foot for step in own if step.foot is not None):
            here = np.zeros((len(plate), 1))
            for step, begin, end in zip(own, bounds, bounds[1:], strict=False):
                here[begin:end] += step.foot == foot
            wrench = WrenchSeries(plate.force * here, plate.moment * here, plate.origin)
            wrenches.setdefault(foot, []).append(wrench)
    return wrenches
