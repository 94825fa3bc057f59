"""Velocities and accelerations of a robot from uniformly sampled configurations.

Around every frame i, the configurations are written as steps δ(s) = q_i⁻¹ q(t_i + s) in the tangent
space at q_i. There v = δ'(0) and a = δ''(0), for joints of every kind: the exponential's second
order is ½ [δ', δ'] = 0. High-order finite differences, as in `differentiate`.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..robots.configuration import check_configuration, check_robot
from ..robots.robot import Robot
from ..robots.values import array
from .series import as_rate
from .time_derivatives import POINTS, stencil_weights, window_starts


def velocities_and_accelerations(
    robot: Robot, q: ArrayLike, rate: float, points: int = POINTS
) -> tuple[Array, Array]:
    """Return v and a (n, nv) along configurations q (n, nq), sampled at `rate` [Hz].

    Raises:
        ConfigurationError: a bad q or rate, or fewer configurations than `points`.
    """
    check_robot(robot)
    Q, rate = array(q, "q", (None, robot.nq)), as_rate(rate)
    Q = np.array([check_configuration(robot, x) for x in Q])
    starts = window_starts(len(Q), points)
    v, a = np.empty((2, len(Q), robot.nv))
    weights = {
        here: [stencil_weights(np.arange(points) - here, order) for order in (1, 2)]
        for here in range(points)
    }
    for i, start in enumerate(starts):
        steps = np.array([pin.difference(robot._model, Q[i], x) for x in Q[start : start + points]])
        first, second = weights[int(i - start)]
        v[i], a[i] = first @ steps, second @ steps
    return v * rate, a * rate**2
