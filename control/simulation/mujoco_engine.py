"""MuJoCo as the engine of a closed loop.

States and generalised forces go to MuJoCo's coordinates (see `MujocoModel`), f_world = R f_base.
Contacts and the stops of joints are compliant there, so there is a little penetration; closures are
equality constraints between sites at their ends, as stiff as MuJoCo has them.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import ContactSet, Terrain
from ...errors import SolverError
from ...robots.robot import Robot
from .ground import StepResult, points_of
from .mujoco_model import MujocoModel


class MujocoGround(MujocoModel):
    """As `Ground`, with MuJoCo's engine.

    Raises:
        ConfigurationError: MuJoCo is not installed.
        ModelError: joints that are neither hinges, slides nor ball joints.
    """

    unsolved = 0

    def __init__(self, robot: Robot, contacts: ContactSet, terrain: Terrain) -> None:
        self.robot, self.contacts, self.terrain = robot, contacts, terrain
        self.points = [p for contact in contacts for p in points_of(robot, contact)]
        super().__init__(robot, contacts, terrain)

    def step(self, q: Array, v: Array, forces: Array, h: float) -> StepResult:
        """Return v⁺ and impulses after h, as `Ground.step`.

        Raises:
            SolverError: the motion blew up.
        """
        data = self.data
        self.model.opt.timestep = h
        R = pin.Quaternion(q[3:7]).toRotationMatrix()
        data.qpos[:], data.qvel[:] = self.to_mujoco(q, v)
        data.qfrc_applied[:3], data.qfrc_applied[3:6] = R @ forces[:3], forces[3:6]
        data.qfrc_applied[6:] = forces[self.rows]
        self.mujoco.mj_step(self.model, data)
        if self.diverged:
            raise SolverError("the motion blew up; expected softer gains or a shorter step")
        found, stops = np.zeros((len(self.points), 3)), np.zeros_like(v)
        for _, geom, _, force in self.pushes():
            found[self.geoms[geom]] += force
        stops[self.rows] = self._stops()
        return StepResult(self.velocity(), h * found, h * stops)

    def _stops(self) -> Array:
        """Torques of joint stops in the order of `rows` [N·m or N]."""
        data, found = self.data, np.zeros(len(self.rows))
        limit = int(self.mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
        for i in (data.efc_type == limit).nonzero()[0]:
            joint = int(data.efc_id[i])
            place = data.qpos[self.model.jnt_qposadr[joint]]
            low, high = self.model.jnt_range[joint]
            up = place - low < high - place  # the nearer end is the one that pushes
            found[self.model.jnt_dofadr[joint] - 6] += (1.0 if up else -1.0) * data.efc_force[i]
        return found
