"""Motion: configurations, velocities and accelerations of a robot along time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError
from ...robots.configuration import check_reach, check_robot
from ...robots.robot import Robot
from ...robots.values import array


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A motion, sampled: what a robot is to do, or did.

    Attributes:
        robot: who moves.
        t: (n,) times [s], increasing.
        q: (n, nq) configurations.
        v: (n, nv) velocities.
        a: (n, nv) accelerations.
        name: what it is called in reports, such as the file's name.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    a: Array
    name: str = "motion"

    def __post_init__(self) -> None:
        robot = check_robot(self.robot)
        t = array(self.t, "t", (None,))
        if not len(t) or (np.diff(t) <= 0).any():
            raise ConfigurationError("t: expected at least one time [s], increasing")
        widths = {"q": robot.nq, "v": robot.nv, "a": robot.nv}
        object.__setattr__(self, "t", t)
        for name, width in widths.items():
            object.__setattr__(self, name, array(getattr(self, name), name, (len(t), width)))
        check_reach(robot, self.q)

    @property
    def duration(self) -> float:
        """From the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return (
            f"Motion({self.name!r} of {self.robot.name!r}, {len(self)} samples over "
            f"{self.duration:.4g} s)"
        )
