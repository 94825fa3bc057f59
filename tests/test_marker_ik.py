"""Markers drive robots: fits, scaled humanoids, torques of a trial; URDF and segments agree."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

from footwork import biomechanics
from footwork import dynamics as dyn
from footwork.biomechanics.subject import HUMAN
from footwork.errors import ConfigurationError

ROBOTS = ["tree", "biped", "quadruped", "human"]


def smooth_trial(robot, frames=120, rate=200.0, seed=0):
    """q(t) = q0 ⊕ A sin(ω t + φ) and its rates by the definition, on a finer grid."""
    rng = np.random.default_rng(seed)
    q0 = robot.random_configuration(rng)
    size, phase = 0.3 * rng.random(robot.nv), rng.uniform(0, 6, robot.nv)

    def at(t):
        return robot.integrate(q0, size * np.sin(5 * t + phase))

    return np.array([at(i / rate) for i in range(frames)]), at, rate


@pytest.mark.parametrize("name", ROBOTS)
def test_velocities_and_accelerations_on_the_manifold(load_robot, name):
    """Against central differences of 1e-4 s of the motion itself; nine frames see as much."""
    robot = load_robot(name, "floating")
    q, at, rate = smooth_trial(robot)
    v, a = biomechanics.robot_dynamics.velocities_and_accelerations(robot, q, rate)
    h = 1e-4
    for i in (0, 3, 60, 119):
        t = i / rate
        ahead, behind = (pin.difference(robot.model, q[i], at(t + s)) for s in (h, -h))
        np.testing.assert_allclose(v[i], (ahead - behind) / (2 * h), atol=1e-6)
        np.testing.assert_allclose(a[i], (ahead + behind) / h**2, atol=1e-4)


def random_attachments(robot, rng, per_link=3):
    links = [f.name for f in robot.model.frames if f.type == pin.FrameType.BODY]
    links = links or [f"link_{i}" for i in range(10)]
    named = [(f"{link} {k}", link) for link in links for k in range(per_link)]
    return {name: (link, 0.2 * rng.standard_normal(3)) for name, link in named}


def seen_on(robot, q, attachments, rate=100.0):
    on = attachments.values()
    places = [[dyn.frame_placement(robot, x, link).act(np.array(p)) for link, p in on] for x in q]
    return biomechanics.Markers(tuple(attachments), np.array(places), rate, "z")


@pytest.mark.parametrize("name", ROBOTS)
def test_exact_markers_are_fitted_exactly(load_robot, name):
    robot = load_robot(name, "floating")
    q, _, rate = smooth_trial(robot, frames=15)
    attachments = random_attachments(robot, np.random.default_rng(1))
    seen = seen_on(robot, q, attachments, rate)
    fit = biomechanics.fit_markers(robot, seen, attachments, q[0])
    assert fit.rms < 1e-9
    for found, true in zip(fit.q, q, strict=True):
        np.testing.assert_allclose(robot.difference(true, found), 0, atol=1e-7)


def test_a_fit_is_a_motion(load_robot):
    robot = load_robot("quadruped", "floating")
    q, at, rate = smooth_trial(robot, frames=60)
    attachments = random_attachments(robot, np.random.default_rng(1))
    fit = biomechanics.fit_markers(robot, seen_on(robot, q, attachments, rate), attachments, q[0])
    assert fit.motion.t[-1] == pytest.approx(59 / rate)
    step = 1e-5
    v = robot.difference(at(30 / rate - step), at(30 / rate + step)) / (2 * step)
    assert np.abs(fit.motion.v[30] - v).max() < 0.02


def test_a_fit_is_a_minimum():
    """With noise, the gradient Jᵀ gap vanishes and scipy finds nothing better."""
    from scipy.optimize import least_squares

    w = biomechanics.synthetic_walk(rate=50)
    trial = w.trial(up="z")
    rng = np.random.default_rng(0)
    noise = 0.01 * rng.standard_normal(trial.markers.positions.shape)
    markers = replace(trial.markers, positions=trial.markers.positions + noise).cut(10, 12)
    fit = biomechanics.fit_markers(w.robot, markers, w.attachments)

    def gaps(step, i):
        moved = seen_on(w.robot, [w.robot.integrate(fit.q[i], step)], w.attachments)
        return (moved.positions[0] - markers.positions[i]).ravel()

    for i in range(3):
        better = least_squares(gaps, np.zeros(w.robot.nv), args=(i,), xtol=1e-14, gtol=1e-14)
        own = (fit.residuals[i] ** 2).sum()
        assert own <= 2 * better.cost * (1 + 1e-9)
        np.testing.assert_allclose(better.x, 0, atol=1e-5)
    assert 0.005 < fit.rms < 0.02
    assert fit.converged.all()


def test_missing_markers_have_no_say():
    w = biomechanics.synthetic_walk(rate=50)
    markers = w.trial().markers  # y up: the fit turns it
    positions = markers.positions.copy()
    positions[4:9, 0] = np.nan
    positions[6, 5:8] = np.nan
    fit = biomechanics.fit_markers(w.robot, replace(markers, positions=positions), w.attachments)
    assert np.isnan(fit.residuals[4, 0])
    for found, true in zip(fit.q, w.q, strict=True):
        np.testing.assert_allclose(w.robot.difference(true, found), 0, atol=1e-9)
    positions[3] = np.nan
    with pytest.raises(ConfigurationError, match="frame 3: none of the markers"):
        biomechanics.fit_markers(w.robot, replace(markers, positions=positions), w.attachments)


def test_frames_that_do_not_converge_are_told(monkeypatch):
    from footwork.biomechanics.markers import marker_fit

    monkeypatch.setattr(marker_fit, "_STEPS", 1)
    w = biomechanics.synthetic_walk(rate=50)
    fit = biomechanics.fit_markers(w.robot, w.trial().markers.cut(0, 3), w.attachments)
    assert not fit.converged.any()
    assert "4 frames did not converge" in repr(fit)


def test_joints_that_no_marker_sees_stay(load_robot):
    robot = load_robot("biped", "floating")
    q0 = robot.random_configuration(3)
    base = robot.model.frames[2].name
    attachments = {str(k): (base, 0.1 * np.eye(3)[k]) for k in range(3)}
    seen = seen_on(robot, [q0], attachments)
    start = robot.integrate(q0, 0.1 * np.ones(robot.nv))
    found = biomechanics.fit_markers(robot, seen, attachments, start).q[0]
    np.testing.assert_allclose(robot.difference(q0, found)[:6], 0, atol=1e-8)
    np.testing.assert_allclose(found[7:], start[7:], atol=1e-9)


def test_attachments_are_found_from_postures():
    w = biomechanics.synthetic_walk(rate=50)
    seen = w.trial("z").markers
    links = {marker: link for marker, (link, _) in w.attachments.items()}
    found = biomechanics.markers.marker_fit.attach(w.robot, w.q[5], links, seen.positions[5])
    averaged = biomechanics.markers.marker_fit.attach(w.robot, w.q[:8], links, seen.positions[:8])
    for marker, (link, place) in w.attachments.items():
        assert found[marker][0] == averaged[marker][0] == link
        np.testing.assert_allclose(found[marker][1], place, atol=1e-12)
        np.testing.assert_allclose(averaged[marker][1], place, atol=1e-12)
    unseen = seen.positions[:2].copy()
    unseen[:, 3] = np.nan
    with pytest.raises(ConfigurationError, match=r"were not seen in any"):
        biomechanics.markers.marker_fit.attach(w.robot, w.q[:2], links, unseen)
    with pytest.raises(ConfigurationError, match="2 postures and 1 frames"):
        biomechanics.markers.marker_fit.attach(w.robot, w.q[:2], links, seen.positions[0])


def test_markers_to_torques():
    """Fitted, differentiated, with the plates of its feet: the walker's own torques, to 1e-6."""
    w = biomechanics.synthetic_walk()
    trial = w.trial()
    fit = biomechanics.fit_markers(w.robot, trial.markers, w.attachments)
    ground = {p.name: p.wrench() for p in trial.turned("z").plates}
    found = biomechanics.trial_dynamics(w.robot, fit.q, w.rate, ground)
    for i in range(0, len(w.q), 25):
        wrenches = {link: wrench[i] for link, wrench in w.ground.items()}
        tau = dyn.inverse_dynamics(w.robot, w.q[i], w.v[i], w.a[i], wrenches)
        np.testing.assert_allclose(found.tau[i], tau, atol=2e-6)
    assert np.abs(found.residual.force).max() < 2e-6
    assert np.abs(found.residual.moment).max() < 2e-6
    assert np.abs(found.torque("right knee z")).max() > 50


def test_segments_and_urdf_agree_on_one_motion(load_robot):
    """The human's own inertias as a chain: its joint wrenches project to the robot's torques."""
    robot = load_robot("human", "floating")
    q, _, rate = smooth_trial(robot, frames=12)
    rng = np.random.default_rng(2)
    ground = {
        foot: biomechanics.WrenchSeries(*(100 * rng.standard_normal((3, 12, 3))))
        for foot in ("left_foot", "right_foot")
    }
    found = biomechanics.trial_dynamics(robot, q, rate, ground)
    motion = biomechanics.motion_of_robot(robot, found.q, found.v, found.a)
    on = {f"{foot.split('_')[0]}_ankle_X": wrench for foot, wrench in ground.items()}
    forces = biomechanics.chain_of_robot(robot).solve(motion, on)
    for name in robot.joint_names:
        i = robot.model.getJointId(name)
        R = motion.R[:, motion.index(name)]
        turned = np.einsum("nij,j->ni", R, _axis(robot, i))
        projected = (forces.moment(name) * turned).sum(axis=1)
        scale = 1 + np.abs(projected).max()
        np.testing.assert_allclose(projected, found.torque(name), atol=1e-10 * scale)
    gap = forces.residual - found.residual
    assert np.abs(gap.force).max() < 1e-9 * (1 + np.abs(found.residual.force).max())


def _axis(robot, i):
    """A revolute joint's axis in its own frame, from the motion it makes."""
    v = np.zeros(robot.nv)
    v[robot.model.joints[i].idx_v] = 1.0
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, robot.neutral(), v)
    return data.v[i].angular


# --- scaled robots and subjects ----------------------------------------------------------------


def test_a_scaled_robot_has_the_lengths_and_the_mass_asked_for(load_robot):
    robot = load_robot("human", "floating")
    factors = {"left_upperleg": 1.1, "middle_pelvis": 0.9}
    scaled = biomechanics.subject.scaled_robot(robot, factors, mass=80.0)
    assert scaled.mass == pytest.approx(80.0)
    q = robot.random_configuration(0)

    def length(r, a, b):
        ends = (dyn.frame_placement(r, q, link).translation for link in (a, b))
        return np.linalg.norm(np.subtract(*ends))

    for a, b, factor in (
        ("left_upperleg", "left_lowerleg", 1.1),
        ("right_upperleg", "right_lowerleg", 1.0),
        ("left_upperleg", "right_upperleg", 0.9),
        ("left_lowerleg", "left_foot", 1.0),
    ):
        assert length(scaled, a, b) == pytest.approx(factor * length(robot, a, b))
    before, after = (r.model.inertias[r.model.getJointId("left_hip_Y")] for r in (robot, scaled))
    heavier = 80.0 / robot.mass
    np.testing.assert_allclose(after.inertia, heavier * 1.21 * before.inertia, rtol=1e-9)
    np.testing.assert_allclose(after.lever, 1.1 * before.lever)
    assert robot.mass == pytest.approx(74.712)  # the one that was given is as it was
    for wrong, words in (({"left_foot": 0.0}, "factors"), ({"left_fot": 1.0}, "mean 'left_foot'")):
        with pytest.raises(ConfigurationError, match=words):
            biomechanics.subject.scaled_robot(robot, wrong)


def test_scaling_there_and_back_is_nothing(load_robot):
    robot = load_robot("human", "floating")
    links = list(HUMAN.values())
    there = biomechanics.subject.scaled_robot(robot, dict.fromkeys(links, 1.25), 90.0)
    back = biomechanics.subject.scaled_robot(there, dict.fromkeys(links, 0.8), robot.mass)
    moving = robot.random_configuration(1), np.ones(robot.nv), np.ones(robot.nv)
    tau, expected = (dyn.inverse_dynamics(r, *moving) for r in (back, robot))
    np.testing.assert_allclose(tau, expected, rtol=1e-9)


@cache
def subject(robot):
    """A human of the walker's size who follows its markers."""
    w = biomechanics.synthetic_walk(rate=100)
    return w, biomechanics.make_subject(robot, w.trial().markers, w.mass)


def test_a_robot_without_the_links_of_a_person_is_told(biped):
    w = biomechanics.synthetic_walk(rate=100)
    markers = w.trial().markers.cut(0, 20)
    with pytest.raises(ConfigurationError, match=r"'biped' has no link 'middle_pelvis'.*\"human\""):
        biomechanics.make_subject(biped, markers, w.mass)
    with pytest.raises(ConfigurationError, match="links: got none for right thigh, right shank"):
        biomechanics.make_subject(biped, markers, w.mass, links={"pelvis": "pelvis"})


def test_a_human_follows_the_walker(load_robot):
    """Another skeleton, scaled: its markers within a centimetre, its ankles and hips alike."""
    robot = load_robot("human", "floating")
    w, person = subject(robot)
    trial = w.trial()
    assert person.robot.mass == pytest.approx(w.mass)
    thigh = w.robot.model.jointPlacements[w.robot.model.getJointId("right knee z")].translation
    own = dyn.frame_placement(robot, robot.neutral(), "right_lowerleg").translation
    own = own - dyn.frame_placement(robot, robot.neutral(), "right_upperleg").translation
    factor = np.linalg.norm(thigh) / np.linalg.norm(own)
    assert person.factors["right_upperleg"] == pytest.approx(factor, rel=1e-6)
    fit = person.follow(trial.markers, progress=False)
    assert fit.rms < 0.01
    ground = {p.name.replace(" ", "_"): p.wrench() for p in trial.turned("z").plates}
    found = biomechanics.trial_dynamics(person.robot, fit.q, fit.rate, ground)
    gait = biomechanics.analyse_gait(trial, w.mass, cutoff=None)
    for joint, name in (("ankle", "ankle_Z"), ("hip", "hip_Z")):
        segments = gait.moment(f"right {joint}")[:, 0]
        gap = found.torque(f"right_{name}") - segments
        assert np.sqrt((gap**2).mean()) < 0.1 * np.abs(segments).max()


def test_the_second_road_of_a_gait_analysis(load_robot):
    """Segments and human on one walk: near in their moments; the human's own two methods equal."""
    robot = load_robot("human", "floating")
    w, _ = subject(robot)
    gait = biomechanics.analyse_gait(w.trial(), w.mass, cutoff=None)
    found = biomechanics.robot_gait(gait, robot, progress=False)
    gap = found.forces.residual - found.dynamics.residual
    assert np.abs(gap.force).max() < 1e-9
    assert np.abs(gap.moment).max() < 1e-9
    ankle = found.subject.robot.model.getJointId("right_ankle_Z")
    R = found.forces.motion.R[:, found.forces.chain.index("right_ankle_Z")]
    axis = np.einsum("nij,j->ni", R, _axis(found.subject.robot, ankle))
    torque = (found.forces.moment("right_ankle_Z") * axis).sum(axis=1)
    np.testing.assert_allclose(torque, found.dynamics.torque("right_ankle_Z"), atol=1e-9)
    assert all(apart < 15 for apart in found.apart().values())
    assert found.apart()["right ankle"] < 5  # the plates say most of it
    one_leg = replace(gait, names=replace(gait.names, pelvis={}, name="legs", legs={}))
    with pytest.raises(ConfigurationError, match="pelvis and both legs"):
        biomechanics.robot_gait(one_leg, robot)


def test_a_subject_made_from_one_static_frame(load_robot):
    """Standing still somewhere else, facing another way, and then the walk."""
    robot = load_robot("human", "floating")
    w = biomechanics.synthetic_walk(rate=100)
    markers = w.trial("z").markers
    turned = pin.exp3(np.array([0, 0, 2.0]))
    static = replace(markers.cut(30, 30), positions=markers.positions[30:31] @ turned.T + [5, 3, 0])
    person = biomechanics.make_subject(robot, static, w.mass)
    fit = person.follow(markers, progress=False)
    assert fit.rms < 0.01
    moved = fit.q[30, :3] - (turned.T @ (person.start[:3] - [5, 3, 0]))
    np.testing.assert_allclose(moved, 0, atol=0.01)


def test_a_fixed_base_and_wrong_lengths_are_refused(load_robot):
    fixed = load_robot("biped", "fixed")
    with pytest.raises(ConfigurationError, match="fixed base"):
        biomechanics.trial_dynamics(fixed, np.tile(fixed.neutral(), (12, 1)), 100.0)
    robot = load_robot("biped", "floating")
    q = np.tile(robot.neutral(), (12, 1))
    short = biomechanics.WrenchSeries(np.zeros((5, 3)), np.zeros(3), np.zeros(3))
    with pytest.raises(ConfigurationError, match="5 frames; expected 12"):
        biomechanics.trial_dynamics(robot, q, 100.0, {robot.frame_names[2]: short})
    with pytest.raises(ConfigurationError, match="or more to take derivatives"):
        biomechanics.robot_dynamics.velocities_and_accelerations(robot, q[:4], 100.0)
    with pytest.raises(ConfigurationError, match="no marker 'nobody'"):
        biomechanics.fit_markers(
            robot,
            seen_on(robot, [q[0]], {"a": (robot.frame_names[2], [0, 0, 0])}),
            {"nobody": (robot.frame_names[2], [0, 0, 0])},
        )
