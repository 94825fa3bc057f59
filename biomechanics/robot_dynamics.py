"""Floating-base inverse dynamics of a robot over a trial, with measured ground reactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from ..dynamics.closures import require_no_closures
from ..dynamics.equations import inverse_dynamics
from ..dynamics.motions.curves import velocities_and_accelerations
from ..dynamics.spatial import rotations
from ..errors import ConfigurationError
from ..robots.configuration import check_floating
from ..robots.robot import Robot
from ..robots.values import mapping, sequence
from .series.vectors import turn
from .series.wrenches import WrenchSeries


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
    check_floating(robot)
    v, a = velocities_and_accelerations(robot, q, rate)
    given = {} if external is None else mapping(external, "external", kind="link")
    sums = {link: _sum(link, wrenches, len(v)) for link, wrenches in given.items()}
    tau = np.empty_like(v)
    for i in range(len(v)):
        wrenches = {link: total[i] for link, total in sums.items()}
        tau[i] = inverse_dynamics(robot, q[i], v[i], a[i], wrenches)
    R = rotations(q[:, 3:7])
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
