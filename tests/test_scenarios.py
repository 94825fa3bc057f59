"""The scenarios that come with footwork: they touch what they should, and each has its verdict.

The verdicts come twice: from the whole robot's equations of motion, and from Newton and Euler for
its centre of mass alone, a cone program of a few lines over the points where the terrain is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import contacts
from footwork.contacts import Box, Plane, Scenario
from footwork.contacts.geometry import polygon
from footwork.errors import ContactError

# what each one says: yes or no, and words of the reason
VERDICTS = {
    "flat": (True, ()),
    "slope": (True, ()),
    "stairs": (True, ()),
    "foot-on-wall": (True, ()),
    "two-hands-and-a-foot": (True, ()),
    "gap": (True, ()),
    "push": (False, ("right_foot would have to pull", "left_foot tips", "right_foot lifts off")),
    "rope": (True, ()),
    "heels-over-the-edge": (False, ("would have to pull", "left_foot tips", "right_foot tips")),
    "tripod": (False, ("rf_foot would have to pull", "lf_foot stays", "rh_foot stays")),
    "icy-ramp": (False, ("too little friction", "0.466", "slips")),
    "ladder": (True, ()),
    "valley": (True, ()),
    "too-heavy": (False, ("torque limits", "knee", "120")),
}


@cache
def load(name):
    scenario = Scenario.load(name)
    return scenario, scenario.check()


def weight(scenario):
    return 9.81 * scenario.machine.mass


def com(scenario):
    data = scenario.machine.model.createData()
    return pin.centerOfMass(scenario.machine.model, data, scenario.q)


def test_there_are_at_least_eight():
    assert set(VERDICTS) == set(contacts.scenarios())
    assert len(VERDICTS) >= 8
    assert {verdict for verdict, _ in VERDICTS.values()} == {True, False}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict_and_reason(name):
    scenario, hold = load(name)
    feasible, words = VERDICTS[name]
    assert hold.feasible is feasible
    assert (hold.margin > 0) is feasible
    assert all(word in hold.reason for word in words)
    assert scenario.title
    assert scenario.about


@pytest.mark.parametrize("name", VERDICTS)
def test_the_contacts_really_touch(name):
    """By Pinocchio's kinematics: every corner lies on the terrain, and its normal is the face's."""
    scenario, _ = load(name)
    assert scenario.solved.error < 1e-8
    data = scenario.machine.model.createData()
    pin.framesForwardKinematics(scenario.machine.model, data, scenario.q)
    for contact in scenario.contact_set:
        T = data.oMf[scenario.machine.frame_id(contact.frame)]
        if contact.dim == 3:
            face = scenario.ground.face(T.act(contact.offset) - contact.radius * contact.normal)
            points = T.act(contact.offset)[None] - contact.radius * face.normal
        else:
            place = T * contact.placement
            local = np.column_stack([contact.corners, np.zeros(len(contact.corners))])
            points = local @ place.rotation.T + place.translation
            face = scenario.ground.face(points.mean(axis=0))
            assert place.rotation[:, 2] == pytest.approx(face.normal, abs=1e-7)
        assert scenario.ground.signed_distance(points) == pytest.approx(0, abs=3e-8)
        assert face.overhang(points) < 1e-6


@pytest.mark.parametrize("name", VERDICTS)
def test_nothing_but_the_contacts_touches(name):
    """No shape of the robot is deeper than a millimetre in the terrain."""
    scenario, _ = load(name)
    robot = scenario.machine
    data, shapes = robot.model.createData(), robot.collision
    placed = pin.GeometryData(shapes)
    pin.updateGeometryPlacements(robot.model, data, shapes, placed, scenario.q)
    for thing, T in zip(shapes.geometryObjects, placed.oMg, strict=True):
        for solid in scenario.ground.solids:
            assert distance(thing.geometry, T, solid) > -1e-3, (thing.name, solid.name)
    assert scenario.penetrations(1e-3) == ()
    assert contacts.self_collisions(robot, scenario.q) == ()


def distance(shape, T, solid):
    """Of a convex shape to a plane or a box [m], by coal."""
    import coal

    def transform(M):
        return coal.Transform3s(np.array(M.rotation), np.array(M.translation))

    if isinstance(solid, Plane):
        face = solid.faces[0]
        offset = float(face.normal @ face.placement.translation)
        other, where = coal.Halfspace(face.normal, offset), coal.Transform3s.Identity()
    else:
        assert isinstance(solid, Box)
        other, where = coal.Box(*solid.size), transform(solid.placement)
    result = coal.DistanceResult()
    return coal.distance(shape, transform(T), other, where, coal.DistanceRequest(), result)


# --- the other method ----------------------------------------------------------------------------


def margin_of_the_centre(scenario):
    """The largest ε that every contact can spare: Newton and Euler about the centre of mass.

    Σ f_k + ε Σ n_i + m g + F = 0 and the same for moments, each f_k in Coulomb's cone at a corner.
    Nothing of the robot is asked but its mass and where its centre of mass is.
    """
    import cvxpy as cp

    c, W = com(scenario), weight(scenario)
    spare = cp.Variable()
    force, moment = np.array([0.0, 0.0, -W]), np.zeros(3)
    for wrench in scenario.wrenches_at(scenario.q).values():
        force = force + wrench.force
        moment = moment + wrench.moment + np.cross(wrench.point - c, wrench.force)
    force, moment = force / W, moment / W
    constraints = []
    for contact in scenario.contact_set:
        T = scenario.touching[1][contact.name]
        tangents, n = T.rotation[:, :2], T.rotation[:, 2]
        corners = contact.points @ T.rotation.T + T.translation
        f = cp.Variable((len(corners), 3))
        if not contact.bilateral:
            for k in range(len(corners)):  # two tangents: cones of rank two lose Clarabel digits
                constraints.append(cp.norm(f[k] @ tangents) <= contact.friction * (f[k] @ n))
        force = force + cp.sum(f, axis=0) + spare * n
        moment = moment + spare * np.cross(T.translation - c, n)
        moment = moment + sum(pin.skew(p - c) @ f[k] for k, p in enumerate(corners))
    problem = cp.Problem(cp.Maximize(spare), [*constraints, force == 0, moment == 0])
    problem.solve(solver="CLARABEL")
    return W * problem.value


@pytest.mark.parametrize("name", VERDICTS)
def test_the_centre_of_mass_alone_gives_the_same_margin(name):
    scenario, _ = load(name)
    whole = replace(scenario, torque_limits=False).check().margin
    assert whole == pytest.approx(margin_of_the_centre(scenario), abs=1e-5 * weight(scenario))


# --- closed forms ------------------------------------------------------------------------------


def test_three_feet_share_the_weight_by_their_lever_arms():
    """Three forces on level ground are barycentric coordinates; the least is the margin."""
    scenario, hold = load("tripod")
    feet = np.array([T.translation for T in scenario.touching[1].values()])
    shares = np.linalg.solve(np.vstack([feet[:, :2].T, np.ones(3)]), [*com(scenario)[:2], 1.0])
    assert hold.margin == pytest.approx(weight(scenario) * shares.min(), rel=1e-6)
    assert scenario.contact_set.names[int(shares.argmin())] == "rf_foot"
    moved = replace(scenario, com=tuple(feet[:, :2].mean(axis=0))).check()
    assert moved.feasible
    assert moved.margin == pytest.approx(weight(scenario) / 3, rel=1e-6)


def test_an_even_ramp_holds_from_the_tangent_of_its_slope_on():
    scenario, hold = load("icy-ramp")
    slope = np.tan(np.radians(scenario.terrain[0].rises))
    assert scenario.region().status == "empty"
    assert replace(scenario, friction=slope * 1.001).check().feasible is True
    assert replace(scenario, friction=slope * 0.999).check().feasible is False
    assert f"{slope:.3g} at every contact would hold" in hold.reason
    level = replace(scenario, terrain=(Plane("ramp"),)).check()
    assert level.feasible


def test_the_slope_holds_to_the_tangent_too():
    scenario, _ = load("slope")
    slope = np.tan(np.radians(20))
    scenario = replace(scenario, com=tuple(com(scenario)[:2]))
    assert replace(scenario, friction=slope * 1.01).check().feasible is True
    assert replace(scenario, friction=slope * 0.99).check().feasible is False


def test_a_push_topples_when_its_moment_beats_that_of_the_weight():
    """About the outer edge of the left foot: F h > m g d, without slipping."""
    scenario, hold = load("push")
    push = scenario.loads[0]
    wrench = push.wrench(scenario.machine, scenario.q)
    corners = [c.world_points(scenario.machine, scenario.q) for c in scenario.contact_set]
    edge = np.vstack(corners)[:, 1].max()
    threshold = weight(scenario) * (edge - com(scenario)[1]) / wrench.point[2]
    assert wrench.force[1] > threshold
    assert wrench.force[1] < scenario.friction * weight(scenario)
    for factor, holds in ((0.999, True), (1.001, False)):
        less = replace(push, force=(0.0, factor * threshold, 0.0))
        assert replace(scenario, loads=(less,), torque_limits=False).check().feasible is holds
    assert "left_foot tips" in hold.reason


def test_what_hangs_over_the_edge_does_not_count():
    """The soles are cut along the step's edge; about it the push has to beat the weight."""
    scenario, _ = load("heels-over-the-edge")
    step = scenario.terrain[1]
    edge = step.at[0] - step.size[0] / 2
    whole = scenario.machine.feet["left_foot"].vertices
    for contact in scenario.contact_set:
        x = contact.world_points(scenario.machine, scenario.q)[:, 0]
        assert x.min() == pytest.approx(edge, abs=1e-7)
        assert polygon.area(contact.corners) < 0.6 * polygon.area(whole)
        assert np.ptp(whole[:, 0]) == pytest.approx(2 * (x.max() - 0.03), abs=1e-7)
    push = scenario.wrenches_at(scenario.q)["torso"]
    lever = push.point[2] - step.size[2]
    threshold = weight(scenario) * (com(scenario)[0] - edge) / lever
    assert 0 < threshold < -push.force[0]
    for factor, holds in ((0.999, True), (1.001, False)):
        less = replace(scenario.loads[0], force=(-factor * threshold, 0.0, 0.0))
        assert replace(scenario, loads=(less,), torque_limits=False).check().feasible is holds
    far = tuple(replace(touch, at=(-0.09, touch.at[1], 0.4)) for touch in scenario.contacts)
    with pytest.raises(contacts.ScenarioError, match="left_foot lies beside 'step, top'"):
        _ = replace(scenario, contacts=far).touching


def test_the_rope_holds_the_robot_and_the_robot_the_rope():
    """Leaning without it, it falls back; upright with it, forward: moments about the heels."""
    scenario, _ = load("rope")
    alone = replace(scenario, loads=()).check()
    assert alone.feasible is False
    upright = replace(scenario, com=(0.05, 0.0)).check()
    assert upright.feasible is False
    heel = min(
        c.world_points(scenario.machine, scenario.q)[:, 0].min() for c in scenario.contact_set
    )
    rope = scenario.wrenches_at(scenario.q)["torso"]
    lever = np.cross(rope.point - [heel, 0, 0], rope.force)[1]
    assert lever > weight(scenario) * (heel - com(scenario)[0]) > 0


def test_the_wall_is_needed_by_foot_and_hands():
    for name in ("foot-on-wall", "two-hands-and-a-foot"):
        scenario, hold = load(name)
        foot = scenario.contact_set["right_foot"]
        alone = contacts.static_hold(scenario.machine, scenario.q, foot, torque_limits=False)
        assert alone.feasible is False
        toes = foot.world_points(scenario.machine, scenario.q)
        assert com(scenario)[0] > toes[:, 0].max()
        wall = [n for n in scenario.contact_set.names if n != "right_foot"]
        assert all(hold.wrenches[n].force[0] < 0 for n in wall)


def test_the_valley_is_held_by_both_sides_together():
    """On either side alone friction 0.2 would hold up to 11.3 degrees, far below its 35."""
    scenario, hold = load("valley")
    assert np.degrees(np.arctan(scenario.friction)) < scenario.terrain[0].rises / 2
    sides = {name: T.rotation[:, 2] for name, T in scenario.touching[1].items()}
    assert {np.sign(n[1]) for n in sides.values()} == {1.0, -1.0}
    assert replace(scenario, friction=0.0).check().feasible is not False  # symmetry is enough
    one = [c for c in scenario.contact_set if sides[c.name][1] > 0]
    assert contacts.static_hold(scenario.machine, scenario.q, one).feasible is False
    assert hold.margin > 0


def test_hands_on_the_ladder_pull():
    scenario, hold = load("ladder")
    pull = sum(hold.wrenches[n].force[0] for n in ("left_hand", "right_hand"))
    assert pull > 0.1 * weight(scenario)
    feet = [c for c in scenario.contact_set if not c.bilateral]
    assert contacts.static_hold(scenario.machine, scenario.q, feet).feasible is False
    assert scenario.region().status == "unbounded"


def test_the_pack_is_too_heavy_for_the_knees_alone():
    scenario, hold = load("too-heavy")
    strong = replace(scenario, torque_limits=False).check()
    assert strong.feasible
    limits, names = scenario.machine.torque_limits, scenario.machine.actuated
    over = [n for n, t, most in zip(names, strong.torques, limits, strict=True) if abs(t) > most]
    assert "left_knee" in over
    assert set(over) <= {"left_knee", "right_knee"}
    light = replace(scenario, loads=(replace(scenario.loads[0], mass=20.0),))
    assert light.check().feasible
    assert hold.torque_margin < 0


@pytest.mark.parametrize("name", ["flat", "gap", "stairs", "slope", "valley"])
def test_regions_hold_at_their_corners_and_not_beyond(name):
    """Moved there by a couple on the base, the weight is held just inside and not just outside."""
    scenario, _ = load(name)
    region = scenario.region()
    assert region.status == "bounded"
    assert region.contains(com(scenario))
    middle = region.vertices.mean(axis=0)
    base = scenario.machine.model.frames[2].name
    for factor, holds in ((0.97, True), (1.03, False)):
        for corner in region.vertices[:: max(1, len(region.vertices) // 3)]:
            there = middle + factor * (corner - middle)
            x, y = weight(scenario) * (there - com(scenario)[:2])
            couple = contacts.Push(base, moment=(-y, x, 0.0))
            moved = replace(scenario, loads=(couple,), torque_limits=False)
            assert moved.check().feasible is holds


# --- of a robot that is there ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["slope", "foot-on-wall", "rope", "push", "ladder"])
def test_a_scenario_of_contacts_has_their_margin_and_its_text_too(name):
    hold = Scenario.load(name).check()
    robot, q = hold.contacts.robot, hold.q
    scenario = Scenario.of(robot, q, hold.contacts, hold.external, title="made")
    assert scenario.machine is robot
    np.testing.assert_allclose(scenario.q, q, atol=1e-9)
    assert scenario.check().margin == pytest.approx(hold.margin, abs=1e-6)
    again = Scenario.from_text(scenario.as_text())
    assert again.title == "made"
    np.testing.assert_allclose(again.q, q, atol=1e-9)
    assert again.check().margin == pytest.approx(hold.margin, abs=1e-6)


def test_a_scenario_of_a_robot_stands_on_its_lowest_feet():
    robot = fw.load("biped")
    q = robot.posture()
    q[2] += 0.3  # in the air: the ground comes along
    scenario = Scenario.of(robot, q)
    assert scenario.contact_set.names == ("left_foot", "right_foot")
    assert scenario.check().margin == pytest.approx(Scenario.of(robot).check().margin)
    knee = next(name for name in robot.joint_names if name == "left_knee")
    q[robot._model.joints[robot.joint_id(knee)].idx_q] += 0.5
    assert Scenario.of(robot, q).contact_set.names == ("right_foot",)


def test_a_scenario_of_a_fixed_robot_without_feet_has_no_contacts():
    scenario = Scenario.of(fw.robots.double_pendulum(1, 0.5, 1, 1), [0.3, 0.2])
    assert scenario.contacts == ()
    assert scenario.check().feasible


@pytest.mark.parametrize("more", [{"max_normal": 100.0}, {"torsional_friction": 0.01}])
def test_a_scenario_of_contacts_it_has_no_keys_for_is_refused(more):
    robot = fw.load("biped")
    feet = fw.at_feet(robot, 0.6, **more)
    with pytest.raises(ContactError, match=f"left_foot: {next(iter(more))}: got .*no key"):
        Scenario.of(robot, robot.posture(), feet)
