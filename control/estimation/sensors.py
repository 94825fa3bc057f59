"""Sensors of a robot: inertial measurement unit, encoders, torques, switches of feet.

An IMU at p with the axes R adds up between two readings, h apart, and tells the means

    ω = log(R₀ᵀ R₁) / h + b_g + n_g,    a = R_mᵀ ((v₁ − v₀) / h − g) + b_a + n_a,

with R_m half-way; n are white with the given densities, the biases b walk at random from where they
happen to be at the start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...dynamics.spatial import cross
from ...dynamics.topology import frames_of
from ...errors import ConfigurationError
from ...robots.configuration import check_floating
from ...robots.robot import Robot
from ...robots.unchecked import unchecked
from ...robots.values import boolean, number, text
from ..disturbances import Noise
from ..whole_body.standing import trunk

SAME = 1e-9  # of readings that are known already [s]


@dataclass(frozen=True, eq=False)
class Readings:
    """Sensor readings at a tick.

    Attributes:
        t: time since the start [s].
        q: (nq,), as measured; with an IMU only the joints are, and the base is at the origin.
        v: (nv,), as measured, likewise.
        tau: (na,), the torques that acted until now, within the motors' limits.
        touching: {contact: whether the ground pushes it}; None without foot switches.
        gyro: (3,), ω of the IMU [rad/s]; None without one.
        accelerometer: (3,), a [m/s²].
        age: how long ago it was measured [s].
    """

    t: float
    q: Array
    v: Array
    tau: Array
    touching: Mapping[str, bool] | None = None
    gyro: Array | None = None
    accelerometer: Array | None = None
    age: float = 0.0

    def copy(self) -> Readings:
        """Return the same with arrays of its own, which the receiver may write to."""
        containers = np.ndarray, dict
        own = {k: x.copy() if isinstance(x, containers) else x for k, x in vars(self).items()}
        return unchecked(type(self), **own)


def unlike_gravity(felt: float, robot: Robot, where: str) -> str:
    """Return what is to be said of specific forces that are far from g, in words; else nothing."""
    g = float(np.linalg.norm(robot._model.gravity.linear))
    if g / 2 <= felt <= 2 * g:
        return ""
    return f"accelerometer: {felt:.3g} {where}; expected [m/s²], about g = {g:.3g}"


@dataclass(frozen=True)
class Sensors:
    """Noise of sensors; the defaults are those of a small IMU and of encoders behind gears.

    Attributes:
        imu: frame of the IMU, on the base; that of its link when not given.
        gyro: noise density [rad/s/√Hz].
        accelerometer: likewise [m/s²/√Hz].
        gyro_bias, accelerometer_bias: standard deviation of the biases at the start
            [rad/s, m/s²].
        gyro_walk, accelerometer_walk: densities of their walk [rad/s²/√Hz, m/s³/√Hz].
        positions, velocities: standard deviations of encoders [rad or m, rad/s or m/s].
        torques: standard deviation of measured torques, as a share of each.
        switches: whether feet have contact switches.
        rate: of readings [Hz]; None: one at each tick.
        delay: of readings [s].

    Raises:
        ConfigurationError: invalid values.
    """

    imu: str | None = None
    gyro: float = 5e-4
    accelerometer: float = 5e-3
    gyro_bias: float = 5e-3
    accelerometer_bias: float = 0.05
    gyro_walk: float = 1e-5
    accelerometer_walk: float = 1e-4
    positions: float = 5e-4
    velocities: float = 0.05
    torques: float = 0.02
    switches: bool = False
    rate: float | None = None
    delay: float = 0.0

    def __post_init__(self) -> None:
        if self.imu is not None:
            text(self.imu, "imu")
        boolean(self.switches, "switches")
        if self.rate is not None:
            number(self.rate, "rate", above=0, unit="[Hz]")
        for name, value in vars(self).items():
            if name not in ("imu", "switches", "rate"):
                number(value, name, at_least=0)

    def placement(self, robot: Robot) -> Array:
        """Return T_base_imu (4, 4), the base being what the first six rows of v move.

        Raises:
            ConfigurationError: the frame is not on the base, or there is no floating base.
        """
        check_floating(robot)
        name = trunk(robot) if self.imu is None else self.imu
        frames, i = frames_of(robot), robot.frame_id(name)
        if frames.joint[i] != 1:
            raise ConfigurationError(f"imu: got {name!r}; expected a frame of the base")
        return frames.placement[i]


def measuring(
    told: Noise | Sensors | None, robot: Robot, rng: np.random.Generator
) -> NoisyStates | Measurements:
    """Return what reads a robot's state: its sensors, or the state itself with noise."""
    if isinstance(told, Sensors):
        return Measurements(told, robot, rng)
    return NoisyStates(told, robot, rng)


class NoisyStates:
    """States as told with noise, for controllers that are given the base's pose and velocity.

    Args:
        noise: on q and v; None for none.
        robot: whose.
        rng: of the noise.
    """

    def __init__(self, noise: Noise | None, robot: Robot, rng: np.random.Generator) -> None:
        self.noise, self.robot, self._rng = noise, robot, rng

    def read(
        self, t: float, q: Array, v: Array, tau: Array, touching: Mapping[str, bool]
    ) -> Readings:
        """Return what is told at t [s], as `Measurements.read`."""
        if self.noise is not None:
            q, v = self.noise.measured(self.robot, q, v, self._rng)
        return Readings(t, q, v, tau, touching)


class Measurements:
    """What the sensors of a robot tell while it moves.

    Args:
        sensors: which.
        robot: whose.
        rng: of noise and biases.

    Attributes:
        gyro_bias, accelerometer_bias: (3,), as they are now [rad/s, m/s²].
    """

    def __init__(self, sensors: Sensors, robot: Robot, rng: np.random.Generator) -> None:
        self.sensors, self.robot = sensors, robot
        self._rng = rng
        self._imu = sensors.placement(robot)
        self._gravity = np.asarray(robot._model.gravity.linear)
        self._encoders = Noise(sensors.positions, sensors.velocities)
        self.gyro_bias = sensors.gyro_bias * self._rng.standard_normal(3)
        self.accelerometer_bias = sensors.accelerometer_bias * self._rng.standard_normal(3)
        self._last: tuple[float, Array, Array] | None = None  # t, R and v of the IMU
        self._waiting: deque[Readings] = deque()
        self._first, self._count = 0.0, 0  # when the first reading was, and how many since

    def read(
        self, t: float, q: Array, v: Array, tau: Array, touching: Mapping[str, bool]
    ) -> Readings:
        """Return what is told at t [s], with what is true then.

        Args:
            t: later than the last [s].
            q, v: the state (nq,), (nv,).
            tau: (na,), that acted until now.
            touching: {contact: whether the ground pushes it}.

        Raises:
            ConfigurationError: a time before the last reading.
        """
        if self._due(t):
            self._waiting.append(self._measured(t, q, v, tau, touching))
        late = t - self.sensors.delay + 1e-9
        while len(self._waiting) > 1 and self._waiting[1].t <= late:
            self._waiting.popleft()
        told = self._waiting[0]
        return told if told.t == t else replace(told, t=t, age=t - told.t)

    def _due(self, t: float) -> bool:
        """Whether a reading is due since the last: on average they keep their rate."""
        if self._last is None:
            self._first = t
            return True
        if t < (last := self._last[0]):
            raise ConfigurationError(f"t: got {t:g} s after {last:g}; expected later times")
        if self.sensors.rate is None:
            return t > last
        before, self._count = self._count, int((t - self._first + 1e-9) * self.sensors.rate)
        return self._count > before

    def _measured(
        self, t: float, q: Array, v: Array, tau: Array, touching: Mapping[str, bool]
    ) -> Readings:
        joints, speeds = q.copy(), v.copy()
        joints[:7], speeds[:6] = [0, 0, 0, 0, 0, 0, 1], 0.0
        joints, speeds = self._encoders.measured(self.robot, joints, speeds, self._rng)
        joints[:7], speeds[:6] = [0, 0, 0, 0, 0, 0, 1], 0.0
        gyro, accelerometer = self._inertial(t, q, v)
        wrong = 1.0 + self.sensors.torques * self._rng.standard_normal(len(tau))
        known = dict(touching) if self.sensors.switches else None
        return Readings(t, joints, speeds, tau * wrong, known, gyro, accelerometer)

    def _inertial(self, t: float, q: Array, v: Array) -> tuple[Array, Array]:
        """ω and a of the IMU; at the first reading as of a robot that goes on as it does."""
        s, rng = self.sensors, self._rng
        base = pin.Quaternion(q[3:7]).toRotationMatrix()
        R, arm = base @ self._imu[:3, :3], self._imu[:3, 3]
        velocity = base @ (v[:3] + cross(v[3:6], arm))
        if self._last is None:
            h = np.inf
            gyro, accelerometer = self._imu[:3, :3].T @ v[3:6], -R.T @ self._gravity
        else:
            before, R0, v0 = self._last
            h = t - before
            turn = pin.log3(R0.T @ R)
            middle = R0 @ pin.exp3(0.5 * turn)
            gyro = turn / h
            accelerometer = middle.T @ ((velocity - v0) / h - self._gravity)
            self.gyro_bias += np.sqrt(h) * s.gyro_walk * rng.standard_normal(3)
            self.accelerometer_bias += np.sqrt(h) * s.accelerometer_walk * rng.standard_normal(3)
        self._last = t, R, velocity
        noise = rng.standard_normal((2, 3)) / np.sqrt(h)
        gyro = gyro + self.gyro_bias + s.gyro * noise[0]
        accelerometer = accelerometer + self.accelerometer_bias + s.accelerometer * noise[1]
        return gyro, accelerometer
