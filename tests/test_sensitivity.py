"""Slopes of the margin: against differences of freshly solved margins, and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from differences import slope

from footwork import ContactError, Wrench, contacts, dynamics, robots
from footwork.contacts.equilibrium.margins import Shrinking
from footwork.contacts.equilibrium.programs import Equilibrium
from footwork.contacts.equilibrium.saddle import by_conic_solver, saddle_point
from footwork.dynamics.kernels import toolchain


def shaken(robot, seed, size=0.15):
    rng = np.random.default_rng(seed)
    return robot.integrate(robot.posture(), size * rng.standard_normal(robot.nv)), rng


def pushed(robot, rng):
    """A random wrench on a link, of the size of the weight."""
    weight = 9.81 * robot.mass
    force, moment = 0.3 * weight * rng.standard_normal(3), 0.05 * weight * rng.standard_normal(3)
    return {robot.frame_names[2]: Wrench(force, moment)}


def margin(hold, q, feet):
    """Of other contacts at another q, the loads and torque limits of a hold at rest."""
    robot, zero = hold.contacts.robot, np.zeros(hold.contacts.robot.nv)
    h = -dynamics.inverse_dynamics(robot, q, zero, zero, hold.external)
    return saddle_point(Equilibrium.of(feet, q, h, hold.balance.torque_limits)).margin


def changed(feet, changes):
    return contacts.ContactSet(feet.robot, [replace(c, **changes(c)) for c in feet])


def rubbing(feet, more):
    """Feet with more friction, by name."""
    return changed(feet, lambda c: {"friction": c.friction + more.get(c.name, 0.0)})


SOLE = {"half_length": 0.1, "half_width": 0.05, "friction": 0.5}
FINGER = contacts.PointContact("right_hand", 0.6, normal=(0, 1, 0), torsional_friction=0.02)


def on_its_link(robot, q, contact, twist):
    """The contact after a twist in its axes about its centre: by hand, not by the library."""
    R = contact.pose(robot, q).rotation
    if isinstance(contact, contacts.PointContact):
        link = dynamics.frame_placement(robot, q, contact.frame).rotation
        return {
            "offset": contact.offset + link.T @ R @ twist[:3],
            "normal": pin.exp3(R @ twist[3:]) @ contact.normal,
        }
    centre = contact.placement.act(contact.centre)
    turn = pin.exp3(contact.placement.rotation @ twist[3:])
    moved = centre + contact.placement.rotation @ twist[:3]
    rotation = turn @ contact.placement.rotation
    return {"placement": pin.SE3(rotation, moved - rotation @ contact.centre)}


CASES = (  # whose margin is smooth: pushed, weak, of all kinds of contact
    *("block 1", "biped 0", "biped 1", "quadruped 0", "talos 0"),
    *("weak biped 1", "weak quadruped 0", "weak talos 1", "kinds 2", "kinds 3"),
)


def make(case, load_robot):
    kind, name, seed = ["pushed", *case.split()][-3:]
    seed = int(seed)
    if name == "kinds":
        return all_kinds(seed)
    robot = load_robot(name, "floating")
    q, rng = shaken(robot, seed)
    feet = contacts.at_feet(robot, 0.4)
    if kind == "weak":
        limits = np.full(robot.na, 0.06 * 9.81 * robot.mass)
        return contacts.static_hold(robot, q, feet, torque_limits=limits)
    return contacts.static_hold(robot, q, feet, pushed(robot, rng), torque_limits=False)


def all_kinds(seed):
    """A bounded sole with torsional friction, an edge, a soft finger, a disc."""
    robot = robots.load("biped")
    q, rng = shaken(robot, seed)
    left, right = (robot.feet[name].placement for name in ("left_foot", "right_foot"))
    touching = [
        contacts.SurfaceContact("left_foot", **SOLE, placement=left, torsional_friction=0.01,
                                min_normal=20.0, max_normal=300.0),
        contacts.LineContact("right_foot", half_length=0.1, friction=0.4, placement=right),
        FINGER,
        contacts.DiscContact("left_hand", radius=0.04, friction=0.7),
    ]  # fmt: skip
    return contacts.static_hold(robot, q, touching, pushed(robot, rng), torque_limits=False)


@pytest.mark.parametrize("case", CASES)
def test_slopes_are_those_of_solved_margins(case, load_robot):
    hold = make(case, load_robot)
    robot, q, feet = hold.contacts.robot, hold.q, hold.contacts
    gradient = contacts.margin_gradient(hold, check=True)
    assert gradient.kinks == ()
    assert gradient.unique
    assert gradient.margin == pytest.approx(hold.margin, abs=1e-8 * hold.balance.weight)
    rng = np.random.default_rng(5)
    unit = max(np.abs(gradient.q).max(), hold.balance.weight)
    d = rng.standard_normal(robot.nv)
    found = slope(lambda t: margin(hold, robot.integrate(q, t * d), feet))
    assert gradient.q @ d == pytest.approx(found, rel=1e-6, abs=1e-6 * unit)

    rates = rng.standard_normal(len(feet))
    named = dict(zip(feet.names, rates, strict=True))
    found = slope(lambda t: margin(hold, q, rubbing(feet, {n: t * r for n, r in named.items()})))
    known = rates @ list(gradient.friction.values())
    assert known == pytest.approx(found, rel=1e-6, abs=1e-6 * unit)

    twists = dict(zip(feet.names, rng.standard_normal((len(feet), 6)), strict=True))

    def moved(t):
        return changed(feet, lambda c: on_its_link(robot, q, c, t * twists[c.name]))

    found = slope(lambda t: margin(hold, q, moved(t)))
    known = sum(gradient.placement[name] @ twist for name, twist in twists.items())
    assert known == pytest.approx(found, rel=1e-6, abs=1e-6 * unit)


@pytest.mark.parametrize("case", ["block 1", "quadruped 0", "weak quadruped 0", "kinds 2"])
def test_saddle_points_of_kernel_and_conic_solver(case, load_robot):
    """Forces and multipliers; without compiled code the conic solver's are refined."""
    balance = make(case, load_robot).balance
    found, w, N = saddle_point(balance), balance.weight, balance.pull
    with toolchain.switched_off():
        plain = saddle_point(balance)
    assert plain.margin == pytest.approx(found.margin, abs=1e-10 * w)
    assert plain.velocity == pytest.approx(found.velocity, abs=1e-7)
    assert plain.rates == pytest.approx(found.rates, abs=1e-7)
    other = by_conic_solver(balance)
    assert found.margin == pytest.approx(other.margin, abs=1e-8 * w)
    assert found.velocity == pytest.approx(other.velocity, abs=1e-4)
    friction = other.friction(balance.limits)
    assert found.friction(balance.limits) == pytest.approx(friction, abs=1e-4 * w)
    left = balance.load + balance.columns @ found.unknowns + found.margin * N
    assert np.abs(left[balance.unactuated]).max() < 1e-9 * w
    assert balance.limits.violation(found.unknowns) < 1e-9 * w
    assert found.rates @ found.unknowns == pytest.approx(0.0, abs=1e-9 * w)  # complementary


def test_a_margin_is_refined_to_rounding(load_robot):
    """Where cones are at their apex, or forces on edges, interior points leave 1e-5 of y."""
    balance = make("quadruped 0", load_robot).balance
    N, h = balance.pull, balance.load
    y = saddle_point(balance).velocity
    assert y @ N == pytest.approx(-1.0, abs=1e-11)
    d = np.random.default_rng(0).standard_normal(len(h))
    moved = slope(lambda t: by_conic_solver(replace(balance, load=h + t * d)).margin, 0.05)
    assert y @ d == pytest.approx(moved, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_a_margin_on_narrow_cones_is_refined_to_rounding(seed):
    """With as little friction as holds, where forces hardly change with the multipliers."""
    robot = robots.load("biped")
    q, _ = shaken(robot, seed, 0.05)
    hold = contacts.static_hold(robot, q, contacts.at_feet(robot))
    s, balance = hold.friction_margin(), hold.balance
    found, shrunk = Shrinking(balance).exact_saddle(s), balance.shrunk(s)
    left = balance.load + shrunk.columns @ found.unknowns
    left += found.margin * balance.pull
    assert np.abs(left[balance.unactuated]).max() < 1e-11 * balance.weight
    assert shrunk.limits.violation(found.unknowns) < 1e-12 * balance.weight
    assert found.rates @ found.unknowns == pytest.approx(0.0, abs=1e-11 * balance.weight)


@pytest.mark.parametrize("of", ["push", "friction"])
@pytest.mark.parametrize("case", ["block 1", "biped 2"])
def test_slopes_of_the_push_and_the_friction_margin(case, of):
    """Against the same margins worked out afresh after small steps, by their own algorithms."""
    name, seed = case.split()
    robot = robots.load(name)
    q, rng = shaken(robot, int(seed), 0.05)
    load = {robot.frame_names[2]: Wrench(0.02 * 9.81 * robot.mass * rng.random(3), np.zeros(3))}

    def value(q, feet, tolerance=1e-9):
        hold = contacts.static_hold(robot, q, feet, load, torque_limits=False)
        margin = hold.push_margin if of == "push" else hold.friction_margin
        return margin(tolerance)

    feet = contacts.at_feet(robot, 0.5)
    hold = contacts.static_hold(robot, q, feet, load, torque_limits=False)
    gradient = contacts.margin_gradient(hold, of=of)
    assert gradient.kinks == ()
    assert gradient.margin == pytest.approx(value(q, feet), rel=1e-6)
    d, first = rng.standard_normal(robot.nv), feet.names[0]
    steps = {
        gradient.q @ d: lambda t: value(robot.integrate(q, t * d), feet),
        gradient.friction[first]: lambda t: value(q, rubbing(feet, {first: t})),
    }
    for known, moved in steps.items():
        found = slope(moved, 1e-3)
        assert known == pytest.approx(found, rel=1e-4, abs=1e-4 * gradient.margin)


def test_the_friction_margin_with_torsional_friction():
    """A soft finger and a patch whose yaw is limited: γ shrinks with μ and with the patch."""
    robot = robots.load("biped")
    q, rng = shaken(robot, 4, 0.05)
    soles = [
        contacts.SurfaceContact(name, **SOLE, torsional_friction=yaw, placement=foot.placement)
        for (name, foot), yaw in zip(robot.feet.items(), (0.01, None), strict=True)
    ]
    feet = contacts.ContactSet(robot, [*soles, FINGER])
    turn = {robot.frame_names[2]: Wrench(20 * rng.standard_normal(3), (0, 0, 8.0))}

    def held(q, feet):
        return contacts.static_hold(robot, q, feet, turn, torque_limits=False)

    hold, w = held(q, feet), 9.81 * robot.mass
    gradient = contacts.margin_gradient(hold, of="friction")
    s = gradient.margin
    assert hold.friction_margin(1e-6) == pytest.approx(s, rel=2e-6)
    assert hold.balance.shrunk(s).margin().value == pytest.approx(0.0, abs=1e-9 * w)
    d, name = rng.standard_normal(robot.nv), feet.names[1]
    found = slope(lambda t: held(robot.integrate(q, t * d), feet).friction_margin(1e-9), 1e-3)
    assert gradient.q @ d == pytest.approx(found, rel=1e-4, abs=1e-4 * s)
    found = slope(lambda t: held(q, rubbing(feet, {name: t})).friction_margin(1e-9), 1e-3)
    assert gradient.friction[name] == pytest.approx(found, rel=1e-4, abs=1e-4 * s)


def test_the_friction_margin_of_a_pushed_block():
    """By hand: it slips at s = μ m g/F, and would tip over its edge at s = m g a/(F h)."""
    robot, size = robots.block(10.0, (0.4, 0.3, 0.2)), np.array([0.4, 0.3, 0.2])
    q = robot.posture()
    pushed = {robot.frame_names[2]: Wrench((20.0, 0, 0), np.zeros(3))}
    held = contacts.static_hold(robot, q, contacts.at_feet(robot, 0.5), pushed)
    gradient = contacts.margin_gradient(held, of="friction")
    slip, tip = 0.5 * 98.1 / 20.0, 98.1 * size[0] / 2 / (20.0 * size[2] / 2)
    assert gradient.margin == pytest.approx(min(slip, tip))
    assert gradient.friction["bottom"] == pytest.approx(98.1 / 20.0)  # it slips first


def test_slopes_along_loads_and_torque_limits():
    robot = robots.load("quadruped")
    q, rng = shaken(robot, 2)
    feet, limits = contacts.at_feet(robot, 0.4), np.full(robot.na, 0.06 * 9.81 * robot.mass)
    hold = contacts.static_hold(robot, q, feet, torque_limits=limits)
    gradient = contacts.margin_gradient(hold, check=True)
    force, link = rng.standard_normal(3), robot.frame_names[2]
    J = dynamics.frame_jacobian(robot, q, link)[:3]

    def changing(pull, stronger):
        def margin(t):
            load = {link: Wrench(t * pull, np.zeros(3))}
            return contacts.static_hold(robot, q, feet, load, limits + t * stronger).margin

        return slope(margin, 1e-2)

    found = changing(force, np.zeros(robot.na))
    assert force @ J @ gradient.load == pytest.approx(found, rel=1e-5)
    assert (gradient.torque_limits > 1e-3).sum() >= 1  # a joint at its limit
    for j in np.flatnonzero(gradient.torque_limits > 1e-3):
        found = changing(np.zeros(3), np.eye(robot.na)[j])
        assert gradient.torque_limits[j] == pytest.approx(found, rel=1e-5)


def test_a_block_on_a_slope():
    """By hand: what normal force may go before it slips, ε = m g (cos θ − sin θ/μ)."""
    robot, mu, theta = robots.block(10.0, (0.4, 0.3, 0.2)), 0.5, 0.3
    q = robot.posture()
    q[3:7] = pin.Quaternion(pin.exp3(np.array([0.0, theta, 0.0]))).coeffs()
    hold = contacts.static_hold(robot, q, contacts.at_feet(robot, mu))
    gradient, weight = contacts.margin_gradient(hold), 98.1
    assert hold.margin == pytest.approx(weight * (np.cos(theta) - np.sin(theta) / mu))
    assert gradient.friction == pytest.approx({"bottom": weight * np.sin(theta) / mu**2})
    by_turn = weight * (-np.sin(theta) - np.cos(theta) / mu)
    assert gradient.q == pytest.approx([0, 0, 0, 0, by_turn, 0], abs=1e-9)
    # to turn the sole alone changes nothing: sole and block turn against the same weight
    assert gradient.placement["bottom"][4] == pytest.approx(by_turn)


def test_without_friction_the_slope_is_that_to_the_right():
    """A ball in a groove of 45°: N = W/√2 on both sides; with μ they also rub."""
    robot = robots.load("block")
    q, link, n = robot.posture(), robot.frame_names[2], np.sqrt(0.5)
    up = {name: np.array([0, s * n, n]) for name, s in (("left", 1), ("right", -1))}
    walls = [contacts.PointContact(link, 0.0, u, -0.1 * u, name=name) for name, u in up.items()]
    rising = contacts.static_hold(robot, q, walls)
    gradient = contacts.margin_gradient(rising)
    for name in up:
        more = contacts.static_hold(robot, q, rubbing(rising.contacts, {name: 1e-6}))
        found = (more.margin - rising.margin) / 1e-6
        assert gradient.friction[name] == pytest.approx(found, abs=1e-3 * rising.balance.weight)


def test_a_kink_is_said_and_not_given_a_number():
    """A block that is pushed nowhere: more load on any corner tips it, so the margin has a peak."""
    robot = robots.load("biped")
    q, feet = robot.posture(), contacts.at_feet(robot)
    hold = contacts.static_hold(robot, q, feet, torque_limits=False)
    gradient, unchecked = (contacts.margin_gradient(hold, check=on) for on in (True, False))
    assert "q" in gradient.kinks
    assert np.isnan(gradient.q).any()
    assert not np.isnan(gradient.q).all()
    assert unchecked.kinks == ()
    assert not unchecked.unique
    slack = 1e-2 * hold.balance.weight
    for d, value, element in zip(np.eye(robot.nv), gradient.q, unchecked.q, strict=True):
        right, left = (
            (margin(hold, robot.integrate(q, t * d), feet) - hold.margin) / t for t in (1e-4, -1e-4)
        )
        if np.isnan(value):
            assert abs(right - left) > 0.1 * slack
        else:
            assert value == pytest.approx(right, abs=slack)
        low, high = sorted((left, right))  # an element of the subdifferential lies between them
        assert low - slack <= element <= high + slack


def test_a_push_on_a_resting_block_costs_the_same_on_both_sides():
    """ε = m g − ‖F‖/μ has a peak at F = 0: no slope along x and y, but one along z and the yaw."""
    robot, mu = robots.block(10.0, (0.4, 0.3, 0.2)), 0.5
    hold = contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot, mu))
    gradient = contacts.margin_gradient(hold, check=True)
    assert "load" in gradient.kinks
    assert np.isnan(gradient.load[:2]).all()
    assert gradient.load[2] == pytest.approx(-1.0)


def test_a_moving_robot_needs_its_motion():
    robot = robots.load("biped")
    q, rng = shaken(robot, 1)
    v, a = 0.3 * rng.standard_normal((2, robot.nv))
    feet = contacts.at_feet(robot, 0.4)
    hold = contacts.contact_forces(robot, q, v, a, feet, torque_limits=False)
    with pytest.raises(ContactError, match="v, a: got others"):
        contacts.margin_gradient(hold, check=True)
    gradient = contacts.margin_gradient(hold, v, a)
    d = rng.standard_normal(robot.nv)

    def moved(t):
        there = robot.integrate(q, t * d)
        return contacts.contact_forces(robot, there, v, a, feet, torque_limits=False).margin

    assert gradient.q @ d == pytest.approx(slope(moved, 3e-4), rel=1e-5)


def test_refusals():
    robot = robots.load("block")
    floating = contacts.static_hold(robot, robot.posture(), [])
    with pytest.raises(ContactError, match="expected a finite one"):
        contacts.margin_gradient(floating)
    hold = contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot))
    with pytest.raises(ContactError, match="of: got 'comfort', expected 'margin', 'push'"):
        contacts.margin_gradient(hold, of="comfort")
    push = {robot.frame_names[2]: Wrench((1e3, 0, 0), np.zeros(3))}
    toppled = contacts.static_hold(robot, robot.posture(), contacts.at_feet(robot), push)
    with pytest.raises(ContactError, match="push margin of zero, which has no slope"):
        contacts.margin_gradient(toppled, of="push")
