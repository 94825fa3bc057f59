"""Segment chain of a robot, with the inertial parameters of its description."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.closures import require_no_closures
from ...dynamics.workspace import workspace_of
from ...errors import ConfigurationError
from ...robots.configuration import check_configuration, check_robot, check_velocity
from ...robots.robot import Robot
from ...robots.values import array
from ..frames.moving_frames import MovingFrame, joint_motion
from .segment_motion import SegmentMotion
from .segment_tree import Segment
from .segments import SegmentChain


def chain_of_robot(robot: Robot) -> SegmentChain:
    """Return the links as segments, named after the joints that carry them, at those joints.

    A robot with more than one joint on the world (two arms on one wall) is not such a chain.

    Raises:
        ConfigurationError: more than one joint is attached to the world, or none.
        ModelError: a robot with closures.
    """
    require_no_closures(robot, "chain_of_robot")
    model = robot._model
    segments = []
    for j in range(1, model.njoints):
        inertia, parent = model.inertias[j], model.parents[j]
        segments.append(
            Segment(
                model.names[j],
                inertia.mass,
                inertia.lever,
                inertia.inertia,
                parent=model.names[parent] if parent else None,
            )
        )
    return SegmentChain(segments, gravity=np.array(model.gravity.linear))


def motion_of_robot(robot: Robot, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> SegmentMotion:
    """Return the motion of the links for configurations q (n, nq), velocities v, a (n, nv).

    Raises:
        ConfigurationError: shapes that differ, or a bad q, v or a.
    """
    check_robot(robot)
    sizes = {"q": (q, robot.nq), "v": (v, robot.nv), "a": (a, robot.nv)}
    Q, V, A = (np.atleast_2d(array(x, n, (k,), (None, k))) for n, (x, k) in sizes.items())
    if not len(Q) == len(V) == len(A):
        raise ConfigurationError(
            f"got {len(Q)} configurations, {len(V)} velocities and {len(A)} accelerations; "
            "expected the same number"
        )
    model, data = robot._model, workspace_of(robot).data
    frames = []
    for q_t, v_t, a_t in zip(Q, V, A, strict=True):
        q_t, v_t = check_configuration(robot, q_t), check_velocity(robot, v_t)
        pin.forwardKinematics(model, data, q_t, v_t, check_velocity(robot, a_t, "a"))
        frames.append([_rows(joint_motion(robot, data, j)) for j in range(1, model.njoints)])
    states = np.moveaxis(np.array(frames), 2, 0)  # (8, n, k, 3)
    return SegmentMotion(tuple(model.names)[1:], np.moveaxis(states[:3], 0, 2), *states[3:])


def _rows(joint: MovingFrame) -> Array:
    """R and origin, velocity, acceleration, ω, ω̇ of a joint's frame, (8, 3)."""
    T = joint.placement
    linear = T.translation, joint.velocity, joint.acceleration
    return np.vstack([T.rotation, *linear, joint.angular_velocity, joint.angular_acceleration])
