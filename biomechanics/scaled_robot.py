"""Scaling of a robot: lengths per link, total mass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin

from ..robots.robot import Robot
from ..robots.values import number


def scaled_robot(robot: Robot, factors: Mapping[str, float], mass: float | None = None) -> Robot:
    """Return a robot with links scaled by factors and a total mass.

    Positions of joints, frames and the centre of mass on a link, and its radii of gyration, are
    multiplied by s; all masses by a common factor. Shapes and postures do not change.

    Args:
        robot: of the file.
        factors: {link: s}; other links keep their size.
        mass: of all links together [kg]; None: unchanged.

    Raises:
        ConfigurationError: no such link, or a factor or mass that is not positive.
    """
    model = robot.model
    scale = np.ones(model.njoints)
    for link, s in factors.items():
        factor = number(s, f"factors[{link!r}]", above=0)
        scale[model.frames[robot.frame_id(link)].parentJoint] = factor
    heavier = 1.0 if mass is None else number(mass, "mass", above=0, unit="[kg]") / robot.mass
    for j in range(model.njoints):
        s, inertia = scale[j], model.inertias[j]
        m = heavier * inertia.mass
        model.inertias[j] = pin.Inertia(m, s * inertia.lever, heavier * s**2 * inertia.inertia)
        if j:
            placement = model.jointPlacements[j]
            moved = scale[model.parents[j]] * placement.translation
            model.jointPlacements[j] = pin.SE3(placement.rotation, moved)
    for frame in model.frames:
        placement = frame.placement
        frame.placement = pin.SE3(
            placement.rotation, scale[frame.parentJoint] * placement.translation
        )
    return replace(robot, model=model)
