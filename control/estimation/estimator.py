"""State estimator: pose and velocity of the base from an IMU, encoders, and feet that stand.

The filter is that of `control.kernels.invariant`. Which feet stand follows from how hard they push:
of a leg L, with the accelerations that were measured,

    J_Lᵀ f = (M a + vᵀCv − τ_g − Sᵀτ)_L,

low-passed. A foot stands from a load of 0.08 of the weight on, until it is below 0.04. One whose
innovation is less likely than 1/1000 has slipped, and stands anew where it is. Balls roll: their
middles go on by −Δθ × arm.

A reading of the IMU is the mean since the last, but of a gap it says nothing: the robot is taken to
have gone on at its velocity and its rate about the vertical, with a covariance of what robots may
do meanwhile, and its feet stand anew.

Where the robot is, and where it is heading, is not observable: both drift with the way. Nor is a
slip of all feet together; but where all go on to contradict the IMU, it is the IMU that is wrong,
as after an invalid reading, and the covariance grows as it does in a gap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...contacts import ContactSet, at_feet
from ...contacts.equilibrium.balance import down, weight
from ...dynamics import State, inverse_dynamics
from ...dynamics.body_points import BodyPoints
from ...dynamics.kernels.body_table import body_and_place, body_table, unknown_joints
from ...dynamics.kernels.toolchain import read_only
from ...dynamics.topology import carried_by
from ...errors import ConfigurationError, warn
from ...robots.configuration import (
    as_vector,
    check_configuration,
    check_torques,
    check_velocity,
)
from ...robots.robot import Robot
from ...robots.values import boolean, instance, mapping, number
from ..kernels import TICKS, invariant
from ..limbs import limbs_of
from ..whole_body.failure import check_time
from .sensors import SAME, Readings, Sensors, unlike_gravity

TILTED = 0.01  # standard deviation of roll and pitch at the start [rad]
MOVING = 0.01  # of the velocity [m/s]
FILTER = 0.01  # time constant of the low-pass filter on loads [s]
ON, OFF = 0.08, 0.04  # loads from and up to which a foot stands, as shares of the weight
LIKELY = 16.27, 22.46  # χ² of three and of six degrees of freedom, 0.999
ANGLES = 3.0  # of soles that creep and ankles that bend, by their ways [rad/m]
LEAST = 1e-6  # of encoders without noise: a covariance has to be definite [rad]
GAP = 0.05, 3.0  # a reading stands for no longer: [s], and in usual steps between readings
# what the IMUs of robots measure at most about and along an axis, 2000°/s and 24 g [rad/s, m/s²]
RANGE = 35.0, 235.0
USUAL = 0.1  # share by which a step changes what is usual
# standard deviations of what a gap leaves unknown, whether long or short, of a robot that keeps its
# feet: tilt [rad], velocity [m/s]; and rate of turning, beside that with which it went on [rad/s]
LOST = 0.03, 1.0, 0.3
DOUBT = 0.5, 2.0  # of an IMU that all feet contradict: time constant [s], and what is too much
FLIGHT = 0.5  # for how long no foot stands, of robots that do [s]
LOW = 0.01  # how far above the lowest foot one may be that stands at the start [m]


class Estimate(NamedTuple):
    """Estimated state of a robot.

    Attributes:
        t: time at which the readings behind it were measured [s].
        q: (nq,).
        v: (nv,).
        loads: {foot: its normal force} [N].
        standing: {foot: whether it stands}.
    """

    t: float
    q: Array
    v: Array
    loads: dict[str, float]
    standing: dict[str, bool]

    def copy(self) -> Estimate:
        """Return the same with arrays of its own, which the receiver may write to."""
        return Estimate(self.t, self.q.copy(), self.v.copy(), dict(self.loads), dict(self.standing))


class Estimator:
    """Estimates q and v from readings. It has a memory: call `restart(q)` before another run.

    After a gap in the readings of at least 0.05 s and three usual steps it warns, once a run: the
    robot is assumed to have kept its velocity and its rate of turning, and `covariance` grows
    accordingly. The same happens when all standing feet contradict the IMU for half a second.

    Args:
        robot: floating base.
        contacts: its feet, points or soles at the ends of legs; the robot's feet when not given.
        q: where it starts (nq,), at rest. When not given, it is found from the first readings, on
            level ground: upright by the accelerometer, heading along x, the lowest foot at z = 0; a
            warning is given if the accelerometer does not read as on a robot at rest.
        sensors: how good they are.
        creep: random walk of feet that stand [m/√s].
        bending: standard deviation of foot positions due to the bending of legs, besides that of
            the encoders [m].

    Raises:
        ConfigurationError: no floating base, a bad q, no such frame of the IMU.
        ContactError: contacts that do not fit the robot.
    """

    def __repr__(self) -> str:
        return f"Estimator({self.robot.name!r}, feet: {', '.join(self.contacts.names)})"

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet | None = None,
        q: ArrayLike | None = None,
        *,
        sensors: Sensors | None = None,
        creep: float = 3e-3,
        bending: float = 3e-4,
    ) -> None:
        self.robot = robot
        self.sensors = Sensors() if sensors is None else instance(sensors, "sensors", Sensors)
        imu = np.array(self.sensors.placement(robot))
        self.contacts = at_feet(robot) if contacts is None else ContactSet.of(robot, contacts)
        creep, bending = number(creep, "creep", at_least=0), number(bending, "bending", at_least=0)
        noise = _noise(self.sensors, creep, bending)
        self._model, self._names = _model(self.contacts, imu, noise), self.contacts.names
        count, row = len(self._names), np.zeros(robot.nv)
        of_feet = np.zeros((count, 12)), np.zeros((count, 6, robot.nv))
        self._legs = invariant.Legs(*of_feet, row, row.copy())
        self._unknown = np.full(count, -1, dtype=np.intp)
        self.restart(q)
        invariant.ESTIMATE.select(TICKS)

    def restart(self, q: ArrayLike | None = None) -> None:
        """Start anew: the robot is at rest at q (nq,), or where the next readings put it."""
        self._start = None if q is None else check_configuration(self.robot, q).copy()
        self._x: invariant.Belief | None = None
        self._estimate: Estimate | None = None
        rate = self.sensors.rate
        self._usual = np.inf if rate is None else 1.0 / rate  # step between readings [s]
        self._warned = set[str]()
        self._flown = 0.0  # for how long no foot has stood [s]

    @property
    def belief(self) -> invariant.Belief:
        """The state of the filter, see `control.kernels.invariant`.

        Raises:
            ConfigurationError: before the first readings.
        """
        if self._x is None:
            raise ConfigurationError("belief: there were no readings yet")
        return self._x

    @property
    def covariance(self) -> Array:
        """P (15, 15) of (ξ_R, ξ_v, ξ_p, ζ_g, ζ_a): the right-invariant error of the IMU's
        orientation, velocity and position, and its biases.

        Raises:
            ConfigurationError: before the first readings.
        """
        return self.belief.P[: invariant.FEET, : invariant.FEET].copy()

    def __call__(self, readings: Readings) -> Estimate:
        """Return q and v as of these readings.

        Raises:
            ConfigurationError: readings that are not later than the last ones, that have no IMU,
                that name a foot the estimator does not know, or that have invalid values.
        """
        gyro, accelerometer = self._inertial(readings)
        known = self._known(readings)
        q = check_configuration(self.robot, readings.q).copy()  # all of them in one piece each
        v = check_velocity(self.robot, readings.v).copy()
        tau = check_torques(self.robot, readings.tau).copy()
        age = number(readings.age, "age", at_least=0, unit="[s]")
        t, last = readings.t - age, self._estimate
        step = 0.0 if last is None else t - last.t
        if last is not None and step < SAME:
            if step > -SAME:
                return last.copy()
            raise ConfigurationError(
                f"readings: got those of t = {t:g} after {last.t:g}; expected later ones, or "
                "restart(q) before another run"
            )
        if beyond := _beyond_range(gyro, accelerometer):
            return self._without_imu(beyond, t, q, v)
        if self._x is None:
            self._x = self._begun(q, accelerometer)
        x, before = self._x, v if last is None else last.v
        if last is not None and (lost := self._lost(step)) > 0:
            self._bridge(x, last, lost)
            step, before = step - lost, v
        told = invariant.Told(step, gyro, accelerometer, tau, known)
        self._advance(x, told, before, q, v)
        if x.doubt[0] > DOUBT[1]:
            self._doubt_imu(x, t, v)
        loads = dict(zip(self._names, x.loads.tolist(), strict=True))
        standing = dict(zip(self._names, x.standing.tolist(), strict=True))
        self._flown = 0.0 if any(standing.values()) else self._flown + step
        if self._flown > FLIGHT:
            self._warn(
                "feet",
                f"no foot has stood for {FLIGHT:g} s, at {t:g} s, by its load or its switch; the "
                "estimate rests on the IMU alone",
            )
        self._estimate = Estimate(t, q, v, loads, standing)
        return self._estimate.copy()

    def _without_imu(self, beyond: str, t: float, q: Array, v: Array) -> Estimate:
        """The last estimate of the base, with the joints of q and v: invalid readings of the IMU
        are left out, and the next one is taken for the mean since the last valid one."""
        if self._estimate is None:
            raise ConfigurationError(f"readings: got {beyond}, at the start; expected valid ones")
        self._warn("range", f"got {beyond} at {t:g} s, which is left out: no IMU measures that")
        last = self._estimate.copy()
        last.q[7:], last.v[6:] = q[7:], v[6:]
        return last

    def _lost(self, step: float) -> float:
        """How much of a step no reading of the IMU tells of [s]."""
        usual = step if self._usual == np.inf else self._usual
        longest = GAP[1] * usual
        self._usual = usual + USUAL * (min(step, longest) - usual)
        return step - usual if step > max(GAP[0], longest) else 0.0

    def _bridge(self, x: invariant.Belief, last: Estimate, lost: float) -> None:
        """Move on by a time τ without readings of the IMU, at the rate Ω about the vertical:

            R ← Z R,   p ← p + ½ τ (v + Z v),   v ← Z v,   Z = exp(Ω τ [z]×)

        and P grows by `LOST`: σ_v² and (σ_v τ)² of v and p, a turn ξ_R of the tilt and of
        √(rate² + Ω²) τ, for it may have stopped to turn. Nobody knows which feet stood meanwhile.
        """
        self._warn(
            "gap",
            f"got none from {last.t:g} to {last.t + lost:g} s; the robot is taken to have gone on "
            "at its velocity, and its position and heading are as uncertain as `covariance` says",
        )
        up = -down(self.robot)
        turning = float(up @ pin.Quaternion(last.q[3:7]).toRotationMatrix() @ last.v[3:6])
        turn = pin.exp3(lost * turning * up)
        x.p[:] += 0.5 * lost * (x.v + turn @ x.v)
        x.R[:], x.v[:] = turn @ x.R, turn @ x.v
        x.standing[:], x.loads[:] = False, 0.0
        self._widen(x, lost * float(np.hypot(LOST[2], turning)), 0.0, lost)

    def _widen(self, x: invariant.Belief, turn: float, slip: float, lost: float) -> None:
        """Let P grow by the tilt and the velocity of `LOST`.

        Args:
            x: belief, whose P grows.
            turn: standard deviation of a turn about the vertical [rad].
            slip: added to that of the velocity: what feet show it to be wrong by [m/s].
            lost: for how long the velocity was wrong: so much more is unknown of the place [s].
        """
        tilt, speed, up, every = LOST[0], np.hypot(LOST[1], slip), down(self.robot), np.arange(3)
        G = np.zeros((len(x.P), 3))  # of a turn ξ_R about where the IMU is
        G[:9] = np.vstack([np.eye(3), pin.skew(x.v), pin.skew(x.p)])
        x.P[:] += G @ (tilt**2 * np.eye(3) + turn**2 * np.outer(up, up)) @ G.T
        x.P[3 + every, 3 + every] += speed**2
        x.P[6 + every, 6 + every] += (speed * lost) ** 2

    def _doubt_imu(self, x: invariant.Belief, t: float, v: Array) -> None:
        """Believe the feet again, which all are less likely than they should be."""
        self._warn(
            "IMU",
            f"the IMU contradicts all feet that stand, at {t:g} s; the velocity is taken to be as "
            "uncertain as after a gap",
        )
        slips = np.linalg.norm(self._legs.J[x.standing, :3] @ v, axis=1)  # as is believed
        self._widen(x, 0.0, float(min(slips, default=0.0)), DOUBT[0])
        x.doubt[0] = 0.0

    def _warn(self, kind: str, said: str) -> None:
        """Warn, once a run of each kind."""
        if kind not in self._warned:
            warn(f"readings: {said}")
            self._warned.add(kind)

    def _inertial(self, readings: Readings) -> tuple[Array, Array]:
        """ω and a of the readings, checked."""
        instance(readings, "readings", Readings)
        if readings.gyro is None or readings.accelerometer is None:
            raise ConfigurationError("readings: got none of an IMU; expected gyro, accelerometer")
        check_time(readings.t)
        gyro = as_vector(readings.gyro, 3, "gyro", "[rad/s]").copy()
        return gyro, as_vector(readings.accelerometer, 3, "accelerometer", "[m/s²]").copy()

    def _begun(self, joints: Array, accelerometer: Array) -> invariant.Belief:
        """The belief at the start."""
        q = self._standing_start(joints, accelerometer) if self._start is None else self._start
        base = pin.Quaternion(q[3:7]).toRotationMatrix()
        self._doubt(q, base @ self._model.imu[:3, :3] @ accelerometer)
        count, n = len(self.contacts), int(self._model.feet.at[-1])
        P, x = np.zeros((n, n)), base @ self._model.imu[:3, 3] + q[:3]
        tilt = np.zeros((9, 3))  # of the orientation, at a known place: ξ_p = p × ξ_R
        tilt[:3], tilt[6:] = np.eye(3), pin.skew(x)
        level = np.eye(3) - np.outer(down(self.robot), down(self.robot))  # but of no heading
        P[:9, :9] = TILTED**2 * tilt @ level @ tilt.T + 1e-12 * np.eye(9)
        P[3:6, 3:6] += MOVING**2 * np.eye(3)
        for at, std in (
            (invariant.GYRO, self.sensors.gyro_bias),
            (invariant.ACCELEROMETER, self.sensors.accelerometer_bias),
        ):
            P[at : at + 3, at : at + 3] = (std**2 + 1e-12) * np.eye(3)
        return invariant.Belief(
            base @ self._model.imu[:3, :3], np.zeros(3), x, np.zeros(3), np.zeros(3),
            np.zeros((count, 3)), np.zeros((count, 3, 3)), self._loads(q),
            np.zeros(count, dtype=bool), np.zeros(count, dtype=np.intp), np.zeros(1), P,
        )  # fmt: skip

    def _loads(self, q: Array) -> Array:
        """Loads (K,) of feet that stand as low as the lowest, in equal shares [N]."""
        heights = np.array([T.translation[2] for T in self.contacts.placements(q).values()])
        low = heights < heights.min() + LOW
        return np.where(low, weight(self.robot) / low.sum(), 0.0)

    def _standing_start(self, joints: Array, accelerometer: Array) -> Array:
        """q (nq,) of a robot at rest on level ground."""
        q, up = joints.copy(), -down(self.robot)
        level = pin.Quaternion.FromTwoVectors(self._model.imu[:3, :3] @ accelerometer, up)
        ahead, x = level.toRotationMatrix()[:, 0], np.array([1.0, 0.0, 0.0])  # axes of base, world
        yaw = np.arctan2(up @ np.cross(ahead, x), ahead @ x - (ahead @ up) * (x @ up))
        R = pin.exp3(yaw * up) @ level.toRotationMatrix()
        q[3:7] = pin.Quaternion(R).coeffs()
        q[2] = -min(T.translation[2] for T in self.contacts.placements(q).values())
        return q

    def _doubt(self, q: Array, felt: Array) -> None:
        """Warn of specific forces (3,), world axes, that are not those of a robot at rest at q."""
        up = -down(self.robot)
        said = unlike_gravity(float(felt @ up), self.robot, "upwards at the start")
        if not said and self._start is None and State(self.robot, q).com @ up < 0:
            said = "accelerometer: it points down at the start; expected what holds the robot up"
        if said and self._start is not None:
            said += "; or the q of the start is wrong, which has a quaternion of x, y, z, w"
        if said:
            warn(said)

    def _known(self, readings: Readings) -> NDArray[np.intp]:
        """Which feet are told to stand, as of `invariant.Told`."""
        if readings.touching is None:
            return self._unknown
        told = mapping(readings.touching, "touching", self._names, kind="contact")
        known = self._unknown.copy()
        for k, name in enumerate(self._names):
            if name in told:
                known[k] = boolean(told[name], f"touching of {name!r}")
        return known

    def _advance(
        self, x: invariant.Belief, told: invariant.Told, before: Array, q: Array, v: Array
    ) -> None:
        """Predict and correct x, and write the base's parts of q and v."""
        given = self._model, x, self._legs, told, before, q, v
        estimate = invariant.ESTIMATE.overload()
        poses = len(self._model.table) > 0 and estimate.unchecked() is not None
        if not estimate.run(*given, poses, False):
            self._pose(q, v)
            estimate.run(*given, False, True)

    def _pose(self, q: Array, v: Array) -> None:
        """Write the legs, for any joints."""
        state, legs, at = State(self.robot, q), self._legs, self.contacts.attachment
        centres, T = BodyPoints(at.joints, at.local_frames[:, :, 3]), state.joint_placements
        legs.places[:, :9] = T[at.joints, :, :3].reshape(-1, 9)
        legs.places[:, 9:] = at.positions(state) - at.ball_arms - q[:3]
        legs.J[:] = centres.jacobians(state.joint_columns, T, carried_by(self.robot))
        legs.forces[:] = inverse_dynamics(self.robot, q, v, legs.a)


def _beyond_range(gyro: Array, accelerometer: Array) -> str:
    """What of the readings (3,) is beyond `RANGE`; empty where nothing is."""
    units = ("rad/s", "m/s²")
    for x, most, unit in zip((gyro, accelerometer), RANGE, units, strict=True):
        if (largest := float(np.abs(x).max())) > most:
            return f"{largest:.3g} {unit} of the IMU, above {most:g}"
    return ""


def _noise(s: Sensors, creep: float, bending: float) -> invariant.Noise:
    """The variances that the filter reckons with."""
    white, walks = (s.gyro, s.accelerometer), (s.gyro_walk, s.accelerometer_walk)
    of_feet = creep, ANGLES * creep, max(s.positions, LEAST), bending, ANGLES * bending
    return invariant.Noise(*(x**2 for x in (*white, *walks, *of_feet)))


def _model(contacts: ContactSet, imu: Array, noise: invariant.Noise) -> invariant.Model:
    """What the filter knows of a robot and its sensors."""
    robot = contacts.robot
    table = read_only(1, np.uint8) if unknown_joints(robot) else body_table(robot).view(np.uint8)
    motors, g = np.array(robot.actuated_rows), np.array(robot._model.gravity.linear)
    loads = ON * weight(robot), OFF * weight(robot)
    contact = invariant.Contact(FILTER, *loads, *LIKELY, DOUBT[0])
    return invariant.Model(table, motors, imu, g, _feet(contacts), noise, contact)


def _feet(contacts: ContactSet) -> invariant.Feet:
    """Feet and their legs: the joints that move them against the base."""
    at, limbs = contacts.attachment, limbs_of(contacts)
    soles = np.array([contact.dim == 6 for contact in contacts], dtype=bool)
    first = np.concatenate([[0], np.cumsum(limbs.moving.sum(axis=1))]).astype(np.intp)
    entries = np.nonzero(limbs.moving)[1].astype(np.intp)
    sizes, places = np.where(soles, 6, 3), np.empty((len(soles), 12))
    for k, (joint, centre) in enumerate(zip(at.joints, at.local_frames[:, :, 3], strict=True)):
        local = np.column_stack([np.eye(3), centre])
        _, places[k] = body_and_place(contacts.robot, int(joint), local)
    return invariant.Feet(
        places, at.ball_arms, soles,
        np.concatenate([[invariant.FEET], invariant.FEET + np.cumsum(sizes)]).astype(np.intp),
        first, entries, entries - 5, limbs.alone[limbs.moving],  # bodies: after the base's six
    )  # fmt: skip
