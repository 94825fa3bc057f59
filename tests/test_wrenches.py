"""Contact wrenches from sensor logs: against the ground of a simulation, cvxpy and statistics."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy

import footwork as fw
from footwork import ConfigurationError, DataError, contacts, control, dynamics, robots
from footwork.control import Estimator, SensorLog, Sensors, contact_wrenches
from footwork.control.estimation import Measurements
from footwork.control.estimation.low_pass import gaussian
from footwork.control.estimation.momentum_residual import MomentumResidual
from footwork.control.estimation.wrench_fit import NormalEquations, fit
from footwork.visualize.scenes.wrenches import series_of

STEP = 2e-3
GAITS = {"quadruped": ("trot", 0.3), "biped": ("walk", 0.3)}


@cache
def moved(name, seconds=1.5):
    """A gait with sensors of usual noise."""
    robot = robots.load(name)
    feet = contacts.at_feet(robot)
    gait, speed = GAITS[name]
    _, q = control.stand(robot, feet, crouch=0.02 if gait == "walk" else 0.0)
    walker = control.GaitController(robot, feet, q, gait, velocity=(speed, 0.0, 0.0))
    return control.simulate(
        robot, walker, duration=seconds, q=q, contacts=feet, control_step=STEP,
        sensors=Sensors(), seed=3, progress=False,
    )  # fmt: skip


@cache
def found(name):
    motion = moved(name)
    return contact_wrenches(motion.log, motion.contacts, start=motion.q[0], progress=False)


def standing(name, seconds, sensors, seed=0):
    """Readings of a robot that stands still, held by the least contact forces; and these."""
    robot = robots.load(name)
    feet = contacts.at_feet(robot)
    q = control.stand(robot, feet, crouch=0.05)[1]
    hold = contacts.static_hold(robot, q, feet)
    of = Measurements(sensors, robot, np.random.default_rng(seed))
    v, touches = np.zeros(robot.nv), dict.fromkeys(feet.names, True)
    readings = [
        of.read(k * STEP, q, v, hold.torques, touches) for k in range(round(seconds / STEP))
    ]
    return feet, q, SensorLog.of(robot, readings), hold


def smoothed(x, cutoff=30.0):
    weights = gaussian(1 / STEP, cutoff)
    return scipy.ndimage.convolve1d(x, weights, axis=0, mode="reflect")


# --- against the truth ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAITS)
def test_forces_are_those_of_the_ground(name):
    """To 2 % of the weight, landings included; to 1 % beside what the filter leaves of them."""
    motion, wrenches = moved(name), found(name)
    weight = motion.robot.mass * 9.81
    assert len(wrenches) == len(motion.log) - 1
    for contact, f in wrenches.forces.items():
        truth = motion.forces[contact].sum(axis=1)[: len(f)]
        raw = np.sqrt(((f - truth) ** 2).mean(axis=0))
        alike = np.sqrt(((f - smoothed(truth)) ** 2).mean(axis=0))
        assert (raw < 0.02 * weight).all(), (contact, raw / weight)
        assert (alike < 0.01 * weight).all(), (contact, alike / weight)


@pytest.mark.parametrize("name", GAITS)
def test_it_says_how_sure_it_is(name):
    """The errors are as large as the covariance has it, and the misfit is about 1."""
    motion, wrenches = moved(name), found(name)
    assert 0.7 < np.median(wrenches.misfit) < 1.5
    ratios = []
    for k, (contact, f) in enumerate(wrenches.forces.items()):
        on = scipy.ndimage.binary_erosion(wrenches.touching[:, k], iterations=20)
        truth = smoothed(motion.forces[contact].sum(axis=1)[: len(f)])
        ratios.append((((f - truth)[on] / wrenches.std[contact][on, :3]) ** 2).mean(axis=0))
    assert 0.4 < np.mean(ratios) < 2.5, ratios


@pytest.mark.parametrize("name", GAITS)
def test_feet_touch_when_the_ground_pushes_them(name):
    motion, wrenches = moved(name), found(name)
    for k, contact in enumerate(wrenches.contacts.names):
        touched = motion.touching[contact][: len(wrenches)]
        assert (wrenches.touching[:, k] == touched).mean() > 0.85
        surely = scipy.ndimage.binary_erosion(touched, iterations=15)
        assert wrenches.touching[surely, k].mean() > 0.98


def test_where_the_force_acts_is_where_the_ground_pushed():
    motion, wrenches = moved("biped"), found("biped")
    for contact in wrenches.contacts:
        f = motion.forces[contact.name][: len(wrenches), :, 2]
        places = np.array([contact.world_points(motion.robot, q) for q in motion.q[:-1]])
        places = places[: len(wrenches)]
        sure = f.sum(axis=1) > 0.4 * motion.robot.mass * 9.81
        truth = np.einsum("nk,nki->ni", f[sure], places[sure]) / f[sure].sum(axis=1)[:, None]
        off = wrenches.centres[contact.name][sure] - truth
        assert np.median(np.abs(off[:, :2])) < 0.01


def test_covariance_of_readings_at_rest():
    """The scatter of forces over time, of a robot that stands still, is the predicted one."""
    # the biases are known: they are no scatter
    sensors = Sensors(gyro_bias=0.0, accelerometer_bias=0.0, gyro_walk=0.0, accelerometer_walk=0.0)
    feet, q, log, _ = standing("quadruped", 4.0, sensors)
    wrenches = contact_wrenches(log, feet, sensors=sensors, start=q, progress=False)
    for name in feet.names:
        scatter = wrenches.forces[name][200:].std(axis=0)
        said = wrenches.std[name][200:, :3].mean(axis=0)
        assert scatter / said == pytest.approx(np.ones(3), abs=0.35)


def test_without_noise_a_robot_at_rest_has_its_static_forces():
    exact = Sensors(None, *[0.0] * 9)
    for name in ("biped", "quadruped"):
        feet, q, log, hold = standing(name, 0.2, exact)
        wrenches = contact_wrenches(log, feet, sensors=exact, start=q, progress=False)
        f = np.concatenate([hold.forces[n].sum(axis=0) for n in feet.names])
        got = np.concatenate([wrenches.forces[n][50] for n in feet.names])
        assert got == pytest.approx(f, abs=1e-5 * feet.robot.mass * 9.81)
        assert wrenches.unexplained == pytest.approx(0.0, abs=1e-5 * feet.robot.mass * 9.81)


# --- second roads --------------------------------------------------------------------------------


@cache
def residual_of(name):
    motion = moved(name)
    estimator = Estimator(motion.robot, motion.contacts, motion.q[0])
    return motion, MomentumResidual.of(motion.log, estimator, 30.0)


def fitted(feet, residual):
    """The fit of all samples, as if all feet touched."""
    touching = np.ones((len(residual), len(feet)), dtype=bool)
    return fit(feet, NormalEquations.of(feet, residual), residual.q, touching)


@pytest.mark.parametrize("name", GAITS)
def test_the_residual_is_that_of_a_momentum_observer(name):
    """An observer so quick that it follows at once, with momenta of the same estimates."""
    motion, residual = residual_of(name)
    log, robot = motion.log, motion.robot
    estimator = Estimator(robot, motion.contacts, motion.q[0])
    observer, followed = dynamics.MomentumObserver(robot, 1e12), []
    for k in range(len(log)):
        found = estimator(log.readings(k))
        followed.append(observer.update(found.q, found.v, log.tau[k], STEP))
    off = smoothed(np.array(followed[1:])) - residual.r
    size = np.sqrt((residual.r**2).mean(axis=0))
    # the base's acceleration: of velocities there, of the accelerometer here
    assert np.sqrt((off[50:-50] ** 2).mean(axis=0)).max() < 0.03 * size.max()


@pytest.mark.parametrize(("name", "friction"), [("quadruped", 0.05), ("biped", 0.05)])
def test_wrenches_in_cones_are_those_of_cvxpy(name, friction):
    import cvxpy as cp

    motion, residual = residual_of(name)
    robot = motion.robot
    feet = contacts.at_feet(robot, friction)
    found = fitted(feet, residual)
    weight, tried = robot.mass * 9.81, 0
    assert found.limited.any()
    for i in np.flatnonzero(found.limited)[::97]:
        J = feet.jacobian(residual.q[i])
        L = np.linalg.cholesky(np.linalg.inv(residual.covariance(slice(i, i + 1))[0])).T
        f = cp.Variable(feet.dim)
        limits = feet.friction_constraints(weight * f, residual.q[i])
        cost = cp.sum_squares((L @ J.T * weight) @ f - L @ residual.r[i])
        scale = np.abs(L @ residual.r[i]).max() ** 2
        least = cp.Problem(cp.Minimize(cost / scale), limits).solve(solver="CLARABEL")
        own = ((L @ (J.T @ found.w[i] - residual.r[i])) ** 2).sum() / scale
        assert own < least + 1e-6
        # where what both feet give together counts, and not what each does, the cost is flat
        assert found.w[i] == pytest.approx(weight * f.value, abs=5e-4 * weight)
        tried += 1
    assert tried > 3


def test_answers_without_limits_are_weighted_least_squares():
    motion, residual = residual_of("quadruped")
    feet = motion.contacts
    found = fitted(feet, residual)
    for i in np.flatnonzero(~found.limited)[::111]:
        J = feet.jacobian(residual.q[i])
        L = np.linalg.cholesky(np.linalg.inv(residual.covariance(slice(i, i + 1))[0])).T
        w = np.linalg.lstsq(L @ J.T, L @ residual.r[i], rcond=None)[0]
        assert found.w[i] == pytest.approx(w, abs=1e-6)
        assert found.covariance[i] == pytest.approx(np.linalg.inv(J @ L.T @ L @ J.T), rel=1e-6)


# --- what is told --------------------------------------------------------------------------------


def test_forces_stay_in_their_cones():
    motion = moved("quadruped")
    slippery = contacts.at_feet(motion.robot, 0.05)
    wrenches = contact_wrenches(motion.log, slippery, progress=False)
    assert wrenches.limited.mean() > 0.2
    for used in wrenches.friction_used.values():
        assert np.nanmax(used) < 1 + 1e-6
    assert np.median(wrenches.misfit) > 1.2 * np.median(found("quadruped").misfit)


def test_a_wrong_model_shows():
    motion = moved("quadruped")
    wrong = replace(motion.log, tau=1.3 * motion.log.tau)
    found = contact_wrenches(wrong, progress=False)
    assert np.median(found.misfit) > 2.0
    assert "contradict" in found.explain()


def test_contacts_touch_as_the_log_says():
    motion = moved("quadruped")
    n = len(motion.log)
    on = {name: np.arange(n) < n // 2 for name in motion.contacts.names}
    with pytest.warns(fw.FootworkWarning, match="no foot has stood for 0.5 s"):
        wrenches = contact_wrenches(replace(motion.log, touching=on), progress=False)
    assert (wrenches.touching == (np.arange(1, n) < n // 2)[:, None]).all()


def test_encoders_without_velocities():
    motion = moved("quadruped")
    log = replace(motion.log, v=None)
    wrenches = contact_wrenches(log, start=motion.q[0], progress=False)
    for contact, f in wrenches.forces.items():
        truth = smoothed(motion.forces[contact].sum(axis=1)[: len(f)])
        assert (np.sqrt(((f - truth) ** 2).mean(axis=0)) < 0.02 * motion.robot.mass * 9.81).all()
    assert 0.5 < np.median(wrenches.misfit) < 2.0


def test_the_margin_is_that_of_the_motion():
    """In the middle of double support the margin is that of the true forces' motion."""
    motion, wrenches = moved("biped"), found("biped")
    both = scipy.ndimage.binary_erosion(wrenches.touching.all(axis=1), iterations=30)
    rows = np.flatnonzero(both)[::40]
    assert len(rows) > 2
    for i in rows:
        a = smoothed(motion.accelerations)[i]
        truth = contacts.contact_forces(
            motion.robot, motion.q[i], motion.v[i], a, motion.contacts, torque_limits=False
        )
        assert wrenches.audit.margin[i] == pytest.approx(truth.margin, rel=0.05)
    assert wrenches.audit.checks["contacts"].share == 1.0


def test_it_is_said_in_words_and_figures():
    wrenches = found("biped")
    facts = wrenches.as_dict()
    json.dumps(facts, allow_nan=False)
    assert set(facts["contacts"]) == set(wrenches.contacts.names)
    text = wrenches.explain()
    assert "misfit" in text
    assert "margin" in text
    assert "contradict" not in text
    assert all(name in text for name in wrenches.contacts.names)
    assert "ContactWrenches('biped'" in repr(wrenches)


def test_the_table(tmp_path):
    wrenches = found("biped")
    with wrenches.write_csv(tmp_path / "w.csv").open() as file:
        head, *rows = csv.reader(file)
    assert len(rows) == len(wrenches)
    name = wrenches.contacts.names[0]
    fz = [float(row[head.index(f"{name}.fz")]) for row in rows]
    assert fz == pytest.approx(wrenches.forces[name][:, 2].tolist())
    assert f"{name}.std.mz" in head


# --- logs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_logs_are_read_as_they_were_written(tmp_path, ending):
    log = moved("quadruped").log
    switches = {"lf_foot": np.arange(len(log)) % 2 == 0, "rf_foot": np.ones(len(log), dtype=bool)}
    for given in (log, replace(log, v=None), replace(log, touching=switches)):
        again = SensorLog.read(given.save(tmp_path / f"log.{ending}"), log.robot)
        for name in ("t", "q", "v", "tau", "gyro", "accelerometer"):
            assert np.array_equal(getattr(again, name), getattr(given, name)), name
        assert (again.touching is None) == (given.touching is None)
        for name, told in (given.touching or {}).items():
            assert np.array_equal(again.touching[name], told)
        assert not again.notes


def test_columns_in_any_order_and_others_named(tmp_path):
    log = moved("quadruped").log.part(0.1, 0.2)
    assert log.t[0] == pytest.approx(0.1)
    assert log.t[-1] == pytest.approx(0.2)
    with log.save(tmp_path / "log.csv").open() as file:
        head, *rows = csv.reader(file)
    order = np.random.default_rng(0).permutation(len(head))
    with (tmp_path / "mixed.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow([*(head[i] for i in order), "status"])
        out.writerows([*(row[i] for i in order), "running"] for row in rows)
    again = SensorLog.read(tmp_path / "mixed.csv", log.robot)
    assert np.array_equal(again.q, log.q)
    assert np.array_equal(again.gyro, log.gyro)
    assert again.notes == ("left out: status",)


def test_arrays_without_names_are_in_the_robots_order(tmp_path):
    log = moved("quadruped").log
    kinds = {name: getattr(log, name) for name in ("t", "q", "tau", "gyro", "accelerometer")}
    np.savez(tmp_path / "log.npz", **kinds, current=log.tau)
    again = SensorLog.read(tmp_path / "log.npz", log.robot)
    assert np.array_equal(again.tau, log.tau)
    assert again.v is None
    assert again.notes == ("left out: current",)


def test_what_is_no_log_is_refused(tmp_path):
    log = moved("quadruped").log.part(0.0, 0.1)
    path = log.save(tmp_path / "log.csv")
    lines = path.read_text().splitlines()

    def written(*rows):
        (tmp_path / "bad.csv").write_text("\n".join(rows))
        return tmp_path / "bad.csv"

    with pytest.raises(DataError, match="without a header"):
        SensorLog.read(written(*lines[1:]), log.robot)
    with pytest.raises(DataError, match="got no gyro"):
        SensorLog.read(written(lines[0].replace("gyro", "rate"), *lines[1:]), log.robot)
    with pytest.raises(DataError, match=r"bad\.csv: row 2: got \d+ cells under \d+ names"):
        SensorLog.read(written(*lines[:2], f"0,{lines[2]}", *lines[3:]), log.robot)
    assert len(SensorLog.read(written(lines[0], *(f"{x}," for x in lines[1:])), log.robot)) > 2
    with pytest.raises(DataError, match=r"bad\.csv: names of columns without a row"):
        SensorLog.read(written(lines[0]), log.robot)
    with pytest.raises(ConfigurationError, match=r"bad\.csv: gyro: the file lacks gyro\.z"):
        SensorLog.read(written(lines[0].replace("gyro.z", "gyro.u"), *lines[1:]), log.robot)
    with pytest.raises(DataError, match="once"):
        SensorLog.read(written(lines[0].replace("gyro.z", "gyro.x"), *lines[1:]), log.robot)
    with pytest.raises(ConfigurationError, match="lacks"):
        SensorLog.read(path, robots.load("biped"))
    head, row = lines[0].split(","), lines[1].split(",")
    row[head.index(next(name for name in head if name.startswith("tau.")))] = "nan"
    with pytest.raises(ConfigurationError, match=r"bad\.csv: tau: got nan at index"):
        SensorLog.read(written(lines[0], ",".join(row)), log.robot)
    with pytest.raises(DataError, match="No such file"):
        SensorLog.read(tmp_path / "none.csv", log.robot)
    with pytest.raises(ConfigurationError, match=r"\.npz or \.csv"):
        log.save(tmp_path / "log.txt")
    late = dict(np.load(log.save(tmp_path / "log.npz"))) | {"sensor_log_version": 99}
    np.savez(tmp_path / "late.npz", **late)
    with pytest.raises(DataError, match="later version"):
        SensorLog.read(tmp_path / "late.npz", log.robot)
    with pytest.raises(ConfigurationError, match="fixed base"):
        SensorLog.read(path, robots.load("quadruped", base="fixed"))
    with pytest.raises(ConfigurationError, match="start, stop"):
        log.part(3.0, 4.0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"touching": np.ones((51, 4))}, "touching: got no names"),
        ({"touching": np.ones(51), "touching_names": np.array(["a"])}, "touching: got"),
        ({"sensor_log_version": "x"}, "sensor_log_version"),
        ({"q_names": np.array(1)}, "q: got"),
        ({"q": np.ones(51)}, "q: got"),
        ({"t": np.ones((51, 1))}, "t: got"),
    ],
)
def test_damaged_arrays_are_refused(tmp_path, wrong, says):
    log = moved("quadruped").log.part(0.0, 0.1)
    np.savez(tmp_path / "bad.npz", **(dict(np.load(log.save(tmp_path / "log.npz"))) | wrong))
    with pytest.raises((DataError, ConfigurationError), match=says):
        SensorLog.read(tmp_path / "bad.npz", log.robot)


@pytest.mark.parametrize("name", GAITS)
def test_single_samples_may_lack(name):
    """A tenth of all, one at a time: forces are within 2 % of the weight as those of all are."""
    motion, whole = moved(name), found(name)
    log = motion.log
    rows = np.setdiff1d(np.arange(len(log)), np.arange(7, len(log) - 1, 10))
    names = ("t", "q", "v", "tau", "gyro", "accelerometer")
    some = SensorLog(log.robot, **{each: getattr(log, each)[rows] for each in names})
    assert np.diff(some.t).max() == pytest.approx(2 * STEP)
    lost = contact_wrenches(some, motion.contacts, start=motion.q[0], progress=False)
    weight = motion.robot.mass * 9.81
    for contact, f in lost.forces.items():
        truth = motion.forces[contact].sum(axis=1)[: len(whole)]
        there = np.array([np.interp(lost.t, whole.t, x) for x in truth.T]).T
        off = np.sqrt(((f - there) ** 2).mean(axis=0))
        assert (off < 0.02 * weight).all(), (contact, off / weight)


def test_logs_with_gaps_are_refused():
    log = moved("quadruped").log
    rows = np.r_[0:100, 110:200]
    names = ("t", "q", "v", "tau", "gyro", "accelerometer")
    gap = SensorLog(log.robot, **{name: getattr(log, name)[rows] for name in names})
    with pytest.raises(ConfigurationError, match=r"no samples from 0\.198 to 0\.22 s"):
        contact_wrenches(gap)
    with pytest.raises(ConfigurationError, match="got one sample"):
        contact_wrenches(log.part(0.1, 0.1))
    with pytest.raises(ConfigurationError, match="less than half the rate"):
        contact_wrenches(log, cutoff=400.0)
    slow = {name: getattr(log, name) for name in names} | {"t": 1e3 * log.t}
    with pytest.raises(ConfigurationError, match="samples are 2 s apart, by times in seconds"):
        contact_wrenches(SensorLog(log.robot, **slow))
    slow["t"] = 1.7e9 - log.t
    with pytest.raises(ConfigurationError, match=r"got 1700000000 s, then 1699999999\.998"):
        SensorLog(log.robot, **slow)


def test_a_start_with_another_order_of_its_quaternion_is_doubted():
    """Upside down: forces were some 1e-9 N, with a warning of the accelerometer alone."""
    robot, q = robots.load("quadruped"), robots.load("quadruped").posture()
    q[3:7] = q[[6, 3, 4, 5]]
    up, still = np.array([0.0, 0.0, 9.81]), np.zeros(3)
    readings = control.Readings(
        0.0, robot.posture(), np.zeros(robot.nv), np.zeros(robot.na), None, still, up
    )
    with pytest.warns(fw.FootworkWarning, match="accelerometer: -9.81 .* quaternion of x, y, z, w"):
        control.Estimator(robot, q=q)(readings)


def test_late_readings_are_in_the_log_once():
    robot = robots.load("quadruped")
    q, v, tau = robot.posture(), np.zeros(robot.nv), np.zeros(robot.na)
    of = Measurements(Sensors(rate=100.0, delay=0.004), robot, np.random.default_rng(0))
    log = SensorLog.of(robot, [of.read(k * STEP, q, v, tau, {}) for k in range(60)])
    assert np.diff(log.t) == pytest.approx(0.01)
    with pytest.raises(ConfigurationError, match="IMU"):
        SensorLog.of(robot, [control.Readings(0.0, q, v, tau)])
    with pytest.raises(ConfigurationError, match="none"):
        SensorLog.of(robot, [])


# --- seen, and from the command line -------------------------------------------------------------


def test_it_is_drawn_beside_the_margin():
    wrenches = found("biped")
    axes = fw.plot(wrenches)
    assert len(axes) == 5
    assert {line.get_label() for line in axes[1].lines} == set(wrenches.contacts.names)
    series = {one.name: one for one in series_of(wrenches)}
    assert [*series] == ["contacts", "normal force", "friction used", "margin", "unexplained"]
    assert set(series["normal force"].values) == set(wrenches.contacts.names)
    assert fw.view(wrenches, rate=10.0).html()


def test_the_command(run, tmp_path):
    walk = ["simulate", "quadruped", "--gait", "trot", "--speed", "0.3", "--duration", "1"]
    log = tmp_path / "run.npz"
    code, _, err = run(*walk, "--estimator", "--log", str(log))
    assert (code, log.exists()) == (0, True), err
    files = [f"--{kind}" for kind in ("csv", "png", "html")]
    paths = [part for flag in files for part in (flag, str(tmp_path / f"w.{flag[2:]}"))]
    code, out, err = run("wrenches", str(log), "--robot", "quadruped", *paths)
    assert code == 0, err
    assert "misfit" in out
    assert all((tmp_path / f"w.{flag[2:]}").stat().st_size > 1000 for flag in files)
    times = tmp_path / "contacts.csv"
    times.write_text("foot,corners,from,to\nlf_foot,all,0,0.5\n")
    code, out, err = run(
        "wrenches", str(log), "--robot", "quadruped", "--contacts", str(times), "--json"
    )
    assert code == 0, err
    assert json.loads(out)["contacts"]["lf_foot"]["touches"] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["simulate", "quadruped", "--log", "run.npz"], "--estimator"),
        (["simulate", "quadruped", "--estimator", "--log", "run.txt"], ".npz or .csv"),
        (["simulate", "quadruped", "--estimator", "--log", "-"], "not to standard output"),
        (["wrenches", "none.npz", "--robot", "quadruped"], "none.npz"),
        (["wrenches", "none.npz", "--robot", "quadruped", "--sensor", "torque=1"], "'torques'"),
        (["wrenches", "none.npz", "--robot", "quadruped", "--sensor", "delay=1"], "'delay'"),
    ],
)
def test_what_the_command_refuses(run, arguments, says):
    code, _, err = run(*arguments)
    assert code == 2
    assert says in err


def test_readings_in_other_units_are_doubted():
    log = moved("quadruped").log.part(0.0, 0.2)
    assert log.doubts == ()
    in_g = replace(log, accelerometer=log.accelerometer / 9.81)
    assert "as median; expected [m/s²], about g = 9.81" in in_g.doubts[0]
    in_degrees = replace(log, q=np.degrees(log.q))
    assert "far beyond ranges: q.LF_" in in_degrees.doubts[0]
    assert "expected rad or m" in in_degrees.doubts[0]
    with pytest.warns(fw.FootworkWarning, match=r"accelerometer: 0\.999 upwards at the start"):
        assert in_g.doubts[0] in contact_wrenches(in_g, progress=False).explain()


# --- readings that contradict each other ----------------------------------------------------------


def swaying(name, seconds=1.6, turn=0.05, seed=2):
    """A log of a robot whose base turns to and fro on standing feet, about all of its axes."""
    robot = robots.load(name)
    feet = contacts.at_feet(robot)
    start = control.stand(robot, feet, crouch=0.05)[1]
    of = Measurements(Sensors(), robot, np.random.default_rng(seed))
    tau, readings, q = contacts.static_hold(robot, start, feet).torques, [], start
    for k in range(round(seconds / STEP)):
        t = k * STEP
        v = np.zeros(robot.nv)
        v[3:6] = 2 * np.pi * turn * np.sin(2 * np.pi * np.array([1.1, 1.7, 2.3]) * t)
        J = feet.jacobian(q)
        v[6:] = -np.linalg.pinv(J[:, 6:]) @ (J[:, :6] @ v[:6])
        readings.append(of.read(t, q, v, tau, {}))
        q = robot.integrate(q, STEP * v)
    return feet, start, SensorLog.of(robot, readings)


@pytest.mark.parametrize("name", ["quadruped", "biped"])
def test_an_imu_that_contradicts_the_feet_is_told(name):
    """By the encoders alone: a wrong sign of a gyroscope that hardly turns changes no misfit."""
    feet, start, log = swaying(name)

    def told(**changed):
        other = replace(log, **changed)
        return contact_wrenches(other, feet, start=start, progress=False).notes

    assert told() == ()
    (other_sign,) = told(gyro=log.gyro * [1, -1, 1])
    assert "gyro.y" in other_sign
    assert "by -" in other_sign
    turned = told(gyro=log.gyro[:, [1, 0, 2]])
    assert len(turned) == 2
    assert "of gyro.y" in turned[0]
    assert "of gyro.x" in turned[1]
    for ms, word in ((20, "late"), (-20, "early")):
        (said,) = told(gyro=np.roll(log.gyro, round(1e-3 * ms / STEP), axis=0))
        delay, which = re.match(r"IMU: about (\d+) ms (\w+)", said).groups()
        assert abs(int(delay) - 20) <= 2
        assert which == word


def test_readings_that_contradict_the_encoders_are_told():
    log = moved("quadruped").log
    names = list(log.robot.actuated)
    knee = names.index("LF_KFE")

    def told(kind, change):
        value = getattr(log, kind).copy()
        value[:, knee] = change(value[:, knee])
        return replace(log, **{kind: value}).doubts

    assert told("q", lambda x: x) == ()
    for kind, change in (
        ("v", lambda x: -x),
        ("v", lambda x: 0 * x),
        ("q", lambda x: 0 * x + x[0]),
    ):
        (said,) = told(kind, change)
        assert said.startswith("v.LF_KFE: q changes by")
    (lost,) = told("tau", lambda x: 0 * x)
    assert lost.startswith("tau.LF_KFE: it stays at 0 from 0 to 1.4")
    stuck = replace(log, v=None, tau=np.where(log.t[:, None] < 0.5, log.tau, log.tau[250])).doubts
    assert "from 0.5 to 1.4" in stuck[0]
    assert "and 10 more" in stuck[2]
    assert "gyro.x: it stays at 0" in replace(log, gyro=np.zeros_like(log.gyro)).doubts[0]


def test_switches_that_contradict_the_loads_are_told():
    motion = moved("quadruped")
    told = {name: touched[: len(motion.log)] for name, touched in motion.touching.items()}
    right = replace(motion.log, touching=told)
    assert contact_wrenches(right, motion.contacts, start=motion.q[0]).notes == ()
    lost = replace(right, touching=told | {"lf_foot": np.zeros(len(right))})
    (said,) = contact_wrenches(lost, motion.contacts, start=motion.q[0]).notes
    assert said.startswith("touching.lf_foot: it contradicts the load in")


def test_readings_of_a_robot_at_rest_contradict_nothing():
    for sensors in (Sensors(), Sensors(gyro=0.0, positions=0.0, velocities=0.0)):
        feet, q, log, _ = standing("quadruped", 1.0, sensors)
        assert contact_wrenches(log, feet, start=q, progress=False).notes == ()
        assert log.part(0, 0).doubts == ()
