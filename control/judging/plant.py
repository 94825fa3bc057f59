"""Plant: a robot in MuJoCo that moves on its own, with solid soles, in a `World`.

Nothing but torques, a push and time goes in: between the start and the end of a trial its state is
never written. Torques are held for a tick of 1/500 s, which is four steps of the physics.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...dynamics.spatial import cross
from ...robots.robot import Robot
from ..simulation.mujoco_model import MujocoModel
from .streams import Stream
from .world import World

TICK = 2e-3  # [s]
SUBSTEPS = 4
# how much stiffer friction is than the normal force, against creep (impratio of MuJoCo)
STUCK = 10.0
# solref and solimp of MuJoCo: time constant [s] and damping ratio of the ground, and its impedance;
# with MuJoCo's own, light feet sink in by centimetres under their robots
SOLID = (5e-3, 1.0), (0.99, 0.999, 1e-3, 0.5, 2.0)
PUSHED = 0.1  # how long a push lasts [s]


class Touch(NamedTuple):
    """A point where the ground pushes.

    Attributes:
        contact: whose.
        place: (3,), world axes [m].
        force: (3,), on the robot, world axes [N].
        normal: its part along the normal [N].
        sliding: the speed across the normal [m/s].
    """

    contact: str
    place: Array
    force: Array
    normal: float
    sliding: float


class Plant(MujocoModel):
    """A robot that stands at q in a world.

    Args:
        robot: floating base, as the controller knows it.
        contacts: its soles and points, with the friction that the controller is told.
        world: the world.
        q: where it starts (nq,), at rest.
        seed: of what is random in the world.
        ahead: how far boards reach [m].

    Attributes:
        terrain: the ground, with its boards.
        mass: of the robot as it is [kg].
        work: Σ |τ Δq| of the last tick [J].
        touching: {contact: whether the ground pushes it}, at the end of the last tick.
        slid: {contact: how far it has slid since it touched} [m].
    """

    def __init__(
        self, robot: Robot, contacts: ContactSet, world: World, q: Array, seed: int, ahead: float
    ) -> None:
        self.terrain = world.ground(Stream.GROUND.of(seed), ahead)
        super().__init__(robot, world.feet(contacts), self.terrain, solid=True)
        self._change(robot, world, q, Stream.MASSES.of(seed))
        self.model.opt.timestep, self.model.opt.impratio = TICK / SUBSTEPS, STUCK
        self.model.geom_solref[:], self.model.geom_solimp[:] = SOLID
        self.data.qpos[:], self.data.qvel[:] = self.to_mujoco(q, np.zeros(robot.nv))
        self.mujoco.mj_forward(self.model, self.data)
        self.mass, self.work = float(self.model.body_mass.sum()), 0.0
        self._actuated = robot.selection_matrix[:, self.rows].T
        owners = [contact.name for contact in contacts for _ in contact.points]
        self._owner = {geom: owners[i] for geom, i in self.geoms.items()}
        self.touching = dict.fromkeys(contacts.names, False)
        self.slid = dict.fromkeys(contacts.names, 0.0)
        self._feel()

    def _change(self, robot: Robot, world: World, q: Array, rng: np.random.Generator) -> None:
        """Make masses, armatures and joint friction the world's; inertias go with the masses."""
        model, M = self.model, State(robot, q).mass_matrix
        factors = 1 + world.masses * rng.uniform(-1.0, 1.0, model.nbody)
        factors[1] = 1 + world.trunk
        model.body_mass[:] *= factors
        model.body_inertia[:] *= factors[:, None]
        model.dof_armature[6:] += world.armature * np.diag(M)[self.rows]
        own = robot._model
        model.dof_damping[6:] = world.joint_friction * own.damping[self.rows]
        model.dof_frictionloss[6:] = world.joint_friction * own.upperDryFrictionLimit[self.rows]
        self.mujoco.mj_setConst(model, self.data)

    def tick(self, tau: Array, push: Array) -> bool:
        """Move on by a tick under torques (na,) and a force on the trunk (3,), world axes [N].

        Returns whether the motion is still finite. The force acts at the trunk's centre of mass.
        """
        data, torques = self.data, self._actuated @ tau
        data.qfrc_applied[6:], data.xfrc_applied[1, :3] = torques, push
        before, moved = data.qpos.copy(), np.zeros(self.model.nv)
        self.mujoco.mj_step(self.model, data, SUBSTEPS)
        self.mujoco.mj_differentiatePos(self.model, moved, 1.0, before, data.qpos)
        self.work = float(np.abs(torques * moved[6:]).sum())
        if self.diverged:
            return False
        self._feel()
        return True

    def touches(self) -> list[Touch]:
        """Return where the ground pushes, at the last step of the physics."""
        data, contacts, found = self.data, self.data.contact, []
        places, frames = contacts.pos.copy(), contacts.frame.reshape(-1, 3, 3)
        for i, geom, local, force in self.pushes():
            motion, arm = data.cvel[self.model.geom_bodyid[geom]], places[i] - data.subtree_com[1]
            x, y = frames[i, 1:] @ (motion[3:] + cross(motion[:3], arm))
            sliding = math.hypot(x, y)
            found.append(Touch(self._owner[geom], places[i], force, float(local[0]), sliding))
        return found

    def _feel(self) -> None:
        """Note which contacts touch, and how far they have slid, by the mean over their touches."""
        loads, slides = dict.fromkeys(self.slid, 0.0), dict.fromkeys(self.slid, 0.0)
        for touch in self.touches():
            loads[touch.contact] += touch.normal
            slides[touch.contact] += touch.normal * touch.sliding
        for name, load in loads.items():
            self.touching[name] = load > 0
            way = TICK * slides[name] / load if load > 0 else 0.0
            self.slid[name] = self.slid[name] + way if load > 0 else 0.0
