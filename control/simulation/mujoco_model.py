"""MuJoCo's model of a robot on a terrain, and its state in the coordinates there.

These are of `robots.conventions.to_mujoco`: the base's linear velocity is in world axes,
v_world = R v_base.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import ContactSet, Terrain
from ...errors import ConfigurationError
from ...robots.robot import Robot
from .ground import DIVERGED
from .mjcf import about_com, as_mjcf, body_name

_W_FIRST = (3, 0, 1, 2)  # order of a quaternion's components there


class MujocoModel:
    """A robot on a terrain in MuJoCo.

    Attributes:
        mujoco: the library.
        model, data: MuJoCo's.
        rows: where the velocities of its joints are in our v, in its order.
        geoms: {geom: the first of the contacts' points that it stands for}.

    Raises:
        ConfigurationError: MuJoCo is not installed.
        ModelError: joints that are neither hinges, slides nor ball joints.
    """

    def __init__(
        self, robot: Robot, contacts: ContactSet, terrain: Terrain, *, solid: bool = False
    ) -> None:
        try:
            import mujoco
        except ImportError:
            raise ConfigurationError(
                "judge, and the engine 'mujoco', need MuJoCo: pip install 'footwork[judge]'"
            ) from None
        if mujoco.get_mju_user_warning() is None:  # else a file MUJOCO_LOG.TXT, where one works
            mujoco.set_mju_user_warning(logging.getLogger("footwork").warning)
        text = as_mjcf(robot, contacts, terrain, solid=solid)
        self.mujoco, self.model = mujoco, mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self._set_impossible_inertias(robot)
        model = self.model
        self.joints = [model.joint(i).name for i in range(model.njnt) if model.jnt_type[i] != 0]
        own = [robot._model.joints[robot.joint_id(name)] for name in self.joints]
        self.rows = np.array([joint.idx_v + k for joint in own for k in range(joint.nv)], np.intp)
        places = [(joint, k) for joint in own for k in (_W_FIRST if joint.nq == 4 else [0])]
        self._places = np.array([joint.idx_q + k for joint, k in places], np.intp)
        self._turning = np.array([joint.nq == 2 for joint, _ in places], bool)  # (cos, sin)
        self._turns = int(self._turning.sum())
        names = {i: model.geom(i).name for i in range(model.ngeom)}
        points = {i: name for i, name in names.items() if name.startswith("point ")}
        self.geoms = {i: int(name.split()[1]) for i, name in points.items()}

    def _set_impossible_inertias(self, robot: Robot) -> None:
        """Give bodies the inertia of the robot's where no body has it, see `mjcf`."""
        for joint, inertia in enumerate(robot._model.inertias):
            moments, axes = np.linalg.eigh(about_com(inertia))
            if joint and moments[0] + moments[1] < moments[2]:
                body = self.model.body(body_name(joint))
                axes *= np.linalg.det(axes)
                x, y, z, w = pin.Quaternion(axes).coeffs()
                body.inertia[:], body.iquat[:] = moments, (w, x, y, z)
        self.mujoco.mj_setConst(self.model, self.data)

    def to_mujoco(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return (qpos, qvel) of (q, v), as `robots.conventions` has it, in a tenth of its time."""
        places = q[self._places]
        if self._turns:
            sines = q[self._places + self._turning]
            places = np.where(self._turning, np.arctan2(sines, places), places)
        base, R = [q[:3], q[6:7], q[3:6]], pin.Quaternion(q[3:7]).toRotationMatrix()
        return np.concatenate([*base, places]), np.concatenate([R @ v[:3], v[3:6], v[self.rows]])

    def from_mujoco(self) -> tuple[Array, Array]:
        """Return (q, v) of MuJoCo's state, likewise."""
        qpos = self.data.qpos
        q = np.empty(len(qpos) + self._turns)
        q[:3], q[3:6], q[6] = qpos[:3], qpos[4:7], qpos[3]
        q[3:7] /= np.linalg.norm(q[3:7])
        q[self._places] = qpos[7:]
        if self._turns:
            angles = qpos[7:][self._turning]
            q[self._places[self._turning]] = np.cos(angles)
            q[self._places[self._turning] + 1] = np.sin(angles)
        return q, self.velocity()

    def velocity(self) -> Array:
        """Return v of MuJoCo's state."""
        qvel = self.data.qvel
        R, v = pin.Quaternion(*self.data.qpos[3:7]).toRotationMatrix(), np.empty(len(qvel))
        v[:3], v[3:6], v[self.rows] = R.T @ qvel[:3], qvel[3:6], qvel[6:]
        return v

    @property
    def diverged(self) -> bool:
        """Whether velocities are not finite, or beyond measure."""
        return not float(np.abs(self.data.qvel).max()) <= DIVERGED

    def pushes(self) -> Iterator[tuple[int, int, Array, Array]]:
        """Yield where the ground pushes geoms of `geoms`: MuJoCo's number, the geom, the force on
        it (3,) in the contact's axes, normal first, and in those of the world [N]."""
        contacts, wrench = self.data.contact, np.zeros(6)
        acts, axes = contacts.efc_address.tolist(), contacts.frame.reshape(-1, 3, 3)
        for i, (first, second) in enumerate(contacts.geom.tolist()):
            geom, sign = (second, 1.0) if second in self.geoms else (first, -1.0)
            if acts[i] >= 0 and geom in self.geoms:
                self.mujoco.mj_contactForce(self.model, self.data, i, wrench)
                yield i, geom, wrench[:3], sign * (wrench[:3] @ axes[i])
