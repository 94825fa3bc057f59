"""Force plates: ground reaction wrench, centre of pressure and free moment.

The wrench is stored about a fixed point O of the surface, where it may be filtered, resampled and
added; the centre of pressure is a quotient, which may not. With u the upward unit vector,

    p = O + (u × M_O) / (u·F)          T = u·(M_O − (p − O) × F)

are the centre of pressure in the plane through O and the free moment about u.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics.motions import filters
from ...dynamics.motions.differences import as_rate
from ...dynamics.motions.runs import spans
from ...errors import ConfigurationError
from ...robots.configuration import as_vector
from ...robots.values import array, number, text, whole_number
from .. import axes
from ..series.vectors import as_series, between, cross, dot
from ..series.wrenches import WrenchSeries

THRESHOLD = 20.0  # [N]
_PUSH = 200.0  # [N]: beyond any zero offset of an unloaded plate


@dataclass(frozen=True, eq=False, repr=False)
class ForcePlate:
    """Ground reaction wrench on a foot, over n samples.

    Attributes:
        name: of the plate.
        force: (n, 3) [N].
        moment: (n, 3) about `origin` [N·m].
        origin: (3,) a point of the surface [m].
        rate: samples a second [Hz].
        up: the vertical axis.
        threshold: vertical force [N] above which the plate counts as loaded and has a centre of
            pressure.

    Raises:
        ConfigurationError: shapes that differ, values that are not finite, forces that act
            downwards only.
    """

    name: str
    force: Array
    moment: Array
    origin: Array
    rate: float
    up: str = "y"
    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        axes.up_vector(self.up)
        as_rate(self.rate)
        text(self.name, "name")
        number(self.threshold, "threshold", at_least=0, unit="[N]")
        force = as_series(self.force, (3,), f"force of plate {self.name!r}", None)
        moment = as_series(self.moment, (3,), f"moment of plate {self.name!r}", len(force))
        origin = as_vector(self.origin, 3, "origin", f"of plate {self.name!r} [m]")
        for attribute, value in (("force", force), ("moment", moment), ("origin", origin)):
            object.__setattr__(self, attribute, value.copy())
        _refuse_downward(self.name, self.vertical, self.loaded, self.up)

    @classmethod
    def from_centre_of_pressure(
        cls,
        name: str,
        force: ArrayLike,
        centre: ArrayLike,
        free_moment: ArrayLike,
        rate: float,
        up: str = "y",
        threshold: float = THRESHOLD,
    ) -> Self:
        """Return the plate of forces and centres of pressure (n, 3), free moments (n,) about up.

        Instead: forces at any points, and torques (n, 3) about these.

        The centre of pressure of an unloaded plate is arbitrary in files: where the vertical force
        is below the threshold, the wrench is set to zero and the centre is ignored.

        Raises:
            ConfigurationError: shapes that differ, a loaded sample that is not finite, forces that
                act downwards only.
        """
        u, rate = axes.up_vector(up), as_rate(rate)
        number(threshold, "threshold", at_least=0, unit="[N]")
        F, p, T = (
            np.array(array(given, f"{what} of plate {name!r}", *shapes, gaps=True))
            for what, given, *shapes in (
                ("force", force, (None, 3)),
                ("centre of pressure", centre, (None, 3)),
                ("free_moment", free_moment, (None,), (None, 3)),
            )
        )
        T = T if T.ndim == 2 else T[:, None] * u
        as_series(F, (3,), f"force of plate {name!r}", None)
        for what, values in (("centre of pressure", p), ("free_moment", T)):
            if len(values) != len(F):
                raise ConfigurationError(
                    f"{what} of plate {name!r}: got {len(values)} samples, expected {len(F)}"
                )
        vertical = F @ u
        loaded = vertical >= max(threshold, 1e-12)
        _refuse_downward(name, vertical, loaded, up)
        as_series(p[loaded], (3,), f"centre of pressure of loaded plate {name!r}", None)
        as_series(T[loaded], (3,), f"free_moment of loaded plate {name!r}", None)
        origin = p[loaded].mean(axis=0) if loaded.any() else np.zeros(3)
        F[~loaded], T[~loaded], p[~loaded] = 0.0, 0.0, origin
        moment = cross(p - origin, F) + T
        return cls(name, F, moment, origin, rate, up, threshold)

    def __len__(self) -> int:
        return len(self.force)

    @property
    def vertical(self) -> Array:
        """(n,) vertical component of the force [N]."""
        return np.asarray(self.force @ axes.up_vector(self.up))

    @property
    def loaded(self) -> NDArray[np.bool_]:
        """(n,) whether the plate is loaded."""
        return np.asarray(self.vertical >= max(self.threshold, 1e-12))

    @property
    def centre_of_pressure(self) -> Array:
        """(n, 3) [m], in the plane of the surface; nan while unloaded."""
        p = np.full_like(self.force, np.nan)
        on, u = self.loaded, axes.up_vector(self.up)
        lever = cross(np.broadcast_to(u, self.moment[on].shape), self.moment[on])
        p[on] = self.origin + lever / self.vertical[on, None]
        return p

    @property
    def free_moment(self) -> Array:
        """(n,) about the vertical axis, at the centre of pressure [N·m]; nan while unloaded."""
        lever = self.centre_of_pressure - self.origin
        return dot(self.moment - cross(lever, self.force), axes.up_vector(self.up)[None])

    def steps(self, shortest: float = 0.05) -> list[tuple[int, int]]:
        """Return [(first, last), …] samples of the stretches during which it was loaded [s]."""
        number(shortest, "shortest", at_least=0, unit="[s]")
        least = shortest * self.rate
        return [(a, b - 1) for a, b in spans(self.loaded) if b - a >= least]

    def turning_arm(self) -> float:
        """Return the 95th percentile of |T| / F_u [m], free moment per vertical force, when loaded.

        0 for a plate that was never loaded. Friction under a foot transmits less than 0.05 m:
        larger values indicate an error in the plate's zero or origin.
        """
        on = self.loaded
        if not on.any():
            return 0.0
        return float(np.percentile(np.abs(self.free_moment[on]) / self.vertical[on], 95))

    def cut(self, first: int, last: int) -> Self:
        """Return the samples from first to last, both included."""
        rows = between(first, last, len(self), "samples")
        return replace(self, force=self.force[rows], moment=self.moment[rows])

    def wrench(self) -> WrenchSeries:
        """Return the ground reaction wrench about the plate's origin."""
        return WrenchSeries(self.force, self.moment, self.origin)

    def lowpass(self, cutoff: float, order: int = 4) -> Self:
        """Return the low-pass filtered plate; `cutoff` in Hz."""
        force, moment = (
            filters.lowpass(x, self.rate, cutoff, order) for x in (self.force, self.moment)
        )
        return replace(self, force=force, moment=moment)

    def resampled(self, rate: float, frames: int | None = None) -> Self:
        """Return the same at another rate [Hz], in `frames` samples.

        If the rate is a multiple of the new one, every k-th sample is used unchanged. A missing
        last fraction of a frame is filled with the last sample.

        Raises:
            ConfigurationError: a bad rate, or a trial much longer than the plate's.
        """
        ratio = self.rate / as_rate(rate)
        if frames is None:
            frames = int((len(self) - 1) / ratio + 1e-9) + 1
        frames = whole_number(frames, "frames", at_least=1)
        if (frames - 1) * ratio > len(self) - 1 + ratio:
            raise ConfigurationError(
                f"plate {self.name!r}: {len(self)} samples at {self.rate:g} Hz last shorter than "
                f"{frames} frames at {rate:g} Hz"
            )
        force, moment = (_resampled(x, self.rate, ratio, frames) for x in (self.force, self.moment))
        return replace(self, force=force, moment=moment, rate=float(rate))

    def turned(self, up: str) -> Self:
        """Return the same with another vertical axis; see `axes.turning`."""
        R = axes.turning(self.up, up)
        return replace(
            self, force=self.force @ R.T, moment=self.moment @ R.T, origin=R @ self.origin, up=up
        )

    def __repr__(self) -> str:
        return (
            f"ForcePlate({self.name!r}, {len(self)} samples at {self.rate:g} Hz, loaded "
            f"{len(self.steps())} times, up to {self.vertical.max(initial=0):.4g} N)"
        )


def _refuse_downward(name: str, vertical: Array, loaded: NDArray[np.bool_], up: str) -> None:
    """Refuse forces on the plate, which are not those on the foot."""
    if vertical.min(initial=0) < -_PUSH and not loaded.any():
        raise ConfigurationError(
            f"plate {name!r} only pushes down, with up to {-vertical.min():.0f} N along {up}: "
            "these are forces on the plate; give those on the foot, with the other sign"
        )


def _resampled(x: Array, rate: float, ratio: float, frames: int) -> Array:
    if abs(ratio - round(ratio)) < 1e-9:
        return x[np.minimum(np.arange(frames) * round(ratio), len(x) - 1)]
    times = np.minimum(np.arange(frames) * ratio, len(x) - 1) / rate
    return filters.resample(x, rate, times)
