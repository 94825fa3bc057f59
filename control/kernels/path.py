"""Paths on the ground, at a constant velocity (v_x, v_y, ω_z) in their own axes: Ṗ = P [v, ω]^.

In a time t a path turns by φ = ω_z t and goes on along a chord of the length |v| t sinc(φ/2), half
of φ from where it was headed. Plain functions, for kernels and for what calls them a pose at a
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, sin
from typing import NamedTuple


class GroundPose(NamedTuple):
    """A pose on the ground.

    Attributes:
        x, y: its place [m].
        c, s: cos ψ and sin ψ of its heading ψ.
    """

    x: float
    y: float
    c: float
    s: float


def along(start: GroundPose, velocity: Sequence[float], time: float) -> GroundPose:
    """Return the pose of a path a time after its start [s]."""
    vx, vy, wz = velocity[0], velocity[1], velocity[2]
    half = 0.5 * wz * time
    u, w = cos(half), sin(half)
    far = time * (w / half if half != 0.0 else 1.0)
    x, y = point(start, far * (vx * u - vy * w), far * (vx * w + vy * u))
    c, s = direction(start, u * u - w * w, 2.0 * u * w)
    return GroundPose(x, y, c, s)


def point(pose: GroundPose, x: float, y: float) -> tuple[float, float]:
    """Return the place of a point in the axes of a pose [m]."""
    along_x, along_y = direction(pose, x, y)
    return pose.x + along_x, pose.y + along_y


def direction(pose: GroundPose, x: float, y: float) -> tuple[float, float]:
    """Return a vector along the ground in the axes of a pose, in those of the world."""
    return pose.c * x - pose.s * y, pose.s * x + pose.c * y
