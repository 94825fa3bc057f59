"""Ends of joints' ranges in closed loops: they push, never pull, and never let through."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest

from footwork import contacts, control, dynamics, robots
from footwork.control.simulation.ground import Ground
from footwork.control.simulation.joint_stops import JointStops
from footwork.control.whole_body.joint_limits import PUSHED, JointLimits

BOX = """<link name="{}"><inertial><origin xyz="{}"/><mass value="{}"/>
  <inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="{}"/></geometry></collision></link>"""
# a box on the ground with an arm of 2 kg, 0.3 m ahead of its hinge, that may fall until 0.25 rad,
# where it is still clear of the ground
LINKS = BOX.format("box", "0 0 0", 6, "0.4 0.3 0.1") + BOX.format(
    "arm", "0.3 0 0", 2, "0.1 0.1 0.02"
)
ARM = f"""<robot name="barrow">{LINKS}
  <joint name="hinge" type="revolute"><parent link="box"/><child link="arm"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="0.25" effort="50" velocity="10"/></joint></robot>"""


def on_the_box(robot):
    below = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.05]))
    sole = contacts.SurfaceContact(
        "box", half_length=0.2, half_width=0.15, friction=0.6, placement=below
    )
    q = robot.neutral()
    q[2] = 0.05
    return contacts.ContactSet(robot, [sole]), q


def test_ends_are_those_of_the_description():
    biped, dog, block = (robots.load(n) for n in ("biped", "quadruped", "block"))
    for robot in (biped, dog):
        stops, q = JointStops(robot), robot.posture()
        assert len(stops) == 2 * robot.na
        low, high = robot.model.lowerPositionLimit[7:], robot.model.upperPositionLimit[7:]
        expected = np.concatenate([q[7:] - low, high - q[7:]])
        assert stops.distances(q) == pytest.approx(expected)
        pushes = np.zeros(len(stops))
        pushes[3], pushes[-1] = 2.0, 5.0
        torques = stops.torques(np.arange(len(stops)), pushes, robot.nv)
        assert torques[[9, -1]] == pytest.approx([2.0, -5.0])
        assert np.count_nonzero(torques) == 2
    assert len(JointStops(block)) == 0


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("limit", ['lower="0" upper="0"', "", 'lower="-1e16" upper="1e16"'])
def test_a_range_with_nothing_between_its_ends_is_none(limit):
    """A <limit> without lower and upper has both at zero."""
    robot = robots.load(ARM.replace('lower="-1" upper="0.25"', limit))
    assert len(JointStops(robot)) == 0
    bounds = control.whole_body.joint_limits.JointLimits.of(robot)
    assert (bounds.lower[0], bounds.upper[0]) == (-np.inf, np.inf)
    drawn = [robot.random_configuration(seed)[7] for seed in range(20)]
    assert min(drawn) < -1.5
    assert max(drawn) > 1.5
    feet, q = on_the_box(robot)
    q[7] = 0.1
    for engine in ("pinocchio", "mujoco"):
        options = {"duration": 0.02, "contacts": feet, "engine": engine}
        motion = control.simulate(robot, lambda t, q, v: np.zeros(1), q=q, **options)
        assert motion.q[-1, 7] > 0.1 + 0.5 * 0.02**2 * 9.81 / 0.3 / 2  # it falls freely


@pytest.mark.parametrize("seed", [0, 2, 3, 5])
@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_a_step_is_the_nearest_motion_within_the_ranges(name, seed):
    """Gauss: v⁺ minimises ½‖v⁺ − v_free‖²_M over what the ends of the ranges allow."""
    robot, rng, h = robots.load(name), np.random.default_rng(seed), 1e-3
    q, v = robot.neutral(), 3 * rng.standard_normal(robot.nv)
    low, high = robot.model.lowerPositionLimit[7:], robot.model.upperPositionLimit[7:]
    room = rng.uniform(-5e-4, 5e-3, robot.na)  # some beyond, some at, some near an end
    q[7:] = np.where(rng.random(robot.na) < 0.5, low + room, high - room)
    q[2], tau = 10.0, 5 * rng.standard_normal(robot.na)
    feet = contacts.at_feet(robot)
    ground = Ground(robot, feet, contacts.Terrain([contacts.Plane("ground")]))
    landed = ground.step(q, v, robot.selection_matrix.T @ tau, h)

    M = dynamics.mass_matrix(robot, q)
    free = v + h * dynamics.forward_dynamics(robot, q, v, tau)
    root, after = np.linalg.cholesky(M).T, cp.Variable(robot.nv)
    slow = [np.maximum(gap / h, -0.2) for gap in (q[7:] - low, high - q[7:])]
    nearest = cp.Minimize(cp.sum_squares(root @ (after - free)))
    within = [after[6:] >= -slow[0], -after[6:] >= -slow[1]]
    cp.Problem(nearest, within).solve(solver="CLARABEL")
    assert landed.v == pytest.approx(after.value, abs=1e-5)
    assert M @ (landed.v - free) == pytest.approx(landed.stops, abs=1e-7)
    assert np.count_nonzero(landed.stops) >= 2
    assert landed.stops[:6] == pytest.approx(0.0)
    assert not landed.impulses.any()


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco"])
def test_an_arm_falls_on_its_stop_and_rests(engine):
    """The stop then carries what gravity asks of the hinge."""
    if engine == "mujoco":
        pytest.importorskip("mujoco")
    robot = robots.load(ARM)
    feet, q = on_the_box(robot)
    options = {"duration": 1.0, "contacts": feet, "engine": engine}
    motion = control.simulate(robot, lambda t, q, v: [0.0], q=q, **options)
    assert motion.q[-1][7] == pytest.approx(0.25, abs=1e-4 if engine == "pinocchio" else 2e-2)
    if engine == "pinocchio":
        assert motion.q[:, 7].max() < 0.25 + 1e-4
        assert (np.diff(motion.energy) < 1e-3).all()
    gravity = dynamics.gravity_torques(robot, motion.q[-1])[6]
    assert gravity == pytest.approx(2 * 9.81 * 0.3 * np.cos(motion.q[-1][7]), rel=1e-3)
    assert motion.stops[-50:, 6].mean() == pytest.approx(-gravity, rel=1e-3)
    assert (motion.stops[:, 6] <= 1e-9).all()
    assert not motion.stops[:, :6].any()
    weight = motion.forces["box"][-50:].sum(axis=1).mean(axis=0)
    assert weight == pytest.approx([0, 0, 8 * 9.81], abs=0.1)


def test_a_limp_robot_stays_within_its_ranges():
    robot = robots.load("biped")
    motion = control.simulate(robot, lambda t, q, v: np.zeros(robot.na), duration=0.6)
    low, high = robot.model.lowerPositionLimit[7:], robot.model.upperPositionLimit[7:]
    beyond = np.maximum(low - motion.q[:, 7:], motion.q[:, 7:] - high)
    assert beyond.max() < 2e-3
    assert np.abs(motion.stops).max() > 1.0
    assert (np.diff(motion.energy) < 1e-2).all()


def barrier(limits, q, v):
    """k² (q_max − q) − 2k v (na,)."""
    k, x, dx = limits.stiffness, q[limits.rows_q], v[limits.rows_v]
    return k * k * (limits.upper - x) - 2 * k * dx


@pytest.mark.parametrize("seed", range(5))
def test_joints_that_were_pushed_are_asked_for_less(seed):
    """What commands lead to is as strict as the barrier; what a push does is asked −k² δ at most;
    between them bounds are continuous, and never stricter than the barrier."""
    robot, rng = robots.load("biped"), np.random.default_rng(seed)
    limits = JointLimits.of(robot)
    k, q, v = limits.stiffness, robot.neutral(), np.zeros(robot.nv)
    q[limits.rows_q] = limits.upper - rng.uniform(-0.1, 0.3, robot.na)
    h = limits.upper - q[limits.rows_q]

    def fastest(beyond):
        v[limits.rows_v] = k * (h + beyond)
        low, high = (limits.grip * (side * limits.speed - v[limits.rows_v]) for side in (-1, 1))
        found = limits.bounds(q, v)[1]
        return found, (found < high) & (found > low)  # by ranges, not by speeds

    for beyond in (-1.0, -0.1, 0.0, PUSHED):
        found, own = fastest(beyond)
        assert own.any()
        assert found[own] == pytest.approx(barrier(limits, q, v)[own])
    for beyond in (2 * PUSHED, 0.1, 1.0):
        found, own = fastest(beyond)
        expected = np.maximum(-k * k * PUSHED, barrier(limits, q, v))
        assert found[own] == pytest.approx(expected[own])
    way = np.linspace(0, 3 * PUSHED, 1000)
    along = np.array([fastest(beyond)[0] for beyond in way])
    steepest = 25 * k * k  # (h + 4δ)/δ k² is 19 k² of h = 0.3
    assert np.abs(np.diff(along, axis=0)).max() < steepest * (way[1] - way[0])


def test_a_sole_that_rolls_over_does_not_throw_the_trunk():
    """Its ankle is beyond the end of its range and goes on at 8 rad/s: the ground stops it."""
    robot = robots.load("biped")
    controller, q = control.stand(robot, contacts.at_feet(robot, 0.7), crouch=0.02)
    limits, q, v = controller.joint_limits, q.copy(), np.zeros(robot.nv)
    ankle = robot.model.joints[robot.model.getJointId("left_ankle_roll")]
    q[ankle.idx_q] = robot.model.upperPositionLimit[ankle.idx_q] + 0.02
    v[ankle.idx_v] = 8.0
    assert barrier(limits, q, v).min() < -300
    assert np.abs(controller(q, v).a[3:6]).max() < 30
