"""Momentum observer: external forces from the residual of the generalised momentum.

With p = M v, and dM/dt = C + Cᵀ for the skew-consistent C,

    dp/dt = Cᵀv + τ_g + Sᵀτ + τ_ext

on every base: a floating one too, its six first rows being the wrench on the base. The residual

    r = K (p − p₀ − ∫ (Cᵀv + τ_g + Sᵀτ + r) dt)

follows τ_ext as a first-order filter with time constant 1/K, and needs no acceleration. Source:
A. De Luca, R. Mattone, "Sensorless robot collision detection and hybrid force/motion control"
(2005).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError
from ..robots.configuration import check_torques, check_velocity
from ..robots.robot import Robot
from ..robots.values import array, number, texts
from .closures import require_no_closures
from .state import State
from .wrench import Wrench


def generalised_momentum(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return p = M v (nv,).

    Raises:
        ConfigurationError: a bad q or v.
    """
    state = State.of(robot, q, v)
    return state.mass_matrix @ state.velocity


def momentum_drift(robot: Robot, q: ArrayLike | State, v: ArrayLike | None = None) -> Array:
    """Return Cᵀv + τ_g (nv,): what the momentum does without torques and external forces.

    Raises:
        ConfigurationError: a bad q or v.
        ModelError: a joint whose axes turn within its own body (no URDF has one).
    """
    state = State.of(robot, q, v)
    return state.velocity @ state.coriolis_matrix + state.gravity_torques


class MomentumObserver:
    """Estimates τ_ext (nv,) from (q, v, τ) alone. It remembers: `restart()` before another run.

    Args:
        robot: the robot.
        gain: K, a number or (nv,) [1/s]; 1/K is how long an answer takes. Any size is stable.

    Raises:
        ConfigurationError: a gain that is not positive.
        ModelError: a robot with closures, whose forces change the momentum too.
    """

    def __init__(self, robot: Robot, gain: ArrayLike = 50.0) -> None:
        self.robot = robot
        require_no_closures(robot, "MomentumObserver")
        given = array(gain, "gain", (), (robot.nv,), meaning="positive numbers [1/s]")
        if not (given > 0).all():
            raise ConfigurationError(f"gain: got {gain!r}; expected positive numbers [1/s]")
        self.gain = np.full(robot.nv, given)
        self.restart()

    def restart(self) -> None:
        """Forget the past: the next update is the first."""
        self._start: Array | None = None
        self._total = np.zeros(self.robot.nv)  # ∫ (Cᵀv + τ_g + forces + r) dt
        self._drift = np.zeros(self.robot.nv)
        self.estimate = np.zeros(self.robot.nv)

    def update(
        self,
        q: ArrayLike | State,
        v: ArrayLike | None,
        tau: ArrayLike,
        step: float,
        known: ArrayLike | None = None,
    ) -> Array:
        """Return the estimate of τ_ext (nv,) at (q, v), a copy.

        Args:
            q: configuration (nq,) now.
            v: velocity (nv,) now.
            tau: actuated torques (na,) applied since the last update.
            step: since the last update [s]; ignored at the first.
            known: other generalised forces (nv,) since then that are no news, for example Jᵀf of
                sensed contacts.

        Raises:
            ConfigurationError: a bad q, v, τ or force, or a step that is not positive.
        """
        forces = self.robot.selection_matrix.T @ check_torques(self.robot, tau)
        if known is not None:
            forces = forces + check_velocity(self.robot, known, "known")
        step = number(step, "step", above=0, unit="[s]")
        state = State.of(self.robot, q, v)
        p, drift = generalised_momentum(self.robot, state), momentum_drift(self.robot, state)
        if self._start is None:
            self._start, self._drift = p, drift
            return self.estimate.copy()
        # trapezoids for what is measured, the end of the step for r: stable for any gain
        self._total += step * (0.5 * (drift + self._drift) + forces)
        missing = self.gain * (p - self._start - self._total)
        self.estimate = missing / (1.0 + self.gain * step)
        self._total += step * self.estimate
        self._drift = drift
        return self.estimate.copy()


class WrenchEstimate(NamedTuple):
    """Wrenches at named frames that explain a generalised force best, and what they leave."""

    wrenches: dict[str, Wrench]  # at each frame's origin, world axes
    residual: Array  # (nv,) generalised force that they do not explain


def explain_by_wrenches(
    robot: Robot, q: ArrayLike | State, torques: ArrayLike, frames: Sequence[str]
) -> WrenchEstimate:
    """Return the least wrenches at `frames` with Σ Jᵀw nearest to a generalised force (nv,).

    Raises:
        ConfigurationError: a bad q or generalised force, no frames, or no such frame.
    """
    torques = check_velocity(robot, torques, "torques")
    if not (frames := texts(frames, "frames")):
        raise ConfigurationError("frames: got none; expected the frames where wrenches may act")
    state = State.of(robot, q)
    J = np.vstack([state.frame_jacobian(frame) for frame in frames])
    w = np.linalg.lstsq(J.T, torques, rcond=1e-10)[0]
    wrenches = {
        frame: Wrench(part[:3], part[3:], point=state.frame_placement(frame).translation)
        for frame, part in zip(frames, w.reshape(-1, 6), strict=True)
    }
    return WrenchEstimate(wrenches, torques - J.T @ w)
