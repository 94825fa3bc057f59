"""Ball-and-stick geometry of robots without shapes."""

from __future__ import annotations

from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...robots.robot import Robot
from .geometry import rotation_to

JOINT_COLOR = np.array([0.15, 0.40, 0.79, 1.0])
LINK_COLOR = np.array([0.75, 0.77, 0.80, 1.0])


def sticks(robot: Robot) -> Any:
    """Return a `pin.GeometryModel`: a ball a joint, sticks to the next joints and link frames."""
    model, visual, ends = robot._model, pin.GeometryModel(), stick_ends(robot)
    lengths = [float(np.linalg.norm(end)) for _, _, end in ends]
    radius = 0.15 * float(np.median([n for n in lengths if n > 1e-6] or [0.3])) / 2
    for joint in range(1, model.njoints):
        ball = (coal.Sphere(radius), pin.SE3.Identity(), JOINT_COLOR)
        _add(visual, f"{model.names[joint]} ball", joint, *ball)
    for (joint, name, end), length in zip(ends, lengths, strict=True):
        # the world has no stick to where a robot happens to be
        if length > 1e-6 and (joint > 0 or not robot.is_floating):
            middle = pin.SE3(rotation_to(end, axis=2), end / 2)
            shape = coal.Cylinder(0.6 * radius, length)
            _add(visual, f"stick to {name}", joint, shape, middle, LINK_COLOR)
    return visual


def stick_ends(robot: Robot) -> list[tuple[int, str, Array]]:
    """Return (joint, name, end (3,) in its axes [m]): the next joints, and frames of links."""
    model = robot._model
    ends = [
        (model.parents[j], model.names[j], np.array(model.jointPlacements[j].translation))
        for j in range(1, model.njoints)
    ]
    return ends + [
        (frame.parentJoint, frame.name, np.array(frame.placement.translation))
        for frame in model.frames
        if frame.type in (pin.FrameType.BODY, pin.FrameType.OP_FRAME)
    ]


def _add(visual: Any, name: str, joint: int, shape: Any, where: Any, color: Array) -> None:
    item = pin.GeometryObject(name, joint, where, shape)
    item.meshColor = color
    visual.addGeometryObject(item)
