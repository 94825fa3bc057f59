"""Motion of the segments of a chain: poses, velocities and accelerations over a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.motions.differences import differentiate
from ...errors import ConfigurationError, unknown
from ...robots.values import array, mapping, texts
from ..series.rotations import angular_acceleration, angular_velocity, as_rotations
from ..series.vectors import as_series, cross, turn


@dataclass(frozen=True, eq=False, repr=False)
class SegmentMotion:
    """The motion of k segments over n frames, in world axes.

    Attributes:
        names: of the segments.
        R: (n, k, 3, 3), maps segment axes to world axes.
        origin: (n, k, 3) of the segments' frames [m].
        velocity: (n, k, 3) of the origins [m/s].
        acceleration: (n, k, 3) of the origins [m/s²], the classical one.
        omega: (n, k, 3) angular velocities [rad/s].
        alpha: (n, k, 3) angular accelerations [rad/s²].

    Raises:
        ConfigurationError: shapes that do not fit, or values that are not finite.
    """

    names: tuple[str, ...]
    R: Array
    origin: Array
    velocity: Array
    acceleration: Array
    omega: Array
    alpha: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", texts(self.names, "names"))
        k, frames = len(self.names), len(self.R)
        as_series(self.R, (k, 3, 3), "R", None)
        for name in ("origin", "velocity", "acceleration", "omega", "alpha"):
            as_series(getattr(self, name), (k, 3), name, frames)

    @classmethod
    def from_poses(cls, poses: Mapping[str, tuple[ArrayLike, ArrayLike]], rate: float) -> Self:
        """Return the motion of {segment: (R (n, 3, 3), origin (n, 3))} sampled at `rate` [Hz].

        Velocities and accelerations are high-order finite differences (`differentiate`): filter
        the markers first.

        Raises:
            ConfigurationError: no rotations, lengths that differ, values that are not finite.
        """
        if not mapping(poses, "poses", kind="segment"):
            raise ConfigurationError("poses: got none; expected {segment: (R, origin)}")
        for segment, pose in poses.items():
            if not isinstance(pose, (tuple, list)) or len(pose) != 2:
                raise ConfigurationError(f"pose of {segment!r}: expected (R, origin)")
        frames = len(np.atleast_1d(np.asarray(next(iter(poses.values()))[1])))
        R = {s: as_rotations(pose[0], f"rotation of {s!r}", frames) for s, pose in poses.items()}
        origin = {
            s: as_series(pose[1], (3,), f"origin of {s!r}", frames) for s, pose in poses.items()
        }
        points = np.stack(list(origin.values()), axis=1)
        return cls(
            names=tuple(poses),
            R=np.stack(list(R.values()), axis=1),
            origin=points,
            velocity=differentiate(points, rate),
            acceleration=differentiate(points, rate, order=2),
            omega=np.stack([angular_velocity(r, rate) for r in R.values()], axis=1),
            alpha=np.stack([angular_acceleration(r, rate) for r in R.values()], axis=1),
        )

    def __len__(self) -> int:
        return len(self.R)

    def index(self, segment: str) -> int:
        """Return the index of a segment.

        Raises:
            ConfigurationError: there is no such segment.
        """
        if segment not in self.names:
            raise ConfigurationError(unknown("segment", segment, self.names))
        return self.names.index(segment)

    def ordered(self, names: tuple[str, ...]) -> Self:
        """Return the motion of the segments `names`, in this order."""
        names = texts(names, "names")
        if names == self.names:
            return self
        rows = [self.index(name) for name in names]
        arrays = (self.R, self.origin, self.velocity, self.acceleration, self.omega, self.alpha)
        return type(self)(names, *(array[:, rows] for array in arrays))

    def points(self, local: Array) -> Array:
        """Return o + R c (n, k, 3) [m]: the positions of points c (k, 3) in segment axes."""
        return np.asarray(self.origin + turn(self.R, self._local(local)))

    def point_accelerations(self, local: Array) -> Array:
        """Return ö + ω̇ × R c + ω × (ω × R c) (n, k, 3) [m/s²]."""
        lever = turn(self.R, self._local(local))
        centripetal = cross(self.omega, cross(self.omega, lever))
        return np.asarray(self.acceleration + cross(self.alpha, lever) + centripetal)

    def _local(self, local: Array) -> Array:
        return array(local, "local", (len(self.names), 3), meaning="points in segment axes [m]")

    def __repr__(self) -> str:
        return f"SegmentMotion({len(self.names)} segments, {len(self)} frames)"
