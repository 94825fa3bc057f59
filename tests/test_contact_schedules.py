"""Corners of soles as contacts, their margins, and which of them touch along a motion."""

from dataclasses import replace
from itertools import pairwise

import motions_made as made
import numpy as np
import pinocchio as pin
import pytest
from motions_made import HANDS, carrying, touching

import footwork as fw
from footwork import contacts, control, dynamics
from footwork.contacts import ContactSchedule, find_contacts
from footwork.contacts.geometry.polygon import centroid, centroid_weights, convex_hull
from footwork.contacts.loads_along import loads_along
from footwork.contacts.schedules.corners import corner_points
from footwork.contacts.schedules.masks import hysteresis, without_gaps, without_short
from footwork.dynamics.motions.motion import Motion
from footwork.dynamics.motions.runs import runs


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
        states = robot, q, v, a
        sole, corner = (contacts.contact_forces(*states, x, **options) for x in (soles, points))
        weight = 9.81 * robot.mass
        assert np.isfinite(sole.margin)
        assert corner.margin == pytest.approx(sole.margin, abs=(1e-6 if solver else 1e-9) * weight)
        many = contacts.batch.contact_forces(*states, points, torque_limits=torque_limits)
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
    x, y = np.abs(toe.corners).max(axis=0)
    across = toe.placement * pin.SE3(pin.utils.rotate("z", np.pi / 2), np.array([x, 0.0, 0.0]))
    edge = contacts.LineContact(toe.frame, half_length=y, friction=0.7, placement=across)
    found = contacts.batch.contact_forces(robot, q, v, a, points, active=active)
    for row, alike in enumerate(([toe, foot], [edge, foot], [foot])):
        expected = contacts.contact_forces(robot, q, v, a, alike).margin
        assert found.margin[row] == pytest.approx(expected, abs=1e-7 * 9.81 * robot.mass)


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
    T = pin.XYZQUATToSE3(rest[:7]).inverse() * foot
    out = np.tile(rest, (len(places), 1))
    for row, place in zip(out, places, strict=True):
        row[:7] = pin.SE3ToXYZQUAT(place * T.inverse())
    return out


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


@pytest.mark.parametrize(
    "name", ["", "faster", "floating", "sliding", "wobbling", "heels_below_ground"]
)
def test_contacts_of_a_carrying_robot(name):
    """Feet stand when they were made to: within a sample of each step, two where they slide."""
    right, fault = carrying(), getattr(made, name, lambda motion: motion)
    schedule = find_contacts(fault(right))
    truth = touching(right.t)
    for k, foot in enumerate(("left_foot", "right_foot")):
        own = [c.part_of == foot for c in schedule.contacts]
        assert sum(own) == 4
        for found in schedule.touching[:, own].T:
            assert len(runs(found)[0]) == 4
            assert (found != truth[:, k]).sum() <= (12 if name == "sliding" else 6)
    assert bool(schedule.finding.remarks) == (name == "sliding")
    report = str(schedule.finding)
    assert ("above the ground" in report.splitlines()[0]) == (name == "floating")
    assert ("slides" in report) == (name == "sliding")


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
    how = {"duration": walker.plan.duration, "step": 2e-3, "progress": False}
    closed = control.simulate(robot, walker, q=q, contacts=feet, **how)
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


# --- schedules, their files and loads --------------------------------------------------------


def stepping(n=200):
    """A biped that stands, rolls over a toe, swings and lands on a heel; and a hand on a rail."""
    robot, t = fw.load("biped"), np.arange(n) / 60
    times = {
        "left_foot": [(0.0, 1.0), (2.0, 9.0)], "left_foot.2": [(1.0, 1.5)],
        "left_foot.3": [(1.0, 1.5)], "left_foot.1": [(1.8, 2.0)], "left_foot.4": [(1.8, 2.0)],
        "right_foot": [(0.0, 2.5)], "right_foot.1": [(3.0, np.inf)],
    }  # fmt: skip
    feet = ContactSchedule.of_feet(robot, t, times, friction=0.6)
    side = np.array([0.6, 0.0, 0.8])
    rail = contacts.PointContact("left_hand", 0.3, side, [0.0, 0.01, 0.02], name="rail")
    hand = ContactSchedule.from_intervals(contacts.ContactSet(robot, [rail]), t, {"rail": [(1, 2)]})
    return feet.merge(hand)


def same(a, b):
    assert a.contacts.names == b.contacts.names
    assert (a.touching == b.touching).all()
    for one, two in zip(a.contacts, b.contacts, strict=True):
        assert one.friction == two.friction
        assert (one.frame, one.part_of, one.weight) == (two.frame, two.part_of, two.weight)
        assert one.normal == pytest.approx(two.normal, abs=1e-15)
        assert one.offset == pytest.approx(two.offset, abs=1e-15)


def test_intervals_in_words():
    schedule = stepping()
    words = [(i.foot, i.corners, round(i.start, 2), round(i.end, 2)) for i in schedule.intervals()]
    assert words == [
        ("left_foot", "all", 0.0, 1.0), ("right_foot", "all", 0.0, 2.5), ("rail", "all", 1.0, 2.0),
        ("left_foot", "toe", 1.02, 1.5), ("left_foot", "heel", 1.8, 1.98),
        ("left_foot", "all", 2.0, 3.32), ("right_foot", "1", 3.0, 3.32),
    ]  # fmt: skip
    assert schedule.at(1.2).names == ("left_foot.2", "left_foot.3", "right_foot.1", "right_foot.2",
                                      "right_foot.3", "right_foot.4", "rail")  # fmt: skip
    part = schedule.part(1.0, 1.5)
    assert (part.t[0], len(part)) == (1.0, 31)
    assert (part.touching == schedule.touching[60:91]).all()
    assert "right_foot 1: 3 to 3.317 s" in schedule.summary()
    assert schedule.feet["rail"].sum() == 61


def test_edges_of_both_feet():
    """Inner edges face each other, whichever foot it is."""
    robot = fw.load("biped")
    for foot, sign in (("left_foot", -1), ("right_foot", 1)):
        corners = contacts.at_corners(robot)
        inner = [c.name for c in corners if c.part_of == foot and c.offset[1] * sign > 0]
        schedule = ContactSchedule.of_feet(robot, [0.0, 1.0], {name: [(0, 1)] for name in inner})
        assert [i.corners for i in schedule.intervals()] == ["inner edge"]


@pytest.mark.parametrize("suffix", ["yaml", "csv"])
def test_files_say_the_same_samples(tmp_path, suffix):
    schedule = stepping()
    path = schedule.save(tmp_path / f"contacts.{suffix}")
    again = ContactSchedule.load(path, schedule.contacts.robot, schedule.t)
    same(again, schedule)
    assert (again.certainty == 1).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suffix", ["yaml", "csv"])
def test_files_of_any_samples(tmp_path, suffix, seed):
    """At uneven times, far from zero, with corners that come and go at random."""
    rng, robot = np.random.default_rng(seed), fw.load("biped")
    t = 1000 * seed + np.cumsum(rng.uniform(1e-4, 2e-2, 300))
    corners = contacts.at_corners(robot)
    touching = np.repeat(rng.random((60, len(corners))) < 0.5, 5, axis=0)
    schedule = ContactSchedule(corners, t, touching, np.ones(touching.shape))
    path = schedule.save(tmp_path / f"contacts.{suffix}")
    same(ContactSchedule.load(path, robot, t), schedule)


def test_a_file_by_hand_and_what_it_gets_wrong(tmp_path):
    robot, t, path = fw.load("biped"), np.arange(100) / 50, tmp_path / "contacts.yaml"
    path.write_text("""version: 1
contacts:
- {foot: left_foot, from: 0, to: 1}
- {foot: left_foot, corners: [2, 3], from: 1, to: 1.5}
loads:
- {carry: left_hand, mass: 2, from: 0.5}
""")
    schedule = ContactSchedule.load(path, robot, t)
    assert [i.corners for i in schedule.intervals()] == ["all", "toe"]
    assert schedule.loads[0].mass == 2
    head = "version: 1\ncontacts:\n"
    for text, words in (
        (head + "- {foot: left_fot, from: 0, to: 1}", r"3: .*left_fot.*left_foot"),
        (head + "- {foot: left_foot, corners: hel, from: 0, to: 1}", "3: .*hel.*heel"),
        (head + "- {foot: left_foot, corners: 5, from: 0, to: 1}", "3: .*'5'.*from 1 to 4"),
        (head + "- {foot: left_foot, from: 1, to: 0}", "3: .*to: got '0', expected a time from 1"),
        (head + "- {foot: left_foot, from: 7, to: 8}", "3: .*expected times with a sample"),
        (head + "- {foot: left_foot, from: 0}", "3: .*no to"),
        (head + "- {foot: left_foot, frm: 0}", "3: .*frm.*from"),
        (head + "- {foot: left_foot, from: 0, to: 1, friction: -1}", "3: .*friction"),
        (head + "- {foot: left_foot, from: 0, to: 1, normal: [0, 0, 3]}", "3: .*normal"),
        (head + "- {frame: left_hnd, from: 0, to: 1}", "3: .*left_hnd.*left_hand"),
        (head + "- {from: 0, to: 1}", "3: .*a foot or a frame"),
        ("version: 1\nrobot: talos\ncontacts: []", "2: robot: got 'talos', expected 'biped'"),
        ("contacts: []", "no version"),
        ("", "empty, expected a contact schedule"),
        ("[]", "1: contact schedule: got .*, expected keys"),
        ("version: 1\ncontacts: []\nloads:\n- {carry: left_hand}", "4: .*mass"),
        ("version: 1\ncontacts: []\nloads:\n- {carry: left_hand, mass: -1}", "4: .*mass"),
    ):
        path.write_text(text)
        with pytest.raises(contacts.ScenarioError, match=words):
            ContactSchedule.load(path, robot, t)
    table = tmp_path / "contacts.csv"
    for text, words in (
        ("foot,frm\n", "1: .*frm.*from"),
        ("foot,from,to\nleft_foot,0,1\nleft_foot,x,1\n", "3: from: got 'x', expected a time"),
        ("foot,from,to\nleft_foot,0,1,4\n", "2: got 4 cells"),
    ):
        table.write_text(text)
        with pytest.raises(contacts.ScenarioError, match=words):
            ContactSchedule.load(table, robot, t)


def test_what_files_have_no_words_for(tmp_path):
    robot, t = fw.load("biped"), np.arange(3.0)
    for some, name, words in (
        (contacts.at_feet(robot), "a.yaml", "got a SurfaceContact"),
        ([contacts.PointContact("left_hand", 0.5, radius=0.02)], "a.csv", "radius"),
        ([contacts.PointContact("left_hand", 0.5, bilateral=True)], "a.csv", "bilateral"),
    ):
        on = np.ones((3, len(some)))
        schedule = ContactSchedule(contacts.ContactSet(robot, some), t, on > 0, on)
        with pytest.raises(fw.ContactError, match=words):
            schedule.save(tmp_path / name)
    loaded = ContactSchedule.of_feet(robot, t, {}, loads=(contacts.CarriedMass("left_hand", 1.0),))
    with pytest.raises(fw.ContactError, match="loads"):
        loaded.save(tmp_path / "a.csv")
    assert loaded.save(tmp_path / "a.yaml").exists()


def moving(robot, n=7, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([robot.random_configuration(rng) for _ in range(n)])
    v, a = (rng.normal(0, 2, (n, robot.nv)) for _ in range(2))
    return Motion(robot, np.arange(n) / 10, q, v, a)


@pytest.mark.parametrize("name", ["biped", "g1"])
def test_a_carried_mass_is_one_that_is_welded_on(name, load_robot):
    """Weight and inertia: inverse dynamics of the model with the mass, by Pinocchio."""
    robot = load_robot(name, "floating")
    motion = moving(robot)
    frame = "left_hand" if name == "biped" else "left_rubber_hand"
    at, mass = np.array([0.05, -0.02, 0.1]), 3.0
    tau = contacts.load_torques(motion, [contacts.CarriedMass(frame, mass, at=at)])
    model = robot.model
    link = model.frames[model.getFrameId(frame, pin.FrameType.BODY)]
    point = pin.Inertia(mass, link.placement.act(at), np.zeros((3, 3)))
    model.inertias[link.parentJoint] = model.inertias[link.parentJoint] + point
    bare, data = robot.model, model.createData()
    for i in range(len(motion)):
        x = motion.q[i], motion.v[i], motion.a[i]
        expected = pin.rnea(bare, bare.createData(), *x) - pin.rnea(model, data, *x)
        assert tau[i] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def test_when_a_mass_is_carried():
    motion = moving(fw.load("biped"), 11)
    load = contacts.CarriedMass("left_hand", 2.0, start=0.2, end=0.8, ramp=0.2)
    assert load.share(motion.t) == pytest.approx([0, 0, 0, 0.5, 1, 1, 1, 0.5, 0, 0, 0], abs=1e-9)
    always = contacts.CarriedMass("left_hand", 2.0)
    tau, whole = (contacts.load_torques(motion, [x]) for x in (load, always))
    assert tau == pytest.approx(load.share(motion.t)[:, None] * whole, abs=1e-12)


def test_wrenches_along_time():
    """As `external_torques` has them at each sample, in batches of verdicts too."""
    motion = moving(fw.load("biped"), 9)
    robot, force = motion.robot, np.array([[0, 0, 0], [10.0, -5, 20], [0, 0, 0]])
    load = contacts.AppliedWrench("torso", [0.1, 0.4, 0.7], force, (0, 0, 3.0), at=(0.1, 0, 0.2))
    given = np.interp(motion.t, load.t, [0, 1, 0])[:, None] * force[1]
    on = (motion.t >= 0.1 - 1e-9) & (motion.t <= 0.7 + 1e-9)
    tau, rows = contacts.load_torques(motion, [load, load]), np.zeros((9, robot.nv))
    for i, q in enumerate(motion.q):
        point = dynamics.frame_placement(robot, q, "torso").act(np.array([0.1, 0, 0.2]))
        wrench = fw.Wrench(given[i], on[i] * np.array([0, 0, 3.0]), point)
        rows[i] = dynamics.external_torques(robot, q, {"torso": wrench})
    assert tau == pytest.approx(2 * rows, abs=1e-9)
    feet = contacts.at_feet(robot)
    wrenches = contacts.wrenches_along(motion, [load])
    state = motion.q, motion.v, 0 * motion.a
    expected = rows - dynamics.batch.inverse_dynamics(robot, *state)
    assert loads_along(robot, *state, wrenches) == pytest.approx(expected)
    with pytest.raises(fw.ContactError, match=r"torso.*3 rows, expected 9"):
        contacts.batch.contact_forces(robot, *state, feet, wrenches={"torso": np.zeros((3, 6))})


def test_audits_count_what_is_carried():
    """As wrenches at each sample by `contact_forces`, with others on the base or a link besides."""
    motion = carrying().part(2.0, 2.4)
    robot, schedule = motion.robot, find_contacts(motion)
    masses = tuple(contacts.CarriedMass(hand, 4.0, at=(0.1, 0, 0)) for hand in HANDS)
    loaded = replace(schedule, loads=masses)
    weight = 9.81 * robot.mass
    push = np.array([5.0, 3.0, -20.0, 1.0, 2.0, 0.5])
    link = {HANDS[0]: fw.Wrench([0, 0, -10.0], [0, 1.0, 0], point=[0.3, 0.0, 0.9])}
    options = {"self_collision": False, "torque_limits": False}
    plain = contacts.audit(motion, schedule, **options).forces.verdicts.margin
    for wrenches in (None, push, link):
        found = contacts.audit(motion, loaded, wrenches=wrenches, **options).forces.verdicts
        i = 5
        q, v, a = motion.q[i], motion.v[i], motion.a[i]
        along = contacts.wrenches_along(motion, masses).items()
        carried = {frame: fw.Wrench(w[i, :3], w[i, 3:]) for frame, w in along}
        if wrenches is push:
            carried["root_joint"] = fw.Wrench(push[:3], push[3:], dynamics.com(robot, q))
        if wrenches is link:
            there = dynamics.frame_placement(robot, q, HANDS[0]).translation
            both = carried[HANDS[0]].vector + link[HANDS[0]].at(there).vector
            carried[HANDS[0]] = fw.Wrench(both[:3], both[3:])
        some = schedule.contacts.only(schedule.touching[i])
        hold = contacts.contact_forces(robot, q, v, a, some, carried, torque_limits=False)
        assert found.margin[i] == pytest.approx(hold.margin, abs=1e-7 * weight)
        assert abs(found.margin[i] - plain[i]) > 1.0


def test_what_flies_does_not_touch():
    """At the top of a jump feet hardly move either; they stand before and after it."""
    robot, t = fw.load("biped"), np.arange(60) / 50
    for free in (True, False):
        rise = 1 + 3 * t - 4.905 * t**2 if free else 2.45 * (t - 0.3) - 4.905 * (t - 0.3) ** 2
        q = np.tile(robot.posture(), (len(t), 1))
        q[:, 2] += rise if free else np.where((t > 0.3) & (t < 0.8), rise, 0.0)
        schedule = find_contacts(motion_of(robot, t, q))
        assert schedule.finding.thresholds.offset == pytest.approx(0.0, abs=1e-9)
        stands = np.zeros(len(t), bool) if free else (t <= 0.3) | (t >= 0.8)
        for on in schedule.feet.values():
            assert (on != stands).sum() <= 2
        assert bool(schedule.feet) != free


@pytest.mark.parametrize("name", ["quadruped", "solo12", "bolt"])
@pytest.mark.parametrize("count", [1, 2, 20])
def test_ball_feet_and_few_samples(name, count, load_robot, tmp_path):
    robot = load_robot(name, "floating")
    q, still = np.tile(robot.posture(), (count, 1)), np.zeros((count, robot.nv))
    motion = Motion(robot, np.arange(count) / 50, q, still, still)
    schedule = find_contacts(motion)
    assert schedule.touching.all()
    assert schedule.contacts.names == tuple(robot.feet)
    again = ContactSchedule.load(schedule.save(tmp_path / "contacts.csv"), robot, motion)
    same(again, schedule)
    assert [c.radius for c in again.contacts] == [f.radius for f in robot.feet.values()]


def test_robots_without_feet_are_asked_for_frames():
    limb = fw.robots.limb([0.3, 0.3], [1.0, 1.0])
    rest = np.zeros((3, 2))
    motion = Motion(limb, np.arange(3.0) / 10, rest, rest, rest)
    assert find_contacts(motion, frames="tip").contacts.names == ("tip",)
    with pytest.raises(fw.ContactError, match="no feet"):
        find_contacts(motion)
