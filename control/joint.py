"""Joint controllers: laws (t, q, v) -> τ (na,) that `dynamics.simulate` takes as they are.

    PD    τ = kp e + kd ė + feedforward             e = W (target ⊖ q), ė = W (target_velocity − v)
    PID   τ = kp e + kd ė + ki ∫ e dt + feedforward

W (na, nv) says what each actuator looks at: its own joint (S, the default), or for instance the
absolute angle of the link that it drives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import State, closures
from ..errors import ConfigurationError
from ..robots.configuration import as_vector, check_configuration, check_robot, check_velocity
from ..robots.robot import Robot
from ..robots.values import array, boolean
from .whole_body.failure import OneThread, check_time


def gravity_compensation(robot: Robot, q: ArrayLike) -> Array:
    """Return τ (na,) = −S τ_g(q), what holds the joints of a fixed base against gravity [N·m or N].

    With a floating base the ground's forces are missing: see `contacts.static_hold`. With closures
    Sᵀτ + J_cᵀλ = −τ_g: motors hold passive joints too, through loops; τ is the least-norm one.

    Raises:
        ConfigurationError: a bad q, open closures, or loops that the motors cannot hold.
    """
    state = State.of(check_robot(robot), q)
    return _motor_torques(state, -state.gravity_torques)


def _motor_torques(state: State, generalised: Array) -> Array:
    """τ (na,) of the motors, for generalised forces (nv,)."""
    if not state.robot.closures:
        return np.asarray(state.robot.selection_matrix @ generalised)
    closures.require_closed(state)
    return closures.motor_torques(state, generalised)


@dataclass(frozen=True, eq=False, repr=False)
class PD:
    """τ = kp e + kd ė + feedforward, within the torque limits.

    Attributes:
        robot: the robot.
        target: q (nq,) to go to.
        kp: (na,) or one number [N·m/rad or N/m].
        kd: (na,) or one number [N·m·s/rad or N·s/m].
        target_velocity: (nv,); None: at rest.
        feedforward: τ (na,), or a law (t, q, v) -> τ, for example gravity compensation; None: none.
        watches: W (na, nv); None: S.
        saturate: whether to stay within `robot.motors.bounds(v)`.

    Raises:
        ConfigurationError: a target, gain or W that does not fit the robot, or a negative gain.
    """

    robot: Robot
    target: Any
    kp: Any
    kd: Any = 0.0
    target_velocity: Any = None
    feedforward: ArrayLike | Callable[[float, Array, Array], ArrayLike] | None = None
    watches: Any = None
    saturate: bool = True

    def __post_init__(self) -> None:
        robot = self.robot
        check_robot(robot)
        boolean(self.saturate, "saturate")
        still = np.zeros(robot.nv) if self.target_velocity is None else self.target_velocity
        watches = robot.selection_matrix if self.watches is None else self.watches
        values = {
            "target": check_configuration(robot, self.target, "target").copy(),
            "target_velocity": check_velocity(robot, still, "target_velocity").copy(),
            "watches": array(watches, "watches", (robot.na, robot.nv)).copy(),
        }
        for name in ("kp", "kd"):
            values[name] = _gain(robot, getattr(self, name), name)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.robot.name!r}, {self.robot.na} torques)"

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return τ (na,)."""
        check_time(t)
        error, rate = self.error(q, v)
        return self.within_limits(self.kp * error + self.kd * rate + self.ahead(t, q, v), v)

    def error(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Return (e, ė), each (na,)."""
        to_go = self.robot.difference(q, self.target)
        slower = self.target_velocity - check_velocity(self.robot, v)
        return self.watches @ to_go, self.watches @ slower

    def ahead(self, t: float, q: Array, v: Array) -> Array:
        """Return the feedforward (na,)."""
        given = self.feedforward(t, q, v) if callable(self.feedforward) else self.feedforward
        if given is None:
            return np.zeros(self.robot.na)
        return as_vector(given, self.robot.na, "feedforward", "one torque per actuated joint")

    def within_limits(self, tau: Array, v: ArrayLike) -> Array:
        """Return τ clipped to what the motors can give at v, if it is to be."""
        motors = self.robot.motors
        speeds = np.asarray(v)[motors.rows]
        return np.clip(tau, *motors.at_speeds(speeds)) if self.saturate else tau


@dataclass(frozen=True, eq=False, repr=False)
class PID(PD):
    """PD with ki ∫ e dt, as a digital controller: called once a step, its torques held.

    It remembers: use `restart()` before another run. The integral (trapezoids) stays within
    ±`integral_limit`.

    Attributes:
        ki: (na,) or one number [N·m/(rad·s) or N/(m·s)].
        integral_limit: of ∫ e dt (na,) or one number; inf: none.
    """

    ki: Any = 0.0
    integral_limit: Any = np.inf
    _memory: dict[str, Any] = field(default_factory=dict, init=False)
    _busy: OneThread = field(default_factory=OneThread, init=False)

    sampled: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ki", _gain(self.robot, self.ki, "ki"))
        shapes, limit = ((), (self.robot.na,)), self.integral_limit
        array(limit, "integral_limit", *shapes, at_least=0, infinite=True)

    def restart(self) -> None:
        """Forget the integral."""
        self._memory.clear()

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return τ (na,), the errors since the last call taken into the integral.

        Raises:
            ConfigurationError: a time before the last or beyond measure, another thread in a call.
        """
        check_time(t)
        with self._busy:
            error, rate = self.error(q, v)
            integral = self._integral(t, error)
        proportional = self.kp * error + self.kd * rate
        return self.within_limits(proportional + self.ki * integral + self.ahead(t, q, v), v)

    def _integral(self, t: float, error: Array) -> Array:
        memory = self._memory
        total = np.zeros(self.robot.na)
        if memory:
            last_t, last_error, last_total = memory["t"], memory["error"], memory["total"]
            elapsed = t - last_t
            if elapsed < 0:
                raise ConfigurationError(
                    f"t: got {t!r} s after {last_t!r} s; call restart() before another run"
                )
            total = last_total + 0.5 * elapsed * (last_error + error)
        total = np.clip(total, -1.0 * self.integral_limit, self.integral_limit)
        memory.update(t=t, error=error, total=total)
        return total


@dataclass(frozen=True, eq=False)
class ComputedTorque:
    """τ = S (M a* + vᵀC v − τ_g), S a* = kp e + kd ė + target acceleration: exact on a fixed base.

    Every motor then moves as ë + kd ė + kp e = 0, and with closures all that they drive: a* keeps
    the closures, and Sᵀτ + J_cᵀλ = M a* + vᵀC v − τ_g.

    Attributes:
        robot: the robot; fixed base, and motors for all of its freedoms.
        target: q (nq,) to go to, closed.
        kp: [1/s²], a number or (na,).
        kd: [1/s], a number or (na,); None: 2 √kp, critically damped.
    """

    robot: Robot
    target: Any
    kp: Any = 100.0
    kd: Any = None

    def __post_init__(self) -> None:
        check_robot(self.robot)
        target = check_configuration(self.robot, self.target, "target").copy()
        free, state = self.robot.nv, State(self.robot, target)
        if self.robot.closures:
            closures.require_closed(state)
            free -= len(state.closure_basis)
        if self.robot.na < free:
            raise ConfigurationError(
                f"{self.robot.name!r} has {self.robot.na} actuators for {free} degrees of "
                "freedom; expected a fixed base with every joint actuated, or moved by loops"
            )
        kp = _gain(self.robot, self.kp, "kp")
        kd = 2 * np.sqrt(kp) if self.kd is None else _gain(self.robot, self.kd, "kd")
        for name, value in (("target", target), ("kp", kp), ("kd", kd)):
            object.__setattr__(self, name, value)

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Return τ (na,)."""
        check_time(t)
        S, state = self.robot.selection_matrix, State.of(self.robot, q, v)
        error = S @ self.robot.difference(state.q, self.target)
        a = self.kp * error - self.kd * (S @ state.velocity)
        if self.robot.closures:
            a = closures.motor_accelerations(state, a)
        return _motor_torques(state, state.inverse_dynamics(a))


def _gain(robot: Robot, value: ArrayLike, name: str) -> Array:
    """Return a gain as (na,), from (na,) or one number."""
    meaning = "one gain for all actuated joints or one each"
    return np.full(robot.na, array(value, name, (), (robot.na,), meaning=meaning, at_least=0))
