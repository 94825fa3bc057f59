"""Armature of free joints: added inertia without weight, as in MuJoCo's files.

Its kinetic energy is ½ a (v·v + ω·ω) with the twist (v, ω) of the joint in the axes of its body,
so that beside a on the diagonal of M

    linear rows:  a (v̇ + ω × v)        angular rows:  a ω̇

It is no body: it has no part in the mass of the robot, in its momenta, nor in gravity. Pinocchio's
algorithms have the diagonal alone; what is missing is here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Array
from ..robots.robot import Robot
from .per_robot import per_robot
from .spatial import skew

_TURNS = np.stack([skew(e) for e in np.eye(3)], axis=-1)  # [i, j, k] = (e_k × e_j)_i


@per_robot
def free_armatures(robot: Robot) -> tuple[tuple[int, float], ...]:
    """Return (first row of v, a) of each free joint with an armature."""
    model = robot._model
    free = [joint for joint in model.joints if joint.shortname() == "JointModelFreeFlyer"]
    found = ((joint.idx_v, float(model.armature[joint.idx_v])) for joint in free)
    return tuple((row, a) for row, a in found if a)


def centrifugal(robot: Robot, v: Array) -> Array | float:
    """Return a ω × v in the linear rows of b (nv,); 0 without such an armature."""
    if not (found := free_armatures(robot)):
        return 0.0
    force = np.zeros(robot.nv)
    for row, a in found:
        force[row : row + 3] = a * np.cross(v[row + 3 : row + 6], v[row : row + 3])
    return force


def centrifugal_derivative(robot: Robot, v: Array) -> Array | float:
    """Return ∂(a ω × v)/∂v (nv, nv); 0 without such an armature."""
    if not (found := free_armatures(robot)):
        return 0.0
    change = np.zeros((robot.nv, robot.nv))
    for row, a in found:
        linear, angular = slice(row, row + 3), slice(row + 3, row + 6)
        change[linear, linear] = a * skew(v[angular])
        change[linear, angular] = -a * skew(v[linear])
    return change


def add_coriolis(robot: Robot, C: Array) -> Array:
    """Add the armatures' part to the Coriolis tensor C (nv, nv, nv), and return it.

    C[i, j, k] = a (e_k × e_j)_i with e_k a rotation and i, j translations; half of it with i, j
    rotations: the Levi-Civita connection of the energy above. The force is `centrifugal`.
    """
    for row, a in free_armatures(robot):
        linear, angular = slice(row, row + 3), slice(row + 3, row + 6)
        C[linear, linear, angular] += a * _TURNS
        C[angular, angular, angular] += 0.5 * a * _TURNS
    return C


def coriolis(robot: Robot, v: Array) -> Any:
    """Return that part of C @ v (nv, nv); 0 without such an armature."""
    if not free_armatures(robot):
        return 0.0
    return add_coriolis(robot, np.zeros((robot.nv,) * 3)) @ v
