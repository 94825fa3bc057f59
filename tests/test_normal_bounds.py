"""Bounds on the normal force of a contact: closed forms, and certificates by a second program."""

from __future__ import annotations

import json
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pinocchio as pin
import pytest

from footwork import ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts import LineContact, PointContact, SurfaceContact, WrenchCone, static_hold
from footwork.contacts.equilibrium.certificate import certificate_value

MASS, SIZE = 3.0, (0.4, 0.3, 0.2)
W = MASS * 9.81


def block():
    robot = robots.block(mass=MASS, size=SIZE)
    return robot, robot.neutral(), robot.model.frames[2].name


def below(x=0.0, turn=0.0):
    """A place on the block's lower side."""
    return pin.SE3(pin.exp3(np.array([0, 0, turn])), np.array([x, 0, -SIZE[2] / 2]))


def sole(link, **given):
    half = {"half_length": SIZE[0] / 2, "half_width": SIZE[1] / 2}
    return SurfaceContact(link, friction=0.5, placement=below(), **half, **given)


def pinch(link, most):
    """Two opposed points with μ = 1, which may press with a share of the weight."""
    sides = {"left": np.array([1.0, 0, 0]), "right": np.array([-1.0, 0, 0])}
    return [
        PointContact(link, 1.0, n, -0.2 * n, name=name, max_normal=most * W)
        for name, n in sides.items()
    ]


def most_power(robot, q, hold, load):
    """What the load puts into the certificate's motion, plus the least that contacts add to it.

    Over the forces at the points, by a program of its own; torques are free of limits here.
    """
    y, least, limits = hold.certificate, 0.0, []
    assert robot.selection_matrix @ y == pytest.approx(0, abs=1e-9)
    for contact in hold.contacts:
        f = cp.Variable((len(contact.points), 3))
        n = contact.pose(robot, q).rotation[:, 2]
        for k, J in enumerate(contact.point_jacobians(robot, q)):
            least = least + (J @ y) @ f[k]
            if not contact.bilateral:
                tangent = f[k] - (n @ f[k]) * n
                limits.append(cp.norm(tangent) <= contact.friction * (n @ f[k]))
        low, high = contact.normal_bounds
        total = cp.sum(f @ n)
        limits += [total >= low] * bool(np.isfinite(low))
        limits.append(total <= min(high, 1e2 * W))
        if contact.bilateral:
            limits.append(cp.abs(f) <= 1e2 * W)
        arms = contact.world_points(robot, q) - contact.pose(robot, q).translation
        yaw = sum((pin.skew(r) @ f[k]) @ n for k, r in enumerate(arms))
        if np.isfinite(contact.torsion) and len(arms) > 1:
            limits.append(cp.abs(yaw) <= contact.torsion * total)
    problem = cp.Problem(cp.Minimize(least), limits)
    problem.solve(solver="CLARABEL")
    return float(y @ load + problem.value)


def check_no(robot, q, hold, load=None):
    assert hold.feasible is False
    assert hold.forces is None
    h = dynamics.gravity_torques(robot, q)
    if load:
        h = h + dynamics.external_torques(robot, q, load)
    assert most_power(robot, q, hold, h) > 0


@pytest.mark.parametrize("low", [0.0, 0.3, 0.99])
def test_a_lower_bound_takes_from_the_margin(low):
    robot, q, link = block()
    hold = static_hold(robot, q, sole(link, min_normal=low * W))
    assert hold.margin == pytest.approx((1 - low) * W, abs=1e-5)
    assert hold.contact_margins == pytest.approx({link: (1 - low) * W}, abs=1e-5)
    assert hold.feasible is True
    assert hold.normal_forces == pytest.approx({link: W})


def test_bounds_are_of_what_a_contact_gives_and_of_what_is_left():
    """ε is taken from what the contact gives, at most `max_normal`; `min_normal` has to be left."""
    robot, q, link = block()
    pushed = {link: Wrench([0, 0, 0.4 * W], [0, 0, 0])}
    hold = static_hold(robot, q, sole(link, min_normal=0.1 * W, max_normal=0.7 * W), pushed)
    assert hold.normal_forces == pytest.approx({link: 0.6 * W})
    assert hold.margin == pytest.approx(0.5 * W, abs=1e-5)


def test_too_light_for_its_lower_bound():
    robot, q, link = block()
    hold = static_hold(robot, q, sole(link, min_normal=1.5 * W))
    check_no(robot, q, hold)
    assert hold.margin == pytest.approx(-0.5 * W, abs=1e-5)
    assert f"{link} would have to carry {W:.4g} N of at least {1.5 * W:.4g} N" in hold.reason


def test_too_heavy_for_its_upper_bound():
    robot, q, link = block()
    hold = static_hold(robot, q, sole(link, max_normal=0.8 * W))
    check_no(robot, q, hold)
    assert hold.margin == -np.inf  # the less a contact gives, the less it can carry
    assert f"{link} would have to carry {W:.4g} N of at most {0.8 * W:.4g} N" in hold.reason
    rope = {link: Wrench([0, 0, 0.5 * W], [0, 0, 0])}
    held = static_hold(robot, q, sole(link, max_normal=0.8 * W), rope)
    assert held.feasible is True
    assert held.margin == pytest.approx(0.5 * W, abs=1e-5)
    assert f"normal {0.5 * W:.4g} N of at most {0.8 * W:.4g} N" in held.explain()
    answer = json.loads(json.dumps(held.as_dict()))
    assert answer["normal_bounds"] == {link: [None, pytest.approx(0.8 * W)]}
    assert answer["normal_forces"] == {link: pytest.approx(0.5 * W)}
    assert answer["contact_margins"] == {link: pytest.approx(0.5 * W, abs=1e-5)}


@pytest.mark.parametrize("most", [0.6, 2.0])
def test_a_pinch_squeezes_up_to_its_bound(most):
    """Two opposed points with μ = 1 need W/2 each; what is left to the bound is the margin."""
    robot, q, link = block()
    points = pinch(link, most)
    assert static_hold(robot, q, [replace(c, max_normal=None) for c in points]).margin == np.inf
    hold = static_hold(robot, q, points)
    assert hold.margin == pytest.approx((most - 0.5) * W, abs=1e-5)
    strong = static_hold(robot, q, points, objective="largest_margin")
    assert strong.normal_forces == pytest.approx(dict.fromkeys(hold.forces, most * W), rel=1e-4)


def test_a_pinch_that_may_not_squeeze_enough():
    robot, q, link = block()
    hold = static_hold(robot, q, pinch(link, 0.4))
    check_no(robot, q, hold)
    words = f"would have to carry {0.5 * W:.4g} N of at most {0.4 * W:.4g} N"
    assert all(f"{name} {words}" in hold.reason for name in ("left", "right"))


@pytest.mark.parametrize("pull", [0.5, 2.0])
def test_a_grip_that_pulls_only_so_much(pull):
    """A block that hangs from a bilateral hold."""
    robot, q, link = block()
    q[3:7] = pin.Quaternion(pin.exp3(np.array([np.pi, 0, 0]))).coeffs()
    hold = static_hold(robot, q, sole(link, bilateral=True, min_normal=-pull * W))
    assert hold.margin == pytest.approx((pull - 1) * W, abs=1e-5)
    if pull > 1:
        assert hold.feasible is True
        assert hold.normal_forces == pytest.approx({link: -W})
    else:
        check_no(robot, q, hold)
        assert f"{-W:.4g} N of at least {-pull * W:.4g} N" in hold.reason


@pytest.mark.parametrize("shift", [-0.6, 0.0, 0.35])
def test_margins_of_each_contact(shift):
    """On two edges the loads follow from moments alone: W/2 (1 ± d/L); each is its own margin."""
    robot, q, link = block()
    L, edge = SIZE[0] / 2, {"half_length": SIZE[1] / 2, "friction": 0.5}
    edges = [
        LineContact(link, placement=below(x, np.pi / 2), name=name, **edge)
        for name, x in (("front", L), ("back", -L))
    ]
    load = {link: Wrench([0, 0, 0], [0, W * shift * L, 0])}  # as if the weight moved by shift L
    hold = static_hold(robot, q, edges, load)
    front, back = W / 2 * (1 + shift), W / 2 * (1 - shift)
    assert hold.contact_margins == pytest.approx({"front": front, "back": back}, abs=1e-5)
    assert hold.margin == pytest.approx(min(front, back), abs=1e-5)
    if shift:
        weak = "front" if shift < 0 else "back"
        assert f"{weak} alone could lose {min(front, back):.4g} N" in hold.explain()


@pytest.mark.parametrize("seed", range(3))
def test_random_bounds_on_a_quadruped(seed):
    """Verdicts, forces and certificates against a program of its own over the same limits."""
    robot, rng = robots.load("quadruped"), np.random.default_rng(seed)
    q, weight = robot.posture(), 9.81 * robot.mass
    feet = contacts.at_feet(robot, 0.6)
    verdicts = []
    for _ in range(4):
        low, high = np.sort(rng.uniform(0, 0.55, (2, 4)) * weight, axis=0)
        each = zip(feet, low, high, strict=True)
        limited = [replace(foot, min_normal=a, max_normal=b) for foot, a, b in each]
        bounded, f = contacts.ContactSet(robot, limited), cp.Variable(12)
        base = (dynamics.gravity_torques(robot, q) + bounded.jacobian(q).T @ f)[:6]
        problem = cp.Problem(cp.Minimize(cp.norm(base)), bounded.friction_constraints(f, q))
        problem.solve(solver="CLARABEL")
        hold = static_hold(robot, q, bounded, torque_limits=False)
        verdicts.append(hold.feasible)
        assert hold.feasible is bool(problem.value < 1e-6)
        if hold.feasible:
            assert hold.residual < 1e-6
            total = np.array(list(hold.normal_forces.values()))
            assert (total >= low - 1e-6).all()
            assert (total <= high + 1e-6).all()
        else:
            check_no(robot, q, hold)
            assert "bounds on normal forces" in hold.reason
            assert set(hold.contact_margins) == set(bounded.names)
    assert verdicts


@pytest.mark.parametrize("seed", range(4))
def test_certificates_with_torsional_friction_and_bounds(seed):
    """The power that a certificate claims, by a program of its own over forces at the points."""
    robot, rng = robots.load("biped"), np.random.default_rng(seed)
    q, weight = robot.posture(), 9.81 * robot.mass
    link = robot.model.frames[2].name
    given = [
        {"torsional_friction": 0.003, "min_normal": 0.1 * weight},
        {"torsional_friction": 0.0, "max_normal": 0.6 * weight},
    ]
    pairs = zip(contacts.at_feet(robot), given, strict=True)
    feet = [replace(foot, **limits) for foot, limits in pairs]
    back = SurfaceContact(
        link, vertices=0.1 * rng.standard_normal((4, 2)), friction=0.7,
        placement=pin.SE3(pin.exp3(rng.standard_normal(3)), 0.2 * rng.standard_normal(3)),
        torsional_friction=0.004, max_normal=0.2 * weight, name="back",
    )  # fmt: skip
    angle = rng.uniform(0, 2 * np.pi)
    push = 1.2 * weight * np.array([np.cos(angle), np.sin(angle), 0.0])
    load = {link: Wrench(push, 0.1 * weight * rng.standard_normal(3))}
    hold = static_hold(robot, q, [*feet, back], load, torque_limits=False)
    check_no(robot, q, hold, load)
    h = dynamics.gravity_torques(robot, q) + dynamics.external_torques(robot, q, load)
    claimed = certificate_value(hold.balance, hold.certificate)
    assert claimed == pytest.approx(most_power(robot, q, hold, h), abs=1e-3)


def test_the_static_polygon_keeps_to_the_bounds():
    """With feet that carry at most half the weight, the middle half of the support is left."""
    robot, q, link = block()
    L, end = SIZE[0] / 2, {"half_length": 1e-3, "half_width": SIZE[1] / 2, "friction": 0.5}
    ends = [
        SurfaceContact(link, placement=below(x), max_normal=0.75 * W, name=name, **end)
        for name, x in (("front", L), ("back", -L))
    ]
    region = contacts.static_equilibrium_polygon(robot, q, ends, tolerance=1e-5)
    assert region.vertices[:, 0].max() == pytest.approx(L / 2, abs=2e-3)
    assert region.vertices[:, 0].min() == pytest.approx(-L / 2, abs=2e-3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"min_normal": -1.0}, "cannot pull"),
        ({"max_normal": -1.0}, "at least 0"),
        ({"max_normal": np.inf}, "finite"),
        ({"min_normal": 3.0, "max_normal": 2.0}, "at most max_normal"),
    ],
)
def test_impossible_bounds(given, says):
    with pytest.raises(ContactError, match=says):
        PointContact("toe", 0.5, **given)


def test_bounds_make_no_cone():
    with pytest.raises(ContactError, match="no cone"):
        WrenchCone(PointContact("toe", 0.5, max_normal=3.0))
