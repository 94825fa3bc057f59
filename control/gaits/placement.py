"""Placement of feet along a path: where they belong beneath a robot, and where they land.

A foot lands where its place beneath a robot on the path P will be half-way through its stance,

    T_foot = P(t_½) T_nominal,

so that it carries as long before as behind the body (M. Raibert, "Legged robots that balance"
(1986), ch. 2, for a body that is where it should be). What it is off, `foothold_program` adds. The
height there, and how a sole is inclined, are the `ground_plane`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import copysign, hypot
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..kernels.path import GroundPose, direction, point
from .foothold_program import APART, FADE
from .gait import middle
from .ground_plane import GroundPlane
from .path import Path, rotation
from .support import room


class FootPlacement:
    """Where the feet of a robot belong that stands, and goes along a path.

    Args:
        start: its pose on the path (`pin.SE3`).
        places: T_world_contact of its feet there (`pin.SE3`).
        ground: that they stand on.
        opposite: {foot: (the one opposite, how far to the left of it [m])}, of feet in pairs.

    Attributes:
        offset: of the footholds from the path (3,) [m].
        swing, stance, step: how long a foot swings and carries, and a step takes [s].
    """

    def __init__(
        self,
        start: Any,
        places: Mapping[str, Any],
        ground: GroundPlane,
        opposite: Mapping[str, tuple[str, float]],
    ) -> None:
        self.ground, self.opposite = ground, opposite
        self._nominal = {name: start.actInv(T.translation).tolist() for name, T in places.items()}
        level = (ground.tilt @ start.rotation).T
        self._soles = {name: level @ T.rotation for name, T in places.items()}
        self.offset: Array = np.zeros(3)
        self.swing = self.stance = self.step = 0.0

    def speed(self, velocity: Array) -> float:
        """Return the largest speed of a foot's place beneath the robot [m/s]."""
        vx, vy, wz = velocity.tolist()
        return max(hypot(vx - wz * y, vy + wz * x) for x, y, _ in self._nominal.values())

    def set_times(self, swing: float, double: float, groups: int) -> None:
        """Take up how long feet swing, and all of them stand in between [s]."""
        self.swing, self.step = swing, swing + double
        self.stance = groups * self.step - swing

    def beneath(self, P: Any) -> dict[str, Any]:
        """Return T_world_contact (`pin.SE3`) of the feet while the robot stands at P."""
        axes = self.ground.tilt @ P.rotation
        return {
            name: pin.SE3(axes @ self._soles[name], P.act(np.array(at)))
            for name, at in self._nominal.items()
        }

    def off(
        self, places: Mapping[str, Any], names: Collection[str], path: Path, t: float
    ) -> list[tuple[float, float]]:
        """Return how far feet are from where they belong while the robot is at P(t) [m]."""
        P, beside, found = path.along(t), self._beside(path, names), list[tuple[float, float]]()
        for name in names:
            (x, y, _), (u, v) = places[name].translation.tolist(), point(P, *beside[name])
            found.append((x - u, y - v))
        return found

    def farthest(self, velocity: Array) -> float:
        """Return how far from beneath its hip a foot is where it lands and lifts, at most [m]."""
        out = max(self._farther_out(y, velocity) for _, y, _ in self._nominal.values())
        return 0.5 * self.stance * self.speed(velocity) + out

    def landing(
        self, path: Path, lift: float, groups: Sequence[tuple[str, ...]]
    ) -> Callable[[dict[str, Any], int, str], Any]:
        """Return where feet land that swing in turn from `lift` [s] on, see `swings_in_turn`."""
        ahead = [self._ahead(path, lift, k) for k in range(len(groups))]
        inclined, beside = self._inclined(), self._beside(path, self._nominal)

        def goal(places: dict[str, Any], k: int, name: str) -> Any:
            P, (left_x, left_y), (off_x, off_y) = ahead[k]
            x, y = point(P, *beside[name])
            x, y = x + off_x, y + off_y
            other, stand = self.opposite.get(name, ("", 0.0))
            if other and other not in groups[k]:
                u, v, _ = places[other].translation.tolist()
                # how much farther to the left of the other one it has to be
                lacks = APART * stand - (left_x * (x - u) + left_y * (y - v))
                more = max(lacks, 0.0) if stand > 0 else min(lacks, 0.0)
                x, y = x + more * left_x, y + more * left_y
            at = np.array([x, y, self.ground.height((x, y))])
            return pin.SE3(inclined(P, name), at)

        return goal

    def resting(
        self, path: Path, lift: float, least: float
    ) -> Callable[[dict[str, Any], int, list[str]], Array]:
        """Return where p rests in swings in turn from `lift` [s] on, see `swings_in_turn`.

        That is where the robot's middle is to the feet that carry, if it is inside their polygon,
        `least` from its sides [m]: such a gait needs no sway. Else it is the middle of these feet.
        """

        def p(places: dict[str, Any], k: int, carry: list[str]) -> Array:
            between = middle(places, carry)
            if len(carry) < 3:
                return between
            P = path.along(lift + k * self.step + 0.5 * self.swing)
            beside = np.mean([self._nominal[name][:2] for name in carry], axis=0)
            own = between - np.array([*direction(P, *beside.tolist()), 0.0])
            points = np.array([places[name].translation[:2] for name in carry])
            return own if room(points, own[:2]) >= least else between

        return p

    def _ahead(
        self, path: Path, lift: float, k: int
    ) -> tuple[GroundPose, tuple[float, float], tuple[float, float]]:
        """P half-way through the stance after the k-th swing, left at its lift, what is left of the
        offset."""
        begin, fading, (x, y, _) = lift + k * self.step, FADE ** (k + 1), self.offset.tolist()
        P = path.along(begin + self.swing + 0.5 * self.stance)
        return P, direction(path.along(begin), 0.0, 1.0), (fading * x, fading * y)

    def _inclined(self) -> Callable[[GroundPose, str], Array]:
        """Return how soles lie on the ground at a pose: worked out once for each heading."""
        axes, soles = dict[tuple[float, float], Array](), dict[tuple[float, float, str], Array]()

        def inclined(P: GroundPose, name: str) -> Array:
            heading, own = (P.c, P.s), (P.c, P.s, name)
            if heading not in axes:
                axes[heading] = self.ground.tilt @ rotation(P)
            if own not in soles:
                soles[own] = axes[heading] @ self._soles[name]
            return soles[own]

        return inclined

    def _beside(self, path: Path, names: Iterable[str]) -> dict[str, tuple[float, float]]:
        """Where feet should be, in the robot's axes; farther out where it goes sideways [m].

        From one step to the next the feet come together by |vy| times the time of a step, or apart.
        """
        found = dict[str, tuple[float, float]]()
        for name in names:
            x, y, _ = self._nominal[name]
            found[name] = x, y + copysign(self._farther_out(y, path.velocity), y)
        return found

    def _farther_out(self, y: float, velocity: Array) -> float:
        closer = abs(float(velocity[1])) * self.step
        return max(0.0, 0.5 * closer - (1 - APART) * abs(y))
