"""Audits of motions: what holds by construction holds, and each known fault is found, alone."""

from __future__ import annotations

import csv
import html
import json
import pickle
import re
from dataclasses import replace

import motions_made as made
import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import ContactError, contacts, control, dynamics, robots
from footwork.contacts.audits.check import LIMITS, Check
from footwork.contacts.audits.stretch import stretches_of
from footwork.contacts.schedules.schedule import ContactSchedule
from footwork.dynamics.motions.motion import Motion

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def g1():
    return made.load_g1()


@pytest.fixture(scope="module")
def carrying(g1):
    return made.carrying(g1)


def stands(motion, friction=0.7, factor=1.0):
    """The corners of the soles that touch while the carrying G1 stands on them."""
    corners = contacts.at_corners(motion.robot, friction)
    on = made.touching(motion.t * factor)[:, [int("right" in name) for name in corners.names]]
    return ContactSchedule(corners, motion.t, on, np.ones(on.shape))


def asked(motion, factor=1.0, **options):
    options = {"self_collision": False} | options
    return contacts.audit(motion, stands(motion, factor=factor), **options)


def refused(audit):
    """{check: (first, last) time} of what some sample is refused for."""
    found = {}
    for name, check in audit.checks.items():
        if check.bad.any():
            times = audit.t[check.bad]
            found[name] = float(times[0]), float(times[-1])
    return found


# --- what holds, and one fault each --------------------------------------------------------------


def test_a_motion_made_to_hold_does(carrying):
    audit = asked(carrying)
    assert audit.holds
    assert audit.share == 1.0
    assert audit.stretches == ()
    assert set(audit.shares.values()) == {1.0}
    assert not refused(audit)
    assert "322 of 322 samples hold" in str(audit)


def moved(motion, start=0.5, end=1.5, **joints):
    """The motion with a smooth bump of some entries of q between two times."""
    q, bump = motion.q.copy(), made.hump(motion.t, start, end)
    for name, size in joints.items():
        q[:, 7 + motion.robot.joint_names.index(name)] += size * bump
    v, a = made.derivatives(motion.robot, motion.t, q)
    return replace(motion, q=q, v=v, a=a)


@pytest.mark.parametrize(
    ("fault", "cause", "when", "words"),
    [
        (made.floating, "gap", (0.0, 2.5), r"foot is 2\.0 cm above the ground"),
        (lambda m: made.floating(m, -0.02), "penetration", (0.0, 2.5), r"is 2\.0 cm below the"),
        (made.out_of_range, "range", (0.9, 1.6), r"left_elbow_joint is at 2\.19 rad, 0\.1 rad"),
        (lambda m: moved(m, left_wrist_roll_joint=2.5), "range", (0.9, 1.1), "beyond 1.97 rad"),
    ],
)  # fmt: skip
def test_one_fault_alone_at_its_time(carrying, fault, cause, when, words):
    audit = asked(fault(carrying.part(0.0, 2.5)))
    found = refused(audit)
    assert set(found) == {cause}
    np.testing.assert_allclose(found[cause], when, atol=0.15)
    assert audit.main_cause == cause
    (stretch,) = audit.stretches
    assert stretch.check == cause
    assert re.search(words, stretch.words), stretch.words


def test_less_friction(carrying):
    audit = asked(carrying, friction=0.05)
    assert set(refused(audit)) == {"contacts"}
    assert "too little friction" in audit.stretches[0].words
    assert re.search(r"would leave the friction cone by \d+°, the body", audit.stretches[0].words)
    assert audit.share < 0.9
    assert set(audit.kinds) == {"", "friction"}
    assert audit.as_dict(0)["lacking"] == {"friction": (~audit.good).sum()}


def test_weak_motors(carrying, g1):
    part = carrying.part(0.0, 2.5)
    audit = asked(part, torque_limits=made.weak(g1, "knee", 0.1))
    assert set(refused(audit)) == {"torques"}
    words = r"(left|right)_knee_joint would need \d+\.?\d* of its 13\.9 N·m"
    assert re.search(words, audit.stretches[0].words)
    assert audit.shares["forces, torques unlimited"] == 1.0
    assert audit.shares["forces and torques"] == audit.share < 1.0
    assert asked(part, torque_limits=False).holds


def test_time_compressed(carrying):
    fast = made.faster(carrying, 2.0)
    audit = asked(fast, factor=2.0, torque_limits=False)
    assert set(refused(audit)) == {"contacts"}
    worst = max(audit.stretches, key=lambda s: s.value)
    assert audit.kinds[worst.worst] == "pull"
    assert re.search(r"(left|right)_foot would have to pull \d+", worst.words)
    assert re.search(r"the ZMP lies \d+\.\d cm (left|right) of", worst.words)
    assert re.search(r"accelerates to the (left|right) at \d\.\d m/s² for \d+ ms", worst.words)


def test_sliding_soles(carrying):
    audit = asked(made.sliding(carrying))
    assert set(refused(audit)) == {"slip", "drift"}
    slip = audit.checks["slip"]
    assert slip.values.max() == pytest.approx(0.02 * np.pi, abs=2e-3)  # amplitude · 2π / period
    assert audit.checks["drift"].values.max() == pytest.approx(0.04, abs=1e-3)
    assert any("slips at 0.06" in s.words for s in audit.stretches)


def test_arms_in_the_trunk(carrying):
    audit = asked(made.arm_in_trunk(carrying.part(0.0, 2.5)), self_collision=True)
    assert set(refused(audit)) == {"collision"}
    for stretch in audit.stretches:
        worst = contacts.self_collisions(audit.motion.robot, audit.motion.q[stretch.worst])[0]
        assert stretch.value == pytest.approx(-worst.distance, abs=1e-9)
        overlap = f"{' and '.join(worst.links)} overlap by {-1000 * worst.distance:.1f} mm"
        assert overlap in stretch.words


def test_speeds(carrying):
    """A wrist that is flung: faster than its limit, as the ratio of both says."""
    part = carrying.part(0.0, 2.5)
    audit = asked(moved(part, 0.5, 0.7, left_wrist_roll_joint=1.6), torque_limits=False)
    row = part.robot._model.joints[part.robot.joint_id("left_wrist_roll_joint")].idx_v
    fastest = np.abs(audit.motion.v[:, row]).max() / part.robot._model.velocityLimit[row]
    speed = audit.checks["speed"]
    assert speed.values.max() == pytest.approx(fastest, rel=1e-12)
    assert speed.subject(speed.worst) == "left_wrist_roll_joint"


def test_a_jump_in_the_data(carrying):
    part = carrying.part(0.0, 2.5)
    q = part.q.copy()
    q[40:, 7 + list(part.robot.joint_names).index("left_wrist_roll_joint")] += 0.5
    v, a = made.derivatives(part.robot, part.t, q)
    jump = asked(replace(part, q=q, v=v, a=a)).checks["jump"]
    assert np.flatnonzero(jump.bad).tolist() == [40]
    assert jump.values[40] == pytest.approx(0.5, abs=0.01)
    assert jump.subject(40) == "left_wrist_roll_joint"


# --- recordings, other robots --------------------------------------------------------------------


def test_a_simulated_robot_stands_as_it_can():
    """What a closed loop recorded, contacts found; and the same under a push that tips it."""
    robot = robots.load("biped")
    controller, q = control.stand(robot, contacts.at_feet(robot), crouch=0.03)
    how = {"duration": 0.1, "control_step": 2e-3, "progress": False}
    loop = control.simulate(robot, controller, q=q, contacts=controller.contacts, **how)
    audit = contacts.audit(loop, self_collision=False)
    assert audit.holds
    assert audit.schedule.touching.all()
    assert audit.forces.reaction.force[:, 2] == pytest.approx(9.81 * robot.mass, rel=1e-3)
    tipped = contacts.audit(loop, wrenches=[0.0, 300.0, 0.0, 0.0, 0.0, 0.0], self_collision=False)
    assert not tipped.good.any()
    words = tipped.stretches[0].words
    assert re.search(r"leave the friction cone by \d+°, the ZMP lies \d+\.\d cm left of the", words)


def test_two_points_need_no_exact_moment_about_their_line():
    """A trot is never in balance to the last digit; a hundredth of gravity is another matter."""
    robot = fw.load("quadruped")
    q, feet = robot.posture(), contacts.at_feet(robot)
    t, names = np.arange(5) / 50, ("lf_foot", "rh_foot")
    motion = dynamics.Motion.of(robot, t, np.tile(q, (5, 1)), cutoff=None)
    touching = np.tile([name in names for name in feet.names], (5, 1))
    schedule = contacts.ContactSchedule(feet, t, touching, np.ones(touching.shape))
    a, b = (feet.placements(q)[name].translation for name in names)
    along, weight = (b - a) / np.linalg.norm(b - a), robot.mass * robot.model.gravity.linear
    balance = -np.cross(dynamics.com(robot, q) - a, weight) @ along
    for more, holds in ((0.0, True), (0.02, True), (0.4, False)):  # [N·m]
        couple = np.r_[np.zeros(3), (balance + more) * along]
        audit = contacts.audit(motion, schedule, wrenches=couple, self_collision=False)
        assert (audit.checks["contacts"].values <= 0).all() == holds
        assert np.isfinite(audit.forces.verdicts.world_forces).all() == holds
        assert any("5 samples: up to 0.004 m/s²" in x for x in audit.notes) == (more == 0.02)
    slide = np.r_[0.019 * robot.mass, np.zeros(5)]  # friction is no such thing: it lacks too
    assert contacts.audit(motion, schedule, friction=1e-3, wrenches=slide).share == 0.0


def test_an_arm_needs_no_contacts():
    arm = robots.double_pendulum()
    t = np.arange(50) / 50
    swing = dynamics.Motion.of(arm, t, np.column_stack([np.sin(3 * t), np.cos(2 * t)]))
    assert contacts.audit(swing, torque_limits=6.0).holds
    tau = dynamics.batch.inverse_dynamics(arm, swing.q, swing.v, swing.a)
    weak = contacts.audit(swing, torque_limits=3.0)
    assert weak.good.tolist() == (np.abs(tau) <= 3.0).all(axis=1).tolist()
    assert set(refused(weak)) == {"torques"}


# --- flight --------------------------------------------------------------------------------------


def falling(robot, gravity=1.0, n=30):
    """A robot with rigid joints that is thrown up; `gravity`: the share of it that it feels."""
    t = np.arange(n) / 100
    q, v, a = np.tile(robot.posture(), (n, 1)), np.zeros((n, robot.nv)), np.zeros((n, robot.nv))
    q[:, 2] += 1.0 + 1.5 * t - 0.5 * gravity * 9.81 * t**2
    v[:, 2], a[:, 2] = 1.5 - gravity * 9.81 * t, -gravity * 9.81
    return Motion(robot, t, q, v, a, "thrown")


def in_flight(motion):
    """Its audit where nothing touches."""
    corners = contacts.at_corners(motion.robot)
    off = np.zeros((len(motion), len(corners)))
    schedule = ContactSchedule(corners, motion.t, off > 0, off + 1.0)
    return contacts.audit(motion, schedule, self_collision=False)


def test_free_fall_is_a_motion_that_holds():
    audit = in_flight(falling(robots.load("biped")))
    assert audit.holds
    assert audit.checks["flight"].values.max() < 1e-9
    assert np.isnan(audit.margin).all()


def test_a_flight_that_does_not_fall():
    audit = in_flight(falling(robots.load("biped"), gravity=0.25))
    assert set(refused(audit)) == {"flight"}
    np.testing.assert_allclose(audit.checks["flight"].values, 0.75 * 9.81, rtol=1e-9)
    assert "does not fall: 2.45 m/s² downwards instead of 9.81" in audit.stretches[0].words


def test_a_flight_that_begins_to_spin():
    thrown = falling(robots.load("biped"))
    spinning = replace(thrown, a=thrown.a + 8.0 * np.eye(thrown.robot.nv)[4])
    assert set(refused(in_flight(spinning))) == {"flight"}


# --- the figures, by other roads -----------------------------------------------------------------


def test_each_sample_is_the_single_verdict(carrying, g1):
    weak, fast = made.weak(g1, "knee", 0.2), made.faster(carrying, 1.7)
    audit, schedule = asked(fast, 1.7, torque_limits=weak), stands(fast, factor=1.7)
    both = audit.checks["contacts"].bad, audit.checks["torques"].bad
    picks = np.concatenate([np.flatnonzero(bad)[:3] for bad in (*both, audit.good)])
    assert len(picks) == 9
    for i in picks:
        pairs = zip(schedule.contacts, schedule.touching[i], strict=True)
        on = [contact for contact, touches in pairs if touches]
        case = g1, fast.q[i], fast.v[i], fast.a[i], on
        free, limited = (contacts.contact_forces(*case, torque_limits=x) for x in (False, weak))
        assert free.feasible == (not both[0][i])
        assert limited.feasible == audit.good[i]
        assert limited.margin == pytest.approx(audit.margin[i], abs=1e-4)
        if not free.feasible:
            assert audit.checks["contacts"].values[i] == pytest.approx(-free.margin, abs=1e-4)


def test_the_reaction_is_that_of_the_forces_found(carrying):
    """Newton, Euler and the ZMP from the verdicts' forces."""
    audit = asked(carrying)
    reaction, contact_set = audit.forces.reaction, audit.schedule.contacts
    for i in (5, 100, 150):
        f = audit.forces.verdicts.forces[i]
        state = dynamics.State(carrying.robot, carrying.q[i], carrying.v[i])
        p = contact_set.attachment.world_points(state)
        np.testing.assert_allclose(f.sum(axis=0), reaction.force[i], atol=1e-6)
        moment = np.cross(p - state.com, f).sum(axis=0)
        np.testing.assert_allclose(moment, reaction.moment[i], atol=1e-6)
        wrench = fw.Wrench(f.sum(axis=0), moment, state.com)
        zmp = contacts.zero_moment_point({"all": wrench})
        found = reaction.zmp(i, np.zeros(3), np.array([0.0, 0.0, 1.0]))
        np.testing.assert_allclose(found, zmp, atol=1e-9)


def test_slip_is_the_speed_of_the_corners(carrying):
    """By differences of places that Pinocchio gives."""
    slide = made.sliding(carrying)
    robot, model, dt = slide.robot, slide.robot.model, 1e-6
    data, slip, audit = model.createData(), [], asked(slide)
    corners = audit.schedule.contacts
    for i in (100, 160, 200):
        places = []
        for sign in (-1, 1):
            q = robot.integrate(slide.q[i], sign * dt * slide.v[i])
            pin.framesForwardKinematics(model, data, q)
            frames = [(data.oMf[model.getFrameId(c.frame)], c.offset) for c in corners]
            places.append([T.act(offset) for T, offset in frames])
        speeds = np.linalg.norm(np.diff(places, axis=0)[0, :, :2] / (2 * dt), axis=1)
        speeds[~audit.schedule.touching[i]] = np.inf
        least = speeds.reshape(2, 4).min(axis=1)  # of each foot's corners
        slip.append(least[np.isfinite(least)].max())
    np.testing.assert_allclose(audit.checks["slip"].values[[100, 160, 200]], slip, atol=1e-8)


# --- what is given, and what comes out -----------------------------------------------------------


def test_a_pushed_robot_needs_to_be_told(carrying):
    """A load of 30 kg in the hands that is not told, and one that is."""
    part = carrying.part(0.0, 1.0)
    load = {name: fw.Wrench([0.0, 0.0, -150.0]) for name in made.HANDS}
    assert asked(part).holds
    loaded = asked(part, wrenches=load)
    assert not loaded.holds
    com = dynamics.com(part.robot, part.q[0])
    places = {n: dynamics.frame_placement(part.robot, part.q[0], n).translation for n in made.HANDS}
    moment = sum(np.cross(p - com, [0.0, 0.0, -150.0]) for p in places.values())
    row = asked(part, wrenches=np.r_[0.0, 0.0, -300.0, moment], torque_limits=False)
    free = asked(part, wrenches=load, torque_limits=False)
    assert row.margin[0] == pytest.approx(free.margin[0], abs=1e-6)


def test_a_payload_that_is_told(carrying):
    """Masses in the hands, by the schedule: as their wrenches, and as hanging weights at rest."""
    part = carrying.part(0.0, 1.0)
    heavy = tuple(contacts.CarriedMass(name, 12.0, start=0.4) for name in made.HANDS)
    told = contacts.audit(part, replace(stands(part), loads=heavy), self_collision=False)
    bad = part.t[~told.good]
    assert len(bad) > 5
    assert bad.min() >= 0.4
    rows = contacts.wrenches_along(part, heavy)
    same = asked(part, wrenches=rows)
    np.testing.assert_array_equal(same.margin, told.margin)
    assert same.stretches[0].words == told.stretches[0].words
    other = {made.HANDS[1]: rows[made.HANDS[1]]}
    half = contacts.audit(part, replace(stands(part), loads=heavy[:1]), wrenches=other)
    np.testing.assert_allclose(half.margin, told.margin, atol=1e-6)


def test_limits_are_given_by_name(carrying):
    part = made.floating(carrying).part(0.0, 1.0)
    assert asked(part, limits={"gap": 0.03}).holds
    assert asked(part, limits={"gap": np.inf}).holds
    assert not asked(part, limits={"slip": 1.0}).holds
    with pytest.raises(ContactError, match="no check 'slipp'; did you mean 'slip'"):
        asked(part, limits={"slipp": 0.1})
    with pytest.raises(ContactError, match="at least 0"):
        asked(part, limits={"slip": -0.1})


def test_a_schedule_of_another_motion_is_refused(carrying):
    schedule = stands(carrying)
    with pytest.raises(ContactError, match="expected the 31 of the motion"):
        contacts.audit(carrying.part(0.0, 1.0), schedule)
    with pytest.raises(ContactError, match="expected one of this 'biped'"):
        contacts.audit(falling(robots.load("biped")), schedule)


def test_a_schedule_pickled_apart_from_its_motion(carrying):
    motion = carrying.part(0.0, 0.2)
    schedule = contacts.find_contacts(motion)
    apart = pickle.loads(pickle.dumps(schedule))
    margins = [contacts.audit(motion, x).margin for x in (apart, schedule)]
    np.testing.assert_array_equal(*margins)


def test_what_comes_out(carrying, tmp_path):
    audit = asked(made.sliding(carrying.part(0.0, 1.0)))
    report = json.loads(json.dumps(audit.as_dict(longest=1)))
    assert report["share"] == audit.share
    assert report["stretches"][0]["words"] == audit.stretches[0].words
    assert set(report["checks"]) == set(LIMITS) - {"collision"}
    audit.write_csv(tmp_path / "audit.csv")
    rows = list(csv.DictReader((tmp_path / "audit.csv").read_text().splitlines()))
    assert len(rows) == len(audit.motion)
    assert [int(row["holds"]) for row in rows] == audit.good.tolist()
    assert [row["cause"] for row in rows] == list(audit.causes)
    np.testing.assert_allclose([float(row["slip"]) for row in rows], audit.checks["slip"].values)
    again = pickle.loads(pickle.dumps(audit))
    assert again.explain() == audit.explain()
    page = html.unescape(audit._repr_html_())  # the first line is its title
    assert all(part in page for part in audit.explain().split("\n", 1))


def test_a_stretch_bridges_two_good_samples():
    t = np.arange(10) / 10
    values = np.array([0, 2, 2, 0, 0, 3, 0, 0, 0, 2.0])
    check = Check("slip", 1.0, values, np.full(10, -1))
    first, second = stretches_of(check, t, lambda stretch: stretch.check)
    assert (first.start, first.end, first.count, first.worst) == (0.1, 0.5, 3, 5)
    assert first.duration == pytest.approx(0.5)
    assert (second.first, second.last) == (9, 9)
    assert second.words.startswith("0.90 s")


def test_closed_loops_are_motions():
    """A robot that falls as it is let go: its recording is audited as it is."""
    robot = fw.load("biped")
    limp = lambda t, q, v: np.zeros(robot.na)  # noqa: E731
    loop = control.simulate(robot, limp, duration=0.05, progress=False)
    found = contacts.audit(loop, self_collision=False)
    assert len(found.motion) == len(loop)
    assert (found.motion.a == loop.accelerations).all()
