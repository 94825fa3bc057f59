"""Springs and dampers in the joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.configuration import check_configuration, check_robot, check_velocity, rows_v
from ..robots.robot import Robot
from ..robots.values import array, mapping, number


@dataclass(frozen=True, eq=False)
class JointSprings:
    """E = −k (q ⊖ rest) − d v in the joints that are named; the base has none.

    Attributes:
        stiffness: {joint: k} [N·m/rad or N/m], or one number for all joints; ≥ 0.
        damping: {joint: d} [N·m·s/rad or N·s/m], or one number for all joints; ≥ 0.
        rest: q (nq,) where the springs are slack; None: `robot.neutral()`.

    Raises:
        ConfigurationError: a constant that is negative or not finite.
    """

    stiffness: Mapping[str, float] | float = 0.0
    damping: Mapping[str, float] | float = 0.0
    rest: ArrayLike | None = field(default=None)

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            given = getattr(self, name)
            each = mapping(given, name).items() if isinstance(given, Mapping) else [("", given)]
            for joint, constant in each:
                number(constant, f"{name} of {joint!r}" if joint else name, at_least=0)
            if isinstance(given, Mapping):
                object.__setattr__(self, name, dict(given))
        if self.rest is not None:
            rest = array(self.rest, "rest", (None,), meaning="a configuration (nq,)", frozen=True)
            object.__setattr__(self, "rest", rest)

    def forces(self, robot: Robot, q: ArrayLike, v: ArrayLike) -> Array:
        """Return E (nv,) at (q, v).

        Raises:
            ConfigurationError: a bad q or v, or no such joint.
        """
        k, d = self._rows(robot, "stiffness"), self._rows(robot, "damping")
        return -k * self._stretch(robot, q) - d * check_velocity(robot, v)

    def energy(self, robot: Robot, q: ArrayLike) -> float:
        """Return ½ k (q ⊖ rest)² summed over the joints [J].

        Raises:
            ConfigurationError: a bad q, or no such joint.
        """
        return float(0.5 * self._rows(robot, "stiffness") @ self._stretch(robot, q) ** 2)

    def _stretch(self, robot: Robot, q: ArrayLike) -> Array:
        rest = robot.neutral() if self.rest is None else self.rest
        q = check_configuration(robot, q)
        return robot.difference(check_configuration(robot, rest, "rest"), q)

    def _rows(self, robot: Robot, name: str) -> Array:
        """Return the constants as (nv,)."""
        check_robot(robot)
        given = getattr(self, name)
        if not isinstance(given, Mapping):
            given = dict.fromkeys(robot.joint_names, given)
        rows = np.zeros(robot.nv)
        for joint, constant in given.items():
            rows[rows_v(robot._model.joints[robot.joint_id(joint)])] = constant
        return rows
