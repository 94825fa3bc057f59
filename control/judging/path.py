"""Track of a trunk along a commanded path: distance, speed, error, tilt."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...contacts.geometry.polygon import distances_to_segments
from ...dynamics.spatial import rotations

SPACING = 10  # ticks between the points that are compared with the path


class Track:
    """Where a trunk was at each tick, from q (nq,) on, under a commanded velocity (3,), ahead along
    an axis of the trunk (3,)."""

    def __init__(self, q: Array, velocity: Array, forward: Array) -> None:
        self.velocity, self._forward = velocity, forward
        self.points = [np.array(q[:3])]
        self.turned = [q[3:7].copy()]

    def __len__(self) -> int:
        return len(self.points) - 1

    def add(self, q: Array) -> None:
        """Add a tick."""
        self.points.append(q[:3].copy())
        self.turned.append(q[3:7].copy())

    def found(self, tick: float) -> dict[str, float]:
        """Return distance [m], path error [m], speed [m/s], turn [rad/s] and tilt [degrees]."""
        p, yaw, ups = np.array(self.points)[:, :2], *_headings(np.array(self.turned), self._forward)
        along, half = self._along(p, yaw), len(self) // 2
        since = max(len(self) - half, 1) * tick
        tilts = np.degrees(np.arccos(np.clip(ups[:, 2], -1.0, 1.0)))
        return {
            "distance": float(along[-1]),
            "path_error": self._off(p, float(yaw[0]), tick),
            "speed": float(along[-1] - along[half]) / since,
            "turn": float(yaw[-1] - yaw[half]) / since,
            "tilt": float(tilts.max()),
        }

    def _along(self, p: Array, yaw: Array) -> Array:
        """(n,), ∫ ṗ · R(yaw) v dt / ‖v‖: the way in the commanded direction; zero for no speed."""
        v = self.velocity[:2]
        speed = float(np.linalg.norm(v))
        if speed == 0:
            return np.zeros(len(p))
        steps = np.einsum("ni,ni->n", np.diff(p, axis=0), _turned(v / speed, yaw[:-1]))
        return np.concatenate([[0.0], np.cumsum(steps)])

    def _off(self, p: Array, yaw: float, tick: float) -> float:
        """The farthest of p (n, 2) from the commanded path, which goes on for half as long."""
        dt = SPACING * tick
        angles = yaw + self.velocity[2] * dt * (np.arange(int(1.5 * len(p) / SPACING) + 2) + 0.5)
        path = p[0] + dt * np.cumsum(_turned(self.velocity[:2], angles), axis=0)
        a, b = np.vstack([p[:1], path[:-1]]), path
        return max(float(distances_to_segments(x, a, b).min()) for x in p[::SPACING])


def _headings(quaternions: Array, forward: Array) -> tuple[Array, Array]:
    """Angles of an axis of trunks about the vertical (n,), unwrapped, and where what was up at
    first points (n, 3)."""
    R = rotations(quaternions)
    x, y, _ = (R @ forward).T
    return np.unwrap(np.arctan2(y, x)), R @ R[0, 2]


def _turned(v: Array, angles: Array) -> Array:
    """v (2,) turned by angles (n,), (n, 2)."""
    c, s = np.cos(angles), np.sin(angles)
    return np.column_stack([c * v[0] - s * v[1], s * v[0] + c * v[1]])
