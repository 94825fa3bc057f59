"""Judging of controllers: an independent physics, its faults on purpose, and its verdicts."""

from __future__ import annotations

import csv
import json
import pickle
import time
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import numpy as np
import pinocchio as pin
import pytest
from stances import standing

import footwork as fw
from footwork import contacts, control, dynamics, robots
from footwork.commands.own_controller import OwnController
from footwork.contacts import Box, Plane, Stairs, Terrain
from footwork.contacts.geometry.polygon import convex_hull, signed_distance
from footwork.control import Noise, judging
from footwork.control.judging.plant import SUBSTEPS, TICK, Plant
from footwork.errors import ConfigurationError, SolverError

pytest.importorskip("mujoco")

EXACT = judging.World(noise=Noise(), delay=0)


@pytest.fixture
def biped():
    """The biped, and how it stands."""
    return standing("biped")


@pytest.fixture(scope="module")
def block():
    """A block with a sole."""
    robot = robots.block(10.0, (0.3, 0.2, 0.1))
    frame = robot.frame_names[-1]
    below = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.05]))
    half = {"half_length": 0.15, "half_width": 0.1}
    sole = contacts.SurfaceContact(frame, friction=0.7, placement=below, **half)
    q = robot.neutral()
    q[2] = 0.05
    return robot, contacts.ContactSet(robot, [sole]), q


class Recorder:
    """A controller that answers with what `law` says, and keeps what it was told."""

    def __init__(self, law):
        self.law, self.told = law, []

    def __call__(self, sensors):
        self.told.append(sensors)
        return self.law(sensors)


def of(controller):
    """What makes a controller that is there."""
    return lambda robot, q, velocity: controller


# --- physics -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["biped", "g1", "quadruped", "solo12"])
def test_forces_of_the_ground_carry_the_weight(name):
    """Soles that are boxes, prisms and balls, on top of it; the centre of pressure is right."""
    robot, feet, q = standing(name)
    plant, law = Plant(robot, feet, EXACT, q, 0, 1.0), judging.walker(robot, q, np.zeros(3))
    for k in range(300):
        told = control.Readings(k * TICK, *plant.from_mujoco(), None, {})
        assert plant.tick(law(told), np.zeros(3))
    total = sum(touch.force for touch in plant.touches())
    weight = robot.mass * 9.81
    assert plant.mass == pytest.approx(robot.mass, rel=1e-9)
    assert total[2] == pytest.approx(weight, rel=2e-3)
    pressure = sum(touch.place[:2] * touch.normal for touch in plant.touches()) / total[2]
    assert pressure == pytest.approx(dynamics.com(robot, plant.from_mujoco()[0])[:2], abs=3e-3)
    assert all(plant.touching.values())
    corners = np.vstack([foot.world_points(robot, plant.from_mujoco()[0]) for foot in feet])
    assert plant.terrain.signed_distance(corners).min() > -1e-4  # as of light feet


def test_a_block_at_rest_is_carried_exactly(block):
    robot, feet, q = block
    plant = Plant(robot, feet, EXACT, q, 0, 1.0)
    for _ in range(1000):
        plant.tick(np.zeros(0), np.zeros(3))
    forces = np.array([touch.force for touch in plant.touches()])
    assert len(forces) == 4  # a sole, not a point
    assert forces.sum(axis=0) == pytest.approx([0.0, 0.0, 10.0 * 9.81], abs=1e-6)


def test_a_push_changes_the_momentum_by_its_impulse(block):
    robot, feet, q = block
    high = q.copy()
    high[2] = 10.0
    plant = Plant(robot, feet, EXACT, high, 0, 1.0)
    impulse, steps = judging.Impulse(0.7, 30.0, 0.05), round(0.2 / TICK)
    for k in range(steps):
        plant.tick(np.zeros(0), impulse.force(k * TICK, plant.mass))
    q_now, v = plant.from_mujoco()
    momentum = dynamics.centroidal_momentum(robot, q_now, v)
    angle = np.radians(30.0)
    changed = 0.7 * np.array([np.cos(angle), np.sin(angle), 0.0])
    fallen = np.array([0.0, 0.0, -9.81 * steps * TICK])
    assert momentum[:3] == pytest.approx(10.0 * (changed + fallen), abs=1e-6)
    assert momentum[3:] == pytest.approx(np.zeros(3), abs=1e-6)


def test_the_plant_moves_as_ours_does_in_the_air(biped):
    """Its steps are of first order: compare a short while with our accelerations."""
    robot, feet, q = biped
    high = q.copy()
    high[2] += 1.0
    tau = np.random.default_rng(0).uniform(-1.0, 1.0, robot.na)
    plant = Plant(robot, feet, EXACT, high, 0, 1.0)
    plant.model.opt.timestep = 1e-7
    plant.tick(tau, np.zeros(3))
    a = dynamics.forward_dynamics(robot, high, np.zeros(robot.nv), tau)
    assert plant.from_mujoco()[1] / (SUBSTEPS * 1e-7) == pytest.approx(a, rel=1e-4, abs=1e-3)


def test_masses_are_wrong_by_what_is_said(biped):
    robot, feet, q = biped
    told, real = (Plant(robot, feet, world, q, 3, 1.0) for world in (EXACT, judging.World.real()))
    shares = real.model.body_mass[1:] / told.model.body_mass[1:]
    inertias = real.model.body_inertia[1:] / told.model.body_inertia[1:]
    assert shares[0] == pytest.approx(1.05, abs=1e-12)
    assert inertias == pytest.approx(np.tile(shares[:, None], 3), rel=1e-12)
    assert 0.02 < np.abs(shares[1:] - 1).max() <= 0.1
    heavier = np.average(shares, weights=told.model.body_mass[1:])
    assert real.mass == pytest.approx(robot.mass * heavier, rel=1e-9)
    M = dynamics.mass_matrix(robot, q).diagonal()[real.rows]
    grown = real.model.dof_armature[6:] - told.model.dof_armature[6:]
    assert grown == pytest.approx(0.05 * M, rel=1e-12)
    touching = [i for i in real.geoms]
    assert real.model.geom_friction[touching, 0] == pytest.approx(0.35, abs=1e-12)


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_torques_come_so_many_ticks_late(biped, delay):
    """What acts is what was answered `delay` ticks ago."""
    robot, feet, q = biped
    law = Recorder(lambda s: np.full(robot.na, 1e-3 * (1 + round(s.t / TICK))))
    world = replace(EXACT, delay=delay)
    judging.trial(robot, of(law), world, q=q, contacts=feet, duration=10 * TICK)
    acted = [s.tau[0] for s in law.told]  # of the tick before
    answered = [0.0] * (delay + 1) + [1e-3 * (1 + k) for k in range(10)]
    assert acted == pytest.approx(answered[:10], abs=1e-15)


def test_an_answer_may_be_the_same_array_each_time(biped):
    """The delay was lost: an array that waited for its tick had the next answer in it."""
    robot, feet, q = biped
    answer = np.zeros(robot.na)

    def reused(s):
        answer[:] = 1e-3 * (1 + round(s.t / TICK))
        return answer

    laws = [Recorder(reused), Recorder(lambda s: reused(s).copy())]
    for law in laws:
        judging.trial(robot, of(law), q=q, contacts=feet, duration=10 * TICK)
    first, second = ([s.tau[0] for s in law.told] for law in laws)
    assert first == second


def test_torques_are_clipped_to_the_motors(biped):
    robot, feet, q = biped
    law = Recorder(lambda s: np.full(robot.na, 1e6))
    judging.trial(robot, of(law), EXACT, q=q, contacts=feet, duration=3 * TICK)
    assert law.told[-1].tau == pytest.approx(robot.torque_limits, rel=1e-12)


def test_noise_is_of_the_size_that_is_said(biped):
    robot, feet, q = biped
    exact, noisy = (Recorder(judging.walker(robot, q, np.zeros(3))) for _ in range(2))
    for controller, world in ((exact, EXACT), (noisy, judging.World(delay=0))):
        judging.trial(robot, of(controller), world, q=q, contacts=feet, duration=0.3)
    spread = np.std([s.v for s in noisy.told], axis=0)
    assert spread[6:].mean() == pytest.approx(0.05, rel=0.3)
    assert spread[:6].mean() == pytest.approx(0.03, rel=0.3)
    first = np.array([s.q[:3] for s in noisy.told[:1]])
    assert first == pytest.approx(q[None, :3], abs=1e-12)  # its position is told without
    assert exact.told[0].q == pytest.approx(q, abs=1e-12)


# --- trials --------------------------------------------------------------------------------------


def test_the_same_seed_is_the_same_trial(biped):
    robot, feet, q = biped
    world, given = judging.World.real(boards=0.03), {"q": q, "contacts": feet, "duration": 0.2}
    run = partial(judging.trial, robot, judging.walker, world, **given)
    assert run(seed=1) == run(seed=1)
    assert run(seed=1) != run(seed=2)


def test_nothing_falls_and_says_why(biped):
    robot, feet, q = biped
    found = judging.trial(robot, of(lambda s: np.zeros(robot.na)), q=q, contacts=feet, duration=4.0)
    assert found.fell
    assert not found.survived
    assert found.ended.startswith("fell: ")
    assert 0.1 < found.seconds < 4.0
    assert found.energy == 0.0


def test_legs_that_cross_are_told(biped):
    """Hips that roll inwards put the shins through each other, outwards not."""
    robot, feet, q = biped
    torques = {"left_hip_roll": -30.0, "right_hip_roll": 30.0}
    inwards = np.array([torques.get(name, 0.0) for name in robot.actuated])

    def run(tau):
        return judging.trial(robot, of(lambda s: tau), q=q, contacts=feet, duration=0.25)

    assert run(inwards).overlaps["left_shin and right_shin"] > 0.05
    assert max(run(-inwards).overlaps.values(), default=0.0) < 0.01


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda s: 1 / 0, "failed: ZeroDivisionError"),
        (lambda s: np.full(12, np.nan), "failed: ConfigurationError: the controller's answer"),
        (lambda s: np.zeros(3), "failed: ConfigurationError: the controller's answer"),
        (lambda s: "torques", "failed: ConfigurationError: the controller's answer"),
    ],
)
def test_controllers_that_fail_are_told(biped, answer, says):
    robot, feet, q = biped
    calls = []

    def law(sensors):
        calls.append(sensors)
        return np.zeros(robot.na) if len(calls) < 5 else answer(sensors)

    found = judging.trial(robot, of(law), q=q, contacts=feet, duration=1.0)
    assert found.ended.startswith(says)
    assert found.seconds == pytest.approx(4 * TICK)
    assert not found.fell


def raising(robot, q, velocity):
    """It makes no controller at speeds."""
    if velocity[0] > 0:
        raise KeyError("no gait at that speed")
    return lambda sensors: np.zeros(robot.na)


def test_what_makes_no_controller_is_refused_before_the_first_trial(biped, monkeypatch):
    """Its errors left the judge as they were, after the trials of the velocities before."""
    robot, _, q = biped
    ran, short = [], {"duration": 0.01, "seeds": 1, "told": 0, "directions": 0, "q": q}
    monkeypatch.setattr("footwork.control.judging.run.Run.go", lambda *given: ran.append(given))
    for make, says in (
        (raising, r"make_controller: KeyError: 'no gait at that speed' \(test_judge.py:\d+\)"),
        (lambda s: np.zeros(robot.na), r"make_controller: got <lambda>\(s\), expected .*velocity"),
        (lambda robot, q, velocity: None, r"make_controller\(…\): got a NoneType"),
        (partial(judging.walker, gait="walk"), "velocity: got .* at which a foot goes"),
    ):
        with pytest.raises(ConfigurationError, match=says):
            control.judge(robot, make, [(0.0, 0, 0), (9.0, 0, 0)], **short)
        with pytest.raises(ConfigurationError, match=says):
            judging.trial(robot, make, velocity=(9.0, 0, 0), duration=0.01, q=q)
    assert not ran


def test_controllers_that_fail_tell_where(biped):
    robot, feet, q = biped
    found = judging.trial(robot, of(lambda s: s.q[100]), q=q, contacts=feet, duration=0.1)
    assert "IndexError: index 100 is out of bounds" in found.ended
    assert found.ended.rpartition(" ")[2].startswith("(test_judge.py:")
    found = judging.trial(robot, of(lambda s: None), q=q, contacts=feet, duration=0.1)
    assert found.ended.endswith("(na,)")  # of ours the message says all


def test_controllers_that_are_slower_than_their_ticks_are_told(biped):
    """Time stands still while a controller computes; on a robot it does not."""
    robot, _, q = biped

    def slow(sensors):
        time.sleep(1.5 * TICK)
        return np.zeros(robot.na)

    short = {"duration": 0.02, "seeds": 1, "told": 0, "directions": 0, "q": q}
    found = control.judge(robot, of(slow), **short)
    assert "take longer than the 2 ms" in found.explain()
    assert "2 ms" not in control.judge(robot, fragile, **short).explain()


def test_what_cannot_go_to_other_processes_is_refused(biped):
    """A lambda hung there for ever."""
    robot, _, q = biped
    short, make = {"duration": 0.01, "seeds": 1, "q": q}, lambda *given: fragile(*given)
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
        pytest.raises(ConfigurationError, match="executor: got work that cannot be sent"),
    ):
        control.judge(robot, make, executor=pool, **short)


class Mortal:
    """An executor whose worker does so many jobs, and dies."""

    def __init__(self, lives):
        self.lives = lives

    def submit(self, work, job):
        done, self.lives = Future(), self.lives - 1
        if self.lives >= 0:
            done.set_result(work(job))
        else:
            done.set_exception(BrokenExecutor("it is dead"))
        return done


def test_what_was_found_before_a_worker_died_is_told(biped):
    robot, _, q = biped
    short = {"duration": 0.01, "seeds": 3, "told": 1, "directions": 0, "q": q}
    with pytest.warns(fw.FootworkWarning, match=r"a worker died .*2 of 4 trials were done"):
        found = control.judge(robot, fragile, executor=Mortal(2), **short)
    assert found.interrupted
    assert [row.trials for row in found.rows] == [1, 1]
    with pytest.raises(SolverError, match="a worker died"):  # before anything was found
        control.judge(robot, fragile, executor=Mortal(0), **short)


def test_what_gives_commands_is_called_with_q_and_v(biped):
    robot, feet, q = biped
    stands = lambda *given: control.stand(robot, feet, q)[0]  # noqa: E731
    trial = partial(judging.trial, robot, q=q, contacts=feet, duration=0.05)
    assert trial(stands) == trial(lambda *given: judging.OfState(stands()))
    law = lambda t, q_, v: 150.0 * (q[7:] - q_[7:]) - 2.0 * v[6:]  # noqa: E731
    assert trial(of(law)) == trial(of(lambda s: law(s.t, s.q, s.v)))
    with pytest.raises(ConfigurationError, match=r"expected judging\.OfState"):
        trial(stands, judging.World(sensors=control.Sensors()))
    nothing = trial(lambda *given: judging.OfState(stands(), lambda readings: None))
    assert "estimator: got None, expected an estimate" in nothing.ended
    with pytest.raises(ConfigurationError, match="estimator: got str; expected one that is called"):
        judging.OfState(stands(), "kalman")


def test_a_walk_is_measured(biped):
    """Distance and speed are those commanded; energy goes by the distance."""
    robot, feet, q = biped
    make, world = partial(judging.walker, gait="walk"), judging.World.real()
    given = {"velocity": (0.2, 0, 0), "q": q, "contacts": feet, "duration": 2.4}
    found = judging.trial(robot, make, world, **given)
    assert found.survived, found.ended
    assert found.speed == pytest.approx(0.2, rel=0.25)
    assert 0.15 < found.distance < 0.48
    assert found.path_error < 0.12
    assert found.energy_per_metre == pytest.approx(found.energy / found.distance)
    assert found.cost_of_transport < 1.5
    assert sum(found.statuses.values()) == 1200


@pytest.mark.parametrize("share", [0.0, 0.5, 2.0])
def test_joints_brake_by_a_share_of_the_friction_of_the_description(share):
    leg = """<body><joint name="{0}" axis="{1}" damping="0.3" frictionloss="0.2"/>
        <geom size="0.05" pos="0 0 -0.2"/>{2}</body>"""
    shin = leg.format("knee", "0 1 0", "").replace("0.3", "0.7")
    legs = leg.format("hip", "1 0 0", shin)
    robot = robots.load(
        f"""<mujoco><worldbody><body><freejoint/><geom size="0.1"/>{legs}</body></worldbody>
        </mujoco>"""
    )
    foot = contacts.ContactSet(robot, [contacts.PointContact(robot.frame_names[-1], 0.7)])
    q, v = robot.neutral(), np.array([0.0] * 6 + [30.0, -20.0])
    q[2] = 5.0  # in the air
    plant = Plant(robot, foot, replace(EXACT, joint_friction=share), q, 0, 1.0)
    plant.data.qvel[:] = plant.to_mujoco(q, v)[1]
    plant.mujoco.mj_forward(plant.model, plant.data)
    braking = (plant.data.qfrc_passive + plant.data.qfrc_constraint)[6:]
    by_hand = -share * (np.array([0.3, 0.7]) * v[6:] + 0.2 * np.sign(v[6:]))
    np.testing.assert_allclose(braking, by_hand, atol=1e-9)
    with pytest.raises(ConfigurationError, match="joint_friction"):
        judging.World(joint_friction=-share - 1)


def test_boards_lie_on_the_way_and_are_seeded():
    world = judging.World(boards=0.03)
    one, again, other = (world.ground(np.random.default_rng(k), 4.0) for k in (1, 1, 2))
    sizes = [[box.size for box in ground.solids[1:]] for ground in (one, again, other)]
    assert sizes[0] == sizes[1] != sizes[2]
    assert len(sizes[0]) > 4
    heights = one.height(np.array([[x, 0.0] for x in np.linspace(-1, 4, 500)]))
    assert {round(float(h), 9) for h in heights} == {0.0, 0.03}
    assert len(world.told.solids) == 1


@pytest.mark.parametrize("slope", [0.0, -5.0])
def test_a_ramp_begins_ahead(slope):
    world = judging.World(slope=slope, ramp=10.0)
    x = np.array([[-1.0, 0.3, 0.0], [0.6, 0.0, 0.0], [2.6, -0.2, 0.0]])
    rises = np.tan(np.radians([slope, slope, slope + 10.0]))
    wanted = [-rises[0], 0.6 * rises[1], 0.6 * rises[1] + 2.0 * rises[2]]
    assert world.ground(np.random.default_rng(0), 4.0).height(x) == pytest.approx(wanted)
    assert len(world.told.solids) == 1
    with pytest.raises(ConfigurationError, match="boards, ramp"):
        judging.World(boards=0.02, ramp=5.0)


def test_a_terrain_is_told_and_as_slippery_as_the_world():
    told = Terrain([Plane("ground", friction=0.6), Box("step", (1, 1, 0.1), (1, 0, 0))])
    world = judging.World.real(terrain=told)
    found = world.ground(np.random.default_rng(0), 4.0)
    assert world.told == told
    points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.1]]
    assert found.height(points) == pytest.approx([0.0, 0.1])
    assert list(found.friction(points, 0.7)) == [0.3, 0.7]  # of its own, and as the feet have it
    for other in ({"boards": 0.02}, {"slope": 3.0}, {"ramp": 3.0}):
        with pytest.raises(ConfigurationError, match="terrain: got one and boards, a slope"):
            judging.World(terrain=told, **other)


@pytest.mark.slow
def test_a_quadruped_climbs_steps_that_it_is_told_of():
    """In the real world, by predictive control: the base goes up as much as they do."""
    robot = robots.load("quadruped")
    steps = Stairs("steps", 2, rise=0.06, depth=0.3, width=2.0, at=(0.3, 0.0, 0.0))
    terrain = Terrain([Plane("ground"), steps, Box("top", (4, 2, 0.12), (2.9, 0, 0))])
    make = partial(judging.walker, gait="trot", predictive=True, terrain=terrain)
    world = judging.World.real(terrain=terrain)
    found = judging.trial(robot, make, world, velocity=(0.5, 0.0, 0.0), duration=2.7)
    assert found.survived
    assert found.distance > 0.9


@pytest.mark.slow
def test_a_humanoid_pushed_to_the_side_while_it_walks_by_prediction_keeps_its_feet():
    """TALOS: arms that the push throws are braked before the ends of their ranges."""
    found = judging.trial(
        robots.load("talos"), partial(judging.walker, gait="walk", predictive=True),
        judging.World.real(), velocity=(0.3, 0.0, 0.0), duration=3.1,
        impulse=judging.Impulse(0.5, 90.0, 1.6),
    )  # fmt: skip
    assert found.survived


def test_a_path_that_turns_is_followed():
    """A circle walked as commanded has no error; a step aside is its error."""
    from footwork.control.judging.path import Track

    def walked(aside):
        q, h = np.array([0.0, 0, 1, 0, 0, 0, 1]), TICK
        track = Track(q, np.array([0.4, 0.0, 0.5]), np.eye(3)[0])
        for k in range(1, 2001):
            yaw = 0.5 * k * h
            q[:2] = 0.8 * np.sin(yaw) * (1 + aside), 0.8 - 0.8 * np.cos(yaw) * (1 + aside)
            q[5:7] = np.sin(yaw / 2), np.cos(yaw / 2)
            track.add(q)
        return track.found(h)

    found = walked(0.0)
    assert found["path_error"] < 1e-3
    assert found["speed"] == pytest.approx(0.4, rel=1e-4)
    assert found["turn"] == pytest.approx(0.5, rel=1e-9)
    assert found["distance"] == pytest.approx(1.6, rel=1e-4)
    assert walked(0.125)["path_error"] == pytest.approx(0.1, rel=0.05)


# --- pushes --------------------------------------------------------------------------------------


def test_the_capture_limit_is_where_the_capture_point_meets_the_edge(biped):
    robot, feet, q = biped
    headings = np.array([0.0, 45.0, 100.0, 200.0, 333.0])
    limits = judging.capture_limits(robot, q, feet, headings)
    corners = convex_hull(np.concatenate([c.world_points(robot, q)[:, :2] for c in feet]))
    c = dynamics.com(robot, q)
    height = c[2] - np.mean([c.world_points(robot, q)[:, 2].mean() for c in feet])
    omega = np.sqrt(9.81 / height)
    for angle, limit in zip(np.radians(headings), limits, strict=True):
        xi = c[:2] + limit / omega * np.array([np.cos(angle), np.sin(angle)])
        assert signed_distance(corners, xi) == pytest.approx(0.0, abs=1e-9)


def test_the_largest_push_is_bracketed():
    from footwork.control.judging.pushes import HALVINGS, largest_push

    for limit in (0.03, 0.5, 1.7):
        low, high = largest_push(lambda x, limit=limit: x <= limit, 0.4)
        assert low <= limit < high
        assert high - low <= 0.8 * 2**-HALVINGS * max(1.0, 2 * limit)
    assert largest_push(lambda x: True, 0.4)[1] == np.inf
    assert largest_push(lambda x: False, 0.4)[0] == 0.0


@pytest.mark.parametrize(("share", "stands"), [(0.6, True), (1.6, False)])
def test_standing_takes_pushes_about_as_far_as_the_capture_limit(biped, share, stands):
    robot, feet, q = biped
    (limit,) = judging.capture_limits(robot, q, feet, [0.0])
    given = {"q": q, "contacts": feet, "duration": 1.3}
    given["impulse"] = judging.Impulse(share * limit, 0.0, 0.1)
    found = judging.trial(robot, judging.walker, judging.World.real(), **given)
    assert found.survived == stands, found.ended


def test_pushes_are_drawn_beside_the_limit():
    pytest.importorskip("matplotlib")
    pushes = [judging.LargestPush(90.0 * k, 0.4 + 0.1 * k, 0.9, 0.5) for k in range(4)]
    _, polar = fw.plot(control.Judgement("biped", "stand", {}, tuple(pushes))).flat
    limit, survived = (line.get_data() for line in polar.lines)
    assert survived[1] == pytest.approx([0.4, 0.5, 0.6, 0.7, 0.4])
    assert limit[1] == pytest.approx(np.full(5, 0.5))
    assert survived[0] == pytest.approx(np.radians([0, 90, 180, 270, 0]))


# --- judgements and the command ------------------------------------------------------------------


def fragile(robot, q, velocity):
    """A controller that gives up at 1 m/s, and is too short a while at work to fall else."""
    return lambda sensors: None if velocity[0] >= 1 else np.zeros(robot.na)


def test_a_judgement_counts(biped):
    robot, _, q = biped
    short = {"duration": 0.02, "seeds": 2, "told": 1, "directions": 0, "q": q}
    found = control.judge(robot, fragile, [(0, 0, 0), (1, 0, 0)], **short)
    assert [(row.world, row.trials, row.failed) for row in found.rows] == [
        ("as told", 1, 0), ("real", 2, 0), ("as told", 1, 1), ("real", 2, 2),
    ]  # fmt: skip
    assert found.survived == ((0.0, 0.0, 0.0),)
    assert not found.holds
    assert "ConfigurationError" in found.rows[-1].worst
    assert "fragile" in str(found)
    assert "one trial of 20 failed: 0 0 0\n" in found.explain() + "\n"
    assert len(list(found.cells())) == 6
    assert json.dumps(found.as_dict()["pushes"]) == "[]"
    assert fw.plot(found).shape == (1, 1)  # no empty half where pushes would be


def test_without_gravity_a_robot_has_no_cost_of_transport(biped):
    robot, _, q = biped
    nowhere = robot.with_gravity(np.zeros(3))
    given = {"duration": 0.02, "seeds": 1, "told": 1, "directions": 0, "q": q}
    found = control.judge(nowhere, of(lambda s: np.ones(robot.na)), **given)
    assert [row.cost_of_transport for row in found.rows] == [np.inf, np.inf]
    assert "keeps its feet" in found.explain()


def test_a_push_is_over_before_the_trial_is(biped):
    """Else a robot would keep its feet for want of one."""
    robot, feet, q = biped
    late, words = (
        judging.Impulse(0.3, 90.0, 0.5),
        r"impulse: got one that ends at 0\.6 s; .* of 0\.5",
    )
    with pytest.raises(ConfigurationError, match=words):
        judging.trial(robot, fragile, q=q, contacts=feet, duration=0.5, impulse=late)


def test_each_trial_may_be_pushed(biped):
    """By as much at moments of their own: from the headings in turn, or from all around."""
    robot, _, q = biped
    given = {"duration": 4.0, "seeds": 3, "told": 2, "directions": 0, "q": q, "shove": 0.7}
    found = control.judge(robot, fragile, headings=(90, -90), **given)
    told, real = ([t.impulse for t in trials] for trials in found.trials.values())
    assert told == real[:2]
    assert [(p.change, p.heading) for p in real] == [(0.7, 90), (0.7, -90), (0.7, 90)]
    assert len({p.at for p in real}) == 3
    assert all(0.5 <= p.at <= 1.5 for p in real)
    assert "each trial is pushed once, by 0.7 m/s" in found.explain()
    assert [row[5:7] for row in found.cells()][:2] == [[0.7, 90.0], [0.7, -90.0]]
    around = control.judge(robot, fragile, **given)
    assert len({t.impulse.heading for _, t in around._each}) == 3
    with pytest.raises(ConfigurationError, match=r"headings: got .*; expected them with a shove"):
        control.judge(robot, fragile, headings=(90, -90), q=q)
    with pytest.raises(ConfigurationError, match=r"got 3\.9 s; expected at least 4 s"):
        control.judge(robot, fragile, **given | {"duration": 3.9})
    with pytest.raises(ConfigurationError, match=r"got 4 s; expected at least 5\.5 s"):
        control.judge(robot, fragile, (0.3, 0, 0), **given)


def test_ctrl_c_keeps_what_is_there(biped):
    robot, _, q = biped
    made = []

    def make(*given):
        made.append(given)
        if len(made) == 4:  # the first before any trial
            raise KeyboardInterrupt
        return fragile(*given)

    found = control.judge(robot, make, duration=0.01, seeds=4, told=1, q=q)
    assert found.interrupted
    assert sum(row.trials for row in found.rows) == 2


def test_a_judgement_has_trials_in_the_real_world(biped):
    robot, _, q = biped
    with pytest.raises(ConfigurationError, match="seeds: got 0, expected an integer of at least 1"):
        control.judge(robot, fragile, seeds=0, q=q)


OWN = """
from stiffness import HOLD

def stiff(robot, q, velocity):
    def law(sensors):
        return HOLD * (q[7:] - sensors.q[7:]) - 2.0 * sensors.v[6:]
    return law

def broken(robot, q, velocity):
    return robot.no_such_thing
"""


@pytest.fixture
def own(tmp_path):
    """A file with controllers, which imports what lies beside it."""
    (tmp_path / "stiffness.py").write_text("HOLD = 150.0\n", encoding="utf-8")
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    return file


def test_the_command(run, tmp_path):
    png, page, table = (tmp_path / f"judged.{kind}" for kind in ("png", "html", "csv"))
    code, out, err = run(
        "judge", "biped", "--duration", "0.1", "--seeds", "1", "--directions", "0", "--json",
        "--png", str(png), "--html", str(page), "--csv", str(table),
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)
    assert found["holds"] is True
    assert found["duration"] == 0.1
    assert set(found["friction"].values()) == {0.7}
    assert [row["world"] for row in found["rows"]] == ["as told", "real"]
    assert png.read_bytes().startswith(b"\x89PNG")
    html = page.read_text(encoding="utf-8")
    assert "data:image/png;base64," in html
    assert "<title>biped, stand: keeps its feet in 2 trials</title>" in html
    assert html.count("keeps its feet in 2 trials") == 2  # there, and above the table
    assert "width=device-width" in html
    assert len(table.read_text(encoding="utf-8").splitlines()) == 3


def test_the_command_pushes_each_trial(run, tmp_path, own):
    table = tmp_path / "pushed.csv"
    short = ["judge", "quadruped", "--duration", "4", "--seeds", "1", "--directions", "0", "--json"]
    short += ["--controller", f"{own}:stiff"]
    code, out, err = run(*short, "--shove", "0.1", "--heading", "90", "--csv", str(table))
    assert code == 0, err
    pushes = [trial["impulse"] for trial in json.loads(out)["trials"]]
    assert [(push["change"], push["heading"]) for push in pushes] == [(0.1, 90.0)] * 2
    with table.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    names = {"push": "change", "heading": "heading", "pushed_at": "at"}
    told = [{key: float(line[name]) for name, key in names.items()} for line in lines]
    assert told == [{key: push[key] for key in names.values()} for push in pushes]
    assert all(line["ended"] == "" and float(line["seconds"]) == 4.0 for line in lines)
    code, _, err = run(*short, "--heading", "90")
    assert code == 2
    assert "--heading: expected it with --shove" in err


def test_the_command_judges_predictive_control(run):
    trot = ["judge", "quadruped", "--gait", "trot", "--speed", "0.8", "--predictive"]
    short = ["--duration", "1.2", "--seeds", "1", "--directions", "0", "--estimator", "--json"]
    code, out, err = run(*trot, *short)
    assert code == 0, err
    assert all(row["failed"] == 0 for row in json.loads(out)["rows"])


def test_walkers_are_predictive_where_that_is_asked():
    robot = robots.load("quadruped")
    q = control.stand(robot)[1]
    for predictive, kind in ((True, control.PredictiveGait), (False, control.GaitController)):
        made = control.judging.walker(robot, q, (0.3, 0, 0), gait="trot", predictive=predictive)
        assert type(made.controller) is kind
    with pytest.raises(ConfigurationError, match="predictive"):
        control.judging.walker(robot, q, (0.3, 0, 0), gait="trot", predictive="yes")


def test_the_command_judges_a_controller_of_ones_own(run, own):
    short = ["judge", "quadruped", "--duration", "0.3", "--seeds", "1", "--directions", "0"]
    trials = []
    for jobs in ("1", "2"):  # other processes find the function by its file
        code, out, err = run(*short, "--controller", f"{own}:stiff", "--jobs", jobs, "--json")
        assert code == 0, err
        found = json.loads(out)
        assert found["controller"] == "stiff"
        trials.append([trial["energy"] for trial in found["trials"]])
    assert trials[0] == trials[1]
    limp = run(*short, "--json")[1]
    assert trials[0] != [trial["energy"] for trial in json.loads(limp)["trials"]]


def test_files_of_one_name_are_modules_of_their_own(tmp_path):
    made = []
    for name in ("first", "second"):
        file = tmp_path / name / "own.py"
        file.parent.mkdir()
        file.write_text(f"class {name}:\n    def __init__(self, *given): ...\n", encoding="utf-8")
        made.append(OwnController(f"{file}:{name}")(None, None, None))
    assert [type(pickle.loads(pickle.dumps(each))) for each in made] == [*map(type, made)]


@pytest.mark.parametrize(
    ("name", "flags", "says"),
    [
        ("stif", [], "no function 'stif'; did you mean 'stiff'?"),
        ("broken", [], "own.py:10"),
        ("stiff", ["--gait", "trot", "--speed", "0.2"], "--controller: got --gait trot too"),
        ("stiff", ["--predictive"], "--controller: got --predictive too"),
        ("", [], "expected FILE.py:FUNCTION"),
    ],
)
def test_controllers_that_cannot_be_made_are_refused(run, own, name, flags, says):
    command = ["judge", "quadruped", "--seeds", "1", "--controller", f"{own}:{name}", *flags]
    code, out, err = run(*command)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_file_of_controllers_that_is_not_there_or_has_errors_is_told(run, own):
    code, _, err = run("judge", "quadruped", "--controller", f"{own.parent / 'none.py'}:stiff")
    assert code == 2
    assert "there is no file" in err
    own.with_name("wrong.py").write_text("import no_such_module", encoding="utf-8")
    code, _, err = run("judge", "quadruped", "--controller", f"{own.with_name('wrong.py')}:stiff")
    assert code == 2
    assert "ModuleNotFoundError: No module named 'no_such_module' (wrong.py:1)" in err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--predictive"], "--predictive: expected it with --gait"),
        (["--gait", "galop"], "choose from"),
        (["--gait", "walk", "--speed", "nan"], "--speed: got nan"),
        (["--gait", "walk"], "none of --speed, --sideways, --turn"),
        (["--turn", "0.1"], "--gait stand: got --turn"),
        (["--slope", "80"], "slope: got 80"),
        (["--joint-friction", "-1"], "joint_friction: got -1"),
        (["--boards", "-1"], "boards: got -1"),
        (["--terrain", "stairs", "--boards", "0.02"], "terrain: got one and boards"),
        (["--terrain", "stares"], "did you mean 'stairs'"),
        (["--ramp", "10", "--boards", "0.02"], "boards, ramp: got 0.02 m and 10 degrees"),
        (["--duration", "0"], "greater than 0"),
        (["--duration", "2", "--shove", "0.3"], "--duration: got 2 s; expected at least 4 s"),
        (["--seeds", "0"], "at least 1"),
        (["--friction", "0.7,0.4"], "one number"),
    ],
)
def test_bad_values_are_refused_in_one_line(run, flags, says):
    code, out, err = run("judge", "biped", "--seeds", "1", *flags)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
