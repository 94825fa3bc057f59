"""Ground reaction: the wrench that contacts have to supply along a motion, and its ZMP."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...dynamics import batch
from ...dynamics.motions.motion import Motion
from ..motion_verdicts import MotionVerdicts, about_com
from ..shortfall import radius_of
from ..zmp import zmp_of


@dataclass(frozen=True, eq=False)
class Reaction:
    """What the contacts of a floating base have to supply, whatever the torques.

        f = m (c̈ − g) − Σ f_ext,      m_c = d/dt (angular momentum about c) − Σ m_ext

    Attributes:
        force: f (n, 3), world axes [N].
        moment: m_c (n, 3), about the centre of mass [N·m].
        com: c (n, 3) [m].
        acceleration: c̈ (n, 3) [m/s²].
        mass: [kg].
        gravity: g (3,) [m/s²].
        radius: r = √(Σ m_i r_i² / m) of the masses about c, at the first sample [m].
    """

    force: Array
    moment: Array
    com: Array
    acceleration: Array
    mass: float
    gravity: Array
    radius: float

    @classmethod
    def of(cls, motion: Motion, verdicts: MotionVerdicts) -> Reaction:
        """Return the reaction of a floating base."""
        robot, q = motion.robot, motion.q
        com, gravity = batch.com(robot, q), np.array(robot._model.gravity.linear, dtype=float)
        needed = about_com(robot, q, batch.inverse_dynamics(robot, q, motion.v, motion.a))
        acceleration = gravity + needed[:, :3] / robot.mass
        force, moment = verdicts.reaction[:, :3], verdicts.reaction[:, 3:]
        radius = radius_of(robot, q[0])
        return cls(force, moment, com, acceleration, robot.mass, gravity, radius)

    @cached_property
    def unsupported(self) -> Array:
        """(n,), what lacks of free fall where nothing touches: ‖f‖/m + ‖m_c‖/(m r) [m/s²]."""
        turning = np.linalg.norm(self.moment, axis=1) / self.radius
        return np.asarray((np.linalg.norm(self.force, axis=1) + turning) / self.mass)

    def zmp(self, sample: int, point: Array, normal: Array) -> Array:
        """Return where in the plane through `point` the reaction has no moment but about `normal`.

        z = p + n × m_p / (n·f),      m_p = m_c + (c − p) × f
        """
        force = self.force[sample]
        moment = self.moment[sample] + np.cross(self.com[sample] - point, force)
        return zmp_of(force, moment, point, normal)
