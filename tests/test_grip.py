"""Grip of feet: slides are found through noise, and the friction that is believed goes down."""

from dataclasses import replace
from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from scipy.linalg import block_diag

from footwork import contacts, control, robots
from footwork.contacts.wrench_cones.wrench_cone import inner_faces
from footwork.control import judging
from footwork.control.gaits.grip import LEAST, LOWERED, Grip, with_friction
from footwork.dynamics import State
from footwork.errors import ContactError

STEP = 2e-3


SOLE = contacts.SurfaceContact("block", half_length=0.1, half_width=0.05, friction=0.7)
BALL = contacts.PointContact("block", 0.7, radius=0.1)


@pytest.fixture(scope="module")
def block():
    return robots.block(1.0, (0.2, 0.1, 0.1))


def at(robot, x=0.0, yaw=0.0, base=None):
    """The block moved along its x, and turned about its z."""
    T = (base or pin.SE3.Identity()) * pin.SE3(pin.utils.rotate("z", yaw), np.array([x, 0, 0]))
    return State(robot, pin.SE3ToXYZQUAT(T))


def slides(grip, states, foot=SOLE):
    """At which of the states the share goes down."""
    return [k for k, state in enumerate(states) if grip.lost([foot], state, STEP)]


@pytest.mark.parametrize("seed", range(3))
def test_noise_is_no_slide(block, seed):
    rng = np.random.default_rng(seed)
    assert slides(Grip(), [at(block, *rng.normal(0, (4e-3, 5e-3))) for _ in range(2000)]) == []


@pytest.mark.parametrize(("x", "yaw"), [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.3), (0.0, -0.3)])
def test_a_slide_is_found_soon_after_its_threshold(block, x, yaw):
    """0.1 m/s and 0.3 rad/s on a slope, in whatever direction the foot points: within 30 ms."""
    there = pin.SE3(pin.exp3(np.array([0.2, -0.1, 2.0])), np.array([0.3, -1.0, 0.2]))
    found = slides(
        grip := Grip(), [at(block, x * k * STEP, yaw * k * STEP, there) for k in range(200)]
    )
    due = 0.015 / abs(x) if x else np.radians(2) / abs(yaw)
    assert due < found[0] * STEP < due + 0.03
    assert grip.share == pytest.approx(LOWERED ** len(found))


@pytest.mark.parametrize(("rolls", "found"), [(1.0, False), (0.0, True)])
def test_a_ball_that_rolls_does_not_slide(block, rolls, found):
    turns = [pin.exp3(np.array([0.0, 0.5 * rolls * k / 100, 0.0])) for k in range(100)]
    poses = [pin.SE3(R, np.array([0.1 * 0.5 * k / 100, 0, 0.1])) for k, R in enumerate(turns)]
    states = [State(block, pin.SE3ToXYZQUAT(T)) for T in poses]
    assert bool(slides(Grip(), states, BALL)) == found


@pytest.mark.parametrize("ticks", [10, 40, 200])
def test_a_sole_that_rolls_over_its_edge_does_not_slide(block, ticks):
    """Its middle moves by 2 cm, but the edge stays where it is."""
    edge = pin.SE3(np.eye(3), np.array([0.0, 0.05, 0.0]))
    angles = np.append(np.linspace(0, -1, ticks), np.full(100, -1.0))
    turns = [pin.SE3(pin.utils.rotate("x", angle), np.zeros(3)) for angle in angles]
    poses = [edge * T * edge.inverse() for T in turns]
    assert np.linalg.norm(poses[-1].translation[:2]) > 0.02
    assert not slides(Grip(), [State(block, pin.SE3ToXYZQUAT(T)) for T in poses])


def test_a_sole_that_has_rolled_slides_as_any_other(block):
    rolled = pin.SE3(pin.exp3(np.array([0.3, 0.0, 0.0])), np.zeros(3))
    states = [State(block, pin.SE3ToXYZQUAT(rolled))] * 100
    moves = [at(block, 2e-4 * k, 0, rolled) for k in range(200)]
    found = slides(Grip(), [at(block), *states, *moves])
    assert found
    assert found[0] > 101 + 0.015 / 2e-4


def test_one_slide_lowers_once_and_never_below_the_least(block):
    grip = Grip()
    assert len(slides(grip, [at(block, 0.5 * k * STEP) for k in range(45)])) == 1  # 4.5 cm, 0.09 s
    slides(grip, [at(block, 0.5 * k * STEP) for k in range(2000)])
    assert grip.share == LEAST
    assert grip.slid > 40


def test_a_foot_that_was_lifted_begins_anew(block):
    grip = Grip()
    for x in np.arange(0, 1, 0.2):
        assert not slides(grip, [at(block, x)] * 100)
        grip.lost([], at(block), STEP)
    assert grip.share == 1


def test_at_first_no_foot_may_stand(block):
    """As where all feet are on surfaces that move."""
    grip = Grip()
    assert not grip.lost([], at(block), STEP)
    assert slides(grip, [at(block, 0.1 * k * STEP) for k in range(200)])


@pytest.mark.parametrize("friction", [0.8, (0.8, 0.4)])
def test_what_is_believed(friction):
    axes = {"tangent": (1, 0, 0)} if isinstance(friction, tuple) else {}
    foot = contacts.PointContact("foot", friction, name="toe", **axes)
    assert with_friction(foot, 0.5).friction == pytest.approx(np.array(friction) / 2)
    assert with_friction(foot, 0.5).name == "toe"


def test_a_walker_believes_less_where_its_feet_slide(load_robot):
    """Also of the foot that lands next."""
    robot = load_robot("biped", "floating")
    controller, q = control.stand(robot, contacts.at_feet(robot, 0.8), crouch=0.02)
    feet = controller.contacts
    walker = control.GaitController(robot, feet, q, velocity=(0.1, 0, 0))
    v, slid = np.zeros(robot.nv), 0.0
    for k in range(100):
        slid += 1e-4 * (k > 50)
        command = walker(q + np.eye(robot.nq)[1] * slid, v, k * STEP)
    assert walker.grip.share == 1
    assert command.solved
    for k in range(100, 400):
        slid += 1e-4
        command = walker(q + np.eye(robot.nq)[1] * slid, v, k * STEP)
    assert walker.grip.share < 1
    believed = {c.name: c.friction for c in walker.controller.contacts}
    assert set(believed.values()) == {0.8 * walker.grip.share}
    assert {foot.contact.friction for foot in walker._feet.values()} == {0.8 * walker.grip.share}
    assert {c.friction for c in walker.feet} == {0.8}  # as was told


def test_of_what_was_told_a_prediction_leaves_as_much_as_a_walker(load_robot):
    """Its `grip` has left a half of it before a foot slides."""
    robot = load_robot("biped", "floating")
    controller, q = control.stand(robot, contacts.at_feet(robot, 0.8), crouch=0.02)
    for walk in (control.GaitController, control.PredictiveGait):
        walker = walk(robot, controller.contacts, q)
        for k in range(400):
            walker(q + np.eye(robot.nq)[1] * 5e-4 * k, np.zeros(robot.nv), k * STEP)
        believed = [foot.contact.friction for foot in walker._feet.values()]
        assert believed == pytest.approx([0.8 * LEAST] * 2)


@pytest.mark.parametrize("sides", [4, 8])
def test_soles_that_have_tipped_bear_the_weight(load_robot, sides):
    """Also where little friction is believed in, by any pyramid; flat again, they have less."""
    robot = load_robot("biped", "floating")
    controller, q = control.stand(robot, contacts.at_feet(robot, 0.7), crouch=0.02)
    walker = control.GaitController(robot, controller.contacts, q, sides=sides)
    walker.grip.share, v, tipped = LEAST, np.zeros(robot.nv), q.copy()
    for joint in ("left_ankle_roll", "right_ankle_roll"):
        tipped[robot.model.joints[robot.model.getJointId(joint)].idx_q] += 0.35
    for k in range(20):
        command = walker(tipped, v, k * STEP)
    pushes = np.array([wrench.force for wrench in command.wrenches.values()])
    assert pushes[:, 2].sum() > 0.9 * robot.weight
    least = min(contact.friction for contact in command.contacts) * np.cos(np.pi / sides)
    assert least > np.tan(0.35) + 0.1
    command = walker(q, v, 20 * STEP)
    level = max(0.7 * LEAST, 0.15 / np.cos(np.pi / sides))
    believed = [contact.friction for contact in command.contacts]
    assert believed == pytest.approx([level, level])


@pytest.mark.parametrize(("told", "believed"), [(0.7, np.tan(np.radians(10)) + 0.15), (0.2, 0.2)])
def test_soles_on_a_slope_bear_the_weight(load_robot, told, believed):
    """Also where feet have slid: less friction would not carry a walk; but not more than told."""
    robot = load_robot("biped", "floating")
    slope = contacts.Terrain([contacts.Plane("slope", rises=10.0)])
    feet = contacts.at_feet(robot, told)
    controller, q = control.stand(robot, feet, crouch=0.02, terrain=slope)
    walker = control.GaitController(robot, controller.contacts, q, sides=8)
    walker.grip.share = LEAST
    for k in range(20):
        command = walker(q, np.zeros(robot.nv), k * STEP)
    least = min(contact.friction for contact in command.contacts)
    assert least * (np.cos(np.pi / 8) if told > believed else 1) == pytest.approx(believed)
    if told > believed:
        pushes = np.array([wrench.force for wrench in command.wrenches.values()])
        assert pushes[:, 2].sum() > 0.9 * robot.weight


def test_a_contact_is_replaced_by_one_of_its_name(load_robot):
    robot = load_robot("biped", "floating")
    controller, q = control.stand(robot, contacts.at_feet(robot, 0.8))
    push = np.zeros(robot.nv)
    push[1] = 1.0  # to the side: friction is used
    before = controller(q, push)
    for contact in list(controller.contacts):
        controller.replace_contact(with_friction(contact, 0.5))
    after = controller(q, push)
    assert used(before) > 0.4
    assert used(after) <= 0.4 + 1e-6
    assert after.contacts.names == before.contacts.names
    with pytest.raises(ContactError, match="no contact 'nose'"):
        controller.replace_contact(contacts.PointContact(robot.frame_names[-1], 0.5, name="nose"))


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_another_friction_changes_entries_alone(load_robot, name):
    """The program is that of a controller made with this friction, in the tables that there are;
    what an earlier command was solved by stays."""
    robot = load_robot(name, "floating")
    controller, q = control.stand(robot, contacts.at_feet(robot, 0.8))
    push = np.ones(robot.nv)
    before, kept = controller(q, push), len(controller._formulations)
    faces = contacts_faces(robot, 0.8, controller)
    for contact in list(controller.contacts):
        controller.replace_contact(with_friction(contact, 0.5))
    after = controller(q, push)
    assert len(controller._formulations) == kept
    np.testing.assert_allclose(before.program.F, faces)
    np.testing.assert_allclose(after.program.F, contacts_faces(robot, 0.4, controller))
    made = control.WholeBodyController(robot, contacts.at_feet(robot, 0.4), controller.tasks)
    assert after.tau == pytest.approx(made(q, push).tau, abs=1e-8)


def contacts_faces(robot, friction, controller):
    """F of the feet with this friction, block by block."""
    feet = contacts.at_feet(robot, friction)
    blocks = [inner_faces(foot, controller.sides) for foot in feet]
    return block_diag(*blocks)


def used(command):
    """The largest ratio of tangential to normal force of a foot."""
    forces = [w.force for w in command.wrenches.values()]
    return max(np.hypot(*f[:2]) / f[2] for f in forces if f[2] > 1)


@pytest.mark.slow
def test_feet_that_slide_do_not_cost_the_balance():
    """G1 walks where there is 0.4 of the friction that it was told of.

    Its stance foot turns at the second swing. Without a rate of torques one tick with all of them
    at their limits threw it within 2.5 s.
    """
    robot = robots.load("g1")
    _, q = control.stand(robot, crouch=0.02)
    make = partial(judging.walker, gait="walk")
    slippery = replace(judging.World.real(), friction=0.4)
    trial = judging.trial(robot, make, slippery, velocity=(0.2, 0, 0), duration=2.6, seed=2, q=q)
    assert not trial.ended
    assert trial.slip > 0.01  # it did slide
