"""Contacts on surfaces that move, against places that are followed in time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from footwork import ContactError, contacts, dynamics, robots
from footwork.contacts import (
    LineContact,
    MovingSurface,
    PointContact,
    SurfaceContact,
    constrained_motion,
    frictional_forward_dynamics,
    impact,
)


class Deck:
    """A rigid surface whose place is a polynomial in time: T(t) = (exp(ω t + α t²/2) R₀, p(t)).

    At t = 0, ω and α are its angular velocity and acceleration (what the bracket [ω, α] adds to
    them is of higher order in t).
    """

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.p, self.v, self.a, self.omega, self.alpha = rng.standard_normal((5, 3))

    def place(self, t):
        turn = pin.exp3(self.omega * t + 0.5 * self.alpha * t * t)
        return pin.SE3(turn, self.p + self.v * t + 0.5 * self.a * t * t)

    def motion(self, t=0.0):
        """The MovingSurface at time t, up to terms of order t² in its rates."""
        rates = self.v + self.a * t, self.omega + self.alpha * t, self.a, self.alpha
        return MovingSurface(*rates, self.place(t).translation)


def on_deck(kind, deck, rng):
    """A contact of the first joint's link of a robot, and where on the deck it stays."""
    placed = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.3 * rng.standard_normal(3))
    moving = {"friction": 0.5, "surface": deck.motion()}
    if kind == "patch":
        return SurfaceContact("frame", half_length=0.1, half_width=0.1, placement=placed, **moving)
    if kind == "line":
        return LineContact("frame", half_length=0.1, placement=placed, **moving)
    normal = rng.standard_normal(3)
    normal /= np.linalg.norm(normal)
    soft = {"torsional_friction": 0.05} if kind == "soft" else {}
    return PointContact("frame", normal=normal, offset=rng.standard_normal(3), **moving, **soft)


def test_surface_is_a_rigid_body():
    """Velocity and acceleration of its points, by differences of their places."""
    deck, h = Deck(0), 1e-4
    p = np.array([0.3, -0.4, 0.7])
    body = deck.place(0).actInv(p)
    before, now, after = (deck.place(t).act(body) for t in (-h, 0, h))
    assert now == pytest.approx(p)
    assert deck.motion().velocity(p) == pytest.approx((after - before) / (2 * h), abs=1e-6)
    second = (after - 2 * now + before) / h**2
    assert deck.motion().acceleration(p) == pytest.approx(second, abs=1e-6)


@pytest.mark.parametrize("kind", ["patch", "line", "soft", "point"])
@pytest.mark.parametrize("seed", range(3))
def test_what_rides_the_deck_keeps_the_constraint(kind, seed):
    """A block glued to the deck: J v = s and J a + J̇v = ṡ, with v and a of its rigid motion."""
    deck, rng, robot = Deck(seed), np.random.default_rng(seed), robots.block()
    contact = replace(on_deck(kind, deck, rng), frame=robot.model.frames[2].name)
    start = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))

    def place(t):
        return deck.place(t) * deck.place(0).inverse() * start

    def velocity(t, h=1e-4):
        return np.array(pin.log6(place(t - h).inverse() * place(t + h)).vector) / (2 * h)

    q = pin.SE3ToXYZQUAT(place(0))
    v, h = velocity(0), 1e-4
    a = (velocity(h) - velocity(-h)) / (2 * h)
    s = contact.surface_velocity(robot, q)
    assert contact.jacobian(robot, q) @ v == pytest.approx(s, abs=1e-6)
    rate = contact.jacobian(robot, q) @ a + contact.drift(robot, q, v)
    assert rate == pytest.approx(contact.surface_acceleration(robot, q, v), abs=1e-5)


@pytest.mark.parametrize("kind", ["point", "soft", "ball", "line", "patch"])
@pytest.mark.parametrize("seed", range(3))
def test_acceleration_is_the_rate_of_the_velocity_constraint(kind, seed):
    """d/dt (J v − s) by differences, on a robot that slips over the deck with any a."""
    deck, rng, robot = Deck(seed), np.random.default_rng(seed), robots.load("quadruped")
    contact = on_deck("point" if kind == "ball" else kind, deck, rng)
    contact = replace(contact, frame=robot.joint_names[-1])
    if kind == "ball":
        contact = replace(contact, radius=0.2)
    q, v, a = robot.random_configuration(rng), *rng.standard_normal((2, robot.nv))

    def slip(t):
        there = robot.integrate(q, v * t + 0.5 * a * t * t)
        moved = replace(contact, surface=deck.motion(t))
        if isinstance(contact, PointContact):  # the normal turns with the deck
            n = pin.exp3(deck.omega * t) @ contact.normal
            moved = replace(moved, normal=n / np.linalg.norm(n))
        J = moved.jacobian(robot, there)
        return J @ (v + a * t) - moved.surface_velocity(robot, there)

    h = 1e-5
    expected = (slip(h) - slip(-h)) / (2 * h)
    J = contact.jacobian(robot, q)
    rate = J @ a + contact.drift(robot, q, v) - contact.surface_acceleration(robot, q, v)
    assert rate == pytest.approx(expected, abs=1e-5)


@pytest.fixture(scope="module")
def riding():
    """The biped, both soles on a turntable that speeds up under it."""
    robot = robots.load("biped")
    rates = [0.3, 0.0, 0.1], [0.0, 0.0, 0.8], [0.5, 0.0, 0.0], [0, 0, -1.2]
    table = MovingSurface(*rates, [0.4, -0.3, 0])
    contact_set = contacts.at_feet(robot, surface=table)
    q = robot.posture()
    v = np.linalg.lstsq(contact_set.jacobian(q), contact_set.surface_velocity(q))[0]
    return robot, q, v, contact_set


def test_constrained_motion_on_a_turntable(riding):
    robot, q, v, feet = riding
    tau = np.zeros(robot.na)
    motion = constrained_motion(robot, q, v, tau, feet, kd=3.0)
    rate = feet.jacobian(q) @ motion.a + feet.drift(q, v)
    assert rate == pytest.approx(feet.surface_acceleration(q, v), abs=1e-8)
    left = dynamics.inverse_dynamics(robot, q, v, motion.a)
    left -= feet.jacobian(q).T @ motion.f + robot.selection_matrix.T @ tau
    assert left == pytest.approx(0, abs=1e-7)
    assert np.abs(rate).max() > 0.1  # of feet that rest it would be zero


def test_the_turntable_pulls_to_its_velocity(riding):
    """With kd, J v − s decays where v starts elsewhere."""
    robot, q, v, feet = riding
    kd = 5.0
    J, s = feet.jacobian(q), feet.surface_velocity(q)
    slower = 0.5 * v
    a = constrained_motion(robot, q, slower, np.zeros(robot.na), feet, kd=kd, tolerance=1).a
    wanted = feet.surface_acceleration(q, slower) - kd * (J @ slower - s)
    assert J @ a + feet.drift(q, slower) == pytest.approx(wanted, abs=1e-6)


def block_on(surface, mass, size, friction):
    """A block, and the contact of its sole with a surface that moves."""
    half = {"half_length": size[0] / 2, "half_width": size[1] / 2}
    ground = {"friction": friction, "surface": surface}
    below = pin.SE3(np.eye(3), np.array([0, 0, -size[2] / 2]))
    sole = SurfaceContact("block", **half, **ground, placement=below)
    return robots.block(mass=mass, size=size), sole


@pytest.mark.parametrize("speed", [0.0, 1.0, 1.8, 2.6])
def test_a_block_on_a_turntable_slips_when_it_turns_too_fast(speed):
    """m ω² r outwards: the margin is m (g − ω² r/μ), as long as the block does not tip."""
    mass, mu, r = 2.0, 0.4, 0.7
    turntable = MovingSurface(angular=[0, 0, speed], point=[r, 0, 0])
    robot, sole = block_on(turntable, mass, (0.4, 0.4, 0.05), mu)
    q = robot.neutral()
    v = np.linalg.solve(sole.jacobian(robot, q), sole.surface_velocity(robot, q))
    wanted = sole.surface_acceleration(robot, q, v) - sole.drift(robot, q, v)
    a = np.linalg.solve(sole.jacobian(robot, q), wanted)
    hold = contacts.contact_forces(robot, q, v, a, sole)
    assert hold.margin == pytest.approx(mass * (9.81 - speed**2 * r / mu), abs=1e-5)
    if hold.feasible:
        assert hold.wrenches[sole.frame].force[0] == pytest.approx(mass * speed**2 * r)
    else:
        assert "slips" in hold.reason


def test_landing_on_a_turntable(riding):
    robot, q, _, feet = riding
    v = np.random.default_rng(1).standard_normal(robot.nv)
    J, s = feet.jacobian(q), feet.surface_velocity(q)
    for e in (0.0, 0.4):
        after, impulse = impact(robot, q, v, feet, restitution=e)
        assert J @ after - s == pytest.approx(-e * (J @ v - s), abs=1e-8)
        M = dynamics.mass_matrix(robot, q)
        assert M @ (after - v) == pytest.approx(J.T @ impulse, abs=1e-8)


def test_a_conveyor_drags_a_block():
    """On a belt at speed s the block slips with μ g, then rides at s."""
    mass, mu, speed, h = 2.0, 0.3, 0.2, 0.01
    robot, sole = block_on(MovingSurface([speed, 0, 0]), mass, (0.2, 0.2, 0.1), mu)
    q, v = robot.neutral(), np.zeros(6)
    speeds = []
    for _ in range(12):
        step = frictional_forward_dynamics(robot, q, v, np.zeros(0), sole, h)
        assert step.converged
        q, v = robot.integrate(q, h * step.v), step.v
        speeds.append(v[0])
    expected = np.minimum(mu * 9.81 * h * np.arange(1, 13), speed)
    assert speeds == pytest.approx(expected, abs=1e-6)
    assert set(step.states[sole.frame]) == {"stick"}


def test_frictional_motion_refuses_what_it_does_not_know():
    robot = robots.load("quadruped")
    q, frame = robot.posture(), next(iter(robot.feet.values())).frame
    for given in ({"torsional_friction": 0.1}, {"max_normal": 10.0}, {"min_normal": 1.0}):
        toe = PointContact(frame, 0.5, **given)
        with pytest.raises(ContactError, match=next(iter(given))):
            frictional_forward_dynamics(robot, q, np.zeros(robot.nv), np.zeros(robot.na), toe, 0.01)


def test_bad_surfaces():
    with pytest.raises(ContactError, match="expected a MovingSurface"):
        PointContact("toe", 0.5, surface=[0, 0, 1])
