"""Verdicts on contacts: against closed forms, a second formulation, and NumPy alone."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest
from stances import posed

from footwork import ConfigurationError, ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts import PointContact, SurfaceContact, at_feet, contact_forces, static_hold
from footwork.contacts.equilibrium import certificate, margins
from footwork.contacts.geometry import polygon
from footwork.contacts.geometry.planar import inner_and_outer
from footwork.dynamics.kernels import toolchain

G = 9.81


# --- the answer checked in NumPy alone ---------------------------------------------------------


def check_forces(robot, q, hold, wrenches=None, v=None, a=None):
    """Equations of motion by Pinocchio, cones and torque limits by their definition."""
    v = np.zeros(robot.nv) if v is None else v
    a = np.zeros(robot.nv) if a is None else a
    data = robot.model.createData()
    total = robot.selection_matrix.T @ hold.torques
    for contact in hold.contacts:
        J = contact.point_jacobians(robot, q)
        n = contact.pose(robot, q).rotation[:, 2]
        for J_k, f in zip(J, hold.forces[contact.name], strict=True):
            total += J_k.T @ f
            if not contact.bilateral:
                fn = f @ n
                assert np.linalg.norm(f - fn * n) <= contact.friction * fn + 1e-6
                assert fn >= -1e-6
    if wrenches:
        total += dynamics.external_torques(robot, q, wrenches)
    needed = pin.rnea(robot.model, data, q, v, a)
    assert total == pytest.approx(needed, abs=1e-6)
    assert hold.residual <= 1e-6
    assert (np.abs(hold.torques) <= hold.balance.torque_limits + 1e-6).all()


def check_certificate(robot, q, hold, limits, wrenches=None):
    """No admissible forces take power out of y, and torques less than the load puts in."""
    y = hold.certificate
    for contact in hold.contacts:
        n = contact.pose(robot, q).rotation[:, 2]
        for J_k in contact.point_jacobians(robot, q):
            u = J_k @ y
            un = u @ n
            if contact.bilateral:
                assert u == pytest.approx(0, abs=1e-8)
            else:  # min over the cone of f·u is 0, and not −∞
                assert un >= contact.friction * np.linalg.norm(u - un * n) - 1e-8
    load = dynamics.gravity_torques(robot, q)
    if wrenches:
        load = load + dynamics.external_torques(robot, q, wrenches)
    joint_speeds = np.abs(robot.selection_matrix @ y)
    assert joint_speeds[np.isinf(limits)] == pytest.approx(0, abs=1e-9)
    taken = limits[np.isfinite(limits)] @ joint_speeds[np.isfinite(limits)]
    assert y @ load - taken > 0


def check_infeasible(robot, q, hold, limits=None, wrenches=None):
    assert hold.feasible is False
    assert hold.margin < 0
    assert hold.forces is hold.torques is hold.wrenches is None
    assert hold.reason
    check_certificate(robot, q, hold, robot.torque_limits if limits is None else limits, wrenches)


# --- a block: everything in closed form --------------------------------------------------------

MASS, SIZE = 3.0, (0.4, 0.3, 0.2)


def block_on_slope(angle, mu, mass=MASS):
    """A block on a slope that rises along x; gravity pulls it towards −x of the block."""
    robot = robots.block(mass=mass, size=SIZE)
    q = robot.neutral()
    q[3:7] = pin.Quaternion(pin.exp3(np.array([0, -angle, 0]))).coeffs()
    below = pin.SE3(np.eye(3), np.array([0, 0, -SIZE[2] / 2]))
    half = {"half_length": SIZE[0] / 2, "half_width": SIZE[1] / 2}
    return robot, q, SurfaceContact("block", friction=mu, **half, placement=below)


def between_walls(mu, **more):
    """Contacts of the block with a wall on either side."""
    sides = (("wall1", 1), ("wall-1", -1))
    return [
        PointContact("block", mu, normal=(-s, 0, 0), offset=(0.2 * s, 0, 0), name=name, **more)
        for name, s in sides
    ]


def block_margin(angle, mu):
    """w − ε n stays in the cone: sliding ε ≤ mg (cos − sin/μ), tipping ε ≤ mg (cos − sin h/L)."""
    W, h, L = MASS * G, SIZE[2] / 2, SIZE[0] / 2
    return W * min(np.cos(angle) - np.sin(angle) / mu, np.cos(angle) - np.sin(angle) * h / L)


@pytest.mark.parametrize("angle", [0.0, 0.2, 0.5, 0.9, 1.2])
@pytest.mark.parametrize("mu", [0.3, 0.8, 3.0])
def test_block_on_a_slope(angle, mu):
    robot, q, sole = block_on_slope(angle, mu)
    hold = static_hold(robot, q, sole)
    expected = block_margin(angle, mu)
    assert hold.margin == pytest.approx(expected, abs=1e-6)
    assert hold.feasible is bool(expected > 0)
    if hold.feasible:
        check_forces(robot, q, hold)
        shrink = min(mu / np.tan(angle), SIZE[0] / SIZE[2] / np.tan(angle)) if angle else np.inf
        assert hold.friction_margin() == pytest.approx(shrink, rel=1e-3)
    else:
        check_infeasible(robot, q, hold)
        slides = np.tan(angle) > mu
        tips = np.tan(angle) > SIZE[0] / SIZE[2]
        assert ("friction" in hold.reason) == (slides and not tips)
        assert sole.frame in hold.reason


@pytest.mark.parametrize("mu", [0.3, 0.8])
def test_the_edge_is_neither_yes_nor_no(mu):
    robot, q, sole = block_on_slope(np.arctan(mu), mu)
    hold = static_hold(robot, q, sole)
    assert hold.feasible is None
    assert hold.status == "at the edge"
    assert hold.margin == pytest.approx(0, abs=1e-4)
    assert hold.certificate is None
    assert "edge" in hold.explain()


@pytest.mark.parametrize("mu", [0.2, 0.6, 5.0])
def test_push_margin_of_a_block(mu):
    """On level ground the weakest push slides it, μ mg, or tips it, mg L/h."""
    robot, q, sole = block_on_slope(0.0, mu)
    L = min(SIZE[0], SIZE[1]) / 2
    expected = MASS * G * min(mu, L / (SIZE[2] / 2))
    assert static_hold(robot, q, sole).push_margin() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("angle", [0.0, 0.2])
def test_the_least_push_is_just_not_held(angle):
    robot, q, sole = block_on_slope(angle, 0.5)
    newtons, direction = static_hold(robot, q, sole).least_push()
    assert np.linalg.norm(direction) == pytest.approx(1)
    com = dynamics.com(robot, q)
    for factor, holds in ((0.999, True), (1.001, False)):
        push = Wrench([*(factor * newtons * direction), 0], [0, 0, 0], com)
        assert static_hold(robot, q, sole, {sole.frame: push}).feasible is holds
    slips = static_hold(*block_on_slope(0.6, 0.5)).least_push()
    assert slips[0] == 0
    assert not slips[1].any()


def test_margin_counts_patches_not_vertices():
    robot, q, sole = block_on_slope(0.3, 0.8)
    corners = sole.corners
    dense = np.vstack(
        [corners, (corners + np.roll(corners, 1, axis=0)) / 2, [[0.01, 0.02]], corners[:1]]
    )
    more = SurfaceContact(sole.frame, vertices=dense, friction=0.8, placement=sole.placement)
    one, other = static_hold(robot, q, sole), static_hold(robot, q, more)
    assert one.margin == pytest.approx(other.margin, abs=1e-6)
    assert one.friction_margin() == pytest.approx(other.friction_margin(), rel=1e-3)


def test_frictionless_ground_holds_a_block_that_nobody_pushes():
    robot, q, sole = block_on_slope(0.0, 0.0)
    hold = static_hold(robot, q, sole)
    assert hold.feasible is True
    assert hold.margin == pytest.approx(MASS * G, abs=1e-6)
    check_forces(robot, q, hold)
    push = {sole.frame: Wrench([0.1, 0, 0])}
    check_infeasible(robot, q, static_hold(robot, q, sole, push), wrenches=push)


def test_yaw_moment_is_limited():
    """Yaw is limited: the reason names the moment asked and what friction gives."""
    robot, q, sole = block_on_slope(0.0, 0.5)
    radius = np.hypot(SIZE[0], SIZE[1]) / 2  # all vertices of the rectangle are as far
    most = 0.5 * MASS * G * radius
    small, large = ({sole.frame: Wrench(np.zeros(3), [0, 0, k * most])} for k in (0.98, 1.02))
    assert static_hold(robot, q, sole, small).feasible is True
    hold = static_hold(robot, q, sole, large)
    check_infeasible(robot, q, hold, wrenches=large)
    for word in ("yaw", "spins", f"{1.02 * most:.4g}", f"{most:.4g}"):
        assert word in hold.reason


def test_no_contacts_no_hold():
    robot, q, _ = block_on_slope(0.0, 0.5)
    hold = static_hold(robot, q, [])
    assert hold.margin == -np.inf
    check_infeasible(robot, q, hold)


def test_a_bilateral_hold_pulls():
    robot, q, sole = block_on_slope(np.pi, 0.5)  # hangs under the ceiling
    assert static_hold(robot, q, sole).feasible is False
    hold = static_hold(robot, q, replace(sole, bilateral=True))
    assert hold.feasible is True
    assert hold.margin == np.inf
    check_forces(robot, q, hold)
    force = hold.wrenches[sole.frame].force
    assert force == pytest.approx([0, 0, MASS * G], abs=1e-6)


# --- robots ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["biped", "quadruped"])
def standing(request):
    robot = robots.load(request.param)
    return robot, robot.posture(), at_feet(robot, friction=0.6)


def test_standing(standing):
    robot, q, feet = standing
    hold = static_hold(robot, q, feet)
    assert hold.feasible is True
    assert hold.status == "feasible"
    assert hold.reason == ""
    check_forces(robot, q, hold)
    total = sum(w.force for w in hold.wrenches.values())
    assert total == pytest.approx([0, 0, robot.mass * G], abs=1e-6)
    assert 0 < hold.torque_margin <= 1
    assert 0 < hold.push_margin() < robot.mass * G
    assert hold.friction_margin() > 1
    assert robot.name in hold.explain()


def test_forces_are_in_columns_below_long_names_of_contacts():
    robot, feet, q = posed("biped")
    long = [replace(c, name=f"{c.name} on the second step of the stairs") for c in list(feet)[:1]]
    hold = static_hold(robot, q, contacts.ContactSet(robot, [*long, *list(feet)[1:]]))
    lines = [line for line in hold.explain().splitlines() if " force (" in line]
    assert len({line.index(" force (") for line in lines}) == 1


def test_torques_are_those_of_inverse_dynamics(standing):
    robot, q, feet = standing
    hold = static_hold(robot, q, feet)
    zero = np.zeros(robot.nv)
    wrenches = {feet[name].frame: w for name, w in hold.wrenches.items()}
    generalised = dynamics.inverse_dynamics(robot, q, zero, zero, wrenches=wrenches)
    assert robot.selection_matrix.T @ hold.torques == pytest.approx(generalised, abs=1e-6)


@pytest.mark.parametrize("torsion", [None, 0.005])
def test_margins_by_a_second_formulation(standing, torsion):
    """max ε over contact wrenches in the rows of J, with the cones of ContactSet and τ unknown.

    Taken away at all contacts, and at each alone.
    """
    robot, q, feet = standing
    load = {robot.model.frames[2].name: Wrench([5, 3, 0], [0, 0, 0.3])}
    plain = static_hold(robot, q, feet, load)
    feet = contacts.ContactSet(robot, [replace(c, torsional_friction=torsion) for c in feet])
    hold = static_hold(robot, q, feet, load)
    margins = {feet.names: hold.margin}
    margins |= {(name,): margin for name, margin in hold.contact_margins.items()}
    for names, margin in margins.items():
        f, tau, eps = cp.Variable(feet.dim), cp.Variable(robot.na), cp.Variable()
        normals = np.zeros(feet.dim)
        for name in names:
            normals[feet.rows(name)][:3] = feet.placements(q)[name].rotation[:, 2]
        balance = robot.selection_matrix.T @ tau + dynamics.gravity_torques(robot, q)
        balance += feet.jacobian(q).T @ f + dynamics.external_torques(robot, q, load)
        limits = feet.friction_constraints(f - eps * normals, q)
        limits += [balance == 0, cp.abs(tau) <= robot.torque_limits]
        cp.Problem(cp.Maximize(eps), limits).solve(solver="CLARABEL")
        assert margin == pytest.approx(eps.value, rel=1e-5)
    assert min(hold.contact_margins.values()) >= hold.margin - 1e-6
    assert (hold.margin < plain.margin) == (torsion is not None and robot.name == "biped")
    assert hold.residual < 1e-6


def test_least_norm_forces_are_the_least(standing):
    """Any other admissible forces g are longer: f·(g − f) ≥ 0."""
    robot, q, feet = standing
    hold = static_hold(robot, q, feet)
    least = np.concatenate([f.ravel() for f in hold.forces.values()])
    rng = np.random.default_rng(0)
    for _ in range(5):
        forces = [cp.Variable((len(c.points), 3)) for c in feet]
        balance, cones = dynamics.gravity_torques(robot, q)[:6], []
        for contact, F in zip(feet, forces, strict=True):
            for k, J in enumerate(contact.point_jacobians(robot, q)):
                balance = balance + J[:, :6].T @ F[k]
                cones += contact.cone(robot, q).constraints(F[k])
        objective = sum(cp.sum(cp.multiply(rng.standard_normal(F.shape), F)) for F in forces)
        cp.Problem(cp.Minimize(objective), [balance == 0, *cones]).solve(solver="CLARABEL")
        other = np.concatenate([F.value.ravel() for F in forces])
        assert least @ (other - least) >= -1e-3 * robot.mass * G


def test_a_push_that_topples(standing):
    robot, q, feet = standing
    base = robot.model.frames[2].name
    hold = static_hold(robot, q, feet)
    strong = 1.01 * max(hold.push_margin(), 1e-3)
    directions = [np.array([np.cos(t), np.sin(t), 0]) for t in np.linspace(0, 2 * np.pi, 73)]
    com, origin = dynamics.com(robot, q), dynamics.frame_placement(robot, q, base).translation

    def pushed(d, newtons):
        push = newtons * d
        wrench = Wrench(push, np.cross(com - origin, push))  # acts at the centre of mass
        return static_hold(robot, q, feet, {base: wrench}), {base: wrench}

    assert all(pushed(d, 0.99 * hold.push_margin())[0].feasible for d in directions[::9])
    falls = [pushed(d, strong + 0.02 * robot.mass) for d in directions]
    fallen = [(h, w) for h, w in falls if h.feasible is False]
    assert fallen
    for h, w in fallen[:3]:
        check_infeasible(robot, q, h, wrenches=w)
        assert any(name in h.reason for name in feet.names)


def test_steep_slopes():
    robot = robots.load("quadruped")
    q = robot.posture()
    for angle, feasible in [(0.3, True), (0.8, False)]:
        n = np.array([np.sin(angle), 0, np.cos(angle)])
        feet = [
            PointContact(f.frame, 0.6, normal=n, offset=f.placement.translation)
            for f in robot.feet.values()
        ]
        hold = static_hold(robot, q, feet)
        assert hold.feasible is feasible
        if feasible:
            check_forces(robot, q, hold)
        else:
            check_infeasible(robot, q, hold)
            assert "friction" in hold.reason
            assert "slips along" in hold.reason


@pytest.mark.parametrize("mu", [1e-3, 1e-4, 1e-6])
@pytest.mark.parametrize("torque_limits", [True, False])
def test_almost_frictionless_ground_gets_certificates(mu, torque_limits):
    robot, feet, q = posed("quadruped", mu)
    rng, base = np.random.default_rng(3), robot.model.frames[2].name
    limits = robot.torque_limits if torque_limits else np.full(robot.na, np.inf)
    for _ in range(6):
        pushed = {base: Wrench(robot.mass * G * rng.standard_normal(3))}
        hold = static_hold(robot, q, feet, pushed, torque_limits)
        check_infeasible(robot, q, hold, limits, pushed)


@pytest.mark.parametrize("newtons", [1e4, 1e8, 1e12])
def test_no_push_is_too_strong_for_a_certificate(newtons):
    robot, feet, q = posed("biped")
    pushed = {robot.model.frames[2].name: Wrench((newtons, 0.3 * newtons, 0.0))}
    check_infeasible(robot, q, static_hold(robot, q, feet, pushed), wrenches=pushed)


def test_a_squeezed_block_needs_hardly_any_friction():
    """Two points on opposite walls may squeeze as they like: any friction at all is enough."""
    robot = robots.block(2.0, (0.4, 0.3, 0.2))
    hold = static_hold(robot, robot.neutral(), between_walls(0.5))
    assert hold.margin == np.inf
    assert hold.friction_margin() == np.inf


def test_a_grip_of_a_weak_arm_needs_other_joints_not_less_friction():
    """Neither program nor dual is feasible: the solver may call it infeasible or unbounded."""
    robot, rng = robots.load("biped"), np.random.default_rng(0)
    square = {"half_length": 0.05, "half_width": 0.05}
    grip = SurfaceContact("left_forearm", friction=0.5, **square, bilateral=True)
    for _ in range(12):
        hold = static_hold(robot, robot.random_configuration(rng), grip, None, 14.0)
        check_infeasible(robot, hold.q, hold, np.full(robot.na, 14.0))
        assert hold.margin == -np.inf
        assert hold.friction_margin() == 0


def test_what_is_weightless_bears_more_than_a_thousand_newtons():
    """Clamped by N at most: f_x = N₁ − N₂, |f_y| ≤ 2 μ min(N₁, N₂), and so ≤ 2 μ (N − |f_x|)."""
    robot, mu, most = robots.block(50.0, (0.4, 0.3, 0.2)).with_gravity((0, 0, 0)), 0.3, 1e4
    walls, push = between_walls(mu, max_normal=most), {"block": Wrench((0, 1e-3, 0))}
    margin = static_hold(robot, robot.neutral(), walls, push).push_margin()
    assert margin == pytest.approx(2 * mu * most / np.hypot(1, 2 * mu), rel=1e-5)


def test_grips_bear_hundreds_of_weights():
    """Feet that can pull: the joints alone limit the push."""
    robot = robots.load("quadruped")
    q, weight = robot.posture(), 9.81 * robot.mass
    feet = [replace(foot, bilateral=True) for foot in at_feet(robot)]
    limits = np.full(robot.na, 12.0 * weight)
    margin = static_hold(robot, q, feet, None, limits).push_margin()
    assert 100 * weight < margin < np.inf
    zero, R = np.zeros(robot.nv), pin.Quaternion(q[3:7]).matrix()

    def holds(newtons):
        """The push shared by all links as their mass is: that of a uniform acceleration."""
        for t in np.linspace(0, 2 * np.pi, 73):
            a = zero.copy()
            a[:3] = R.T @ np.array([-np.cos(t), -np.sin(t), 0.0]) * newtons / robot.mass
            yield contact_forces(robot, q, zero, a, feet, None, limits).feasible

    assert all(holds(0.999 * margin))
    assert not all(holds(1.01 * margin))


def test_both_feet_on_one_side():
    robot, feet, q = posed("quadruped")
    y = {name: T.translation[1] for name, T in feet.placements(q).items()}
    left = [feet[name] for name in feet.names if y[name] > 0]
    assert len(left) == 2
    hold = static_hold(robot, q, left)
    check_infeasible(robot, q, hold)
    assert hold.margin == -np.inf  # on a line of points no pull along the normals helps
    assert "moment" in hold.reason


def test_standing_on_one_sole_names_it():
    robot, feet, q = posed("biped")
    hold = static_hold(robot, q, [feet[feet.names[0]]])
    check_infeasible(robot, q, hold)
    assert f"{feet.names[0]} would have to pull" in hold.reason


def test_a_pull_that_joints_are_too_weak_for_is_not_all_that_is_missing():
    robot = robots.load("biped", gravity=(9.81, 0.0, 0.0))  # the feet stand on a wall
    feet = at_feet(robot, 0.7)
    weak = static_hold(robot, robot.posture(), feet)
    strong = static_hold(robot, robot.posture(), feet, torque_limits=False)
    assert weak.margin == -np.inf
    assert strong.margin < 0
    assert "have to pull" in weak.reason
    assert "have to pull" in strong.reason
    assert "joints are too weak" in weak.reason
    assert "weak" not in strong.reason


def test_weak_joints():
    robot, feet, q = posed("biped")
    strong = static_hold(robot, q, feet)
    limits = 0.2 * np.abs(strong.torques).max() * np.ones(robot.na)
    hold = static_hold(robot, q, feet, torque_limits=limits)
    check_infeasible(robot, q, hold, limits=limits)
    assert "torque limits" in hold.reason
    assert any(name in hold.reason for name in robot.actuated)
    assert hold.torque_margin < 0
    unlimited = static_hold(robot, q, feet, torque_limits=False)
    assert unlimited.feasible is True
    assert unlimited.torque_margin == np.inf
    tight = static_hold(robot, q, feet, torque_limits=limits * (1 - hold.torque_margin) * 1.001)
    assert tight.feasible is True  # exactly what was short was added


def test_passive_joints():
    """A passive joint has no torque: an ankle that cannot push back topples."""
    ankle = robots.load("biped").joint_names[-1]
    robot = robots.load("biped", passive=[ankle])
    assert robot.na == robot.nv - 7
    hold = static_hold(robot, robot.posture(), at_feet(robot))
    assert hold.feasible is not None
    if hold.feasible:
        check_forces(robot, robot.posture(), hold)
    else:
        check_infeasible(robot, robot.posture(), hold)


def test_contact_forces_in_motion(standing):
    robot, q, feet = standing
    rng = np.random.default_rng(3)
    v = 0.2 * rng.standard_normal(robot.nv)
    a = np.zeros(robot.nv)
    a[2] = -2.0
    hold = contact_forces(robot, q, v, a, feet, torque_limits=False)
    assert hold.feasible is True
    check_forces(robot, q, hold, v=v, a=a)


@pytest.mark.parametrize("seed", range(4))
def test_random_postures_get_an_answer_that_checks_out(standing, seed):
    """Feet at odd places with odd normals: whatever the answer, it proves itself."""
    robot, _, _ = standing
    rng = np.random.default_rng(seed)
    q = robot.random_configuration(rng)
    points = []
    for foot in robot.feet.values():
        n = np.array([0, 0, 1]) + 0.5 * rng.standard_normal(3)
        points.append(PointContact(foot.frame, 0.8, normal=n / np.linalg.norm(n)))
    hold = static_hold(robot, q, points, torque_limits=False)
    limits = np.full(robot.na, np.inf)
    if hold.feasible:
        check_forces(robot, q, hold)
    elif hold.feasible is False:
        check_infeasible(robot, q, hold, limits=limits)
    else:
        assert hold.status in ("at the edge", "unsolved")


def test_fixed_base_needs_only_torques():
    robot = robots.load("limb")
    q = robot.random_configuration(0)
    hold = static_hold(robot, q, [], torque_limits=False)
    assert hold.feasible is True
    assert hold.margin == np.inf
    assert hold.torques == pytest.approx(-dynamics.gravity_torques(robot, q), abs=1e-9)


def test_scaling_the_robot_scales_the_margin():
    """The same answer for a mouse and for an elephant."""
    margins = []
    for mass in (1e-3, 1.0, 1e5):
        margins.append(static_hold(*block_on_slope(0.0, 0.5, mass)).margin / mass)
    assert margins == pytest.approx([G, G, G], rel=1e-6)


def test_centres_of_pressure_are_the_means_of_the_corners_by_their_load():
    robot, feet, q = posed("biped")
    push = {"torso": Wrench([10.0, 20.0, 0.0], [0, 0, 3.0])}
    tilted = robot.integrate(q, 0.2 * np.eye(robot.nv)[3])  # soles are inclined as the base is
    for q0 in (q, tilted):
        hold = static_hold(robot, q0, feet, push)
        assert hold.feasible
        for contact in feet:
            n = contact.pose(robot, q0).rotation[:, 2]
            loads = hold.forces[contact.name] @ n
            mean = loads @ contact.world_points(robot, q0) / loads.sum()
            assert hold.centres_of_pressure[contact.name] == pytest.approx(mean, abs=1e-9)
    up = static_hold(robot, q, feet, {"torso": Wrench([0, 0, 900.0])})
    assert up.centres_of_pressure is None


def test_holds_pickle(standing):
    robot, q, feet = standing
    hold = static_hold(robot, q, feet)
    again = pickle.loads(pickle.dumps(hold))
    assert again.margin == hold.margin
    assert again.torques == pytest.approx(hold.torques)
    assert again.push_margin() == pytest.approx(hold.push_margin())


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ("strong", "or True, False"),
        (-1.0, "at least 0"),
        (np.nan, "finite"),
        ([1.0, 2.0], "shape"),
        (-np.ones(12), "at least 0"),
        (np.full(12, np.nan), "finite"),
    ],
)
def test_bad_torque_limits(limits, says):
    robot, feet, q = posed("quadruped")
    with pytest.raises(ConfigurationError, match=says):
        static_hold(robot, q, feet, torque_limits=limits)


def test_a_wrench_on_no_link_is_refused():
    robot, feet, q = posed("quadruped")
    with pytest.raises(ConfigurationError, match="did you mean"):
        static_hold(robot, q, feet, {feet.names[0] + "_": Wrench([0, 0, 1], [0, 0, 0])})


def test_no_state_is_shared(standing):
    robot, q, feet = standing
    hold = static_hold(robot, q, feet)
    hold.torques[:] = 0
    assert static_hold(robot, q, feet).torques != pytest.approx(0)
    assert contacts.Hold is type(hold)


@pytest.mark.parametrize("name", ["biped", "quadruped", "talos"])
def test_the_kernel_works_out_what_the_balance_gives(name):
    """Forces, torques, what is left and the margin's multipliers, by matrices of NumPy."""
    robot, rng = robots.load(name), np.random.default_rng(1)
    feet = at_feet(robot)
    for _ in range(5):
        step = 0.02 * rng.standard_normal(robot.nv)
        hold = static_hold(robot, robot.integrate(robot.posture(), step), feet)
        balance, x, (critical, y, _) = hold.balance, hold._unknowns, hold.multipliers
        axes = [T.rotation for T in feet.placements(hold.q).values()]
        assert hold.axes == pytest.approx(np.array(axes), abs=1e-12)
        f = balance.limits.forces(x)
        for i, own in enumerate(hold.forces.values()):
            assert own == pytest.approx(f[balance.limits.owner == i] @ axes[i].T, abs=1e-9)
        assert hold.torques == pytest.approx(balance.torques(x), abs=1e-9)
        assert hold.residual == pytest.approx(balance.residual(x), abs=1e-9)
        N = balance.pull
        left = balance.columns @ critical + hold.margin * N + balance.load
        assert left[balance.unactuated] == pytest.approx(0, abs=1e-6 * balance.weight)
        assert N @ y == pytest.approx(1, abs=1e-6)
        assert -y @ balance.load == pytest.approx(hold.margin, abs=1e-6 * balance.weight)


@pytest.mark.parametrize("limits", [True, False])
@pytest.mark.parametrize("name", ["biped", "quadruped", "talos"])
def test_a_no_is_proved_by_its_margin(name, limits, monkeypatch):
    """The multipliers of the margin are the certificate: no second program is written."""

    def never(*_):
        raise AssertionError("asked again")

    monkeypatch.setattr(certificate, "falling_motion", never)
    robot, feet, q = posed(name)
    rng = np.random.default_rng(0)
    base = next(frame.name for frame in robot.model.frames if frame.parentJoint == 1)
    weight = G * robot.mass
    for _ in range(8):
        push = {base: Wrench(weight * rng.uniform(1, 3, 3), 0.2 * weight * rng.uniform(-1, 1, 3))}
        hold = static_hold(robot, q, feet, push, torque_limits=limits)
        assert hold.feasible is False
        assert certificate.certificate_violation(hold.balance, hold.certificate) <= 1e-8
        assert certificate.certificate_value(hold.balance, hold.certificate) > 1e-6 * weight
        assert "; " in hold.reason


@pytest.mark.parametrize("solver", [None, "clarabel"])
def test_a_joint_too_weak_for_what_it_carries_is_its_own_certificate(solver, monkeypatch):
    """No contact force enters the torques of the arms: no program is asked for a motion."""
    monkeypatch.setattr(certificate, "falling_motion", lambda *_: pytest.fail("asked again"))
    robot = robots.load("talos")
    q, limits = robot.posture(), 0.2 * robot.torque_limits
    arms = [i for i, name in enumerate(robot.actuated) if name.startswith("arm")]
    short = np.abs(dynamics.gravity_torques(robot, q)[robot.actuated_rows]) - limits
    assert short[arms].max() > 0
    hold = static_hold(robot, q, at_feet(robot), None, limits, solver=solver)
    check_infeasible(robot, q, hold, limits)


PLAIN = """
import sys, footwork as fw
robot = fw.load("biped")
q, feet = robot.posture(), fw.at_feet(robot)
yes = fw.static_hold(robot, q, feet)
no = fw.static_hold(robot, q, feet, {"torso": fw.Wrench([900, 0, 0], [0, 0, 0])})
assert "pull" in no.explain()
print(yes.feasible, no.feasible, bool({"cvxpy", "tqdm"} & set(sys.modules)))
"""


def test_a_plain_verdict_and_its_reason_wait_for_no_modelling_language():
    """Importing cvxpy takes longer than a hundred verdicts."""
    command = [sys.executable, "-c", PLAIN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.stdout.split() == ["True", "False", "False"], done.stderr


@pytest.mark.parametrize("tolerance", [float("nan"), 0.0, -1e-3, float("inf"), 1e-15])
def test_tolerances_that_are_none_are_refused(tolerance):
    robot = robots.load("biped")
    hold = contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot))
    for margin in (hold.push_margin, hold.friction_margin):
        with pytest.raises(ContactError, match="tolerance: got"):
            margin(tolerance)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_push_and_friction_margins_by_the_conic_solver(name):
    """The kernel's rays and Newton steps against the whole set of pushes and a bisection."""
    robot = robots.load(name)
    hold = contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot, 0.6))
    balance, columns = hold.balance, dynamics.com_jacobian(robot, hold.q)[:2].T
    w = balance.weight
    inner, outer = inner_and_outer(balance.planar_set(columns, 1e3 * w), 1e-7 * w)
    least, most = (-polygon.signed_distance(shape, np.zeros(2)) for shape in (inner, outer))
    assert least - 1e-7 * w <= hold.push_margin(1e-8) <= most + 1e-7 * w
    assert most - least < 1e-3 * w
    with toolchain.switched_off():  # the same rays by the conic solver
        assert hold.push_margin(1e-7) == pytest.approx(hold.push_margin(1e-8), abs=2e-7 * w)
    s = hold.friction_margin(1e-6)
    if np.isfinite(s):
        assert balance.shrunk(s).margin().value >= -1e-8 * balance.weight
        assert balance.shrunk(s * 1.00001).margin().value < 0


@pytest.mark.parametrize("name", ["block", "double_pendulum"])
def test_where_any_push_is_held_no_search_goes_on(name):
    """The pushes that are held are then the disc in which is looked; a warning would fail."""
    robot = robots.load(name, base="fixed")
    hold = static_hold(robot, robot.neutral(), [], torque_limits=False)
    assert hold.push_margin() == np.inf
    assert "holds on nothing" in hold.explain()


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_margins_of_torques_and_of_each_contact_by_the_kernel_and_the_solver(name):
    robot = robots.load(name)
    given = robot, robot.posture(), contacts.at_feet(robot, 0.6)
    ours, theirs = (static_hold(*given, solver=solver) for solver in (None, "clarabel"))
    assert (ours.solver, theirs.solver) == ("kernel", "clarabel")
    assert ours.torque_margin == pytest.approx(theirs.torque_margin, abs=1e-8)
    assert ours.contact_margins == pytest.approx(theirs.contact_margins, rel=1e-8)


def test_what_needs_no_friction_is_known_after_one_trial(monkeypatch):
    robot, tried = robots.load("quadruped"), []
    hold = static_hold(robot, robot.posture(), contacts.at_feet(robot))
    saddle, counted = margins.Shrinking.saddle, lambda *s: tried.append(s) or saddle(*s)
    monkeypatch.setattr(margins.Shrinking, "saddle", counted)
    assert hold.friction_margin() == np.inf
    assert len(tried) <= 2
