"""Velocity and position limits as bounds on accelerations.

With the barrier h = q_max − q, asking ḧ + 2k ḣ + k² h ≥ 0 lets h decay no faster than a critically
damped spring, so that h ≥ 0 is invariant if ḣ + k h ≥ 0 at the start:

    a ≤ k² (q_max − q) − 2k v,        a ≤ k_v (v_max − v)

and the same from below. Q. Nguyen, K. Sreenath, "Exponential control barrier functions" (2016).

A joint that is slowed down at the rate k comes to rest e = v/k − h beyond its range. Accelerations
within the bounds do not lead to e > 0; the ground does, which turns the ankle of a sole that tips
over an edge. What the barrier asks of this joint then, hundreds of rad/s², the rest of the robot
would have to come up with, as the contact holds the sole: it threw G1's trunk over at 3 rad/s. So
from e = 2δ on a joint is asked for no more than at rest δ beyond its range, a ≤ −k² δ, and from
e = δ on for something in between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts.postures.inverse_kinematics import joint_limits
from ...dynamics.topology import plain_coordinates
from ...robots.ranges import velocity_limits
from ...robots.robot import Robot
from ..kernels.joint_bounds import JOINT_BOUNDS, Ranges

PUSHED = 0.02  # δ [rad or m]: noise of velocities explains a tenth of it


@dataclass(frozen=True, eq=False)
class JointLimits:
    """The limits of the actuated joints, each (na,), ±inf for none.

    Attributes:
        rows_q, rows_v: where they are in q and v.
        lower, upper: positions [rad or m].
        speed: [rad/s or m/s].
        stiffness: k [1/s]; grip: k_v [1/s].
    """

    rows_q: NDArray[np.intp]
    rows_v: NDArray[np.intp]
    lower: Array
    upper: Array
    speed: Array
    stiffness: float
    grip: float

    @classmethod
    def of(cls, robot: Robot, stiffness: float = 20.0, grip: float = 50.0) -> JointLimits:
        """Return the limits of the description; what it does not give, or gives as 0, is none."""
        rows, (in_q, in_v) = np.array(robot.actuated_rows), plain_coordinates(robot)
        place, (lower, upper) = np.zeros(robot.nv, dtype=np.intp), joint_limits(robot)
        place[in_v] = in_q  # of others 0, where there is no end
        speed = velocity_limits(robot._model)[rows]
        return cls(place[rows], rows, lower[rows], upper[rows], speed, stiffness, grip)

    def bounds(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return the slowest and the fastest accelerations (na,) that keep the limits.

        Where no acceleration keeps both the range and the speed, as of a joint that comes back
        into its range too fast, both are the one that breaks the two by the same least amount,
        half of the gap between them.
        """
        slowest, fastest = np.empty(len(self.speed)), np.empty(len(self.speed))
        q, v = np.ascontiguousarray(q, float), np.ascontiguousarray(v, float)
        given = q, v, self._ranges, self.stiffness, self.grip, PUSHED, slowest, fastest
        JOINT_BOUNDS.overload().run(*given)
        return slowest, fastest

    @cached_property
    def _ranges(self) -> Ranges:
        """As the kernel reads them."""
        return Ranges(self.rows_q, self.rows_v, self.lower, self.upper, self.speed)
