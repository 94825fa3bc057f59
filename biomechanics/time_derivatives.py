"""Derivatives of uniformly sampled data, and of rotations, by high-order finite differences.

Nine samples give the derivative at one: central inside the trial, one-sided near its ends. The
weights w solve Σ_j w_j (s_j)^p = p! δ_{p,order} for p = 0 … 8, so
the result is exact for polynomials up to the eighth degree (B. Fornberg, Math. Comp. 51 (1988)
699).

With R the rotation that maps a segment's axes to the world's, Ṙ = [ω ×] R, so that

    [ω ×] = Ṙ Rᵀ          [ω̇ ×] = skew part of R̈ Rᵀ

the second because d(Ṙ Rᵀ)/dt = R̈ Rᵀ + Ṙ Ṙᵀ and Ṙ Ṙᵀ is symmetric. There is no gimbal lock.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..errors import ConfigurationError
from .series import as_rate, as_samples, as_series, unskew

POINTS = 9  # of a window


def stencil_weights(offsets: ArrayLike, order: int) -> Array:
    """Return w (k,): Σ w_j x(t + s_j) is the derivative of x of that order, steps of one."""
    s = np.asarray(offsets, dtype=float)
    powers = s ** np.arange(len(s))[:, None]
    wanted = np.zeros(len(s))
    wanted[order] = factorial(order)
    return np.asarray(np.linalg.solve(powers, wanted))


def window_starts(frames: int) -> NDArray[np.int64]:
    """Return (n,) the first frame of the window of each frame.

    Raises:
        ConfigurationError: fewer frames than `POINTS`.
    """
    if frames < POINTS:
        raise ConfigurationError(
            f"got {frames} frames; expected {POINTS} or more to take derivatives"
        )
    return np.clip(np.arange(frames) - POINTS // 2, 0, frames - POINTS)


def differentiate(x: ArrayLike, rate: float, order: int = 1) -> Array:
    """Return d^order x/dt^order (n, …) of samples x (n, …) at `rate` [Hz].

    Args:
        x: samples, time first.
        rate: [Hz].
        order: 1 or 2 (any below `POINTS`).

    Raises:
        ConfigurationError: too few frames, a bad rate or order.
    """
    x = as_samples(x)
    if not isinstance(order, int) or not 1 <= order < POINTS:
        raise ConfigurationError(f"order: got {order!r}; expected 1 to {POINTS - 1}")
    starts = window_starts(len(x))
    position = np.arange(len(x)) - starts  # position of the frame in its window
    derivative = np.empty_like(x)
    for here in range(POINTS):
        rows = np.flatnonzero(position == here)
        weights = stencil_weights(np.arange(POINTS) - here, order)
        derivative[rows] = sum(w * x[starts[rows] + j] for j, w in enumerate(weights))
    return derivative * as_rate(rate) ** order


def as_rotations(value: ArrayLike, name: str, frames: int | None = None) -> Array:
    """Return rotation matrices (n, 3, 3), or raise if one is invalid.

    Raises:
        ConfigurationError: another shape, not finite, not orthogonal or mirrored.
    """
    R = as_series(value, (3, 3), name, frames)
    defect = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2))
    defect = np.where(np.linalg.det(R) > 0, defect, np.inf)
    worst = int(defect.argmax())
    if defect[worst] > 1e-8:
        raise ConfigurationError(
            f"{name}: frame {worst} is no rotation matrix: |R Rᵀ − 1| = {defect[worst]:.3g}, "
            "determinant +1 expected"
        )
    return R


def angular_velocity(R: ArrayLike, rate: float) -> Array:
    """Return ω (n, 3) [rad/s], world axes, of rotations R (n, 3, 3) sampled at `rate` [Hz].

    Raises:
        ConfigurationError: no rotations, or too few of them.
    """
    R = as_rotations(R, "R")
    return unskew(differentiate(R, rate) @ np.swapaxes(R, 1, 2))


def angular_acceleration(R: ArrayLike, rate: float) -> Array:
    """Return ω̇ (n, 3) [rad/s²], world axes, of rotations R (n, 3, 3) sampled at `rate` [Hz].

    Raises:
        ConfigurationError: no rotations, or too few of them.
    """
    R = as_rotations(R, "R")
    return unskew(differentiate(R, rate, order=2) @ np.swapaxes(R, 1, 2))
