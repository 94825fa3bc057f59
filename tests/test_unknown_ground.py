"""Ground that is not as told: what feet feel, the plane under them, boards that nobody told of."""

from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from stances import standing

import footwork as fw
from footwork import control
from footwork.control import judging
from footwork.control.gaits import uneven_ground
from footwork.control.gaits.foot import FootMode
from footwork.control.gaits.ground_plane import GroundPlane
from footwork.control.gaits.touch import FILTER, Touch
from footwork.control.gaits.uneven_ground import SEARCH_TIME, VERTICAL_REACH, lowered
from footwork.control.references import Desired, moved
from footwork.control.whole_body.command import Command
from footwork.robots.unchecked import unchecked


def command(**parts):
    """Of the tick before."""
    return unchecked(Command, t=0.0, status="optimal", **parts)


def gait_of(name, speed=0.3, kind=control.GaitController, **options):
    """A quadruped that stands, its feet, and its trot at this speed along x [m/s]."""
    robot, feet, q = standing(name)
    return robot, feet, q, kind(robot, feet, q, "trot", velocity=(speed, 0, 0), **options)


@pytest.mark.parametrize("name", ["go2", "anymal", "solo12", "quadruped"])
def test_a_force_that_was_not_planned_is_felt(name):
    """α = f/m for a force f along the normal, the rest of the motion as it may be."""
    robot = fw.load(name)
    feet = fw.at_feet(robot, 0.7)
    rng = np.random.default_rng(3)
    q = control.stand(robot, crouch=0.02)[1]
    q = robot.integrate(q, 0.1 * rng.standard_normal(robot.nv))
    v, a = rng.standard_normal((2, robot.nv))
    state, step, force = fw.dynamics.State(robot, q, v), 0.002, 30.0
    foot = feet[feet.names[-1]]
    n = foot.pose(state).rotation[:, 2]
    J = n @ foot.centre_jacobian(state)[:3]
    M = state.mass_matrix
    moved = a + np.linalg.solve(M, force * J)  # what happens; a was planned
    leg = np.flatnonzero(np.abs(foot.centre_jacobian(state)).max(axis=0) > 1e-12)
    leg = leg[leg >= 6]
    mass = 1 / (J[leg] @ np.linalg.solve(M[np.ix_(leg, leg)], J[leg]))
    contacts = fw.contacts.ContactSet(robot, [])
    before = command(v=v - step * moved, a=a, w=np.zeros(0), contacts=contacts)
    touch = Touch(feet)
    touch.feel(state, step, before)
    share = step / (step + FILTER)
    found = dict(zip(feet.names, touch._felt / share, strict=True))
    assert found[foot.name] * mass == pytest.approx(force, rel=1e-9)
    for _ in range(20):
        touch.feel(state, step, before)
    assert touch.stopped(foot.name)
    assert not touch.missing(foot.name)


def test_ground_that_is_missing_is_felt():
    """Where all of the planned force is missing, and only there."""
    robot, feet, q = standing("go2")
    state = fw.dynamics.State(robot, q, np.zeros(robot.nv))
    w, lost = np.tile([0.0, 0.0, robot.mass * 9.81 / 4], 4), feet.names[1]
    J = feet[lost].centre_jacobian(state)[2]
    a = -np.linalg.solve(state.mass_matrix, J * w[2])
    before = command(v=-0.002 * a, a=np.zeros(robot.nv), w=w, contacts=feet)
    touch = Touch(feet)
    for _ in range(10):
        touch.feel(state, 0.002, before)
    assert [name for name in feet.names if touch.missing(name)] == [lost]
    assert [name for name in feet.names if not touch.bears(name)] == [lost]
    touch.feel(state, 0.002, None)
    assert not any(touch.missing(name) for name in feet.names)


def first_swings(walker, q):
    """The feet that swing first, while the robot stays where it is, and when that is."""
    t, still = 0.0, np.zeros(len(q) - 1)
    while not (swings := walker._feet_in(FootMode.SWING)):
        walker(q, still, t)
        t += 2e-3
    return swings, t


def _places(points):
    return [pin.SE3(np.eye(3), np.asarray(p, dtype=float)) for p in points]


def test_a_plane_shows_in_a_few_steps():
    """Four feet in a square on a slope: its error is a fifth less after each fit."""
    slope, corners = np.array([0.17, -0.05]), [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    feet = _places([(x, y, 0.3 + slope @ (x, y)) for x, y in corners])
    ground = GroundPlane(feet)
    assert np.array_equal(ground.slope, [0, 0])  # their own normals are level
    errors = []
    for _ in range(4):
        ground.fit(feet)
        errors.append(ground.slope - slope)
    ratio = np.array(errors[1:]) / np.array(errors[:-1])
    assert ratio == pytest.approx(np.full((3, 2), 4 / 5), abs=1e-9)
    assert ground.height(np.array([0.0, 0.0, 9.0])) == pytest.approx(0.3)
    n = ground.tilt[:, 2]
    assert n[:2] / -n[2] == pytest.approx(ground.slope, abs=1e-12)


def test_two_feet_tell_of_no_plane():
    """Their height is taken up, the slope stays."""
    ground = GroundPlane(_places([(0, 0.1, 0), (0, -0.1, 0)]))
    ground.slope = np.array([0.1, 0.0])
    ground.fit(_places([(0, 0.1, 0.02), (0, -0.1, 0)]))
    assert ground.slope == pytest.approx([0.1, 0.0], abs=0)
    assert ground.height(np.zeros(3)) == pytest.approx(0.01)


def test_two_soles_that_agree_tell_of_the_slope():
    """One alone may lie on the edge of a board."""
    ramp = pin.SE3(pin.utils.rotate("y", -0.2), np.array([0.3, 0.1, 0.05]))
    level = pin.SE3(np.eye(3), np.array([0.0, -0.1, 0.0]))
    ground = GroundPlane([level, level])
    ground.fit([ramp, level], [ramp, level])
    assert np.array_equal(ground.slope, [0, 0])
    ground.fit([ramp, ramp], [ramp, ramp])
    assert ground.slope == pytest.approx([np.tan(0.2), 0.0])
    n = ground.tilt[:, 2]
    assert n[:2] / -n[2] == pytest.approx(ground.slope, abs=1e-12)


def test_feet_on_a_slope_give_it_at_once():
    """From the normals of where they stand."""
    T = pin.SE3(pin.utils.rotate("y", -0.2), np.zeros(3))
    assert GroundPlane([T, T]).slope == pytest.approx([np.tan(0.2), 0.0])


@pytest.mark.parametrize("met", [False, True])
def test_a_foot_in_the_air_is_not_taken_for_the_ground(monkeypatch, met):
    """At the end of its swing, when the next footholds are planned; one that met it early is."""
    robot, feet, q, walker = gait_of("go2")
    monkeypatch.setattr(walker.touch, "stopped", lambda name: met)
    t, still, lifted = 0.0, np.zeros(robot.nv), q.copy()
    while walker.steps < 1:
        for foot in walker._feet_in(FootMode.SWING):  # bent at the knee
            knee = {"lf": "FL", "rf": "FR", "lh": "RL", "rh": "RR"}[foot.name[:2]] + "_calf_joint"
            foot.descends = met
            lifted[7 + robot.joint_names.index(knee)] = -2.2
        walker(lifted, still, t)
        t += 2e-3
    heights = [T.translation[2] for T in feet.placements(lifted).values()]
    assert np.ptp(heights) > 0.03
    if not met:
        heights = [T.translation[2] for T in feet.placements(q).values()]
        assert walker.ground.slope == pytest.approx([0.0, 0.0], abs=1e-3)
    assert walker.ground.point[2] == pytest.approx(np.mean(heights), abs=1e-3)


def test_a_quadruped_trots_over_boards_that_it_is_not_told_of():
    """Boards of 3 cm, half the friction, other masses, noise, torques a tick late.

    Feet of ANYmal meet risers, and are lifted over them.
    """
    found = judging.trial(
        fw.load("anymal"), lambda *given: judging.walker(*given, gait="trot"),
        judging.World.real(boards=0.03), velocity=(0.3, 0, 0), duration=3.2, seed=3,
    )  # fmt: skip
    assert not found.ended
    assert found.statuses["optimal"] > 0.98 * 1600


@pytest.mark.slow
def test_g1_walks_over_boards_that_it_is_not_told_of():
    """Narrow soles come to lie on edges: it fell before this time."""
    robot = fw.load("g1")
    _, q = control.stand(robot, crouch=0.02)
    make, world = partial(judging.walker, gait="walk"), judging.World.real(boards=0.02)
    asked = {"velocity": (0.3, 0, 0), "duration": 3.4, "seed": 5, "q": q}
    assert not judging.trial(robot, make, world, **asked).ended


@pytest.mark.slow
def test_a_waist_holds_the_upper_body_on_a_ramp_that_nobody_told_of():
    """As free as all other joints that of G1 was turned by 31 degrees before it fell."""
    robot, postures = fw.load("g1"), []
    _, q = control.stand(robot, crouch=0.02)

    def watched(*given):
        walker = judging.walker(*given, gait="walk")

        def controller(readings):
            postures.append(readings.q)
            return walker(readings)

        return controller

    asked = {"velocity": (0.3, 0, 0), "duration": 3.3, "seed": 1, "q": q}
    assert not judging.trial(robot, watched, judging.World.real(ramp=10.0), **asked).ended
    waist = [row + 1 for row, joint in enumerate(robot.joint_of_row) if "waist" in joint]
    assert len(waist) == 3
    assert np.degrees(np.abs(np.array(postures) - q)[:, waist].max()) < 20


@pytest.mark.parametrize(
    ("goes_on", "descends", "met"),
    [(True, True, False), (False, True, True), (False, False, False)],
)
def test_a_foot_that_goes_on_down_has_not_met_the_ground(monkeypatch, goes_on, descends, met):
    """What its leg feels may be the swing; what has met the ground went down, and stops."""
    robot, feet, q, walker = gait_of("solo12", reach=0.0)
    t, step, still = 0.0, 2e-3, np.zeros(robot.nv)
    down = 0.0
    while down > -0.3:
        walker(q, still, t)
        t += step
        if swings := walker._feet_in(FootMode.SWING):
            wanted = {foot.name: foot.task.target(t) for foot in swings}
            down = max(there.velocity[2] for there in wanted.values())
    state = fw.dynamics.State(robot, q)
    J = np.vstack([state.frame_jacobian(feet[name].frame)[:3] for name in wanted])
    v = np.linalg.pinv(J) @ np.concatenate([there.velocity[:3] for there in wanted.values()])
    monkeypatch.setattr(walker.touch, "stopped", lambda name: True)
    monkeypatch.setattr(uneven_ground, "_held_back", lambda *given: False)
    for foot in swings:
        foot.descends = descends
    walker(q, v if goes_on else still, t)
    assert {foot.name for foot in swings if foot.stopped} == (set(wanted) if met else set())


def test_a_foot_that_is_let_go_before_its_swing_stays():
    """Where the controller gives up a contact early; it is one again if the plan changes."""
    robot, feet, q, walker = gait_of("solo12")
    t, step, still = 0.0, 2e-3, np.zeros(robot.nv)
    while not walker.controller.leaving:
        walker(q, still, t)
        t += step
    name = walker.controller.leaving[0]
    walker.controller.remove_contact(name)
    pushed = still.copy()
    pushed[:6] = 0.3  # what is asked of the rest does not move the foot
    told = walker(q, pushed, t)
    assert name not in told.contacts.names
    state = fw.dynamics.State(robot, q, pushed)
    J, drift = state.frame_jacobian(feet[name].frame)[:3], state.frame_drift(feet[name].frame)[:3]
    wanted = -40.0 * J @ pushed  # of a task that holds its place, with its damping of 2√400
    assert J @ told.a + drift == pytest.approx(wanted, abs=2.0)
    walker.follow(walker.plan.phases, t + step)
    assert set(walker.controller.contacts.names) == set(feet.names)
    assert walker.controller.tasks == tuple(walker.tasks)


@pytest.mark.parametrize(("height", "wrong"), [(0.0, 0.0), (0.1, 0.0), (0.1, 0.1)])
def test_a_foot_is_lowered_to_beneath_its_foothold(height, wrong):
    """However high it was when that began, and the foothold taken to be."""
    robot, _, q, walker = gait_of("go2", reach=0.0)
    swings, t = first_swings(walker, q)
    goal = float(swings[0].goal.translation[2])
    high = q + height * np.eye(robot.nq)[2]
    swings[0].goal = moved(swings[0].goal, np.array([0.0, 0.0, wrong]))
    way = lowered(swings[0], fw.dynamics.State(robot, high), t, walker.plan, 0.4)
    deepest = goal - VERTICAL_REACH * walker.plan.height
    assert way(t + 5.0).value.translation[2] == pytest.approx(deepest, abs=2e-3)


def test_a_foot_that_searches_the_ground_does_not_wait_above_it():
    """One that went down ahead of its reference goes on from where it is."""
    robot, feet, q, walker = gait_of("go2")
    t, still = 0.0, np.zeros(robot.nv)
    for _ in range(5):
        walker(q, still, t)
        t += 2e-3
    foot = walker._feet[feet.names[0]]
    walker._search(foot, fw.dynamics.State(robot, q, still), t)
    lower = q - 0.04 * np.eye(robot.nq)[2]
    walker(lower, still, t)
    here = foot.placement(fw.dynamics.State(robot, lower)).translation[2]
    assert foot.mode is FootMode.SEARCH
    assert foot.task.target(t).value.translation[2] == pytest.approx(here, abs=1e-12)
    assert foot.task.target(t + 0.01).value.translation[2] < here - 3e-3


@pytest.mark.parametrize(("miss", "told"), [(0.004, False), (0.03, False), (0.03, True)])
def test_feet_swing_higher_where_the_ground_is_uneven(miss, told):
    """By how far one stood from where it was to land, and less from swing to swing."""
    terrain = fw.contacts.Terrain([fw.contacts.Plane("ground")]) if told else None
    options = {"kind": control.PredictiveGait, "reach": 0.0, "terrain": terrain}
    robot, _, q, walker = gait_of("go2", **options)
    t, still, raised = 0.0, np.zeros(robot.nv), list[float]()
    for foot in walker._feet.values():
        foot.goal = pin.SE3(foot.goal.rotation, foot.goal.translation - [0, 0, miss])
    while walker.steps < 4:
        before = walker.steps
        walker(q, still, t)
        for foot in walker._feet_in(FootMode.SWING):
            foot.stumbled = True  # feet that never leave the ground would be lifted over it
        t += 2e-3
        if walker.steps != before or not raised:
            raised.append(walker._clearance - walker.step_height)
    rough = miss > 0.01 and not told
    assert max(raised) == pytest.approx(miss if rough else 0.0, abs=1e-3)
    if rough:
        assert raised[-1] < 0.95 * max(raised)


@pytest.mark.parametrize("waits", [True, False])
def test_no_prediction_counts_on_a_foot_that_searches_the_ground(waits):
    """It pushes from when it is about to have met the ground, also while the plan waits for it."""
    robot, _, q, walker = gait_of("go2", kind=control.PredictiveGait, reach=0.0)
    t, still = 0.0, np.zeros(robot.nv)
    while bool(walker._feet_in(FootMode.SWING)) == waits:
        walker(q, still, t)
        t += 2e-3
    stands = walker._feet_in(FootMode.STANCE)
    before = walker.ahead(q, still, t)[0]
    lost = stands[0]
    walker._search(lost, fw.dynamics.State(robot, q, still), t)
    first, then, *_ = walker.ahead(q, still, t)[0]
    assert set(first.places) == {foot.name for foot in stands} - {lost.name}
    assert set(then.places) == {foot.name for foot in stands}
    assert first.duration == SEARCH_TIME / walker.plan.omega
    whole = before[0].duration + (first.duration if waits else 0.0)
    assert first.duration + then.duration == pytest.approx(whole, abs=1e-9)


@pytest.mark.slow
def test_a_quadruped_trots_over_boards_of_6_cm_that_it_is_not_told_of():
    """At 0.5 m/s by a prediction, on what its estimator says, with half the friction."""
    robot, sensors = fw.load("quadruped"), control.Sensors()
    how = {"gait": "trot", "predictive": True, "sensors": sensors}
    make, world = partial(judging.walker, **how), judging.World.real(boards=0.06, sensors=sensors)
    asked = {"velocity": (0.5, 0, 0), "duration": 4.5, "seed": 1}
    assert not judging.trial(robot, make, world, **asked).ended


@pytest.mark.parametrize(
    ("kind", "over"), [(control.GaitController, 2), (control.PredictiveGait, 3)]
)
def test_a_foot_that_a_riser_holds_back_is_lifted_over_it(kind, over):
    """Up first, higher than it swings otherwise, to the same foothold at the same time."""
    robot, _, q, walker = gait_of("go2", 0.5, kind, reach=0.0, step_height=0.03)
    swings, t = first_swings(walker, q)
    step = 2e-3
    times = walker.plan.times[walker._phase : walker._phase + 2]
    begin, end = (walker.begin + time for time in times)
    foot = swings[0]
    goal = foot.task.target(end).value.translation
    while not foot.stumbled:
        assert t < begin + 0.6 * (end - begin)
        walker(q, np.zeros(robot.nv), t)
        t += step
    way = foot.task.target
    here = fw.dynamics.frame_placement(robot, q, foot.contact.frame).translation
    path = np.array([way(s).value.translation for s in np.linspace(t, end, 50)])
    assert path[-1] == pytest.approx(goal, abs=1e-9)
    assert (path[:, 2] - here[2]).max() == pytest.approx(over * walker.step_height, rel=0.1)
    early = path[:15]  # before it goes ahead
    assert np.abs(early[:, 0] - here[0]).max() < 0.25 * (early[:, 2] - here[2]).max()
    assert walker.uneven.unevenness == pytest.approx(0.0, abs=1e-9)  # it had not left the ground


def test_a_riser_is_taken_to_be_as_high_as_it_is_known_to_be():
    """However high the swing was: feet that go ever higher from riser to riser throw the robot."""
    robot, _, q, walker = gait_of("go2", 0.5, reach=0.0)
    swings, t = first_swings(walker, q)
    still = np.zeros(robot.nv)
    foot, state = swings[0], fw.dynamics.State(robot, q, still)
    foot.clearance, foot.start = 0.2, moved(foot.start, np.array([0.0, 0.0, -0.04]))
    walker.uneven._stumble(foot, state, t, walker.plan)
    assert walker.uneven.unevenness == pytest.approx(0.04, abs=1e-9)
    path = [foot.task.target(s).value.translation[2] for s in np.linspace(t, foot.ends, 50)]
    rises = max(path) - foot.placement(state).translation[2]
    assert rises == pytest.approx(VERTICAL_REACH * walker.plan.height, rel=0.1)


@pytest.fixture
def stepping():
    """A biped that stands, its walker at the first swing, that foot, and the time."""
    biped, feet, q = standing("biped")
    walker = control.GaitController(biped, feet, q, velocity=(0.3, 0, 0), reach=0.0)
    (foot,), t = first_swings(walker, q)
    return biped, q, walker, foot, t


@pytest.mark.parametrize(("above", "landed"), [(0.01, False), (0.04, True)])
def test_a_sole_that_stands_early_ends_its_swing(stepping, above, landed):
    """Above its way, and at rest: the others bear the robot no longer than they must."""
    biped, q, walker, foot, t = stepping
    still = np.zeros(biped.nv)
    here = foot.placement(fw.dynamics.State(biped, q, still))
    way = Desired(moved(here, np.array([0.0, 0.0, -above])), np.zeros(6), np.zeros(6))
    foot.task.target, foot.descends = (lambda t: way), True
    walker(q, still, t)
    assert foot.stopped == landed
    assert walker.steps == 0
    walker(q, still, t + 2e-3)
    assert walker.steps == landed


@pytest.mark.parametrize(("turn", "caught"), [(0.1, False), (0.2, True)])
def test_a_sole_that_catches_on_an_edge_is_lifted_over_it(stepping, turn, caught):
    """Its toe stays, and its heel goes on: it is turned before it falls behind."""
    biped, q, walker, foot, t = stepping
    ankles = [row for joint, row in biped.rows_of_joint.items() if "ankle_pitch" in joint]
    turned = q.copy()
    turned[[row.start + 1 for row in ankles]] += turn  # a quaternion has one entry more
    assert len(ankles) == 2
    walker(turned, np.zeros(biped.nv), t)
    assert (foot.stumbled or foot.stopped) == caught


def test_it_is_said_when_no_foot_carries():
    """Dropped from 0.5 m, nothing gives way: what is asked for can be done in the air."""
    robot, feet, q = standing("quadruped")
    walker = control.GaitController(robot, feet, q, velocity=(0.1, 0, 0))
    high = q + np.where(np.arange(robot.nq) == 2, 0.5, 0.0)
    motion = control.simulate(robot, walker, q=high, duration=0.3, control_step=2e-3)
    assert motion.statuses[0] == "optimal"
    assert motion.statuses[-1] == "unsafe"
    assert "no foot carries" in walker(motion.q[-1], motion.v[-1], motion.t[-1] + 2e-3).reason
