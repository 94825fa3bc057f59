"""Momentum residual: the generalised forces in a sensor log that torques do not explain.

Of each interval between two samples, h long, with the state half-way,

    r = (p₁ − p₀)/h − (Cᵀv + τ_g + Sᵀτ) = M a + vᵀCv − τ_g − Sᵀτ       (to h²)

is what a momentum observer follows with a lag, p = M v (A. De Luca, R. Mattone 2005; see
`dynamics.MomentumObserver`). Here r, known from beginning to end, passes a filter without lag,
x_f = Σ_j g_j x_j, and contacts have to explain it, r = Σ_k J_kᵀ w_k. Its weights g are those of a
Gaussian: they are positive, so what it makes of forces in a cone is in that cone, where others
would have a foot pull before it lands. The base's angular velocity and its pose are those of an
`Estimator`; its linear acceleration that of the accelerometer less the bias that the estimator
found. The covariance of r is

    Σ = M D Mᵀ + Sᵀ T S,

T that of the torques, D that of the accelerations: white noise through the gains of the filter,
G₀ = Σ g_j² of what is told and G₁ = Σ (g_j − g_{j−1})²/h² of its differences (G₂ likewise where
velocities are differences themselves), and at the base's linear acceleration the uncertainty of its
tilt and bias, which no filter takes away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts.equilibrium.balance import weight
from ...dynamics import batch
from ...dynamics.spatial import rotations
from ...errors import ConfigurationError
from ...progress import progress_bar
from ...robots.robot import Robot
from ..kernels import invariant
from .estimator import Estimator
from .low_pass import filtered, gaussian
from .sensor_log import SensorLog
from .sensors import Sensors

GAP = 2.5  # of usual intervals: the longest that still is one, where a sample is lost
LEAST = 1e-6  # standard deviation of generalised forces without any noise, as a share of m g


@dataclass(frozen=True, eq=False)
class MomentumResidual:
    """What contacts have to explain, at n times half-way between samples.

    Attributes:
        robot: whose.
        t: (n,) [s].
        q, v: (n, nq), (n, nv), as estimated.
        a: (n, nv), low-passed.
        r: (n, nv), low-passed [N, N·m].
        tilt: (n, 3, 3), covariance of the base's linear acceleration by its tilt and bias, in the
            axes of the base [m²/s⁴].
        spread: (nv,), variances of accelerations by noise.
        torques: (n, na), variances of torques.
    """

    robot: Robot
    t: Array
    q: Array
    v: Array
    a: Array
    r: Array
    tilt: Array
    spread: Array
    torques: Array

    @classmethod
    def of(cls, log: SensorLog, estimator: Estimator, cutoff: float) -> MomentumResidual:
        """Return the residual of a log.

        Args:
            log: the readings.
            estimator: of the robot's pose and velocity, not asked yet.
            cutoff: of the filter [Hz].

        Raises:
            ConfigurationError: samples that lack in the log, or a cut-off too high.
        """
        robot, h = log.robot, _interval(log)
        gains = gaussian(1 / h, cutoff)
        places, rates, specific_force, tilt = _states(log, estimator)
        steps = np.diff(log.t)[:, None]
        v = (rates[1:] + rates[:-1]) / 2
        halves = zip(places[:-1], steps * rates[1:] / 2, strict=True)
        q = np.array([robot.integrate(x, way) for x, way in halves])
        a = np.diff(rates, axis=0) / steps
        a[:, :3] = _linear(estimator, specific_force[1:], q, v, a)
        tau = log.tau[1:]
        r = batch.inverse_dynamics(robot, q, v, a) - tau @ robot.selection_matrix
        noise = (estimator.sensors.torques * tau) ** 2
        return cls(
            robot,
            log.t[1:] - steps[:, 0] / 2,
            q,
            v,
            filtered(a, gains),
            filtered(r, gains),
            tilt[1:],
            _spread(estimator.sensors, robot.nv, gains, h, log.v is not None),
            filtered(noise, gains**2),
        )

    def covariance(self, rows: slice) -> Array:
        """Return Σ (k, nv, nv) of some samples."""
        robot, every = self.robot, np.arange(self.robot.nv)
        M = batch.mass_matrix(robot, self.q[rows])
        D = np.tile(np.diag(self.spread), (len(M), 1, 1))
        D[:, :3, :3] += self.tilt[rows]
        found = M @ D @ M
        found[:, robot.actuated_rows, robot.actuated_rows] += self.torques[rows]
        found[:, every, every] += (LEAST * weight(robot)) ** 2
        return np.asarray(found)

    def __len__(self) -> int:
        return len(self.t)


def _interval(log: SensorLog) -> float:
    """h, the usual interval between samples [s]; none may lack."""
    if len(log) < 2:
        raise ConfigurationError("log: got one sample; expected two or more")
    steps = np.diff(log.t)
    h = float(np.median(steps))
    if len(late := np.flatnonzero(steps > GAP * h)):
        start, stop = log.t[late[0]], log.t[late[0] + 1]
        raise ConfigurationError(
            f"log: got no samples from {start:g} to {stop:g} s; expected one every {h:g} s "
            "(log.part(start, stop) is the part before or after)"
        )
    return h


def _states(log: SensorLog, estimator: Estimator) -> Iterator[Array]:
    """What an estimator makes of a log: q, v, specific force and `tilt`."""
    rows = []
    for i in progress_bar(range(len(log)), "estimates"):
        found, x = estimator(log.readings(i)), estimator.belief
        f = log.accelerometer[i] - x.accelerometer_bias
        R = pin.Quaternion(found.q[3:7]).toRotationMatrix().T
        # of a = R f + g: −[R f]ₓ ξ_R − R ζ_a, in the axes of the base
        H = np.zeros((3, invariant.FEET))
        H[:, :3], H[:, invariant.ACCELEROMETER :] = -R @ pin.skew(x.R @ f), -R @ x.R
        rows.append((found.q, found.v, f, H @ estimator.covariance @ H.T))
    return map(np.array, zip(*rows, strict=True))


def _linear(estimator: Estimator, f: Array, q: Array, v: Array, a: Array) -> Array:
    """dv/dt (n, 3) of the base by specific forces f (n, 3) of an IMU at p with the axes R_m,

    R_m f + Rᵀg − ω × v − α × p − ω × (ω × p).
    """
    robot = estimator.robot
    T, g = estimator.sensors.placement(robot), np.asarray(robot._model.gravity.linear)
    R = rotations(q[:, 3:7])
    w, p = v[:, 3:6], T[:3, 3]
    around = np.cross(w, v[:, :3] + np.cross(w, p)) + np.cross(a[:, 3:6], p)
    return np.asarray(f @ T[:3, :3].T + g @ R - around)


def _spread(s: Sensors, nv: int, gains: Array, h: float, speeds: bool) -> Array:
    """Variances (nv,) of accelerations by white noise."""
    G = [float((np.diff(gains, order) ** 2).sum()) / h ** (2 * order) for order in range(3)]
    joints = G[1] * s.velocities**2 if speeds else G[2] * s.positions**2
    linear, angular = G[0] * s.accelerometer**2 / h, G[1] * s.gyro**2 / h
    return np.concatenate([np.full(3, linear), np.full(3, angular), np.full(nv - 6, joints)])
