"""Speed limits as they are found: by kind and direction, in words, as a table."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ... import registry
from ...arrays import Array
from ...files import write_csv
from .utilisation import OF_ROBOT, SWING, TIMING

Velocity = tuple[float, float, float]


class SpeedLimit(NamedTuple):
    """The largest speed that one kind of limit allows.

    Attributes:
        kind: "reach", "joint speed", "torque", "friction"; of the gait "swing" and "timing".
        speed: [m/s], or of turns on the spot [rad/s]; inf: none among the speeds looked at.
        why: what there is too little of just above, and when in the cycle; or why there is none.
    """

    kind: str
    speed: float
    why: str


@dataclass(frozen=True, eq=False)
class Direction:
    """The limits in one direction.

    Attributes:
        velocity: (vx, vy, wz) of the speed one.
        limits: {kind: its limit}.
        most: the largest speed that was looked at.
        speeds: (k,), at which utilisations are known, ascending.
        utilisation: {kind: (k,)}, shares of the limits that the motion takes [-]; of "reach" and
            "friction" what is missing, over what may be: 0 until they are at their ends. Where
            "reach" is more than 1 there is no motion, and the others are nan.
    """

    velocity: Velocity
    limits: Mapping[str, SpeedLimit]
    most: float
    speeds: Array
    utilisation: Mapping[str, Array]

    @property
    def of_robot(self) -> SpeedLimit:
        """The least of what the robot's reach, joints, motors and contacts allow."""
        return min((self.limits[kind] for kind in OF_ROBOT), key=lambda limit: limit.speed)

    @property
    def limit(self) -> SpeedLimit:
        """The least of the robot's and of the gait's timing: what a walker can be commanded."""
        return min(self.of_robot, self.limits[TIMING], key=lambda limit: limit.speed)

    @property
    def unit(self) -> str:
        """Of the speeds."""
        return "m/s" if any(self.velocity[:2]) else "rad/s"

    @property
    def heading(self) -> float:
        """The angle from ahead to the left [rad]; nan where it turns on the spot."""
        vx, vy, _ = self.velocity
        return math.atan2(vy, vx) if vx or vy else math.nan

    @property
    def words(self) -> str:
        """Such as "ahead"."""
        vx, vy, wz = self.velocity
        if not (vx or vy):
            return "turning left" if wz > 0 else "turning right"
        degrees = round(math.degrees(self.heading), 3)
        way = _WAYS.get(degrees) or f"{abs(degrees):g}° to the {'left' if degrees > 0 else 'right'}"
        return f"{way}, turning {wz:+.2g} rad/m" if wz else way

    def told(self, limit: SpeedLimit) -> str:
        """Return a speed with its unit."""
        if math.isfinite(limit.speed):
            return f"{limit.speed:.2f} {self.unit}"
        return "–"


_WAYS = {0.0: "ahead", 180.0: "back", -180.0: "back", 90.0: "to the left", -90.0: "to the right"}


@dataclass(frozen=True, eq=False, repr=False)
class SpeedLimits:
    """How fast a robot can go with a gait, by direction, and why not faster.

    Attributes:
        robot, gait: their names.
        predictive: whether the gait is a `PredictiveGait`.
        friction: the least coefficient of the contacts.
        directions: with their limits.
    """

    robot: str
    gait: str
    predictive: bool
    friction: float
    directions: tuple[Direction, ...]

    _repr_html_ = registry.html_of

    def __str__(self) -> str:
        more = f"; and {len(self.directions) - 1} directions" if len(self.directions) > 1 else ""
        return f"{self._who}: {_sentence(self.directions[0])}{more}"

    def __repr__(self) -> str:
        return f"SpeedLimits({self})"

    @property
    def _who(self) -> str:
        return f"{self.robot}, {'predicted ' if self.predictive else ''}{self.gait}"

    def explain(self) -> str:
        """Return the limits of each direction as text."""
        lines = [f"{self._who}, friction {self.friction:g}"]
        for one in self.directions:
            lines.append(_sentence(one))
            lines += [
                f"  {kind:<12} {one.told(limit):>11}  {limit.why}"
                for kind, limit in sorted(one.limits.items(), key=lambda x: x[1].speed)
            ]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        directions = [
            {
                "velocity": list(one.velocity),
                "unit": one.unit,
                "limit": one.limit.kind,
                "of_robot": one.of_robot.kind,
                "limits": {k: {"speed": x.speed, "why": x.why} for k, x in one.limits.items()},
                "most": one.most,
                "speeds": one.speeds.tolist(),
                "utilisation": {kind: x.tolist() for kind, x in one.utilisation.items()},
            }
            for one in self.directions
        ]
        return {
            "robot": self.robot,
            "gait": self.gait,
            "predictive": self.predictive,
            "friction": self.friction,
            "directions": directions,
        }

    def cells(self) -> list[list[Any]]:
        """Return the cells of `COLUMNS` of each limit."""
        return [
            [*one.velocity, limit.kind, limit.speed, one.unit, limit.why]
            for one in self.directions
            for limit in one.limits.values()
        ]

    def write_csv(self, path: str | os.PathLike[str]) -> Path:
        """Write the limits as comma-separated lines; return the path."""
        return write_csv(path, COLUMNS, self.cells())


COLUMNS = ("v_x", "v_y", "w_z", "kind", "speed", "unit", "why")


def _sentence(one: Direction) -> str:
    robot, timing, swing = one.of_robot, one.limits[TIMING], one.limits[SWING]
    told = f"at most {one.told(robot)} by the robot ({robot.kind})"
    if math.isinf(robot.speed):
        told = f"no limit of the robot up to {one.most:.3g} {one.unit}"
    lag = f"; swinging feet lag behind from {one.told(swing)} on" * math.isfinite(swing.speed)
    return f"{one.words} {told}, {one.told(timing)} by the gait's timing{lag}"
