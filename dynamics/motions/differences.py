"""High-order finite differences of uniformly sampled data.

Nine samples give the derivative at one: central inside the series, one-sided near its ends. The
weights w solve Σ_j w_j (s_j)^p = p! δ_{p,order} for p = 0 … 8, so
the result is exact for polynomials up to the eighth degree (B. Fornberg, Math. Comp. 51 (1988)
699).
"""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.values import array, number, whole_number

_FASTEST = 1e6  # [Hz]

POINTS = 9  # of a window


def as_samples(value: ArrayLike) -> Array:
    """Return samples (n, …) as floats, time first; gaps (nan) stay.

    Raises:
        ConfigurationError: not an array of numbers.
    """
    samples = array(value, "samples", meaning="(n, …), time first", gaps=True)
    if samples.ndim == 0:
        raise ConfigurationError(f"samples: got {value!r}; expected numbers (n, …), time first")
    return samples


def as_rate(rate: float) -> float:
    """Return a sampling rate [Hz], or raise."""
    return number(rate, "rate", above=0, at_most=_FASTEST, unit="frames a second")


def stencil_weights(offsets: ArrayLike, order: int) -> Array:
    """Return w (k,): Σ w_j x(t + s_j) is the derivative of x of that order, steps of one."""
    s = np.asarray(offsets, dtype=float)
    powers = s ** np.arange(len(s))[:, None]
    wanted = np.zeros(len(s))
    wanted[order] = factorial(order)
    return np.asarray(np.linalg.solve(powers, wanted))


@cache
def _weights(points: int, here: int, order: int) -> tuple[float, ...]:
    """Those of a window's frames, at one of them."""
    return tuple(stencil_weights(np.arange(points) - here, order).tolist())


def window_starts(frames: int, points: int = POINTS) -> NDArray[np.int64]:
    """Return (n,) the first frame of the window of each frame.

    Raises:
        ConfigurationError: fewer frames than `points`.
    """
    if frames < points:
        raise ConfigurationError(
            f"got {frames} frames; expected {points} or more to take derivatives"
        )
    return np.clip(np.arange(frames) - points // 2, 0, frames - points)


def differentiate(x: ArrayLike, rate: float, order: int = 1, points: int = POINTS) -> Array:
    """Return d^order x/dt^order (n, …) of samples x (n, …) at `rate` [Hz].

    Args:
        x: samples, time first.
        rate: [Hz].
        order: 1 or 2 (any below `points`).
        points: of a window.

    Raises:
        ConfigurationError: too few frames, a bad rate or order.
    """
    x, points = as_samples(x), whole_number(points, "points", at_least=2)
    if not isinstance(order, int) or not 1 <= order < points:
        raise ConfigurationError(f"order: got {order!r}; expected 1 to {points - 1}")
    starts = window_starts(len(x), points)
    position = np.arange(len(x)) - starts  # position of the frame in its window
    derivative = np.empty_like(x)
    for here in range(points):
        rows = np.flatnonzero(position == here)
        weights = _weights(points, here, order)
        derivative[rows] = sum(w * x[starts[rows] + j] for j, w in enumerate(weights))
    return derivative * as_rate(rate) ** order
