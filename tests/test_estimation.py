"""State estimation: the filter against its textbook form, its consistency, and gaits on it."""

from __future__ import annotations

import pickle
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from itertools import pairwise, product

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import ConfigurationError, FootworkWarning, contacts, control, dynamics, robots
from footwork.control import Estimator, Readings, Sensors
from footwork.control.estimation import Measurements
from footwork.dynamics.kernels.body_table import unknown_joints

EXACT = Sensors(None, *[0.0] * 9)
STEP = 2e-3


@cache
def swaying(name, seconds=0.5, seed=0):
    """A robot that sways and turns on feet that stay where they are: times, qs, vs."""
    robot = robots.load(name)
    feet = contacts.at_feet(robot)
    q, rng = control.stand(robot, feet, crouch=0.05)[1], np.random.default_rng(seed)
    rates, sizes = rng.uniform(3.0, 12.0, 6), np.array([0.2, 0.2, 0.1, 0.5, 0.5, 0.5])
    places = [dynamics.frame_placement(robot, q, foot.frame) for foot in feet]
    qs = []
    for k in range(round(seconds / STEP) + 2):
        qs.append(q)
        state = dynamics.State(robot, q)
        J, e = [], []
        for foot, T in zip(feet, places, strict=True):
            here = state.frame_placement(foot.frame)
            off, R = pin.log6(here.inverse() * T), here.rotation
            J.append(state.frame_jacobian(foot.frame)[: foot.dim])
            e.append(np.r_[R @ off.linear, R @ off.angular][: foot.dim])
        wanted = np.zeros(robot.nv)
        wanted[:6] = sizes * rates / 5 * np.cos(rates * k * STEP) * min(1.0, k / 50)
        J, e = np.vstack(J), np.concatenate(e)
        q = robot.integrate(q, STEP * wanted + np.linalg.pinv(J) @ (e - STEP * J @ wanted))
    # velocities with which h (v₀ + v₁)/2 is the way, to h³
    vs = [robot.difference(a, b) / (2 * STEP) for a, b in zip(qs, qs[2:], strict=False)]
    return robot, feet, np.arange(len(vs)) * STEP, np.array(qs[1:-1]), np.array(vs)


def at_points(feet):
    """The same feet as points of their bodies: balls do not roll, soles do not turn."""
    return contacts.ContactSet(
        feet.robot, [contacts.PointContact(foot.frame, 0.7, name=foot.name) for foot in feet]
    )


def told(sensors, robot, feet, times, qs, vs, seed=0):
    measurements = Measurements(sensors, robot, np.random.default_rng(seed))
    standing = dict.fromkeys(feet.names, True)
    return measurements, [
        measurements.read(float(t), q, v, np.zeros(robot.na), standing)
        for t, q, v in zip(times, qs, vs, strict=True)
    ]


def error_of(estimator, measurements, q, v):
    """ξ of X̂ X⁻¹ = exp(ξ), and of the biases (15,)."""
    x, T = estimator.belief, estimator.sensors.placement(estimator.robot)
    base = pin.Quaternion(q[3:7]).toRotationMatrix()
    R, p = base @ T[:3, :3], q[:3] + base @ T[:3, 3]
    u = base @ (v[:3] + np.cross(v[3:6], T[:3, 3]))
    between = x.R @ R.T
    w = pin.log3(between)
    inverse = np.linalg.inv(np.eye(3) + pin.skew(w) / 2 + pin.skew(w) @ pin.skew(w) / 6)
    way = inverse @ (x.v - between @ u), inverse @ (x.p - between @ p)
    biases = x.gyro_bias - measurements.gyro_bias
    others = x.accelerometer_bias - measurements.accelerometer_bias
    return np.concatenate([w, *way, biases, others])


# --- sensors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_readings_without_noise_add_up_to_the_motion(name):
    """Strapdown integration: R ← R exp(ω h), v ← v + (R_m a + g) h."""
    robot, feet, times, qs, vs = swaying(name)
    _, readings = told(EXACT, robot, feet, times, qs, vs)
    R = pin.Quaternion(qs[0][3:7]).toRotationMatrix()
    v, g = R @ vs[0][:3], np.array([0.0, 0.0, -9.81])
    for x in readings[1:]:
        v = v + STEP * (R @ pin.exp3(0.5 * STEP * x.gyro) @ x.accelerometer + g)
        R = R @ pin.exp3(STEP * x.gyro)
    now = pin.Quaternion(qs[-1][3:7]).toRotationMatrix()
    assert pytest.approx(now, abs=1e-9) == R
    assert v == pytest.approx(now @ vs[-1][:3], abs=1e-9)
    for x, q in zip(readings, qs, strict=True):
        assert x.q[7:] == pytest.approx(q[7:], abs=1e-12)
        assert x.q[:7] == pytest.approx(robot.neutral()[:7])  # nothing of the base
        assert not x.v[:6].any()


def test_noise_and_biases_are_as_large_as_said():
    robot = robots.load("biped")
    q, n = robot.posture(), 2000
    sensors = Sensors(gyro_walk=0.02, positions=1e-3, torques=0.1)
    tau = np.ones(robot.na)
    biases, walks, white, joints, torques = [], [], [], [], []
    for seed in range(20):
        of = Measurements(sensors, robot, np.random.default_rng(seed))
        biases.append([of.gyro_bias.copy(), of.accelerometer_bias.copy()])
        for k in range(n // 20):
            x = of.read(k * STEP, q, np.zeros(robot.nv), tau, {})
            white.append(x.accelerometer - of.accelerometer_bias - [0, 0, 9.81])
            joints.append(x.q[7:] - q[7:])
            torques.append(x.tau - tau)
        walks.append(of.gyro_bias - biases[-1][0])
    assert np.std([b[0] for b in biases]) == pytest.approx(5e-3, rel=0.3)
    assert np.std([b[1] for b in biases]) == pytest.approx(0.05, rel=0.3)
    assert np.std(walks) == pytest.approx(0.02 * np.sqrt(n / 20 * STEP), rel=0.3)
    assert np.std(white) == pytest.approx(5e-3 / np.sqrt(STEP), rel=0.1)
    assert np.std(joints) == pytest.approx(1e-3, rel=0.05)
    assert np.std(torques) == pytest.approx(0.1, rel=0.05)
    assert of.read(n * STEP, q, np.zeros(robot.nv), tau, {}).touching is None


def test_readings_come_at_their_rate_and_late():
    robot = robots.load("biped")
    q, v, tau = robot.posture(), np.zeros(robot.nv), np.zeros(robot.na)
    of = Measurements(Sensors(rate=100.0, delay=0.004), robot, np.random.default_rng(0))
    readings = [of.read(k * STEP, q, v, tau, {}) for k in range(20)]
    assert [x.t for x in readings] == pytest.approx([k * STEP for k in range(20)])
    measured = [round((x.t - x.age) / STEP) for x in readings]
    assert measured == [0] * 7 + [5] * 5 + [10] * 5 + [15] * 3


@pytest.mark.parametrize("rate", [400.0, 300.0, 120.0, 1000.0])
def test_readings_keep_rates_that_are_no_part_of_the_controller_s(rate):
    """At 500 Hz, 400 Hz became 250."""
    robot = robots.load("biped")
    q, v, tau = robot.posture(), np.zeros(robot.nv), np.zeros(robot.na)
    of = Measurements(Sensors(rate=rate), robot, np.random.default_rng(0))
    told = [of.read(0.1 + k * STEP, q, v, tau, {}) for k in range(500)]
    times = np.unique(np.round([x.t - x.age for x in told], 9))
    assert len(times) == pytest.approx(min(rate, 1 / STEP), abs=1)
    assert np.diff(times).max() < 1 / rate + STEP


# --- the filter ----------------------------------------------------------------------------------


class Textbook:
    """The filter of Hartley et al. (2020) with matrices as they are printed there."""

    def __init__(self, x, soles):
        count = len(x.d)
        self.X = np.eye(5 + count)
        self.X[:3, :3], self.X[:3, 3], self.X[:3, 4] = x.R, x.v, x.p
        self.X[:3, 5:] = x.d.T
        self.turned, self.soles = [T.copy() for T in x.turned], soles
        self.bias, self.P = np.concatenate([x.gyro_bias, x.accelerometer_bias]), x.P.copy()

    @property
    def at(self):
        return 15 + np.cumsum([0, *np.where(self.soles, 6, 3)])

    def predict(self, gyro, accelerometer, h, g, noise):
        n, at, X = len(self.P), self.at, self.X
        R, v, p = X[:3, :3], X[:3, 3], X[:3, 4]
        A, adjoint = np.zeros((n, n)), np.zeros((n, 6))
        A[3:6, :3], A[6:9, 3:6] = pin.skew(g), np.eye(3)
        adjoint[:3, :3], adjoint[3:6, 3:] = R, R
        for row, column in [(3, v), (6, p), *zip(at, X[:3, 5:].T, strict=False)]:
            adjoint[row : row + 3, :3] = pin.skew(column) @ R
        A[:, 9:15] = -adjoint
        white = np.diag([noise.gyro] * 3 + [noise.accelerometer] * 3)
        Q = adjoint @ white @ adjoint.T
        Q[9:12, 9:12] += noise.gyro_walk * np.eye(3)
        Q[12:15, 12:15] += noise.accelerometer_walk * np.eye(3)
        for k, sole in enumerate(self.soles):
            Q[at[k] : at[k] + 3, at[k] : at[k] + 3] += noise.creep * np.eye(3)
            if sole:
                Q[at[k] + 3 : at[k] + 6, at[k] + 3 : at[k] + 6] += noise.turn * np.eye(3)
        phi = np.eye(n) + h * A + 0.5 * h * h * A @ A
        self.P = phi @ self.P @ phi.T + h * Q
        w, f = gyro - self.bias[:3], accelerometer - self.bias[3:]
        a = R @ pin.exp3(0.5 * h * w) @ f + g
        X[:3, 4] = p + h * v + 0.5 * h * h * a
        X[:3, 3] = v + h * a
        X[:3, :3] = R @ pin.exp3(h * w)

    def correct(self, k, h, E, N):
        from scipy.linalg import expm

        n, at, X = len(self.P), self.at[k], self.X
        size = 6 if self.soles[k] else 3
        H, z = np.zeros((6, n)), np.zeros(6)
        H[:3, 6:9], H[:3, at : at + 3] = np.eye(3), -np.eye(3)
        z[:3] = X[:3, :3] @ h + X[:3, 4] - X[:3, 5 + k]
        if size == 6:
            H[3:, :3], H[3:, at + 3 : at + 6] = np.eye(3), -np.eye(3)
            off = X[:3, :3] @ E @ self.turned[k].T
            z[3:] = 0.5 * np.array(
                [off[2, 1] - off[1, 2], off[0, 2] - off[2, 0], off[1, 0] - off[0, 1]]
            )
        H, z, N = H[:size], z[:size], N[:size, :size]
        K = self.P @ H.T @ np.linalg.inv(H @ self.P @ H.T + N)
        step, rest = K @ z, np.eye(n) - K @ H
        self.P = rest @ self.P @ rest.T + K @ N @ K.T  # Joseph's form
        xi = np.zeros_like(X)
        xi[:3, :3], xi[:3, 3], xi[:3, 4] = pin.skew(step[:3]), step[3:6], step[6:9]
        for i, row in enumerate(self.at[:-1]):
            xi[:3, 5 + i] = step[row : row + 3]
            if self.soles[i]:
                self.turned[i] = expm(-pin.skew(step[row + 3 : row + 6])) @ self.turned[i]
        self.X, self.bias = expm(-xi) @ X, self.bias - step[9:15]


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_the_filter_is_that_of_the_paper(name, compiled_or_not):
    """A long way from the origin, with a tilted IMU beside it, all terms at work."""
    robot, feet, times, qs, vs = swaying(name, 0.12)
    feet = at_points(feet) if name == "quadruped" else feet
    sensors, rng = Sensors(switches=True), np.random.default_rng(3)
    estimator = Estimator(robot, feet, qs[0], sensors=sensors)
    _, readings = told(sensors, robot, feet, times, qs, vs)
    estimator(readings[0])
    x = estimator.belief
    x.p[:2] += 5.0
    x.d[:, :2] += 5.0
    x.v[:] += 0.1
    W = rng.standard_normal(x.P.shape) * 0.02
    x.P[:] = x.P + W @ W.T
    book = Textbook(x, [foot.dim == 6 for foot in feet])
    noise, g = estimator._model.noise, np.array([0.0, 0.0, -9.81])
    for before, now in pairwise(readings):
        book.predict(now.gyro, now.accelerometer, now.t - before.t, g, noise)
        state = dynamics.State(robot, now.q)
        R_imu = sensors.placement(robot)
        for k in range(len(feet)):
            J = feet.attachment.centre_jacobians(state)[k][:, 6:]
            at = feet.attachment.positions(state)[k]
            turned = state.joint_placements[feet.attachment.joints[k], :, :3]
            T = R_imu[:3, :3].T
            h, E = T @ (at - R_imu[:3, 3]), T @ turned
            N = noise.encoders * J @ J.T
            world = np.kron(np.eye(2), book.X[:3, :3] @ T)
            if k == 0:  # the library takes all J at the prediction
                predicted = world
            N = predicted @ N @ predicted.T
            N += np.diag([noise.legs] * 3 + [noise.ankles] * 3)
            book.correct(k, h, E, N)
        estimator(now)
    assert pytest.approx(book.X[:3, :3], abs=1e-9) == x.R
    assert x.v == pytest.approx(book.X[:3, 3], abs=1e-9)
    assert x.p == pytest.approx(book.X[:3, 4], abs=1e-9)
    assert x.d == pytest.approx(book.X[:3, 5:].T, abs=1e-9)
    assert np.concatenate([x.gyro_bias, x.accelerometer_bias]) == pytest.approx(book.bias, abs=1e-9)
    assert pytest.approx(book.P, abs=1e-9 * np.abs(book.P).max()) == x.P
    assert np.linalg.norm(x.v) > 1e-3
    if name == "biped":
        assert x.turned == pytest.approx(np.array(book.turned), abs=1e-9)


@pytest.fixture(params=["compiled", "plain"])
def compiled_or_not(request):
    from footwork.dynamics.kernels.toolchain import switched_off

    if request.param == "compiled":
        yield
    else:
        with switched_off():
            yield


def alike(one, other):
    """Whether two estimates are the same, of a robot and of one with more joints behind its own."""
    assert one.q == pytest.approx(other.q[: len(one.q)], abs=1e-9)
    assert one.v == pytest.approx(other.v[: len(one.v)], abs=1e-9)
    assert list(one.loads.values()) == pytest.approx(list(other.loads.values()), abs=1e-6)
    assert one.standing == other.standing


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_kernels_and_pinocchio_pose_the_same_legs(name):
    """A planar joint that carries nothing keeps a robot out of the kernels; so do angles of 2e5."""
    robot, feet, times, qs, vs = swaying(name, 0.1)
    model, wound = robot.model, np.zeros(robot.nq)
    model.addJoint(1, pin.JointModelPlanar(), pin.SE3.Identity(), "planar")
    other = robots.Robot("with a planar joint", model, robot.actuated)
    assert unknown_joints(other) == ("planar",)
    wound[8] = 2 * np.pi * 2**15
    one, two, three = (
        Estimator(of, contacts.ContactSet(of, list(feet)), q)
        for of, q in [(robot, qs[0]), (other, np.r_[qs[0], 0, 0, 1, 0]), (robot, qs[0] + wound)]
    )
    for x in told(Sensors(), robot, feet, times, qs, vs)[1]:
        found = one(x)
        alike(found, two(replace(x, q=np.r_[x.q, 0, 0, 1, 0], v=np.r_[x.v, 0, 0, 0])))
        again = three(replace(x, q=x.q + wound))
        alike(found, again._replace(q=again.q - wound))
    assert any(load > 1.0 for load in found.loads.values())


def test_readings_may_be_columns_of_tables():
    robot, feet, times, qs, vs = swaying("biped", 0.02)
    one, other = (Estimator(robot, feet, qs[0]) for _ in range(2))
    for x in told(Sensors(), robot, feet, times, qs, vs)[1]:
        rows = {name: getattr(x, name) for name in ("q", "v", "tau", "gyro", "accelerometer")}
        columns = {name: np.stack([row, row + 1.0], axis=1)[:, 0] for name, row in rows.items()}
        alike(one(x), other(replace(x, **columns)))


def test_an_estimator_is_copied_with_its_past():
    robot, feet, times, qs, vs = swaying("biped", 0.02)
    _, readings = told(Sensors(), robot, feet, times, qs, vs)
    estimator = Estimator(robot, feet, qs[0])
    for x in readings[:5]:
        estimator(x)
    again = pickle.loads(pickle.dumps(estimator))
    for x in readings[5:]:
        alike(estimator(x), again(x))


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_the_filter_knows_how_wrong_it_is(name):
    """Mean NEES of 50 runs within the 99 % interval of χ²: neither over- nor underconfident."""
    from scipy.stats import chi2

    robot, feet, times, qs, vs = swaying(name)
    feet = at_points(feet) if name == "quadruped" else feet
    sensors, found = Sensors(switches=True), []
    for seed in range(30):
        tilt = np.append(0.01 * np.random.default_rng((seed, 9)).standard_normal(2), 0.0)
        start = qs[0].copy()
        R = pin.exp3(tilt) @ pin.Quaternion(start[3:7]).toRotationMatrix()
        start[3:7] = pin.Quaternion(R).coeffs()
        measurements, readings = told(sensors, robot, feet, times, qs, vs, seed)
        estimator = Estimator(robot, feet, start, sensors=sensors, creep=0.0, bending=0.0)
        for x in readings:
            estimator(x)
        error = error_of(estimator, measurements, qs[-1], vs[-1])
        found.append(error @ np.linalg.solve(estimator.covariance, error))
    low, high = chi2.ppf([0.005, 0.995], 15 * len(found)) / len(found)
    assert low < np.mean(found) < high


@pytest.mark.parametrize(
    ("name", "gait", "velocity"),
    [
        ("go2", "trot", (0.5, 0, -0.4)),
        ("biped", "walk", (0.3, 0, -0.2)),
    ],
)
def test_the_filter_knows_about_how_wrong_it_is_where_the_ground_gives_way(name, gait, velocity):
    """NEES of orientation, velocity and place, per degree of freedom, with soft soles and ground.

    No random walk describes these quite: within a factor of √3 of standard deviations.
    """
    pytest.importorskip("mujoco")
    robot = robots.load(name)
    feet = contacts.at_feet(robot)
    _, q = control.stand(robot, feet)
    gaits = control.GaitController(robot, feet, q, gait, velocity=velocity)
    motion = control.simulate(
        robot, gaits, q=q, contacts=feet, duration=2.0, control_step=STEP, engine="mujoco"
    )
    found = []
    for seed in range(3):
        estimator = Estimator(robot, feet, q)
        measurements = Measurements(Sensors(), robot, np.random.default_rng(seed))
        for k in range(len(motion) - 1):
            tau = motion.tau[k - 1] if k else np.zeros(robot.na)
            q_now, v_now = motion.q[k], motion.v[k]
            estimator(measurements.read(motion.t[k], q_now, v_now, tau, {}))
            if k > 400 and k % 25 == 0:
                error = error_of(estimator, measurements, q_now, v_now)[:9]
                found.append(error @ np.linalg.solve(estimator.covariance[:9, :9], error) / 9)
    assert 1 / 3 < np.mean(found) < 3


def test_it_does_not_matter_where_the_robot_is_and_where_it_looks():
    """Moved by T along the ground and turned, all estimates are moved by T."""
    robot, feet, times, qs, vs = swaying("biped", 0.2)
    sensors = Sensors(switches=True)
    _, readings = told(sensors, robot, feet, times, qs, vs)
    T = pin.SE3(pin.exp3(np.array([0.0, 0.0, 1.1])), np.array([30.0, -20.0, 0.0]))
    elsewhere = qs[0].copy()
    elsewhere[:7] = pin.SE3ToXYZQUAT(T * pin.XYZQUATToSE3(qs[0][:7]))
    here, there = (Estimator(robot, feet, q, sensors=sensors) for q in (qs[0], elsewhere))
    for x in readings:
        one, other = here(x), there(x)
    moved = T * pin.XYZQUATToSE3(one.q[:7])
    assert moved.isApprox(pin.XYZQUATToSE3(other.q[:7]), 1e-9)
    assert one.v == pytest.approx(other.v, abs=1e-9)


# --- robots --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "gait", "speed"),
    [
        ("go2", "trot", 0.5),
        ("g1", "walk", 0.3),
    ],
)
def test_gaits_walk_on_the_estimate(name, gait, speed):
    """With biases, noise, and nothing told of the base; the estimate drifts by at most 2 %."""
    pytest.importorskip("mujoco")
    robot = robots.load(name)
    feet = contacts.at_feet(robot)
    _, q = control.stand(robot, feet, crouch=0.02 if gait == "walk" else 0.0)
    gaits = control.GaitController(robot, feet, q, gait, velocity=(speed, 0.0, 0.0))
    motion = control.simulate(
        robot,
        gaits,
        q=q,
        contacts=feet,
        duration=2.0,
        control_step=STEP,
        sensors=Sensors(),
        seed=1,
        engine="mujoco",
    )
    assert not motion.ended
    way = np.linalg.norm(np.diff(motion.q[:, :2], axis=0), axis=1).sum()
    errors = motion.estimate_errors
    assert np.abs(errors["position"][:, :2]).max() < 0.02 * way
    assert np.abs(errors["position"][:, 2]).max() < 0.03
    assert np.abs(errors["orientation"][:, :2]).max() < np.radians(2.0)
    assert np.sqrt((errors["velocity"] ** 2).mean()) < 0.03
    assert np.isnan(motion.drift) or motion.drift < 0.02


def test_feet_push_as_hard_as_is_estimated():
    """Loads of a standing robot, and which feet stand, without switches."""
    robot = robots.load("go2")
    stand, q = control.stand(robot, contacts.at_feet(robot))
    motion = control.simulate(
        robot, stand, q=q, duration=0.5, control_step=STEP, noise=None, sensors=EXACT
    )
    estimator = Estimator(robot, motion.contacts, q, sensors=EXACT)
    measurements = Measurements(EXACT, robot, np.random.default_rng(0))
    for k in range(len(motion) - 1):
        tau = motion.tau[k - 1] if k else np.zeros(robot.na)
        found = estimator(measurements.read(motion.t[k], motion.q[k], motion.v[k], tau, {}))
    for name, load in found.loads.items():
        assert load == pytest.approx(motion.forces[name][-3].sum(axis=0)[2], rel=0.02)
    assert all(found.standing.values())


def test_a_foot_that_slips_stands_anew():
    """One of four feet slides by 5 cm; the robot stays where it is."""
    robot = robots.load("quadruped")
    feet = at_points(contacts.at_feet(robot))
    q = control.stand(robot, contacts.at_feet(robot))[1]
    sensors = Sensors(switches=True)
    moved = feet.names[0]
    frame = feet[moved].frame
    estimator = Estimator(robot, feet, q, sensors=sensors)
    measurements = Measurements(sensors, robot, np.random.default_rng(0))
    standing, way = dict.fromkeys(feet.names, True), 0.0
    for k in range(250):
        J = dynamics.frame_jacobian(robot, q, frame)[:3]
        v = np.zeros(robot.nv)
        if 100 <= k < 150:
            v[6:] = np.linalg.pinv(J[:, 6:]) @ [0.5, 0.0, 0.0]
            way += 0.5 * STEP
        found = estimator(measurements.read(k * STEP, q, v, np.zeros(robot.na), standing))
        last = q
        q = robot.integrate(q, STEP * v)
    assert way == pytest.approx(0.05)
    assert estimator.belief.slipped[0] >= 1
    assert not estimator.belief.slipped[1:].any()
    assert np.linalg.norm(found.q[:3] - last[:3]) < 0.01


def test_gaps_of_the_readings_are_told_once_and_make_the_estimate_uncertain():
    """A reading of an IMU says nothing of half a second: held for so long, velocities came to be
    wrong by metres a second, and no foot was believed any more."""
    robot, feet, times, qs, vs = swaying("go2", 2.0)
    measurements, readings = told(Sensors(switches=True), robot, feet, times, qs, vs)
    estimator = Estimator(robot, feet, qs[0])
    for k in range(200):
        estimator(readings[k])
    before = np.sqrt(np.diag(estimator.covariance))
    with pytest.warns(FootworkWarning, match=r"none from 0.398 to 0.898 s") as warnings:
        estimator(readings[450])
    lost = np.sqrt(np.diag(estimator.covariance))
    e = error_of(estimator, measurements, qs[450], vs[450])
    assert (lost[[2, 6, 7, 8]] > 10 * before[[2, 6, 7, 8]]).all()  # heading and place
    assert (np.abs(e[:9]) < 4 * lost[:9]).all()
    for k in range(451, 600):
        estimator(readings[k])
    e, known = error_of(estimator, measurements, qs[599], vs[599]), np.diag(estimator.covariance)
    assert (np.abs(e[:9]) < 4 * np.sqrt(known[:9])).all()
    assert np.abs(e[3:6]).max() < 0.03
    assert np.abs(e[:2]).max() < 0.02
    estimator(readings[900])
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("kind", "count", "jump"),
    [
        ("accelerometer", 3, [200.0, 0, 0]),
        ("accelerometer", 40, [60.0, 0, 0]),
        ("gyro", 10, [0, 20.0, 0]),
    ],
)
def test_readings_that_were_wrong_are_forgotten(kind, count, jump):
    """All feet that stood were taken to slip from then on, and the velocity was wrong for ever."""
    robot, feet, times, qs, vs = swaying("go2", 3.0)
    measurements, readings = told(Sensors(switches=True), robot, feet, times, qs, vs)
    estimator = Estimator(robot, feet, qs[0])
    for k in range(300, 300 + count):
        value = getattr(readings[k], kind) + jump
        readings[k] = replace(readings[k], **{kind: value})
    for reading in readings[:400]:
        estimator(reading)
    assert np.abs(error_of(estimator, measurements, qs[399], vs[399])[3:6]).max() > 0.3
    with pytest.warns(FootworkWarning, match=r"IMU contradicts all feet that stand") as warnings:
        _ = [estimator(reading) for reading in readings[400:]]
    assert len(warnings) == 1
    found = estimator(readings[-1])
    R, base = (pin.Quaternion(x[3:7]).toRotationMatrix() for x in (found.q, qs[-1]))
    assert R @ found.v[:3] == pytest.approx(base @ vs[-1][:3], abs=0.1)
    assert R[:, 2] == pytest.approx(base[:, 2], abs=0.05)


@pytest.mark.parametrize("count", [1, 5, 100])
@pytest.mark.parametrize(("kind", "wrong"), [("accelerometer", 1000.0), ("gyro", -65535.0)])
def test_readings_that_no_imu_measures_are_left_out(kind, wrong, count):
    """As if there were none, for one of which a trotting robot fell; told once, with the first."""
    robot, feet, times, qs, vs = swaying("go2", 1.0)
    _, readings = told(Sensors(switches=True), robot, feet, times, qs, vs)
    one, other = Estimator(robot, feet, qs[0]), Estimator(robot, feet, qs[0])
    for reading in readings[:200]:
        last = one(reading)
        other(reading)
    glitch, invalid = {kind: np.array([0.0, wrong, 0.0])}, readings[200 : 200 + count]
    with pytest.warns(FootworkWarning, match=r"IMU, above (35|235) at 0.4 s") as warnings:
        estimates = [one(replace(reading, **glitch)) for reading in invalid]
    assert len(warnings) == 1
    for found, reading in zip(estimates, invalid, strict=True):
        assert (found.q == [*last.q[:7], *reading.q[7:]]).all()
        assert (found.v == [*last.v[:6], *reading.v[6:]]).all()
    rest = readings[200 + count :]
    with nullcontext() if count < 100 else pytest.warns(FootworkWarning, match="got none from"):
        pairs = [(one(reading), other(reading)) for reading in rest]
    for found, wanted in pairs:
        assert (found.q == wanted.q).all()
        assert (found.v == wanted.v).all()
    again = Estimator(robot, feet, qs[0])
    with pytest.raises(ConfigurationError, match=r"of the IMU, above .*, at the start"):
        again(replace(readings[0], **glitch))


@pytest.mark.parametrize("how", ["switches", "torques"])
def test_feet_that_never_stand_are_told(how):
    """The estimate went on by the IMU alone, in silence: 20 % of the way off."""
    robot, feet, times, qs, vs = swaying("go2", 0.8)
    _, readings = told(Sensors(), robot, feet, times, qs, vs)  # their torques are none
    estimator, off = Estimator(robot, feet, qs[0]), dict.fromkeys(feet.names, False)
    with pytest.warns(FootworkWarning, match=r"no foot has stood for 0.5 s") as warnings:
        _ = [estimator(replace(x, touching=off) if how == "switches" else x) for x in readings]
    assert len(warnings) == 1


def test_estimates_are_the_callers_own():
    """A velocity that was written to told another acceleration, and that feet do not stand."""
    robot, feet, times, qs, vs = swaying("go2", 0.1)
    _, readings = told(Sensors(), robot, feet, times, qs, vs)
    one, other = Estimator(robot, feet, qs[0]), Estimator(robot, feet, qs[0])
    for reading in readings:
        found, wanted = one(reading), other(reading)
        assert found.loads == wanted.loads
        for x in (found, one(reading)):
            x.q[:], x.v[:] = 7.0, 7.0
            x.loads.clear()
            x.standing.clear()


@pytest.mark.parametrize("rate", [None, 400.0])
def test_sensors_refuse_times_before_the_last_reading(rate):
    robot, feet, times, qs, vs = swaying("go2", 0.1)
    measurements, _ = told(Sensors(rate=rate), robot, feet, times, qs, vs)
    with pytest.raises(ConfigurationError, match=r"t: got 0 s after 0\.09"):
        measurements.read(0.0, qs[0], vs[0], np.zeros(robot.na), {})


def test_slow_and_irregular_readings_have_no_gaps():
    robot, feet, times, qs, vs = swaying("go2", 2.0)
    for rate, step in ((None, 100), (5.0, 100), (None, 20)):
        _, readings = told(
            Sensors(rate=rate, switches=True), robot, feet, *(x[::step] for x in (times, qs, vs))
        )
        estimator = Estimator(robot, feet, qs[0])
        for k, reading in enumerate(readings):
            if step > 20 or k % 4 != 2:
                estimator(reading)
    each = np.cumsum([0, 50, 50, 1, 49, 50, *([10, 35] * 16)])  # one of them soon after another
    _, readings = told(Sensors(switches=True), robot, feet, *(x[each] for x in (times, qs, vs)))
    estimator = Estimator(robot, feet, qs[0])
    for reading in readings:
        estimator(reading)


def test_a_robot_that_turned_before_a_gap_is_taken_to_have_gone_on_turning():
    """Its heading is as it would be, and as uncertain as that of one that stopped at once."""
    robot = robots.load("go2")
    feet = contacts.at_feet(robot)
    q0, rate = control.stand(robot, feet)[1], 1.0
    times = np.append(0.002 * np.arange(200), 1.4)
    v = np.zeros(robot.nv)
    v[5] = rate
    qs = np.array([robot.integrate(q0, t * v) for t in times])
    _, readings = told(EXACT, robot, feet, times, qs, np.tile(v, (len(times), 1)))
    estimator = Estimator(robot, feet, q0, sensors=EXACT)
    free = [replace(reading, touching=dict.fromkeys(feet.names, False)) for reading in readings]
    for reading in free[:-1]:
        estimator(reading)
    with pytest.warns(FootworkWarning, match="none from"):
        found = estimator(free[-1])
    turned = robot.difference(qs[-1], found.q)[5]
    assert turned == pytest.approx(0.0, abs=0.02)
    assert np.sqrt(estimator.covariance[2, 2]) > rate * 1.0


def test_a_start_that_nobody_told_is_upright_and_on_the_ground():
    robot = robots.load("go2")
    feet = contacts.at_feet(robot)
    q = control.stand(robot, feet, terrain=contacts.Terrain([contacts.Plane("slope", rises=10)]))[1]
    readings = Measurements(EXACT, robot, np.random.default_rng(0)).read(
        0.0, q, np.zeros(robot.nv), np.zeros(robot.na), {}
    )
    found = Estimator(robot, feet, sensors=EXACT)(readings)
    R, true = (pin.Quaternion(x[3:7]).toRotationMatrix() for x in (found.q, q))
    assert R[2] == pytest.approx(true[2], abs=1e-9)  # upright as it is
    assert R[1, 0] == pytest.approx(0.0, abs=1e-9)  # heading along x
    assert min(T.translation[2] for T in feet.placements(found.q).values()) == pytest.approx(0.0)
    doubts = (1 / 9.81, "1 upwards"), (-1.0, "down at|-9.81 upwards"), (0.0, "0 upwards")
    for start, (factor, told) in product((None, q), doubts):
        turned = replace(readings, accelerometer=factor * readings.accelerometer)
        with pytest.warns(fw.FootworkWarning, match=f"accelerometer: (it points )?({told})"):
            Estimator(robot, feet, start, sensors=EXACT)(turned)


def test_a_start_that_nobody_told_is_upright_on_a_slope_too():
    """The ground is level in axes in which gravity is tilted: the base was, by as much."""
    angle = np.radians(12)
    robot = robots.load("go2").with_gravity([9.81 * np.sin(angle), 1.0, -9.81 * np.cos(angle)])
    feet = contacts.at_feet(robot)
    _, q = control.stand(robot, feet)
    measurements = Measurements(EXACT, robot, np.random.default_rng(0))
    readings = measurements.read(0.0, q, np.zeros(robot.nv), np.zeros(robot.na), {})
    found = Estimator(robot, feet, sensors=EXACT)(readings).q
    R, level = (pin.Quaternion(x[3:7]).toRotationMatrix() for x in (found, q))
    assert level[:, 2] @ R[:, 2] == pytest.approx(1.0, abs=1e-4)
    assert min(T.translation[2] for T in feet.placements(found).values()) == pytest.approx(0.0)


def test_a_judged_controller_is_told_nothing_of_the_base():
    pytest.importorskip("mujoco")
    robot, seen = robots.load("go2"), []

    def look(readings):
        seen.append(readings)
        return np.zeros(robot.na)

    world = control.judging.World.real(sensors=Sensors())
    control.judging.trial(robot, lambda *_: look, world, duration=0.02)
    assert all(x.q[:7] == pytest.approx([0, 0, 0, 0, 0, 0, 1]) and x.gyro is not None for x in seen)
    assert all(x.touching is None and not x.v[:6].any() for x in seen)
    trial = control.judging.trial(
        robot,
        lambda r, q, v: control.judging.walker(r, q, v, gait="trot", sensors=Sensors()),
        world,
        velocity=(0.5, 0.0, 0.0),
        duration=2.0,
    )
    assert trial.survived
    assert 0.4 < trial.speed < 0.6


def test_estimates_are_recorded_and_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    from footwork import plot

    robot = robots.load("biped")
    stand, q = control.stand(robot, contacts.at_feet(robot))
    motion = control.simulate(
        robot, stand, q=q, duration=0.05, estimator=Estimator(robot, q=q, sensors=Sensors())
    )
    again = control.read_motion(control.save_motion(motion, tmp_path / "m.npz"), robot)
    for name in ("estimated_q", "estimated_v"):
        assert getattr(again, name) == pytest.approx(getattr(motion, name), abs=0)
    errors = again.estimate_errors
    assert set(errors) == {"position", "orientation", "velocity"}
    assert np.isnan(motion.drift)
    assert len(plot(motion)) == 4
    lines = plot(motion)[3].get_lines()
    drawn = max(np.nanmax(np.abs(line.get_ydata())) for line in lines)
    assert drawn >= 100 * np.abs(errors["position"]).max() * 0.999


# --- what is refused -----------------------------------------------------------------------------


def test_what_makes_no_sense_is_refused():
    robot = robots.load("biped")
    q, v, tau = robot.posture(), np.zeros(robot.nv), np.zeros(robot.na)
    stand, start = control.stand(robot, contacts.at_feet(robot))
    with pytest.raises(ConfigurationError, match="frame of the base"):
        Estimator(robot, sensors=Sensors(imu="left_foot"))
    with pytest.raises(ConfigurationError, match="fixed base"):
        Estimator(robots.load("double_pendulum"))
    with pytest.raises(ConfigurationError, match="none of an IMU"):
        Estimator(robot)(Readings(0.0, q, v, tau))
    estimator, up = Estimator(robot, q=start), np.array([0.0, 0.0, 9.81])
    readings = Readings(0.0, q, v, tau, None, np.zeros(3), up)
    with pytest.raises(ConfigurationError, match="no readings yet"):
        _ = estimator.covariance
    first = estimator(Readings(1.0, q, v, tau, None, np.zeros(3), up))
    again = estimator(Readings(1.1, q, v, tau, None, np.zeros(3), up, age=0.1))
    assert again.t == first.t
    assert (again.q == first.q).all()
    with pytest.raises(ConfigurationError, match="later ones, or restart"):
        estimator(readings)
    later, flat = Readings(1.2, q, v, tau, None, np.zeros(3), up), np.full(3, np.nan)
    for name, value in {
        "q": q[:-1],
        "v": v + np.inf,
        "tau": tau[1:],
        "gyro": flat,
        "t": np.nan,
        "age": -1.0,
    }.items():
        with pytest.raises(ConfigurationError, match=name):
            estimator(replace(later, **{name: value}))
    with pytest.raises(ConfigurationError, match="touching: no contact 'left_feet'; did you mean"):
        estimator(replace(later, touching={"left_feet": True}))
    with pytest.raises(ConfigurationError, match="touching of 'left_foot': got 2, expected True"):
        estimator(replace(later, touching={"left_foot": 2}))
    with pytest.raises(ConfigurationError, match=r"touching: got .* expected a mapping"):
        estimator(replace(later, touching=["left_foot"]))
    with pytest.raises(ConfigurationError, match="expected one of them"):
        control.simulate(
            robot, stand, duration=0.01, q=start, noise=control.Noise(), sensors=Sensors()
        )
    with pytest.raises(ConfigurationError, match="called with readings"):
        control.simulate(robot, stand, duration=0.01, q=start, estimator="kalman")
    with pytest.raises(ConfigurationError, match="estimator: got None, expected an estimate"):
        control.simulate(robot, stand, duration=0.01, q=start, estimator=lambda readings: None)
    motion = control.simulate(robot, stand, duration=0.01, q=start)
    with pytest.raises(ConfigurationError, match="no estimates"):
        _ = motion.estimate_errors
