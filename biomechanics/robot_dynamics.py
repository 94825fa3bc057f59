"""Floating-base inverse dynamics of a robot over a trial, with measured ground reactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics.closures import require_no_closures
from ..dynamics.equations import inverse_dynamics
from ..errors import ConfigurationError
from ..robots.configuration import check_configuration, check_robot
from ..robots.robot import Robot
from ..robots.values import array, mapping, sequence
from .series import as_rate, turn
from .time_derivatives import POINTS, stencil_weights, window_starts
from .wrench_series import WrenchSeries


@dataclass(frozen=True, eq=False, repr=False)
class TrialDynamics:
    """M a + vᵀC v − τ_g − Σ Jᵀw over a trial.

    Attributes:
        robot: the robot.
        rate: frames a second [Hz].
        q: (n, nq).
        v: (n, nv).
        a: (n, nv).
        tau: (n, nv) generalised forces; the joints' part are their torques.
        residual: residual wrench on the base, about its origin, world axes.
    """

    robot: Robot
    rate: float
    q: Array
    v: Array
    a: Array
    tau: Array
    residual: WrenchSeries

    def torque(self, joint: str) -> Array:
        """Return the torque (n,) of a joint with one axis, (n, k) of one with k [N·m or N].

        Raises:
            ConfigurationError: there is no such joint.
        """
        model = self.robot._model.joints[self.robot.joint_id(joint)]
        rows = self.tau[:, model.idx_v : model.idx_v + model.nv]
        return rows[:, 0] if model.nv == 1 else rows

    def __repr__(self) -> str:
        force = np.linalg.norm(self.residual.force, axis=1).max()
        return (
            f"TrialDynamics({self.robot.name!r}, {len(self.q)} frames, residual <= {force:.3g} N)"
        )


def trial_dynamics(
    robot: Robot,
    q: Array,
    rate: float,
    external: Mapping[str, WrenchSeries | Iterable[WrenchSeries]] | None = None,
) -> TrialDynamics:
    """Return the torques of a floating-base robot that moved through configurations q (n, nq).

    Args:
        robot: with a floating base, z up.
        q: configurations, such as `fit_markers` finds.
        rate: frames a second [Hz].
        external: {link: wrenches of the environment on it}, world axes, over the n frames.

    Raises:
        ConfigurationError: a fixed base, a bad q, no such link, lengths that differ.
        ModelError: a robot with closures.
    """
    require_no_closures(robot, "trial_dynamics")
    if not robot.is_floating:
        raise ConfigurationError(f"{robot.name!r} has a fixed base; expected a floating one")
    v, a = velocities_and_accelerations(robot, q, rate)
    given = {} if external is None else mapping(external, "external", kind="link")
    sums = {link: _sum(link, wrenches, len(v)) for link, wrenches in given.items()}
    tau = np.empty_like(v)
    for i in range(len(v)):
        wrenches = {link: total[i] for link, total in sums.items()}
        tau[i] = inverse_dynamics(robot, q[i], v[i], a[i], wrenches)
    R = np.array([pin.Quaternion(x).toRotationMatrix() for x in q[:, 3:7]])
    residual = WrenchSeries(turn(R, tau[:, :3]), turn(R, tau[:, 3:6]), q[:, :3])
    return TrialDynamics(robot, rate, q, v, a, tau, residual)


def _sum(link: str, given: WrenchSeries | Iterable[WrenchSeries], frames: int) -> WrenchSeries:
    each = (given,) if isinstance(given, WrenchSeries) else given
    first: WrenchSeries
    first, *rest = sequence(each, f"external[{link!r}]", WrenchSeries)
    for wrench in rest:
        first = first + wrench
    if len(first) != frames:
        raise ConfigurationError(f"external[{link!r}]: {len(first)} frames; expected {frames}")
    return first


def velocities_and_accelerations(robot: Robot, q: ArrayLike, rate: float) -> tuple[Array, Array]:
    """Return v and a (n, nv) along configurations q (n, nq), sampled at `rate` [Hz].

    Around every frame i, the configurations are written as steps δ(s) = q_i⁻¹ q(t_i + s) in the
    tangent space at q_i. There v = δ'(0) and a = δ''(0), for joints of every kind: the
    exponential's second order is ½ [δ', δ'] = 0. Finite differences as in `differentiate`.

    Raises:
        ConfigurationError: a bad q or rate, or fewer configurations than a window has.
    """
    check_robot(robot)
    Q, rate = array(q, "q", (None, robot.nq)), as_rate(rate)
    Q = np.array([check_configuration(robot, x) for x in Q])
    starts = window_starts(len(Q))
    v, a = np.empty((2, len(Q), robot.nv))
    weights = {
        here: [stencil_weights(np.arange(POINTS) - here, order) for order in (1, 2)]
        for here in range(POINTS)
    }
    for i, start in enumerate(starts):
        steps = np.array([pin.difference(robot._model, Q[i], x) for x in Q[start : start + POINTS]])
        first, second = weights[int(i - start)]
        v[i], a[i] = first @ steps, second @ steps
    return v * rate, a * rate**2
