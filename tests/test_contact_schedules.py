"""Corners of soles as contacts, their margins, and which of them touch along a motion."""

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from motions_made import carrying, faster, floating, heels_below_ground, sliding, touching, wobbling

import footwork as fw
from footwork import contacts, control, dynamics
from footwork.contacts.geometry.polygon import centroid, centroid_weights, convex_hull
from footwork.contacts.schedules.corners import corner_points
from footwork.contacts.schedules.finding import find_contacts
from footwork.contacts.schedules.runs import hysteresis, runs, without_gaps, without_short
from footwork.dynamics.motions.motion import Motion


def corners_of(robot, soles, q):
    """The corners of the soles as points, with the soles' own normals at q."""
    T = soles.placements(q)
    points = [p for s in soles for p in corner_points(s, T[s.name].rotation[:, 2])]
    return contacts.ContactSet(robot, points)


@pytest.mark.parametrize("name", ["g1", "talos", "biped"])
@pytest.mark.parametrize("torque_limits", [True, False])
def test_margins_of_corners_are_those_of_soles(name, torque_limits, load_robot):
    """On soles of any shape, held or not, in every solver; the heels' alone are an edge's."""
    robot = load_robot(name, "floating")
    soles, rng = contacts.at_feet(robot), np.random.default_rng(1)
    for solver in (None, None, None, "cvxpy"):
        step = np.r_[rng.normal(0, 0.1, 3), 0, 0, 0, rng.normal(0, 0.05, robot.nv - 6)]
        q = robot.integrate(robot.posture(), step)
        v, a = rng.normal(0, 0.3, robot.nv), rng.normal(0, 2, robot.nv)
        points = corners_of(robot, soles, q)
        options = {"torque_limits": torque_limits} | ({"solver": solver} if solver else {})
        sole, corner = (
            contacts.contact_forces(robot, q, v, a, some, **options) for some in (soles, points)
        )
        weight = 9.81 * robot.mass
        assert np.isfinite(sole.margin)
        assert corner.margin == pytest.approx(sole.margin, abs=(1e-6 if solver else 1e-9) * weight)
        many = contacts.batch.contact_forces(robot, q, v, a, points, torque_limits=torque_limits)
        assert many.margin[0] == pytest.approx(sole.margin, abs=1e-7 * weight)


def test_margins_of_the_corners_that_touch():
    """Of two corners the margin is that of the edge between them, whatever the others weigh."""
    robot = fw.load("biped")
    q, v, a = robot.posture(), np.zeros(robot.nv), np.zeros(robot.nv)
    points = contacts.at_corners(robot)
    active = np.ones((3, 8), dtype=bool)
    active[1, :4] = np.array([p.offset[0] > 0 for p in points][:4])  # a left toe, a right foot
    active[2, :4] = False
    toe, foot = (contacts.at_feet(robot)[name] for name in ("left_foot", "right_foot"))
    y = np.abs(toe.corners[:, 1]).max()
    ends = [[toe.corners[:, 0].max(), side] for side in (y, -y)]
    across = toe.placement * _line_along_y(np.array(ends))
    edge = contacts.LineContact(toe.frame, half_length=y, friction=0.7, placement=across)
    found = contacts.batch.contact_forces(robot, q, v, a, points, active=active)
    for row, alike in enumerate(([toe, foot], [edge, foot], [foot])):
        expected = contacts.contact_forces(robot, q, v, a, alike).margin
        assert found.margin[row] == pytest.approx(expected, abs=1e-7 * 9.81 * robot.mass)


def _line_along_y(ends):
    x = np.append((ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1]), 0.0)
    z = np.array([0.0, 0.0, 1.0])
    return pin.SE3(np.column_stack([x, np.cross(z, x), z]), np.append(ends.mean(axis=0), 0.0))


def test_what_corners_would_have_to_pull_is_said_of_their_foot():
    robot = fw.load("biped")
    q, v, a = robot.posture(), np.zeros(robot.nv), np.zeros(robot.nv)
    a[2] = -15.0  # faster than it falls
    hold = contacts.contact_forces(robot, q, v, a, contacts.at_corners(robot))
    assert hold.feasible is False
    assert "left_foot would have to pull" in hold.reason
    assert "left_foot.1 would" not in hold.reason


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_corners_add_up_to_the_centroid(seed):
    points = convex_hull(np.random.default_rng(seed).standard_normal((4 + 3 * seed, 2)))
    weights = centroid_weights(points)
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-12)
    assert weights @ points == pytest.approx(centroid(points), abs=1e-12)
    assert centroid_weights(np.eye(2)) == pytest.approx([0.5, 0.5])


# --- contacts found --------------------------------------------------------------------------


def motion_of(robot, t, q):
    """With central differences."""
    steps = np.array([robot.difference(a, b) for a, b in pairwise(q)]) / np.diff(t)[:, None]
    v = np.vstack([steps[:1], 0.5 * (steps[1:] + steps[:-1]), steps[-1:]])
    return Motion(robot, t, q, v, np.gradient(v, t, axis=0))


def smooth(t, begin, end):
    x = np.clip((t - begin) / (end - begin), 0, 1)
    return x**3 * (10 - 15 * x + 6 * x**2)


def carried_by_left_foot(robot, places, rest):
    """Configurations (n, nq) of a robot as stiff as at rest, its left sole at places (pin.SE3)."""
    sole = robot.feet["left_foot"]
    foot = dynamics.frame_placement(robot, rest, sole.frame) * sole.placement
    T = pin.SE3(*_parts(rest)).inverse() * foot
    out = np.tile(rest, (len(places), 1))
    for row, place in zip(out, places, strict=True):
        base = place * T.inverse()
        row[:3], row[3:7] = base.translation, pin.Quaternion(base.rotation).coeffs()
    return out


def _parts(q):
    return pin.Quaternion(*q[[6, 3, 4, 5]]).matrix(), q[:3]


def on_one_leg(robot):
    q, v = robot.posture().copy(), np.zeros(robot.nv)
    for joint, angle in (("right_hip_pitch", -0.8), ("right_knee", 1.2)):
        v[6 + robot.joint_names.index(joint)] = angle
    return robot.integrate(q, v)


def rolling(rate=100.0, height=0.0, noise=0.0, seed=0):
    """A foot that comes down on its heel, lies flat from 0.5 to 1.0 s, and leaves by its toe.

    Its heel touches from 0.2, its toe until 1.3 s. Returns the motion, and when heel and toe touch.
    """
    robot = fw.load("biped")
    t = np.arange(0, 1.6, 1 / rate)
    pitch = 0.35 * (smooth(t, 1.0, 1.45) - (1 - smooth(t, 0.1, 0.5)))  # > 0: the heel is up
    up = 0.08 * ((1 - smooth(t, 0.0, 0.2)) + smooth(t, 1.3, 1.6)) + height
    along = -0.1 * (1 - smooth(t, 0.0, 0.2)) + 0.2 * smooth(t, 1.3, 1.6)
    places = []
    for angle, z, x in zip(pitch, up, along, strict=True):
        edge = np.array([0.1 if angle > 0 else -0.1, 0.0, 0.0])
        R = pin.rpy.rpyToMatrix(0.0, angle, 0.0)
        places.append(pin.SE3(R, edge - R @ edge + [x, 0.0, z]))
    q = carried_by_left_foot(robot, places, on_one_leg(robot))
    rng = np.random.default_rng(seed)
    q[:, :3] += noise * rng.standard_normal((len(t), 3))
    heel, toe = (t >= 0.2 - 1e-9) & (t <= 1.0), (t >= 0.5) & (t <= 1.3)
    return motion_of(robot, t, q), heel, toe


def corners_at(schedule, side):
    """Columns of the left heel (−1) or toe (1)."""
    own = [c.part_of == "left_foot" and np.sign(c.offset[0]) == side for c in schedule.contacts]
    return schedule.touching[:, own]


@pytest.mark.parametrize(("rate", "height", "noise"), [
    (100.0, 0.0, 0.0), (30.0, 0.0, 0.0), (100.0, 0.03, 0.0), (100.0, -0.04, 0.0),
    (100.0, 0.0, 5e-4), (500.0, 0.03, 2e-4),
])  # fmt: skip
def test_a_foot_rolls_over_heel_and_toe(rate, height, noise):
    """Corners within 90 ms of where they touch, 110 with noise; floating, sunk, at any rate."""
    motion, heel, toe = rolling(rate, height, noise)
    schedule = find_contacts(motion)
    assert schedule.finding.thresholds.offset == pytest.approx(height, abs=2e-3 + 3 * noise)
    assert {c.part_of for c in schedule.contacts} == {"left_foot"}
    for side, truth in ((-1, heel), (1, toe)):
        found = corners_at(schedule, side)
        assert found.shape[1] == 2
        for column in found.T:
            assert len(runs(column)[0]) == 1
            edges = zip(runs(column), runs(truth), strict=True)
            for got, expected in edges:
                assert abs(got[0] - expected[0]) <= max((0.11 if noise else 0.09) * rate, 2)
    sure = schedule.certainty[(motion.t > 0.6) & (motion.t < 0.9)]
    assert sure.mean() > 0.5


@pytest.mark.parametrize("fault", [lambda m: m, faster, floating, sliding, wobbling,
                                   heels_below_ground])  # fmt: skip
def test_contacts_of_a_carrying_robot(fault):
    """Feet stand when they were made to, within two samples a step, whatever is wrong."""
    made = carrying()
    motion = fault(made)
    schedule = find_contacts(motion)
    truth = touching(made.t)
    for k, foot in enumerate(("left_foot", "right_foot")):
        own = [c.part_of == foot for c in schedule.contacts]
        assert sum(own) == 4
        for found in schedule.touching[:, own].T:
            assert len(runs(found)[0]) == 4
            assert (found != truth[:, k]).sum() <= 8
    assert bool(schedule.finding.remarks) == (fault is sliding)
    report = str(schedule.finding)
    assert ("above the ground" in report.splitlines()[0]) == (fault is floating)
    assert ("slides" in report) == (fault is sliding)


def test_steps_onto_stairs():
    """Normals and friction are the surfaces'; without the stairs the foot rests in the air."""
    robot = fw.load("biped")
    stairs = contacts.Stairs("stairs", 2, 0.15, 0.4, 2.0, (0.3, 0.0, 0.0), friction=0.4)
    ramp = contacts.Plane("ramp", at=(0.0, 0.0, 0.0))
    terrain = contacts.Terrain([ramp, stairs])
    t = np.arange(0, 2, 0.02)
    x, z = 0.5 * smooth(t, 0.8, 1.2), 0.15 * smooth(t, 0.8, 1.0)
    z = z + 0.05 * (smooth(t, 0.8, 1.0) - smooth(t, 1.0, 1.2))
    places = [pin.SE3(np.eye(3), np.array([a, 0.0, b])) for a, b in zip(x, z, strict=True)]
    motion = motion_of(robot, t, carried_by_left_foot(robot, places, on_one_leg(robot)))
    schedule = find_contacts(motion, terrain)
    stands = (t <= 0.8) | (t >= 1.2)
    for name in ("left_foot.1", "left_foot.2", "left_foot.3", "left_foot.4"):
        rows = [k for k, c in enumerate(schedule.contacts) if c.name.split("/")[0] == name]
        assert (schedule.touching[:, rows].sum(axis=1) != stands).sum() <= 5
        low, high = (next(iter(schedule.contacts.only(schedule.touching[i]))) for i in (0, -1))
        assert (low.friction, high.friction) == (0.7, 0.4)
        assert (low.normal == [0, 0, 1]).all()
    flat = find_contacts(motion)
    assert any(r.kind == "hovers" and r.size > 0.1 for r in flat.finding.remarks)


def test_hands_are_asked_by_name():
    """A hand that comes to rest at a wall, with the wall's normal."""
    motion, _, _ = rolling()
    hand = "left_hand"
    still = dynamics.frame_placement(motion.robot, motion.q[60], hand).translation
    wall = contacts.Wall("wall", (still[0] + 1e-4, still[1], 0.0), width=2.0, height=2.0)
    terrain = contacts.Terrain([contacts.Plane("ground"), wall])
    assert hand not in find_contacts(motion, terrain).contacts.names
    schedule = find_contacts(motion, terrain, frames=hand)
    k = schedule.contacts.names.index(hand)
    assert schedule.touching[60, k]
    assert np.abs(schedule.contacts[hand].normal) == pytest.approx([1, 0, 0])
    with pytest.raises(fw.ConfigurationError, match="left_hend"):
        find_contacts(motion, frames="left_hend")


def test_gaps_and_blips():
    t = np.arange(12) / 10
    mask = np.array([1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1], dtype=bool)
    closed = without_gaps(mask, t, 0.15)
    assert closed.astype(int).tolist() == [1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
    left = without_short(closed, t, 0.15)
    assert left.astype(int).tolist() == [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1]
    strict = np.array([0, 0, 1, 0, 0, 0, 0], dtype=bool)
    loose = np.array([0, 1, 1, 1, 0, 1, 1], dtype=bool)
    assert hysteresis(strict, loose).astype(int).tolist() == [0, 1, 1, 1, 0, 0, 0]


@pytest.mark.slow
def test_contacts_of_a_simulated_step():
    """Within 60 ms of where the simulated ground pushes on each corner."""
    robot = fw.load("biped")
    feet, q = contacts.at_feet(robot), robot.posture("half_sitting")
    phases = control.gaits.footsteps(feet, q, 1, settle=0.3, double=0.2)
    walker = control.WalkingController(robot, feet, q, phases)
    closed = control.simulate(
        robot, walker, duration=walker.plan.duration, control_step=2e-3, q=q, contacts=feet,
        progress=False,
    )  # fmt: skip
    some = slice(None, None, 5)
    t, q, v = closed.t[some], closed.q[some], closed.v[some]
    schedule = find_contacts(Motion(robot, t, q, v, np.gradient(v, t, axis=0)))
    for foot in feet:
        pushed = np.linalg.norm(closed.forces[foot.name][some], axis=2).max(axis=1) > 1.0
        own = [c.part_of == foot.name for c in schedule.contacts]
        found = schedule.touching[:, own].any(axis=1)
        (begins, ends), (started, ended) = runs(found), runs(pushed)
        assert len(begins) == len(started) == (2 if foot.name == "left_foot" else 1)
        assert np.abs(t[ends - 1] - t[ended - 1]).max() <= 0.06
        assert np.abs(t[begins] - t[started]).max() <= 0.06
