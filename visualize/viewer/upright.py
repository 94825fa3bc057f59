"""Rotation of y-up Collada meshes to z up, where the description expects it.

A Collada file says which of its axes points up. RViz and Pinocchio ignore it, other programs turn
the mesh, and descriptions have been written for either (iCub's for the latter). The description
itself tells which: turned the right way, a link's mesh surrounds the link's joints and its centre
of mass.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...robots.robot import Robot

Y_TO_Z = pin.SE3(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]), np.zeros(3))
_HEAD = 65_536  # bytes of a file that are searched for its <up_axis>


def upright(robot: Robot, visual: Any) -> Any:
    """Return a `pin.GeometryModel` with its y-up Collada meshes turned, if that fits the robot.

    One decision for the whole robot: the sum over these meshes of how far their links' centres of
    mass and next joints are from the box around the mesh is to be the least.
    """
    lying = [i for i, item in enumerate(visual.geometryObjects) if _is_y_up(item)]
    if not lying:
        return visual
    turned = visual.copy()
    for i in lying:
        item = turned.geometryObjects[i]
        item.placement = item.placement * Y_TO_Z
    better = sum(_misfit(robot, turned.geometryObjects[i]) for i in lying)
    return (
        turned if better < sum(_misfit(robot, visual.geometryObjects[i]) for i in lying) else visual
    )


def _is_y_up(item: Any) -> bool:
    if not item.meshPath.lower().endswith(".dae"):
        return False
    try:
        with Path(item.meshPath).open("rb") as file:
            found = re.search(rb"<up_axis>\s*(\w+)", file.read(_HEAD))
    except OSError:
        return False
    return found is None or found[1] == b"Y_UP"  # the format's default


def _misfit(robot: Robot, item: Any) -> float:
    """How far the carrying joint's mass and next joints are from the mesh's box, summed [m]."""
    model, joint = robot._model, item.parentJoint
    points = [np.array(model.inertias[joint].lever)]
    points += [
        np.array(model.jointPlacements[child].translation)
        for child in range(1, model.njoints)
        if model.parents[child] == joint
    ]
    local = np.array([item.placement.actInv(p) for p in points])
    return float(np.linalg.norm(local - np.clip(local, *box_of(item)), axis=1).sum())


def box_of(item: Any) -> Array:
    """Return the corners (2, 3), lowest and highest, of the box around a geometry object."""
    item.geometry.computeLocalAABB()
    box = item.geometry.aabb_local
    return np.array([np.ravel(box.min_), np.ravel(box.max_)])
