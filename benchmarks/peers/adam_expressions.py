"""Inputs of adam: joint names, base poses as 4 × 4 matrices, gravity as six numbers."""

from xml.etree import ElementTree

import numpy as np

GRAVITY = np.array([0, 0, -9.81, 0, 0, 0])


def moving_joints(folder):
    """The joints of robot.urdf in its order."""
    tree = ElementTree.parse(folder / "robot.urdf")
    return [joint.get("name") for joint in tree.iter("joint")]


def base_poses(q):
    """(N, 4, 4) of positions and quaternions x y z w in rows of q: R = 1 + 2 w [u]× + 2 [u]×²."""
    H, u = np.zeros((len(q), 4, 4)), np.zeros((len(q), 3, 3))
    x, y, z, w = q[:, 3:7].T
    u[:, 0, 1], u[:, 0, 2], u[:, 1, 2] = -z, y, -x
    u -= u.transpose(0, 2, 1)
    H[:, :3, :3] = np.eye(3) + 2 * w[:, None, None] * u + 2 * u @ u
    H[:, :3, 3], H[:, 3, 3] = q[:, :3], 1.0
    return H
