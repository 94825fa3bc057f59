"""MuJoCo as the engine of a closed loop: the robot, its contact points and the terrain as MJCF.

States and generalised forces go to the coordinates of `robots.conventions.to_mujoco`, in which the
base's linear velocity is in world axes: v_world = R v_base, f_world = R f_base. Contacts and the
stops of joints are compliant there, so there is a little penetration; closures are equality
constraints between sites at their ends, as stiff as MuJoCo has them.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import pinocchio as pin
from numpy.polynomial import Polynomial

from ..arrays import Array
from ..contacts import ContactSet, Terrain
from ..contacts.terrain.solids import Box, Plane
from ..errors import ConfigurationError, ContactError, ModelError, SolverError
from ..robots.closures import JointCoupling
from ..robots.ranges import ranges
from ..robots.robot import Robot
from .ground import DIVERGED, Point, StepResult, points_of

_FAR = 1e3  # an end of a range where there is none [rad or m]
CORNER = 0.005  # radius of the balls that stand for a patch's corners [m]
_LEAST = 1e-12  # mass and inertia that MuJoCo asks of what moves [kg, kg·m²]
HINGE = 0.1  # between the two points of the axis of a hinge that closes a loop [m]
_STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'  # MuJoCo's limits
_AXES = {"RX": "1 0 0", "RY": "0 1 0", "RZ": "0 0 1", "PX": "1 0 0", "PY": "0 1 0", "PZ": "0 0 1"}


class MujocoGround:
    """As `Ground`, with MuJoCo's engine.

    Raises:
        ConfigurationError: MuJoCo is not installed.
        ModelError: joints that are neither hinges nor slides.
    """

    unsolved = 0

    def __init__(self, robot: Robot, contacts: ContactSet, terrain: Terrain) -> None:
        try:
            import mujoco
        except ImportError:
            raise ConfigurationError(
                "engine 'mujoco': MuJoCo is missing; pip install mujoco"
            ) from None
        self.robot, self.contacts, self.terrain = robot, contacts, terrain
        self.points = [p for contact in contacts for p in points_of(robot, contact)]
        if mujoco.get_mju_user_warning() is None:  # else a file MUJOCO_LOG.TXT, where one works
            mujoco.set_mju_user_warning(logging.getLogger("footwork").warning)
        self._mujoco = mujoco
        self.model = mujoco.MjModel.from_xml_string(as_mjcf(robot, contacts, terrain))
        self.data = mujoco.MjData(self.model)
        self._joints = [
            self.model.joint(i).name for i in range(self.model.njnt) if self.model.jnt_type[i] != 0
        ]
        own = [robot._model.joints[robot.joint_id(name)] for name in self._joints]
        self._rows = np.array([joint.idx_v for joint in own], dtype=np.intp)  # in MuJoCo's order
        self._places = np.array([joint.idx_q for joint in own], dtype=np.intp)
        self._turning = np.array([joint.nq == 2 for joint in own], dtype=bool)  # (cos, sin)
        self._geoms = {self.model.geom(f"point {i}").id: i for i in range(len(self.points))}

    def step(self, q: Array, v: Array, forces: Array, h: float) -> StepResult:
        """Return v⁺ and impulses after h, as `Ground.step`.

        Raises:
            SolverError: the motion blew up.
        """
        data = self.data
        self.model.opt.timestep = h
        R = pin.Quaternion(q[3:7]).toRotationMatrix()
        data.qpos[:], data.qvel[:] = self.there(q, v, R)
        data.qfrc_applied[:3], data.qfrc_applied[3:6] = R @ forces[:3], forces[3:6]
        data.qfrc_applied[6:] = forces[self._rows]
        self._mujoco.mj_step(self.model, data)
        if not np.isfinite(data.qvel).all() or np.abs(data.qvel).max() > DIVERGED:
            raise SolverError("the motion blew up; expected softer gains or a shorter step")
        turned = pin.Quaternion(*data.qpos[3:7]).toRotationMatrix()
        after = np.empty_like(v)
        after[:3], after[3:6] = turned.T @ data.qvel[:3], data.qvel[3:6]
        after[self._rows] = data.qvel[6:]
        stops = np.zeros_like(v)
        stops[self._rows] = self._stops()
        return StepResult(after, h * self._forces(), h * stops)

    def there(self, q: Array, v: Array, R: Array) -> tuple[Array, Array]:
        """Return MuJoCo's (qpos, qvel) of (q, v), as `to_mujoco`, in a tenth of its time."""
        places = q[self._places]
        if self._turning.any():
            sines = q[self._places + self._turning]
            places = np.where(self._turning, np.arctan2(sines, places), places)
        base = [q[:3], q[6:7], q[3:6]]
        return np.concatenate([*base, places]), np.concatenate([R @ v[:3], v[3:6], v[self._rows]])

    def _stops(self) -> Array:
        """Torques of joint stops in MuJoCo's order of joints [N·m or N]."""
        data, found = self.data, np.zeros(len(self._joints))
        limit = int(self._mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT)
        for i in np.flatnonzero(data.efc_type == limit):
            joint = int(data.efc_id[i])
            place = data.qpos[self.model.jnt_qposadr[joint]]
            low, high = self.model.jnt_range[joint]
            up = place - low < high - place  # the nearer end is the one that pushes
            found[self.model.jnt_dofadr[joint] - 6] += (1.0 if up else -1.0) * data.efc_force[i]
        return found

    def _forces(self) -> Array:
        """(K, 3), of the ground on each point, world axes [N]."""
        found, force = np.zeros((len(self.points), 3)), np.zeros(6)
        for i in range(self.data.ncon):
            contact = self.data.contact[i]
            self._mujoco.mj_contactForce(self.model, self.data, i, force)
            on_second = contact.frame.reshape(3, 3).T @ force[:3]
            for geom, sign in ((contact.geom[1], 1.0), (contact.geom[0], -1.0)):
                if geom in self._geoms:
                    found[self._geoms[geom]] += sign * on_second
        return found


def as_mjcf(robot: Robot, contacts: ContactSet, terrain: Terrain) -> str:
    """Return the robot, balls at its contacts' points, and the terrain as MJCF."""
    if not contacts.limits.isotropic:
        raise ContactError(
            "engine 'mujoco': got friction that differs along two tangents, expected one number "
            "for each contact; the default engine knows anisotropic friction"
        )
    points = [p for contact in contacts for p in points_of(robot, contact)]
    mu = contacts.limits.friction[:, 0].tolist()
    ups = np.repeat(
        [_up(robot, contact) for contact in contacts], [len(c.points) for c in contacts], axis=0
    )
    carried: dict[int, str] = defaultdict(str)  # what is fixed to each joint's body, as MJCF
    for i, (point, up, friction) in enumerate(zip(points, ups, mu, strict=True)):
        carried[point.joint] += _ball(i, point, up, friction)
    equalities = _equalities(robot, carried)
    gravity = " ".join(f"{g:.17g}" for g in robot._model.gravity.linear)
    return (
        f'<mujoco><compiler angle="radian" balanceinertia="false" autolimits="false"/>'
        f'<option gravity="{gravity}" cone="elliptic" integrator="implicitfast" '
        'jacobian="dense">'  # MuJoCo 4.0.0's Newton solver is wrong with sparse contact Jacobians
        f'<flag autoreset="disable"/></option>'  # it would start anew in silence
        f"<worldbody>{''.join(_solid(s) for s in terrain.solids)}{carried[0]}"
        f"{_body(robot, 1, carried)}</worldbody><equality>{equalities}</equality></mujoco>"
    )


def _up(robot: Robot, contact: Any) -> Array:
    """From a corner to the middle of the ball that stands for it, in the joint's axes."""
    if contact.axes_in_frame is None:
        return np.zeros(3)
    frame = robot._model.frames[robot.frame_id(contact.frame)]
    return np.asarray(CORNER * frame.placement.rotation @ contact.axes_in_frame[:, 2])


def _equalities(robot: Robot, carried: dict[int, str]) -> str:
    """The robot's closures; adds the sites at their ends to what the bodies carry."""
    found, rows = "", robot._closure_rows
    for k, (loop, _) in enumerate(rows.loops):
        # a hinge is two points of its axis
        arms = [0.0, HINGE] if loop.kind == "hinge" else [0.0]
        for n, arm in enumerate(arms):
            sites = [f"closure {k} {n} {end}" for end in (1, 2)]
            for site, joint, end in zip(sites, rows.joints[k], rows.ends[k], strict=True):
                T = pin.SE3(end) * pin.SE3(np.eye(3), np.array([0.0, 0.0, arm]))
                carried[int(joint)] += f'<site name="{site}" {_pose(T)}/>'
            kind = "weld" if loop.kind == "weld" else "connect"
            found += f'<{kind} site1="{sites[0]}" site2="{sites[1]}" {_STIFF}/>'
    return found + "".join(_coupling(robot, coupling) for coupling, *_ in rows.couplings)


def _coupling(robot: Robot, coupling: JointCoupling) -> str:
    """y = y_0 + Σ c_k (x − x_0)^k as a polynomial in x."""
    law = Polynomial(coupling.coefficients or (0.0,))(Polynomial([-coupling.leader_at, 1.0]))
    if len(law.coef) > 5:
        raise ModelError(
            f"closure {coupling.name!r}: got a polynomial of degree {len(law.coef) - 1}; expected "
            "one of at most 4 for MuJoCo"
        )
    if robot._closure_rows.turning:  # a pair (cos, sin) forgets whole turns, MuJoCo does not
        raise ModelError(
            f"closure {coupling.name!r}: got a coupling of continuous joints, expected joints with "
            "ranges for MuJoCo"
        )
    terms = np.zeros(5)
    terms[: len(law.coef)] = law.coef
    terms[0] += coupling.joint_at
    leader = f"joint2={quoteattr(coupling.leader)}" if coupling.leader else ""
    names = f"joint1={quoteattr(coupling.joint)} {leader}"
    return f'<joint {names} polycoef="{_numbers(terms)}" {_STIFF}/>'


def _body(robot: Robot, joint: int, carried: dict[int, str]) -> str:
    model = robot._model
    inertia, T = model.inertias[joint], model.jointPlacements[joint]
    about_com = inertia.inertia
    if inertia.mass < _LEAST or np.linalg.eigvalsh(about_com)[0] < _LEAST:
        about_com = about_com + _LEAST * np.eye(3)  # the first of several hinges moves no mass
    full = about_com[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    below = [k for k in range(1, model.njoints) if model.parents[k] == joint]
    return (
        f"<body {_pose(T)}>{_joint(model, joint)}"
        f'<inertial pos="{_numbers(inertia.lever)}" mass="{max(inertia.mass, _LEAST):.17g}" '
        f'fullinertia="{_numbers(full)}"/>{carried[joint]}'
        f"{''.join(_body(robot, k, carried) for k in below)}</body>"
    )


def _joint(model: Any, joint: int) -> str:
    kind = model.joints[joint].shortname().removeprefix("JointModel")
    if kind == "FreeFlyer":
        armature = float(model.armature[model.joints[joint].idx_v])
        return f'<joint name="base" type="free" armature="{armature:.17g}"/>'
    if kind in _AXES or kind in ("RUBX", "RUBY", "RUBZ"):
        axis = _AXES[kind.replace("RUB", "R")]
    elif kind in ("RevoluteUnaligned", "PrismaticUnaligned", "RevoluteUnboundedUnaligned"):
        axis = _numbers(model.joints[joint].extract().axis)
    else:
        raise ModelError(
            f"joint {model.names[joint]!r}: got {kind}; expected hinges and slides for MuJoCo"
        )
    what = "hinge" if kind[0] == "R" else "slide"
    armature = float(model.armature[model.joints[joint].idx_v])
    name, at = quoteattr(model.names[joint]), model.joints[joint].idx_q
    low, high = (float(ends[at]) for ends in ranges(model))
    limited = np.isfinite(low) or np.isfinite(high)
    low, high = max(low, -_FAR), min(high, _FAR)
    ends = f'limited="true" range="{low:.17g} {high:.17g}"' if limited else ""
    return f'<joint name={name} type="{what}" axis="{axis}" armature="{armature:.17g}" {ends}/>'


def _ball(i: int, point: Point, up: Array, mu: float) -> str:
    radius = point.radius or CORNER
    return (
        f'<geom name="point {i}" type="sphere" size="{radius:.17g}" mass="0" '
        f'pos="{_numbers(point.place + up)}" friction="{mu:.17g} 0 0" condim="3" '
        f'contype="1" conaffinity="2"/>'
    )


def _solid(solid: Any) -> str:
    touch = 'contype="2" conaffinity="1" condim="3"'
    own = "0 0 0" if solid.friction is None else f"{solid.friction:.17g} 0 0"
    priority = "0" if solid.friction is None else "1"
    rest = f'friction="{own}" priority="{priority}" {touch}/>'
    if isinstance(solid, Plane):
        return f'<geom type="plane" size="0 0 1" {_pose(solid.faces[0].placement)} {rest}'
    if isinstance(solid, Box):
        half = _numbers(np.array(solid.size) / 2)
        return f'<geom type="box" size="{half}" {_pose(solid.placement)} {rest}'
    raise ModelError(f"terrain: got {solid!r}; expected planes and boxes for MuJoCo")


def _pose(T: Any) -> str:
    x, y, z, w = pin.Quaternion(T.rotation).coeffs()
    return f'pos="{_numbers(T.translation)}" quat="{_numbers([w, x, y, z])}"'


def _numbers(values: Any) -> str:
    return " ".join(f"{float(x):.17g}" for x in values)
