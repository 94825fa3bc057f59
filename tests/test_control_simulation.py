"""Closed loops: the ground's laws, and controllers that keep robots on their feet."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from as_in_mujoco import moves_alike

from footwork import (
    ConfigurationError,
    ContactError,
    ModelError,
    SolverError,
    contacts,
    control,
    robots,
)
from footwork.control.simulation.ground import Ground
from footwork.control.simulation.mujoco_engine import MujocoGround
from footwork.control.simulation.mujoco_model import MujocoModel
from footwork.control.simulation.simulate import simulate

G = 9.81


def standing(robot, friction=0.7, **options):
    """A whole-body controller that stands where the robot is."""
    from footwork import dynamics

    feet = contacts.at_feet(robot, friction)
    q = contacts.solve_posture(robot, feet, com="inside").q
    base = control.trunk(robot)
    upright, T = {"rows_of": "orientation", "weight": 5.0}, dynamics.frame_placement(robot, q, base)
    tasks = [
        control.ComTask(dynamics.com(robot, q), weight=10.0, gain=30.0),
        control.FrameTask(T, frame=base, gain=50.0, **upright),
        control.PostureTask(q, weight=0.1, gain=50.0),
    ]
    return control.WholeBodyController(robot, feet, tasks, **options), q


def nothing(t, q, v):
    return []


# --- the ground ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("friction", [0.5, (0.6, 0.2), (0.0, 0.7)])
def test_the_ground_keeps_the_laws_of_dry_friction(seed, friction):
    """A step of four balls, against the exact cone programs of contacts."""
    robot, rng = robots.load("quadruped"), np.random.default_rng(seed)
    feet = contacts.at_feet(robot, friction, tangent=[*rng.standard_normal(2), 0.3])
    q = contacts.solve_posture(robot, feet).q
    v, h = 0.3 * rng.standard_normal(robot.nv), 1e-3
    tau = 5.0 * rng.standard_normal(robot.na)
    ground = Ground(robot, feet, contacts.Terrain([contacts.Plane("ground")]))
    distances, _, _ = ground.distances(q)
    assert np.abs(distances).max() < 1e-6
    landed = ground.step(q, v, robot.selection_matrix.T @ tau, h)
    gaps = dict(zip(feet.names, distances, strict=True))
    exact = contacts.frictional_forward_dynamics(robot, q, v, tau, feet, h, gaps=gaps)
    assert exact.converged
    assert landed.v == pytest.approx(exact.v, abs=1e-5)
    for name, impulse in zip(feet.names, landed.impulses, strict=True):
        assert impulse == pytest.approx(exact.impulses[name][0], abs=1e-5)


@pytest.mark.parametrize(("degrees", "friction"), [(10.0, 0.5), (35.0, 0.5), (20.0, 0.0)])
def test_a_block_on_a_slope(degrees, friction):
    robot = robots.block(3.0, (0.4, 0.2, 0.1))
    slope = contacts.Terrain([contacts.Plane("slope", rises=degrees)])
    feet = contacts.at_feet(robot, friction)
    motion = simulate(robot, nothing, slope, duration=0.2, friction=friction)
    angle = np.deg2rad(degrees)
    a = max(G * (np.sin(angle) - friction * np.cos(angle)), 0.0)
    downhill = np.array([-np.cos(angle), 0.0, -np.sin(angle)])
    moved = motion.q[-1][:3] - motion.q[0][:3]
    assert moved @ downhill == pytest.approx(0.5 * a * 0.2**2, rel=0.02, abs=1e-6)
    assert np.linalg.norm(moved - (moved @ downhill) * downhill) < 1e-5
    force = motion.forces[feet.names[0]][10].sum(axis=0)
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    assert force @ normal == pytest.approx(3.0 * G * np.cos(angle), rel=1e-3)
    assert force @ -downhill == pytest.approx(3.0 * (G * np.sin(angle) - a), rel=1e-3, abs=1e-6)


def test_a_block_falls_on_a_step_and_rests():
    """Boxes and the ground beside them; energy only goes away."""
    robot = robots.block(2.0, (0.2, 0.2, 0.1))
    box = contacts.Box("step", (1.0, 1.0, 0.3))
    terrain = contacts.Terrain([contacts.Plane("ground"), box])
    q = robot.neutral()
    q[2] = 0.05 + 0.3 + 0.02
    motion = simulate(robot, nothing, terrain, q=q, duration=0.25)
    assert motion.q[-1][2] == pytest.approx(0.35, abs=1e-3)
    assert (np.diff(motion.energy) < 1e-6).all()
    q[0], q[2] = 3.0, 0.05 + 0.02
    motion = simulate(robot, nothing, terrain, q=q, duration=0.4)
    assert motion.q[-1][2] == pytest.approx(0.05, abs=2e-3)


def test_what_starts_in_the_ground_comes_out_slowly():
    robot = robots.block(2.0, (0.2, 0.2, 0.1))
    q = robot.neutral()
    q[2] = 0.05 - 0.01
    motion = simulate(robot, nothing, q=q, duration=0.2)
    assert motion.q[-1][2] == pytest.approx(0.05, abs=1e-4)
    assert np.abs(motion.v).max() < 0.25


# --- standing --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["talos", "solo12"])
def test_a_robot_stands_under_noise_and_a_push(load_robot, name):
    """One second at 500 Hz, a push of 0.2 m/s times its mass."""
    robot = load_robot(name, "floating")
    controller, q = standing(robot)
    force = 0.2 * robot.mass / 0.1
    push = control.ForcePulse(control.trunk(robot), (0.6 * force, 0.8 * force, 0.0), 0.2)
    how = {"disturbances": [push], "noise": control.Noise(1e-4, 1e-3, 1e-4, 1e-4, 1e-3)}
    motion = simulate(robot, controller, duration=1.0, step=2e-3, q=q, **how)
    assert not motion.fell
    assert set(motion.statuses) == {"optimal"}
    moved = np.linalg.norm(motion.com - motion.com[0], axis=1)
    assert moved.max() > 2e-3
    assert moved[-1] < 0.03
    total = sum(f.sum(axis=1) for f in motion.forces.values())
    assert total[-100:].mean(axis=0)[2] == pytest.approx(G * robot.mass, rel=0.02)
    times, margins = motion.margins(every=0.25)
    assert len(times) == len(margins)
    assert (margins > 0).all()
    assert (np.abs(motion.tau) <= robot.torque_limits + 1e-9).all()


@pytest.mark.slow
def test_a_robot_stands_under_random_pushes(load_robot):
    robot = load_robot("solo12", "floating")
    controller, q = standing(robot)
    pushes = control.random_pushes(robot, control.trunk(robot), 1.5, 0.3, every=0.5, seed=2)
    motion = simulate(robot, controller, duration=1.5, step=2e-3, q=q, disturbances=pushes)
    assert not motion.fell
    assert motion.duration == pytest.approx(1.5)
    assert len(pushes) == 3
    feet = contacts.ContactSet.of(robot, controller.contacts)
    slid = feet.error(motion.q[-1], feet.placements(q))
    assert np.abs(slid).max() < 5e-3


def test_a_robot_without_torques_falls():
    robot = robots.load("quadruped")
    motion = simulate(robot, lambda t, q, v: np.zeros(robot.na), duration=2.0, step=2e-3)
    assert motion.fell
    assert motion.events[-1].name == "fell"
    assert motion.ended.startswith(f"t = {motion.duration:.6g} s: the robot fell: its base ")
    assert motion.duration < 2.0


def test_balance_between_two_slopes_that_face_each_other():
    """A quadruped across a valley of 35 degrees, pushed: momentum and posture, no common plane."""
    from footwork import dynamics

    valley = contacts.Scenario.load("valley")
    robot, q = valley.machine, valley.q
    feet = valley.solved.contacts
    tasks = [
        control.MomentumTask(np.zeros(6), rows_of="both", weight=0.1, gain=5.0),
        control.ComTask(dynamics.com(robot, q), weight=5.0, gain=30.0),
        control.PostureTask(q, weight=0.1, gain=50.0),
    ]
    controller = control.WholeBodyController(robot, feet, tasks)
    size = 0.1 * robot.mass / 0.1
    push = control.ForcePulse(control.trunk(robot), (0.7 * size, 0.7 * size, 0.0), 0.1)
    how = {"duration": 0.6, "control_step": 2e-3, "disturbances": [push]}
    motion = control.simulate(robot, controller, valley.ground, q=q, contacts=feet, **how)
    assert set(motion.statuses) == {"optimal"}
    assert np.abs(motion.com - motion.com[0]).max() < 0.02
    normals = {tuple(np.round(c.cone(robot, q).normal, 3)) for c in feet}
    assert len(normals) == 2
    assert (motion.margins(every=0.1)[1] > 0).all()


@pytest.mark.parametrize("name", ["stairs", "slope"])
def test_robots_stand_on_stairs_and_slopes(name):
    """The scenarios' own terrain: boxes under feet of different heights, an inclined plane."""
    scenario = contacts.Scenario.load(name)
    robot, feet = scenario.machine, scenario.solved.contacts
    controller, q = control.stand(robot, feet, scenario.q)
    where = {"q": q, "contacts": feet}
    motion = simulate(robot, controller, scenario.ground, **where, duration=0.3, control_step=2e-3)
    assert set(motion.statuses) == {"optimal"}
    assert np.abs(motion.com - motion.com[0]).max() < 1e-4
    total = sum(f.sum(axis=1) for f in motion.forces.values())
    assert total[-50:].mean(axis=0)[2] == pytest.approx(G * robot.mass, rel=1e-3)


def test_joint_laws_are_controllers_too():
    """PD with gravity compensation by static_hold keeps a quadruped up."""
    robot = robots.load("quadruped")
    feet = contacts.at_feet(robot, 0.7)
    q = contacts.solve_posture(robot, feet).q
    still = contacts.static_hold(robot, q, feet).torques
    law = control.PD(robot, q, kp=200.0, kd=5.0, feedforward=still)
    motion = simulate(robot, law, q=q, duration=0.5)
    assert np.abs(motion.q - q).max() < 0.01
    assert set(motion.statuses) == {""}
    assert motion.touching[feet.names[0]].all()


def wrong_after(robot, t_end, answer):
    """A law that keeps a quadruped up, and then answers wrongly."""
    target = robot.posture()

    def law(t, q, v):
        return 50 * (target[7:] - q[7:]) - v[6:] if t < t_end else answer(q)

    return law


def raises(q):
    raise KeyError("gait")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda q: np.full(12, np.nan), "ConfigurationError: the controller's answer: got nan"),
        (lambda q: np.zeros(3), "ConfigurationError: the controller's answer: got shape"),
        (raises, "KeyError: 'gait'"),
    ],
)
def test_a_law_that_fails_leaves_the_recording_until_then(answer, says):
    robot = robots.load("quadruped")
    law, whole = wrong_after(robot, 0.05, answer), wrong_after(robot, 9.0, answer)
    motion = simulate(robot, law, q=robot.posture(), duration=0.1)
    assert motion.ended.startswith(f"t = 0.05 s: {says}")
    assert (motion.fell, motion.events[-1].name, motion.duration) == (False, "failed", 0.05)
    expected = simulate(robot, whole, q=robot.posture(), duration=0.05)
    assert expected.ended == ""
    assert expected.events == ()
    assert motion.q == pytest.approx(expected.q, abs=0)
    assert motion.tau == pytest.approx(expected.tau, abs=0)
    with pytest.raises((ConfigurationError, KeyError), match=r"answer|gait"):
        simulate(robot, law, q=robot.posture(), duration=0.1, on_failure="raise")


def test_controllers_are_called_by_what_they_take():
    robot = robots.load("quadruped")
    q0 = robot.posture()

    def law(t, q, v):
        return 100.0 * (q0[7:] - q[7:]) - 2.0 * v[6:]

    class OfReadings:
        def __call__(self, readings, gain=100.0):
            return gain * (q0[7:] - readings.q[7:]) - 2.0 * readings.v[6:]

    run = partial(simulate, robot, q=q0, duration=0.05)
    assert np.array_equal(run(law).tau, run(OfReadings()).tau)
    seen = []

    def blind(readings):
        seen.append(readings)
        return np.zeros(robot.na)

    motion = run(blind, sensors=control.Sensors())
    assert seen[0].gyro is not None
    assert np.array_equal(seen[0].q[:3], np.zeros(3))
    assert motion.estimated_q is None
    assert len(motion.log) == len(seen)
    with pytest.raises(ConfigurationError, match="estimator: got one and a controller of readings"):
        run(blind, estimator=control.Estimator(robot, contacts.at_feet(robot), q0))


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_controllers_may_write_into_what_they_are_told(engine):
    """What a law did to its q was done to the robot."""
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    robot = robots.load("quadruped")
    q0 = robot.posture()
    buffer = np.zeros(robot.na)

    def law(t, q, v):
        return 100.0 * (q0[7:] - q[7:]) - 2.0 * v[6:]

    def in_place(t, q, v):
        q -= q0
        buffer[:] = -100.0 * q[7:] - 2.0 * v[6:]
        v[:] = 1e3
        return buffer

    class Estimate:
        def __init__(self, readings):
            self.q, self.v = readings.q, readings.v

    options = {"q": q0, "duration": 0.05, "engine": engine}
    for told in ({}, {"estimator": Estimate}):
        whole, motion = (simulate(robot, x, **options, **told) for x in (law, in_place))
        assert np.array_equal(motion.q, whole.q)
        assert np.array_equal(motion.tau, whole.tau)
    assert np.array_equal(motion.estimated_q, whole.estimated_q)

    def of_readings(readings):
        readings.q[:] = readings.gyro[:] = readings.tau[:] = 1e3
        return np.zeros(robot.na)

    sensors = control.Sensors(rate=100.0)
    limp = lambda readings: np.zeros(robot.na)  # noqa: E731
    one, other = (simulate(robot, x, **options, sensors=sensors).log for x in (of_readings, limp))
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(one.gyro, other.gyro)


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (lambda q, v: 0.0, r"got <lambda>\(q, v\), expected one that is called with \(t, q, v\)"),
        (lambda q, v, t: 0.0, r"returns a Command and has gives_commands = True"),
        (np.zeros(12), "got a ndarray, expected a controller, which is called with"),
    ],
)
def test_controllers_that_take_something_else_are_refused(law, says):
    robot = robots.load("quadruped")
    with pytest.raises(ConfigurationError, match=says):
        simulate(robot, law, q=robot.posture(), duration=0.1)
    pytest.importorskip("mujoco")
    with pytest.raises(ConfigurationError, match=says):
        control.judging.trial(robot, lambda *given: law, q=robot.posture(), duration=0.1)


def test_a_command_without_torques_ends_the_motion_too():
    robot = robots.load("quadruped")
    controller, q = standing(robot)

    class Broken:
        gives_commands = True

        def __call__(self, q, v, t):
            command = controller(q, v, t)
            command.tau[:] = np.nan if t > 0.05 else command.tau
            return command

    motion = simulate(robot, Broken(), q=q, duration=0.1)
    assert "answer: got nan" in motion.ended
    assert np.isfinite(motion.tau).all()
    assert set(motion.statuses) == {"optimal"}


@pytest.mark.parametrize("name", ["quadruped", "biped"])
def test_accelerations_of_mujoco_obey_the_equations_of_motion(name):
    """M a + b = τ + Jᵀf with MuJoCo's own forces; its sparse contact Jacobians gave wrong ones."""
    mujoco = pytest.importorskip("mujoco")
    robot = robots.load(name)
    ground = contacts.Terrain([contacts.Plane("ground")])
    engine = MujocoGround(robot, contacts.at_feet(robot), ground)
    model, data, rng = engine.model, engine.data, np.random.default_rng(0)
    assert model.opt.jacobian == mujoco.mjtJacobian.mjJAC_DENSE
    assert model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance = 1e-12
    for _ in range(5):
        q, v = robot.posture(), 0.2 * rng.standard_normal(robot.nv)
        q[2] -= 0.005  # all feet press
        data.qpos[:], data.qvel[:] = engine.to_mujoco(q, v)
        data.qfrc_applied[:] = rng.standard_normal(robot.nv)
        mujoco.mj_forward(model, data)
        inertial, J = np.zeros(robot.nv), data.efc_J.reshape(data.nefc, robot.nv)
        mujoco.mj_mulM(model, data, inertial, data.qacc)
        forces = data.qfrc_applied + data.qfrc_passive + J.T @ data.efc_force
        assert data.ncon >= 4
        np.testing.assert_allclose(inertial + data.qfrc_bias, forces, atol=1e-6 * G * robot.mass)


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_a_motion_that_blows_up_is_recorded_until_then(engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if engine == "mujoco":
        pytest.importorskip("mujoco").set_mju_user_warning(None)  # which would write a log
    robot = robots.load("quadruped")
    wind = control.ForcePulse(control.trunk(robot), (0.0, 0.0, 1e12), 0.03)
    limp = lambda t, q, v: np.zeros(robot.na)  # noqa: E731
    options = {"duration": 0.2, "disturbances": [wind], "engine": engine}
    motion = simulate(robot, limp, **options)
    assert "SolverError: the motion blew up" in motion.ended
    assert 0.03 <= motion.duration < 0.06
    assert np.isfinite(motion.q).all()
    assert len(motion.margins(every=0.01)[1]) > 2
    with pytest.raises(SolverError, match="blew up"):
        simulate(robot, limp, on_failure="raise", **options)
    assert list(tmp_path.iterdir()) == []  # no MUJOCO_LOG.TXT


# --- MuJoCo ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biped", "solo12"])
def test_mujoco_is_the_same_robot(load_robot, random_state, name):
    """Its states are the converters', and in the air it moves as ours does."""
    pytest.importorskip("mujoco")
    from footwork import dynamics
    from footwork.control.simulation.mujoco_engine import MujocoGround

    robot = load_robot(name, "floating")
    q, v, _ = random_state(robot, 3)
    q[2] = 10.0
    tau = np.random.default_rng(0).standard_normal(robot.na)
    terrain = contacts.Terrain([contacts.Plane("ground")])
    engine = MujocoGround(robot, contacts.at_feet(robot), terrain)
    theirs = robots.conventions.to_mujoco(robot, q, v, joints=engine.joints)
    for ours, expected in zip(engine.to_mujoco(q, v), theirs, strict=True):
        assert ours == pytest.approx(expected, abs=1e-12)
    h = 1e-6
    landed = engine.step(q, v, robot.selection_matrix.T @ tau, h)
    a = dynamics.forward_dynamics(robot, q, v, tau)
    assert (landed.v - v) / h == pytest.approx(a, rel=1e-3, abs=1e-3 * np.abs(a).max())


def test_ball_joints_are_those_of_mujoco():
    """States go there and back; M, bias and gravity are its own, and it moves as ours does."""
    pytest.importorskip("mujoco")
    from footwork import dynamics

    robot = robots.load(
        """<mujoco><worldbody><body name="trunk"><freejoint/><geom size=".1" mass="3"/>
        <body name="rod" pos=".1 0 0"><joint name="ball" type="ball" armature=".02"/>
        <geom size=".02 .1" pos="0 .02 -.1" type="capsule" mass="1"/>
        <body name="foot" pos="0 0 -.2"><joint name="slide" type="slide" axis="1 2 0"/>
        <geom size=".03" mass="1"/></body></body></body></worldbody></mujoco>"""
    )
    foot = contacts.ContactSet(robot, [contacts.PointContact("foot", 0.7)])
    engine = MujocoGround(robot, foot, contacts.Terrain([contacts.Plane("ground")]))
    moves_alike(engine.model, robot, 1e-12)
    rng = np.random.default_rng(0)
    q, v = robot.random_configuration(rng), rng.standard_normal(robot.nv)
    q[2], h = 10.0, 1e-6
    forces = rng.standard_normal(robot.nv)
    theirs = robots.conventions.to_mujoco(robot, q, v, joints=engine.joints)
    for ours, expected in zip(engine.to_mujoco(q, v), theirs, strict=True):
        assert ours == pytest.approx(expected, abs=1e-12)
    landed = engine.step(q, v, forces, h)
    a = np.linalg.solve(dynamics.mass_matrix(robot, q), forces - dynamics.bias(robot, q, v))
    assert (landed.v - v) / h == pytest.approx(a, rel=1e-3, abs=1e-3 * np.abs(a).max())
    q_after, v_after = engine.from_mujoco()
    assert robot.difference(robot.integrate(q, h * v), q_after) == pytest.approx(0, abs=1e-9)
    assert v_after == pytest.approx(landed.v)


def test_the_same_controller_stands_in_mujoco(load_robot):
    pytest.importorskip("mujoco")
    robot = load_robot("solo12", "floating")
    controller, q = standing(robot)
    push = control.ForcePulse(control.trunk(robot), (0.0, 2.0, 0.0), 0.1)
    how = {"duration": 0.5, "control_step": 2e-3, "engine": "mujoco"}
    motion = simulate(robot, controller, q=q, disturbances=[push], **how)
    assert not motion.fell
    total = sum(f.sum(axis=1) for f in motion.forces.values())
    assert total[-50:].mean(axis=0)[2] == pytest.approx(G * robot.mass, rel=0.02)
    assert np.abs(motion.com[-1] - motion.com[0]).max() < 0.01


# --- arguments -------------------------------------------------------------------------------


def test_bad_arguments_are_refused(load_robot):
    robot = robots.load("quadruped")
    hold = contacts.PointContact(robot.feet["lf_foot"].frame, 0.5, bilateral=True)
    push = control.ForcePulse("head", (1, 0, 0), 0.0)
    with pytest.raises(ConfigurationError, match="floating"):
        simulate(robots.load("limb"), nothing, duration=1.0)
    for given, error, words in (
        ({"step": 1e-3, "control_step": 1.5e-3}, ConfigurationError, "multiple"),
        ({"duration": 0.0}, ConfigurationError, "duration"),
        ({"engine": "drake"}, ConfigurationError, "engine"),
        ({}, ConfigurationError, "answer"),  # nothing is recorded yet
        ({"on_failure": "keep"}, ConfigurationError, "on_failure: got 'keep'"),
        ({"contacts": contacts.ContactSet(robot, [hold])}, ContactError, "bilateral"),
        ({"disturbances": [push]}, ConfigurationError, "no frame"),
    ):
        with pytest.raises(error, match=words):
            simulate(robot, nothing, **{"duration": 1.0} | given)
    with pytest.raises(ConfigurationError, match="lasting"):
        control.random_pushes(robot, control.trunk(robot), 1.0, 0.1, lasting=2.0)
    with pytest.raises(SolverError, match="blew up"):
        simulate(robot, lambda t, q, v: np.zeros(robot.na), v=np.full(18, 1e5), duration=1.0)


def test_a_bar_shows_progress(capsys):
    robot = robots.block(2.0, (0.2, 0.2, 0.1))
    simulate(robot, nothing, duration=0.01, progress=True)
    assert "tick" in capsys.readouterr().err
    simulate(robot, nothing, duration=0.01)
    assert capsys.readouterr().err == ""


def test_several_hinges_in_a_body_reach_mujoco():
    """All but the last of them carry neither mass nor inertia; M is that of the robot."""
    mujoco = pytest.importorskip("mujoco")
    from footwork import dynamics, load
    from footwork.control.simulation.mjcf import as_mjcf

    leg = """<body pos="0 {} -.1"><joint name="{}1" axis="1 0 0"/><joint name="{}2" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/></body>"""
    robot = load(
        f"""<mujoco><worldbody><body><freejoint/><geom type="box" size=".1 .2 .1"/>
        {leg.format(0.1, "l", "l")}{leg.format(-0.1, "r", "r")}</body></worldbody></mujoco>"""
    )
    terrain = contacts.Terrain([contacts.Plane("ground")])
    feet = contacts.ContactSet(robot, [contacts.PointContact(robot.frame_names[-1], 0.7)])
    model = mujoco.MjModel.from_xml_string(as_mjcf(robot, feet, terrain))
    data, M = mujoco.MjData(model), np.zeros((robot.nv, robot.nv))
    q = robot.random_configuration(1)
    names = [model.joint(k).name for k in range(1, model.njnt)]
    data.qpos[:], _ = robots.conventions.to_mujoco(robot, q, np.zeros(robot.nv), joints=names)
    mujoco.mj_forward(model, data)
    for row, unit in zip(M, np.eye(robot.nv), strict=True):
        mujoco.mj_mulM(model, data, row, unit)
    own = dynamics.mass_matrix(robot, q)
    ours = dynamics.conventions.mass_matrix_to(robot, q, own, "mujoco", joints=names)
    np.testing.assert_allclose(M, ours, atol=1e-9)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
@pytest.mark.parametrize("axis", ["1 0 0", "0 0 1", "0 -1 0", "0.6 0 0.8"])
def test_joints_about_any_axis_reach_mujoco(kind, axis):
    mujoco = pytest.importorskip("mujoco")
    from footwork.control.simulation.mjcf import as_mjcf

    link = """<link name="{}"><inertial><origin xyz=".1 .02 .03"/><mass value="2"/>
        <inertia ixx=".1" iyy=".2" izz=".25" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
    robot = robots.load(
        f"""<robot name="two">{link.format("a")}{link.format("b")}
        <joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="{axis}"/>
        <origin xyz="0 .2 0" rpy=".1 .2 .3"/>
        <limit lower="-1" upper="1" effort="9" velocity="9"/></joint></robot>"""
    )
    foot = contacts.ContactSet(robot, [contacts.PointContact("b", 0.7)])
    text = as_mjcf(robot, foot, contacts.Terrain([contacts.Plane("ground")]))
    moves_alike(mujoco.MjModel.from_xml_string(text), robot, 1e-12)


@pytest.mark.filterwarnings("ignore:(?s).*which no body does:footwork.FootworkWarning")
def test_inertias_that_no_body_has_reach_mujoco():
    """Files of known robots have them; MuJoCo compiles none, and moves with them all the same."""
    pytest.importorskip("mujoco")
    link = """<link name="{}"><inertial><origin xyz=".1 .02 .03" rpy=".3 .2 .1"/><mass value="2"/>
        <inertia ixx=".1" iyy=".2" izz=".35" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
    robot = robots.load(
        f"""<robot name="two">{link.format("a")}{link.format("b")}
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
        <origin xyz="0 .2 0"/><limit effort="9" velocity="9"/></joint></robot>"""
    )
    foot = contacts.ContactSet(robot, [contacts.PointContact("b", 0.7)])
    ground = contacts.Terrain([contacts.Plane("ground")])
    moves_alike(MujocoModel(robot, foot, ground).model, robot, 1e-12)


def test_bodies_beside_the_robot_are_refused_by_mujoco_with_what_to_do():
    pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><body name="trunk"><freejoint name="root"/><geom size=".1"/>
        <body name="leg"><joint name="hip" axis="0 1 0"/><geom size=".1"/></body></body>
        <body name="ball" pos="1 0 0"><freejoint name="free"/><geom size=".1"/></body>
        </worldbody></mujoco>"""
    ground = contacts.Terrain([contacts.Plane("ground")])

    def made(robot):
        return MujocoModel(
            robot, contacts.ContactSet(robot, [contacts.PointContact("leg", 0.7)]), ground
        )

    with pytest.raises(ModelError, match=r"beside the base: 'free'; .*lock=\[…\] welds"):
        made(robots.load(text))
    robot = robots.load(text, lock=["free"])
    moves_alike(made(robot).model, robot, 1e-12)
