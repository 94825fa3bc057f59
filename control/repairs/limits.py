"""Limits of a repair: g(q, v, a, f) ≤ 0 for torques, ranges, speeds, heights and distances.

Each kind gives all its values, and the rows of its linear model where a value is near 0:

    g + G₀ x + G₁ ẋ + G₂ ẍ + F δf ≤ 0
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...contacts.postures.inverse_kinematics import joint_limits
from ...contacts.postures.self_collision import Clearance
from ...dynamics.topology import plain_coordinates
from ...robots.ranges import velocity_limits
from ...robots.robot import Robot
from .iterate import Iterate

INSIDE = 0.98  # share of torques, speeds and ranges that is used
LOW = 2e-3  # clearance of corners that do not touch [m]
APART = 3e-4  # distance that links keep [m]
_WATCHED = 0.01  # pairs of links that are farther apart are not constraints [m]
_NO_TORQUE = 1e-3  # half of the bounds of a motor that gives none [N·m or N]
_NEAR = {"torques": 0.5, "ranges": 2.0, "speeds": 0.5, "heights": 5.0}


class LimitRows(NamedTuple):
    """Linear models of some values: g (m,), at samples (m,); G₀, G₁, G₂ (m, nv), F (m, K, 3).

    None where a part is zero.
    """

    g: Array
    samples: Index
    G0: Array | None = None
    G1: Array | None = None
    G2: Array | None = None
    F: Array | None = None

    def some(self, rows: NDArray[np.bool_]) -> LimitRows:
        """Return some of the rows."""
        G0, G1, G2, F = (None if part is None else part[rows] for part in self[2:])
        return LimitRows(self.g[rows], self.samples[rows], G0, G1, G2, F)


class Limits:
    """What a repaired motion keeps to.

    Args:
        robot: whose ranges, speeds and shapes count.
        self_collision: whether links keep apart.
    """

    def __init__(self, robot: Robot, *, self_collision: bool) -> None:
        self.lower, self.upper = joint_limits(robot)
        self.in_q, self.in_v = plain_coordinates(robot)
        self.speeds = velocity_limits(robot._model)
        if robot.is_floating:
            self.speeds[:6] = np.inf
        shapes = self_collision and robot.has_collision_shapes
        self.clearance = Clearance(robot, _WATCHED) if shapes else None

    def violation(self, x: Iterate) -> float:
        """Return the sum of the positive parts of all values."""
        parts = [self.torques(x), self.ranges(x), self.velocities(x), self.heights(x)]
        parts += self.links(x)
        return float(sum(np.maximum(part, 0.0).sum() for part in parts))

    def rows(self, x: Iterate) -> list[LimitRows]:
        """Return the linear models of the values near 0."""
        kinds = self._torque_rows, self._range_rows, self._speed_rows, self._height_rows
        rows = [part for kind in (*kinds, self._link_rows) for part in kind(x)]
        return [part for part in rows if len(part.g)]

    # --- values ---------------------------------------------------------------------------------

    def torques(self, x: Iterate) -> Array:
        """|τ − m|/half − 0.98 (n, na)."""
        return np.abs(self._shares(x)[0]) - INSIDE

    def ranges(self, x: Iterate) -> Array:
        """How far joints are beyond their ranges, below and above (n, 2, joints) [0.1 rad or m]."""
        q = x.q[:, self.in_q]
        low, high = self.lower[self.in_v], self.upper[self.in_v]
        return np.stack([low + 1e-4 - q, q - high + 1e-4], axis=1) / 0.1

    def velocities(self, x: Iterate) -> Array:
        """|v|/limit − 0.98 (n, nv)."""
        return np.asarray(np.abs(x.sampled.v) / self.speeds - INSIDE)

    def heights(self, x: Iterate) -> Array:
        """How far corners that do not touch are below `LOW` (n, K) [cm]."""
        return np.where(~x.problem.corners.touching, (LOW - x.heights) / 0.01, -np.inf)

    def links(self, x: Iterate) -> list[Array]:
        """How much nearer than `APART` the nearest links are, of each sample (m,) [cm]."""
        if self.clearance is None:
            return []
        return [(APART - self.clearance.distances(q)) / 0.01 for q in x.q]

    # --- linear models --------------------------------------------------------------------------

    def _torque_rows(self, x: Iterate) -> list[LimitRows]:
        shares, halves = self._shares(x)
        k, i = np.nonzero(np.abs(shares) - INSIDE > -_NEAR["torques"])
        row, lin, share = x.problem.robot.actuated_rows[i], x.linear, shares[k, i]
        slope = (np.sign(share) / halves[k, i])[:, None]
        G0, G1, G2 = (slope * C[k, row] for C in (lin.C0, lin.C1, lin.C2))
        F = -slope[:, :, None] * lin.points[k, :, :, row]
        return [LimitRows(np.abs(share) - INSIDE, k, G0, G1, G2, F)]

    def _shares(self, x: Iterate) -> tuple[Array, Array]:
        """(τ − m)/half and half of the torques' bounds, (n, na)."""
        bounds = x.problem.bounds(x.sampled.v)
        half = np.maximum(np.broadcast_to(bounds.half, x.torques.shape), _NO_TORQUE)
        return (x.torques - bounds.middle) / half, half

    def _range_rows(self, x: Iterate) -> list[LimitRows]:
        found, values = [], self.ranges(x)
        for side, sign in enumerate((-1.0, 1.0)):
            k, j = np.nonzero(values[:, side] > -_NEAR["ranges"])
            found.append(LimitRows(values[k, side, j], k, self._units(x, self.in_v[j], sign / 0.1)))
        return found

    def _speed_rows(self, x: Iterate) -> list[LimitRows]:
        values = self.velocities(x)
        k, j = np.nonzero(values > -_NEAR["speeds"])
        slope = np.sign(x.sampled.v[k, j]) / self.speeds[j]
        return [LimitRows(values[k, j], k, G1=self._units(x, j, slope))]

    def _height_rows(self, x: Iterate) -> list[LimitRows]:
        values, corners = self.heights(x), x.problem.corners
        k, c = np.nonzero(values > -_NEAR["heights"])
        points = (x.placed.places + corners.drop)[k, c]
        J = corners.jacobian(x.placed, x.placed.arms)[k, c]
        up = np.einsum("mi,mij->mj", x.problem.terrain.normal(points), J)
        return [LimitRows(values[k, c], k, -up / 0.01)]

    def _link_rows(self, x: Iterate) -> list[LimitRows]:
        found = []
        for k, values in enumerate(self.links(x)):
            if self.clearance is not None and len(values):
                slopes = self.clearance.slopes(x.q[k])
                found.append(LimitRows(values, np.full(len(values), k), -slopes / 0.01))
        return found

    def _units(self, x: Iterate, columns: Index, values: Array | float) -> Array:
        rows = np.zeros((len(columns), x.problem.robot.nv))
        rows[np.arange(len(columns)), columns] = values
        return rows
