"""Table of bodies: a robot as one array of records, read by kernels instead of a `pin.Model`.

Body 0 is the root: a free flyer's body, or the world with what a fixed base welds to it. Bodies
come after their parents. Each has one joint to its parent, with one velocity, and the axes of the
body are chosen so that the joint turns about, or slides along, its z: then no kernel asks which it
is. That costs nothing where the axis was x, y or z before: the axes only change their names
(`turn`).

A joint with three velocities has three bodies, of which the last has the mass: three sliders are a
translation; BALL, AXIS, AXIS turn about x, y, z of a ball joint's body. The BALL has the whole
rotation, the AXIS bodies none, as a ball joint's velocity is ω in the axes of its body. Its three
velocities are therefore one motion, which the BALL's twist has at once (`spatial.with_velocity`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arrays import Array
from ...robots.configuration import axis_of
from ...robots.robot import Robot
from ..per_robot import per_robot

Integers = NDArray[np.int64]

# what turns about z, by (cos, sin), is below PRISMATIC; no kernel knows OTHER
FIXED, FREE, REVOLUTE, CONTINUOUS, PRISMATIC, BALL, AXIS, PLANAR, OTHER = range(9)

_FIELDS = np.dtype(
    [
        ("parent", "i8"),  # a smaller index; −1 for the root and what hangs on the world beside it
        ("kind", "i8"),  # of the joint: FIXED … PLANAR
        ("turn", "i8"),  # R: 0, 1, 2 the axes renamed so many times, 3 any rotation, or a BALL
        ("q", "i8"),  # the joint's first entry in q
        ("v", "i8"),  # and in v
        ("dofs", "i8"),  # how many entries of v it has
        ("R", "f8", 9),  # axes of the joint at rest in the parent's, row by row
        ("p", "f8", 3),  # origin of the joint in the parent's axes [m]
        ("mass", "f8"),  # m [kg]
        ("subtree_mass", "f8"),  # of the body and all after it [kg]
        ("h", "f8", 3),  # first moment m c about the origin [kg m]
        ("I", "f8", 6),  # about the origin: xx, xy, yy, xz, yz, zz [kg m²]
        ("armature", "f8"),  # inertia of the rotor [kg m² or kg]; of a free root, on all six axes
        ("gravity", "f8", 3),  # of the root alone: g in the world [m/s²]
        ("nq", "i8"),  # of the root alone: how many numbers q has
        ("nv", "i8"),  # and v
    ],
    align=True,
)
BODY = np.dtype((np.record, _FIELDS))  # body.mass is body["mass"]

_KINDS = {  # of the bodies of a joint
    **dict.fromkeys(("RX", "RY", "RZ", "RevoluteUnaligned"), (REVOLUTE,)),
    **dict.fromkeys(("RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"), (CONTINUOUS,)),
    **dict.fromkeys(("PX", "PY", "PZ", "PrismaticUnaligned"), (PRISMATIC,)),
    "Translation": (PRISMATIC, PRISMATIC, PRISMATIC),
    "Spherical": (BALL, AXIS, AXIS),
    "Planar": (PLANAR,),
}
_RENAMED = [np.roll(np.eye(3), -k, axis=1) for k in range(3)]  # 1: z is the parent's x; 2: y


def as_bodies(table: NDArray[np.uint8]) -> Any:
    """View the bytes of a table as its records."""
    return table.view(BODY).view(np.recarray)


@per_robot
def body_table(robot: Robot) -> Any:
    """Return the robot's records (bodies,); None if a joint of it is of a kind no kernel knows.

    The kernel of the Coriolis tensor knows them all; the others, robots without `unknown_joints`.
    """
    model, first = robot._model, 1 if robot.is_floating else 0
    if any(OTHER in _kinds(joint) for joint in list(model.joints)[first + 1 :]):
        return None
    last = _last_bodies(robot)
    bodies = np.zeros(last[-1] + 1, BODY)
    axes = [np.eye(3)]  # of each body, in those of its joint in Pinocchio
    bodies[0]["parent"], bodies[0]["kind"] = -1, FREE if robot.is_floating else FIXED
    bodies[0]["dofs"] = 6 if robot.is_floating else 0
    bodies[0]["armature"] = model.armature[0] if robot.is_floating else 0.0
    bodies[0]["gravity"] = model.gravity.linear
    bodies[0]["nq"], bodies[0]["nv"] = model.nq, model.nv
    for joint in range(first + 1, model.njoints):
        parent, placement = int(last[model.parents[joint]]), model.jointPlacements[joint]
        for k, kind in enumerate(_kinds(model.joints[joint])):
            axes.append(_axes_with_z(_axis(model.joints[joint], k)))
            before = axes[parent] if parent >= 0 else np.eye(3)
            body = bodies[len(axes) - 1]
            body["parent"], body["kind"] = parent, kind
            _fill_joint(body, model, joint, k, before.T @ placement.rotation @ axes[-1])
            body["p"] = before.T @ placement.translation
            parent, placement = len(axes) - 1, pin.SE3.Identity()
    for joint, own in enumerate(last):
        if own >= 0:
            _fill_inertia(bodies[own], model.inertias[joint], axes[own])
    bodies["subtree_mass"] = bodies["mass"]
    for body in bodies[:0:-1]:
        if body["parent"] >= 0:
            bodies["subtree_mass"][body["parent"]] += body["subtree_mass"]
    bodies.setflags(write=False)
    return bodies


@per_robot
def _last_bodies(robot: Robot) -> Integers:
    """Return for each joint of Pinocchio the last of its bodies, −1 for the world beside a base."""
    first = 1 if robot.is_floating else 0
    joints = list(robot._model.joints)[first + 1 :]
    counts = [0] * first + [1] + [len(_kinds(joint)) for joint in joints]
    return np.cumsum(counts, dtype=np.int64) - 1


@per_robot
def unknown_joints(robot: Robot) -> tuple[str, ...]:
    """Return the names of the joints that keep a robot out of the kernels in lanes.

    They know free flyers (as the base), hinges with and without limits about any axis, sliders,
    translations and ball joints.
    """
    model, first = robot._model, 1 if robot.is_floating else 0
    names = [
        model.names[i]
        for i in range(first + 1, model.njoints)
        if _kinds(model.joints[i])[0] in (PLANAR, OTHER)
    ]
    if robot.is_floating:
        on_world = [i for i in range(2, model.njoints) if model.parents[i] == 0]
        names += [model.names[i] for i in on_world]  # a second tree beside the floating base
        rotors = np.asarray(model.armature)[:6]
        if not model.jointPlacements[1].isIdentity(0.0) or np.any(rotors != rotors[0]):
            names.append(model.names[1])
    return tuple(dict.fromkeys(names))


@per_robot
def ball_joints(robot: Robot) -> tuple[str, ...]:
    """Return the names of the ball joints."""
    model = robot._model
    joints = zip(model.names, model.joints, strict=True)
    return tuple(name for name, joint in joints if BALL in _kinds(joint))


@per_robot
def velocity_chains(robot: Robot) -> tuple[Integers, Integers]:
    """Return (chains, starts) of a robot with a table.

    chains[starts[i]:starts[i + 1]] are the velocities from the root to body i, its own last.
    """
    paths: list[list[int]] = []
    for body in body_table(robot):
        above = paths[body["parent"]] if body["parent"] >= 0 else []
        paths.append([*above, *range(body["v"], body["v"] + body["dofs"])])
    chains = np.array([v for path in paths for v in path], dtype=np.int64)
    return chains, np.cumsum([0, *map(len, paths)]).astype(np.int64)


def chain_and_place(robot: Robot, frame: str) -> tuple[Integers, Array]:
    """Return the bodies from the root (without it) to a frame's, and the frame's place there.

    The place is R row by row, then p (12,).
    """
    found = robot._model.frames[robot.frame_id(frame)]
    bodies = body_table(robot)
    body, place = body_and_place(robot, found.parentJoint, found.placement.homogeneous[:3])
    chain = []
    while body > 0:
        chain.append(body)
        body = int(bodies[body]["parent"])
    return np.array(chain[::-1], dtype=np.int64), place


def body_and_place(robot: Robot, joint: int, place: Array) -> tuple[int, Array]:
    """Return the body of a joint of Pinocchio, −1 for what moves none, and a place (12,) on it.

    Args:
        robot: with a table.
        joint: its index.
        place: (3, 4), [R, p] in the axes of the joint.
    """
    first, bodies = 1 if robot.is_floating else 0, _last_bodies(robot)
    axes = np.eye(3)
    if joint > first:
        own = robot._model.joints[joint]
        axes = _axes_with_z(_axis(own, len(_kinds(own)) - 1))
    return int(bodies[joint]), np.append(axes.T @ place[:, :3], axes.T @ place[:, 3])


def _kinds(joint: Any) -> tuple[int, ...]:
    return _KINDS.get(str(joint.shortname()).removeprefix("JointModel"), (OTHER,))


def _axis(joint: Any, k: int) -> Array:
    """Return the unit axis of the k-th body of a joint; z for what has none."""
    own = np.eye(3)[k if len(_kinds(joint)) > 1 else 2]
    return axis_of(joint) if joint.nv == 1 else own


def _axes_with_z(axis: Array) -> Array:
    """Return a rotation whose third column is `axis`; the axes renamed if it is one of them."""
    for renamed in _RENAMED:
        if np.array_equal(renamed[:, 2], axis):
            return renamed
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _fill_joint(body: Any, model: Any, joint: int, k: int, R: Array) -> None:
    """Put what the k-th body of a joint of Pinocchio has of it into a record; R, its axes' own."""
    own, kind = model.joints[joint], body["kind"]
    body["q"] = own.idx_q + (k if kind == PRISMATIC else 0)
    body["v"], body["dofs"] = own.idx_v + k, own.nv if kind == PLANAR else 1
    body["armature"] = model.armature[own.idx_v + k]
    body["R"] = R.ravel()
    renamed = (k for k, C in enumerate(_RENAMED) if np.array_equal(R, C) and kind != BALL)
    body["turn"] = next(renamed, 3)


def _fill_inertia(body: Any, inertia: Any, axes: Array) -> None:
    turned = pin.SE3(axes.T, np.zeros(3)).act(inertia)
    parameters = turned.toDynamicParameters()  # m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    body["mass"], body["h"], body["I"] = parameters[0], parameters[1:4], parameters[4:]
