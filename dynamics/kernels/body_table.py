"""Table of bodies: a robot as one array of records, read by kernels instead of a `pin.Model`.

Body 0 is the root: a free flyer's body, or the world with what a fixed base welds to it. Bodies
come after their parents. Each has one joint to its parent, and the axes of the body are chosen so
that a joint with one axis turns about, or slides along, its z: then no kernel asks which it is.
That costs nothing where the axis was x, y or z before: the axes only change their names (`turn`).
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

FIXED, FREE, REVOLUTE, CONTINUOUS, PRISMATIC, TRANSLATION, SPHERICAL, PLANAR = range(8)

_FIELDS = np.dtype(
    [
        ("parent", "i8"),  # a smaller index; −1 for the root and what hangs on the world beside it
        ("kind", "i8"),  # of the joint: FIXED … PLANAR
        ("turn", "i8"),  # R: 0, 1, 2 the axes renamed so many times, 3 any rotation
        ("q", "i8"),  # the joint's first entry in q
        ("v", "i8"),  # and in v
        ("dofs", "i8"),  # how many entries of v it has
        ("R", "f8", 9),  # axes of the joint at rest in the parent's, row by row
        ("p", "f8", 3),  # origin of the joint in the parent's axes [m]
        ("mass", "f8"),  # m [kg]
        ("subtree_mass", "f8"),  # of the body and all after it [kg]
        ("h", "f8", 3),  # first moment m c about the origin [kg m]
        ("I", "f8", 6),  # about the origin: xx, xy, yy, xz, yz, zz [kg m²]
        ("armature", "f8"),  # reflected inertia of the rotor [kg m² or kg]
        ("gravity", "f8", 3),  # of the root alone: g in the world [m/s²]
        ("nq", "i8"),  # of the root alone: how many numbers q has
        ("nv", "i8"),  # and v
    ],
    align=True,
)
BODY = np.dtype((np.record, _FIELDS))  # body.mass is body["mass"]

_KINDS = {
    **dict.fromkeys(("RX", "RY", "RZ", "RevoluteUnaligned"), REVOLUTE),
    **dict.fromkeys(("RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"), CONTINUOUS),
    **dict.fromkeys(("PX", "PY", "PZ", "PrismaticUnaligned"), PRISMATIC),
    "Translation": TRANSLATION,
    "Spherical": SPHERICAL,
    "Planar": PLANAR,
}
_WITH_ONE_AXIS = (REVOLUTE, CONTINUOUS, PRISMATIC)
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
    if any(_short(joint) not in _KINDS for joint in list(model.joints)[first + 1 :]):
        return None
    bodies = np.zeros(model.njoints - first, BODY)
    axes = [np.eye(3)]  # of each body, in those of its joint in Pinocchio
    _fill_inertia(bodies[0], model.inertias[first], axes[0])
    bodies[0]["parent"], bodies[0]["kind"] = -1, FREE if robot.is_floating else FIXED
    bodies[0]["dofs"] = 6 if robot.is_floating else 0
    bodies[0]["gravity"] = model.gravity.linear
    bodies[0]["nq"], bodies[0]["nv"] = model.nq, model.nv
    for body, joint in zip(bodies[1:], range(first + 1, model.njoints), strict=True):
        axes.append(_axes_with_z(_axis(model.joints[joint])))
        _fill_joint(body, model, joint, axes[model.parents[joint] - first], axes[-1])
        body["parent"] = model.parents[joint] - first
        _fill_inertia(body, model.inertias[joint], axes[-1])
    bodies["subtree_mass"] = bodies["mass"]
    for body in bodies[:0:-1]:
        if body["parent"] >= 0:
            bodies["subtree_mass"][body["parent"]] += body["subtree_mass"]
    bodies.setflags(write=False)
    return bodies


@per_robot
def unknown_joints(robot: Robot) -> tuple[str, ...]:
    """Return the names of the joints that keep a robot out of the kernels in lanes.

    They know free flyers (as the base), hinges with and without limits about any axis, and sliders.
    """
    model, first = robot._model, 1 if robot.is_floating else 0
    names = [
        model.names[i]
        for i in range(first + 1, model.njoints)
        if _KINDS.get(_short(model.joints[i])) not in _WITH_ONE_AXIS
    ]
    if robot.is_floating:
        on_world = [i for i in range(2, model.njoints) if model.parents[i] == 0]
        names += [model.names[i] for i in on_world]  # a second tree beside the floating base
        moved = not model.jointPlacements[1].isIdentity(0.0)
        if moved or np.any(np.asarray(model.armature)[:6]):
            names.append(model.names[1])
    return tuple(dict.fromkeys(names))


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
    joint, first = found.parentJoint, 1 if robot.is_floating else 0
    chain = [i - first for i in robot._model.supports[joint] if i > first]
    _, place = body_and_place(robot, joint, found.placement.homogeneous[:3])
    return np.array(chain, dtype=np.int64), place


def body_and_place(robot: Robot, joint: int, place: Array) -> tuple[int, Array]:
    """Return the body of a joint of Pinocchio, −1 for what moves none, and a place (12,) on it.

    Args:
        robot: with a table.
        joint: its index.
        place: (3, 4), [R, p] in the axes of the joint.
    """
    first = 1 if robot.is_floating else 0
    axes = _axes_with_z(_axis(robot._model.joints[joint])) if joint > first else np.eye(3)
    return joint - first, np.append(axes.T @ place[:, :3], axes.T @ place[:, 3])


def _short(joint: Any) -> str:
    return str(joint.shortname()).removeprefix("JointModel")


def _axis(joint: Any) -> Array:
    """Return the unit axis of a hinge or slider; z for what has none."""
    return axis_of(joint) if joint.nv == 1 else np.array([0.0, 0.0, 1.0])


def _axes_with_z(axis: Array) -> Array:
    """Return a rotation whose third column is `axis`; the axes renamed if it is one of them."""
    for renamed in _RENAMED:
        if np.array_equal(renamed[:, 2], axis):
            return renamed
    x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _fill_joint(body: Any, model: Any, joint: int, before: Array, after: Array) -> None:
    """Put the joint of Pinocchio into a record; `before`, `after`: new axes of parent and body."""
    own, placement = model.joints[joint], model.jointPlacements[joint]
    R = before.T @ placement.rotation @ after
    body["kind"] = _KINDS[_short(own)]
    body["q"], body["v"], body["dofs"] = own.idx_q, own.idx_v, own.nv
    body["R"], body["p"] = R.ravel(), before.T @ placement.translation
    body["turn"] = next((k for k, C in enumerate(_RENAMED) if np.array_equal(R, C)), 3)
    body["armature"] = model.armature[own.idx_v]


def _fill_inertia(body: Any, inertia: Any, axes: Array) -> None:
    turned = pin.SE3(axes.T, np.zeros(3)).act(inertia)
    parameters = turned.toDynamicParameters()  # m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
    body["mass"], body["h"], body["I"] = parameters[0], parameters[1:4], parameters[4:]
