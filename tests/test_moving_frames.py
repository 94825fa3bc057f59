"""Newton and Euler hold in every frame once its fictitious wrenches are added."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from conftest import each_robot

import footwork as fw
from footwork import biomechanics
from footwork import dynamics as dyn
from footwork.biomechanics import MovingFrame
from footwork.biomechanics.frames import moving_frames, moving_frames_balance

robot = each_robot(
    ("limb", "fixed"), ("biped", "floating"), ("tree", "floating"), ("tree", "fixed"),
    ("anymal_b", "floating"),
)  # fmt: skip
# 8th-order central differences: weights of steps ±1 … ±4
FIRST = np.array([4 / 5, -1 / 5, 4 / 105, -1 / 280])
SECOND = np.array([8 / 5, -1 / 5, 8 / 315, -1 / 560])
STEP = 0.02


def random_observer(seed, name="observer"):
    rng = np.random.default_rng(seed)
    T = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))
    return MovingFrame(T, *rng.standard_normal((4, 3)), name=name)


def observers(robot, q, v, a):
    """One of each sort: the world, fixed, turning, accelerating, everything at once, on a link."""
    T = pin.SE3(pin.exp3(np.array([0.3, -0.4, 0.5])), np.array([1.0, -2.0, 0.5]))
    link = robot.frame_names[-1]
    return {
        "world": "world",
        "fixed": MovingFrame(T),
        "turning": MovingFrame(T, angular_velocity=(0.1, -2.0, 0.7)),
        "spinning up": MovingFrame(T, angular_acceleration=(1.0, 2.0, -3.0)),
        "accelerating": MovingFrame(T, velocity=(1, 2, 3), acceleration=(-4, 5, 6)),
        "all": random_observer(5),
        "link": link,
        "on a link": biomechanics.frame_motion(robot, q, v, a, link, (0.1, 0.2, 0.3)),
    }


def loads(robot, seed=2):
    rng = np.random.default_rng(seed)
    first, last = robot.frame_names[1], robot.frame_names[-1]
    return {
        last: fw.Wrench(*rng.standard_normal((3, 3))),
        first: fw.Wrench(*rng.standard_normal((2, 3)), axes="local"),
    }


def size(wrench):
    return np.abs(wrench.vector).max()


@pytest.mark.parametrize("seed", [0, 1])
def test_balance_closes_for_every_observer(robot, random_state, seed):
    q, v, a = random_state(robot, seed)
    for name, observer in observers(robot, q, v, a).items():
        balances = biomechanics.wrench_balance(robot, q, v, a, observer, loads(robot))
        assert len(balances) == robot.model.njoints - 1
        for joint, balance in balances.items():
            scale = 1 + size(balance.dynamic) + size(balance.joint)
            assert size(balance.residual) < 1e-12 * scale, (name, joint)
            assert size(balance.residual) < 1e-10, (name, joint)


def test_balance_closes_along_a_trajectory(load_robot):
    robot = load_robot("biped", "floating")
    v = np.zeros(robot.nv)
    v[3:6] = 1.0, -2.0, 0.5
    tau = np.linspace(-3, 3, robot.na)
    run = dyn.simulate(robot, robot.posture(), v, lambda t, q, v: tau, duration=0.3, step=0.01)
    for q, v in zip(run.q, run.v, strict=True):
        a = dyn.forward_dynamics(robot, q, v, tau)
        on_foot = next(iter(robot.feet.values())).frame
        for balance in biomechanics.wrench_balance(robot, q, v, a, on_foot).values():
            assert size(balance.residual) < 1e-10


def test_without_its_fictitious_wrenches_the_balance_is_open(load_robot, random_state):
    robot = load_robot("tree", "floating")
    q, v, a = random_state(robot)
    for balance in biomechanics.wrench_balance(robot, q, v, a, random_observer(1)).values():
        assert all(size(wrench) > 1e-3 for wrench in balance.fictitious)
        for moment in (wrench.moment for wrench in balance.fictitious):
            assert np.abs(moment).max() == 0  # pure forces at the centre of mass


def test_every_observer_finds_the_same_joint_wrenches(robot, random_state):
    """Each works from what it sees, tip to root; the other method is Pinocchio's recursion."""
    q, v, a = random_state(robot)
    truth = dyn.joint_wrenches(robot, q, v, a, loads(robot))
    for name, observer in observers(robot, q, v, a).items():
        found = biomechanics.observed_joint_wrenches(robot, q, v, a, observer, loads(robot))
        if name == "world":
            observer = MovingFrame()
        elif name == "link":
            observer = biomechanics.frame_motion(robot, q, v, a, observer)
        assert found.keys() == truth.keys()
        for joint, wrench in found.items():
            back = wrench.expressed_in("world", observer.placement)
            difference = back - truth[joint]  # refuses other points
            assert size(difference) < 1e-10 * (1 + size(truth[joint])), (name, joint)


def test_motions_seen_are_derivatives_of_places_seen(robot, random_state):
    """Second method: places of the centres of mass in a link's own moving frame, differentiated."""
    q, v, a = random_state(robot)
    frame = robot.frame_names[len(robot.frame_names) // 2]
    spread = np.array([0.1, 0.0, -0.2])  # the observer's origin, off the link's

    def seen(t, i):
        at = robot.integrate(q, t * v + 0.5 * t * t * a)
        data = robot.model.createData()
        pin.forwardKinematics(robot.model, data, at)
        com = data.oMi[i].act(robot.model.inertias[i].lever)
        return dyn.frame_placement(robot, at, frame).actInv(com) - spread

    observer = biomechanics.frame_motion(robot, q, v, a, frame, spread)
    motions = moving_frames_balance.body_motions(robot, q, v, a)
    for i, motion in enumerate((m.seen_from(observer) for m in motions.values()), start=1):
        places = np.array([seen(k * STEP, i) for k in range(-4, 5)])
        after, before = places[5:], places[3::-1]
        assert motion.placement.translation == pytest.approx(places[4], abs=1e-12)
        u = FIRST @ (after - before) / STEP
        acceleration = (SECOND @ (after + before) - 205 / 72 * places[4]) / STEP**2
        assert np.abs(motion.velocity - u).max() < 1e-9
        assert np.abs(motion.acceleration - acceleration).max() < 1e-7


def test_angular_terms_are_the_inertial_ones(robot, random_state):
    q, v, a = random_state(robot)
    step = 1e-6
    motions = moving_frames_balance.body_motions(robot, q, v, a)

    def turning(frame, t):
        at = robot.integrate(q, t * v)
        return dyn.frame_jacobian(robot, at, frame)[3:] @ (v + t * a)

    for frame in robot.frame_names:
        joint = robot.model.frames[robot.frame_id(frame)].parentJoint
        if joint:
            motion = motions[robot.model.names[joint]]
            assert motion.angular_velocity == pytest.approx(turning(frame, 0), abs=1e-10)
            rate = (turning(frame, step) - turning(frame, -step)) / (2 * step)
            assert motion.angular_acceleration == pytest.approx(rate, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_carrying_undoes_seeing(seed):
    """Differences of spatial accelerations against the sum with Coriolis's 2 Ω × u."""
    observer, body = random_observer(seed), random_observer(seed + 10, "body")
    again = observer.carrying(body.seen_from(observer))
    assert again.name == "body"
    assert again.placement.isApprox(body.placement, 1e-12)
    for name in ("velocity", "angular_velocity", "acceleration", "angular_acceleration"):
        assert getattr(again, name) == pytest.approx(getattr(body, name), abs=1e-12), name


def test_an_observer_on_the_body_sees_it_at_rest(robot, random_state):
    q, v, a = random_state(robot)
    for com in moving_frames_balance.body_motions(robot, q, v, a).values():
        seen = com.seen_from(com)
        vectors = [seen.velocity, seen.acceleration, seen.angular_velocity]
        assert np.abs([*vectors, seen.angular_acceleration]).max() < 1e-10
        assert seen.placement.isApprox(pin.SE3.Identity(), 1e-12)


def test_centre_of_mass_accelerates_as_its_jacobian_says(robot, random_state):
    q, v, a = random_state(robot)
    motions = moving_frames_balance.body_motions(robot, q, v, a).values()
    masses = (inertia.mass for inertia in robot.model.inertias[1:])
    total = sum(m * com.acceleration for m, com in zip(masses, motions, strict=True))
    expected = robot.mass * (dyn.com_jacobian(robot, q) @ a + dyn.com_drift(robot, q, v))
    assert total == pytest.approx(expected, abs=1e-9)


def test_four_toys():
    """Each fictitious force alone, by school formulas."""
    mass, fictitious = 2.0, moving_frames.fictitious_wrenches_of
    stone = MovingFrame(pin.SE3(np.eye(3), np.array([3.0, 0.0, 0.0])))
    lift = MovingFrame(acceleration=(0, 0, 1.5))
    assert fictitious(mass, stone, lift).total.force == pytest.approx([0, 0, -3])

    motor = MovingFrame(angular_acceleration=(0, 0, 4.0))  # at rest still, starting
    forces = fictitious(mass, stone, motor)
    assert forces.euler.force == pytest.approx([0, -mass * 4 * 3, 0])
    assert size(forces.total - forces.euler) == 0

    vinyl = MovingFrame(angular_velocity=(0, 0, 5.0))
    forces = fictitious(mass, vinyl.carrying(stone), vinyl)
    assert forces.centrifugal.force == pytest.approx([mass * 25 * 3, 0, 0])
    assert np.abs((forces.total - forces.centrifugal).vector).max() < 1e-12

    slider = MovingFrame(pin.SE3.Identity(), velocity=(0.7, 0, 0))  # through the middle, outwards
    forces = fictitious(mass, vinyl.carrying(slider), vinyl)
    assert forces.coriolis.force == pytest.approx([0, -2 * mass * 5 * 0.7, 0])
    assert size(forces.total - forces.coriolis) == 0

    # a stone at rest, seen from the turntable: Coriolis is twice the centrifugal force, inwards
    forces = fictitious(mass, stone, vinyl)
    assert forces.coriolis.force == pytest.approx(-2 * forces.centrifugal.force)


def test_fictitious_wrenches_are_those_of_the_balance(load_robot, random_state):
    robot = load_robot("biped", "floating")
    q, v, a = random_state(robot)
    alone = biomechanics.fictitious_wrenches(robot, q, v, a, random_observer(3))
    balances = biomechanics.wrench_balance(robot, q, v, a, random_observer(3))
    for joint, wrenches in alone.items():
        assert size(wrenches.total - balances[joint].fictitious.total) == 0
        assert wrenches.total.axes == "observer"
        moved = wrenches.at([1.0, 2.0, 3.0])
        assert size(moved.total - wrenches.total.at([1.0, 2.0, 3.0])) < 1e-12
    world = biomechanics.fictitious_wrenches(robot, q, v, a, "world")
    assert all(size(w.total) == 0 for w in world.values())


def test_refusals(load_robot):
    robot = load_robot("limb", "fixed")
    q = np.zeros(3)
    still, fictitious = MovingFrame(), moving_frames.fictitious_wrenches_of
    for mass in (-1.0, np.nan, np.inf):
        with pytest.raises(fw.ConfigurationError, match="mass: got"):
            fictitious(mass, still, still)
    other = "expected a MovingFrame"
    for call, words in (
        (lambda: biomechanics.fictitious_wrenches(robot, q, q, q, "segment2"), "'segment_2'"),
        (lambda: biomechanics.wrench_balance(robot, q, q, q, 3), other),
        (lambda: fictitious(1.0, still, "world"), other),
        (lambda: fictitious(1.0, np.zeros(3), still), other),
        (lambda: still.seen_from(None), other),
        (lambda: still.carrying("x"), other),
        (lambda: MovingFrame(np.eye(4)), r"expected a pinocchio\.SE3"),
        (lambda: MovingFrame(name=""), "name"),
    ):
        with pytest.raises(fw.ConfigurationError, match=words):
            call()
