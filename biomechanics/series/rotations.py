"""Derivatives of sampled rotations, by the finite differences of `dynamics`.

With R the rotation that maps a segment's axes to the world's, Ṙ = [ω ×] R, so that

    [ω ×] = Ṙ Rᵀ          [ω̇ ×] = skew part of R̈ Rᵀ

the second because d(Ṙ Rᵀ)/dt = R̈ Rᵀ + Ṙ Ṙᵀ and Ṙ Ṙᵀ is symmetric. There is no gimbal lock.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.motions.differences import differentiate
from ...errors import ConfigurationError
from .vectors import as_series, unskew


def as_rotations(value: ArrayLike, name: str, frames: int | None = None) -> Array:
    """Return rotation matrices (n, 3, 3), or raise if one is invalid.

    Raises:
        ConfigurationError: another shape, not finite, not orthogonal or mirrored.
    """
    R = as_series(value, (3, 3), name, frames)
    defect, det = np.abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max(axis=(1, 2)), np.linalg.det(R)
    worst = int(np.where(det > 0, defect, np.inf).argmax())
    if defect[worst] > 1e-8 or not det[worst] > 0:
        raise ConfigurationError(
            f"{name}: frame {worst} is no rotation matrix: got |R Rᵀ − 1| = {defect[worst]:.3g} "
            f"and det R = {det[worst]:.3g}; expected 0 and 1"
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
