"""Torque limits far beyond the largest static load of each joint."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pinocchio as pin

from ..arrays import Array
from .configuration import rows_v
from .findings import Finding
from .robot import Robot

# times the whole weight on the longest arm: beyond it a limit limits nothing
BEYOND = 20.0


def largest_need(robot: Robot) -> Array:
    """Return (nv,), the robot's weight at the longest arm that each joint could bear it with.

    Of a rotation m g ℓ [N·m], ℓ the longest way along the links beyond the joint; of a translation
    m g [N].
    """
    model, reach = robot._model, reaches(robot)
    need = np.full(model.nv, robot.weight or robot.earth_weight)
    for i, joint in enumerate(model.joints):
        if i and not joint.shortname().startswith("JointModelP"):
            need[rows_v(joint)] *= reach[i]
    return need


def reaches(robot: Robot) -> Array:
    """Return the longest way along the links beyond each joint (njoints,) [m]."""
    model = robot._model
    reach = np.zeros(model.njoints)
    for frame in model.frames:
        if frame.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME):
            i = frame.parentJoint
            reach[i] = max(reach[i], float(np.linalg.norm(frame.placement.translation)))
    for i in range(model.njoints - 1, 0, -1):
        reach[i] = max(reach[i], float(np.linalg.norm(model.inertias[i].lever)))
        arm = float(np.linalg.norm(model.jointPlacements[i].translation))
        parent = model.parents[i]
        reach[parent] = max(reach[parent], arm + reach[i])
    return reach


def without_need(robot: Robot, joint: str | None = None) -> Iterator[Finding]:
    """Yield a remark where torque limits, with `joint` that one's, limit nothing."""
    limits, need = np.asarray(robot._model.upperEffortLimit, dtype=float), largest_need(robot)
    # a wrist may bear more than its short hand, a knee more than a shin that ends in no frame
    need = np.maximum(need, 0.1 * need.max(initial=0.0))
    loose = (limits < 1e30) & (need > 0) & (limits > BEYOND * need)
    names = [robot.joint_of_row[row] for row in np.flatnonzero(loose)]
    if not names or joint not in (None, *names):
        return
    listed = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    yield Finding(
        "info",
        "effort",
        f"torque limits of up to {limits[loose].max():g} ({listed}) are none in practice: the "
        f"whole weight on the longest arm asks for {need[loose].max():.3g}",
        "give those of the motors",
    )
