"""Profiles of motions from rest to rest, by the share θ of their time: s, s', s''.

Plain functions of numbers, for kernels and for what calls them a number at a time.
"""

from __future__ import annotations


def minimum_jerk(theta: float) -> tuple[float, float, float]:
    """Return s, s', s'' of the share of time gone, held to its ends outside [0, 1]."""
    x = min(max(theta, 0.0), 1.0)
    return (
        x**3 * (10 - 15 * x + 6 * x**2),
        30 * x**2 * (1 - x) ** 2,
        60 * x * (1 - x) * (1 - 2 * x),
    )


def minimum_acceleration(theta: float) -> tuple[float, float, float]:
    """Return s, s', s'' of the share of time gone that minimises ∫ s''² dt between two rests.

    Its largest speed is 1.5 times its mean, that of a minimum-jerk motion 1.875 times; its
    acceleration jumps at both ends.
    """
    x = min(max(theta, 0.0), 1.0)
    return x**2 * (3 - 2 * x), 6 * x * (1 - x), 6 - 12 * x if 0 < theta < 1 else 0.0


def bump(theta: float) -> tuple[float, float, float]:
    """Return p = 64 θ³(1 − θ)³ with p' and p'': up to one half-way, at rest at both ends."""
    x = min(max(theta, 0.0), 1.0)
    y = x * (1 - x)
    slope = 1 - 2 * x
    return 64 * y**3, 192 * y**2 * slope, 384 * y * (slope**2 - y)
