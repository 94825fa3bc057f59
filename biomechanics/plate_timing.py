"""Timing of force plates, by feet that rest while they are loaded.

Of a plate that is late by k frames, the load F at frame t is that of a foot at t − k. Its speed,
weighted with the load,

    u(k) = Σ_t F(t) s(t − k) / Σ_t F(t),

is least at the true k, whatever the gait; s(t) is the speed of the slowest marker of the foot, less
that of a belt on which it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from .footfalls import Footfall

LONGEST = 0.25  # [s]: a foot that is out of time for longer is on no plate
_CERTAIN = 0.04  # [s]; the trials of laboratories are in time within 0.01 s
_MOVING = 0.05  # [m/s]; feet roll at 0.03 to 0.05 in time, by markers filtered at 6 Hz


class Timing(NamedTuple):
    """When plates and markers fit best.

    Attributes:
        late: how late the plates are, negative where they are early [s].
        speed: mean speed of loaded feet as measured [m/s].
        least: that speed for plates in time.
    """

    late: float
    speed: float
    least: float

    def doubt(self) -> str:
        """Return what is to be said of plates that are certainly out of time; else nothing."""
        late, speed, least = self
        if abs(late) < _CERTAIN or speed < max(_MOVING, 2 * least):
            return ""
        away = f"{1e3 * abs(late):.0f} ms {'late' if late > 0 else 'early'}"
        return (
            f"the plates are {away}: loaded feet move at {speed:.2g} m/s on average, "
            f"at {least:.1g} if that is made up for; moments are wrong"
        )


def plate_timing(
    loads: Mapping[str, Array], steps: Sequence[Footfall], feet: Mapping[str, Array], rate: float
) -> Timing | None:
    """Return the timing of plates, or None without a step that begins and ends in the trial.

    Args:
        loads: {plate: vertical force (n,)} [N].
        steps: of feet on the plates.
        feet: {segment: markers (n, m, 3)} [m].
        rate: of both [Hz].
    """
    frames = len(next(iter(feet.values())))
    whole = [step for step in steps if step.foot and step.first > 0 and step.last < frames - 1]
    if not whole:
        return None
    longest = round(LONGEST * rate)
    before = min(longest, *(step.first for step in whole))
    after = min(longest, *(frames - 1 - step.last for step in whole))
    moved, loaded = np.zeros(before + after + 1), 0.0
    for step in whole:
        load = loads[step.plate][step.first : step.last + 1]
        speed = _speed(feet[str(step.foot)], step, rate)
        around = speed[step.first - before : step.last + after + 1]
        moved += np.correlate(around, load, "valid")  # −k from −before to after
        loaded += float(load.sum())
    best = int(moved.argmin())
    return Timing(
        (before - best) / rate, float(moved[before] / loaded), float(moved[best] / loaded)
    )


def _speed(markers: Array, step: Footfall, rate: float) -> Array:
    """Speed (n,) of the slowest of a foot's markers against what it stands on [m/s]."""
    velocities = np.gradient(markers, 1 / rate, axis=0)
    ground = np.median(velocities[step.first : step.last + 1].reshape(-1, 3), axis=0)
    return np.asarray(np.linalg.norm(velocities - ground, axis=2).min(axis=1))
