"""MuJoCo as a second road to the equations of motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from footwork import dynamics, robots
from footwork.dynamics import conventions


def moves_alike(
    model: Any, robot: Any, tolerance: float, seed: int = 0, joints: Any = None
) -> tuple[np.ndarray, Any]:
    """Hold M, the bias and gravity at a random state to MuJoCo's; return (q, data) there.

    Args:
        model: MuJoCo's.
        robot: ours.
        tolerance: of entries, as a share of the largest one, or of 1.
        seed: of the state.
        joints: of the robot, in MuJoCo's order; the robot's own when not given.
    """
    import mujoco

    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    q, v = robot.random_configuration(rng), rng.standard_normal(robot.nv)
    assert robot.nv == model.nv
    M = np.zeros((model.nv, model.nv))
    for speed in (0 * v, v):
        data.qpos[:], data.qvel[:] = robots.conventions.to_mujoco(robot, q, speed, joints=joints)
        mujoco.mj_forward(model, data)
        b = dynamics.bias(robot, q, speed)
        ours = conventions.bias_to(robot, q, speed, b, "mujoco", joints=joints)
        _close(ours, data.qfrc_bias, tolerance)
    if model.nv:
        mujoco.mj_fullM(model, data, M)
    ours = dynamics.mass_matrix(robot, q)
    _close(conventions.mass_matrix_to(robot, q, ours, "mujoco", joints=joints), M, tolerance)
    return q, data


def _close(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> None:
    size = np.abs(theirs).max(initial=1.0)
    np.testing.assert_allclose(ours / size, theirs / size, atol=tolerance, rtol=0)
