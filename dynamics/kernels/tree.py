"""Tables of a tree with joints of every kind, read by the kernel of the Coriolis tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...robots.robot import Robot
from ..per_robot import per_robot

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

REVOLUTE, UNBOUNDED, PRISMATIC, TRANSLATION, SPHERICAL, PLANAR, FREE = range(7)

_KINDS = {
    **dict.fromkeys(("RX", "RY", "RZ", "RevoluteUnaligned"), REVOLUTE),
    **dict.fromkeys(("RUBX", "RUBY", "RUBZ", "RevoluteUnboundedUnaligned"), UNBOUNDED),
    **dict.fromkeys(("PX", "PY", "PZ", "PrismaticUnaligned"), PRISMATIC),
    "Translation": TRANSLATION,
    "Spherical": SPHERICAL,
    "Planar": PLANAR,
    "FreeFlyer": FREE,
}


class Tree(NamedTuple):
    """The joints 1 … n of a robot, in order, 0-based: a parent of −1 is the world.

    joints: (n, 5) kind, parent, first index in q, first index in v, number of velocities.
    links: (n, 25) placement in the parent R (9, row by row), p (3); axis (3); and of the link m,
        first moment (3) and Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the joint's origin, joint's axes.
    starts, chains: chains[starts[i]:starts[i + 1]] are the velocities from the root to joint i,
        those of joint i last.
    joint_of: (nv,) the joint of each velocity.
    """

    joints: Integers
    links: Array
    starts: Integers
    chains: Integers
    joint_of: Integers


@per_robot
def tree_of(robot: Robot) -> Tree | None:
    """Return the robot's tables; None if a joint of it is of a kind that kernels do not know."""
    model = robot.model
    joints, links, chains = [], [], list[list[int]]()
    for i in range(1, model.njoints):
        joint, inertia = model.joints[i], model.inertias[i]
        name = joint.shortname().removeprefix("JointModel")
        if name not in _KINDS:
            return None
        joints.append((_KINDS[name], model.parents[i] - 1, joint.idx_q, joint.idx_v, joint.nv))
        placement = model.jointPlacements[i]
        parameters = inertia.toDynamicParameters()
        numbers = (placement.rotation, placement.translation, _axis(joint, name), parameters)
        links.append(np.concatenate([np.ravel(x) for x in numbers]))
        above = chains[model.parents[i] - 1] if model.parents[i] > 0 else []
        chains.append([*above, *range(joint.idx_v, joint.idx_v + joint.nv)])
    lengths = [len(chain) for chain in chains]
    return Tree(
        np.array(joints, dtype=np.int64).reshape(-1, 5),
        np.array(links, dtype=np.float64).reshape(-1, 25),
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([v for chain in chains for v in chain], dtype=np.int64),
        np.repeat(np.arange(len(joints)), [row[4] for row in joints]).astype(np.int64),
    )


def _axis(joint: Any, name: str) -> Array:
    """Return the unit axis of a hinge or slider in its own frame; z for what has none."""
    if name.endswith("Unaligned"):
        S = np.ravel(joint.createData().S)
        return np.asarray(S[:3] + S[3:], dtype=float)  # one of the two is zero
    row = "XYZ".index(name[-1]) if name[-1] in "XYZ" else 2
    return np.array(np.eye(3)[row], dtype=float)
