"""Postures of the largest margin: against the bound that no posture can pass."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import ContactError, Wrench, contacts, dynamics, robots


def weight(robot):
    return 9.81 * robot.mass


def leaning(robot):
    """A posture on its feet whose centre of mass is far from their middle."""
    x, y, _ = dynamics.com(robot, robot.posture())
    return contacts.solve_posture(robot, contacts.at_feet(robot), com=(x + 0.08, y)).q


def climb(robot, **options):
    feet = contacts.at_feet(robot)
    before = contacts.solve_posture(robot, feet, q0=options.get("q0"))
    after = contacts.solve_posture(robot, feet, maximize="margin", **options)
    assert after.converged
    assert feet.error(after.q, after.targets) == pytest.approx(0, abs=1e-8)
    assert feet.error(before.q, after.targets) == pytest.approx(0, abs=1e-7)  # the same places
    assert (np.diff(after.margins) > 0).all()  # never less than before
    asked = {k: v for k, v in options.items() if k in ("wrenches", "torque_limits")}
    for q, value in ((before.q, after.margins[0]), (after.q, after.margins[-1])):
        hold = contacts.static_hold(robot, q, feet, **asked)
        assert hold.margin == pytest.approx(value, abs=1e-6 * weight(robot))
    return after


@pytest.mark.parametrize("name", ["biped", "quadruped", "talos"])
def test_on_level_ground_every_foot_carries_the_same(name, load_robot):
    """All normal forces together are the weight: n ε ≤ m g, and some posture reaches it."""
    robot = load_robot(name, "floating")
    posture = climb(robot, q0=leaning(robot), torque_limits=False)
    assert len(posture.margins) > 1
    assert posture.margins[0] < 0.8 * posture.margins[-1]
    bound = weight(robot) / len(robot.feet)
    assert posture.margins[-1] == pytest.approx(bound, rel=1e-3)
    assert posture.margins[-1] <= bound * (1 + 1e-6)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_it_leans_against_a_push(name):
    """A horizontal push F asks for F/μ of the normal forces: n ε ≤ m g − F/μ."""
    robot, friction = robots.load(name), 0.7
    push = 0.15 * weight(robot)
    load = {robot.frame_names[2]: Wrench((push, 0.0, 0.0), np.zeros(3))}
    posture = climb(robot, wrenches=load, torque_limits=False)
    bound = (weight(robot) - push / friction) / len(robot.feet)
    assert posture.margins[-1] == pytest.approx(bound, rel=2e-3)
    if name == "biped":
        assert posture.margins[0] < 0  # it could not even stand there
        moved = dynamics.com(robot, posture.q) - dynamics.com(robot, robot.posture())
        assert moved[0] < -0.01


def test_weak_joints_count():
    """With weak knees the best posture is another one, and no small step improves on it."""
    robot = robots.load("biped")
    feet, limits = contacts.at_feet(robot), np.full(robot.na, 0.05 * weight(robot))
    q0 = leaning(robot)
    posture = climb(robot, q0=q0, torque_limits=limits)
    assert posture.margins[-1] > posture.margins[0]
    J = feet.jacobian(posture.q)
    rng = np.random.default_rng(0)
    for _ in range(10):
        d = rng.standard_normal(robot.nv)
        d -= np.linalg.pinv(J) @ (J @ d)  # along which the contacts stay
        q = robot.integrate(posture.q, 1e-3 * d / np.linalg.norm(d))
        value = contacts.static_hold(robot, q, feet, torque_limits=limits).margin
        assert value <= posture.margins[-1] + 2e-4 * weight(robot)


def test_what_is_asked_stays():
    """The centre of mass where it was asked, joints inside their limits, links apart."""
    robot = robots.load("biped")
    x, _, z = dynamics.com(robot, robot.posture())
    feet = contacts.at_feet(robot)
    posture = contacts.solve_posture(
        robot, feet, com=(x + 0.02, None, z - 0.05), maximize="margin", self_collision=0.005
    )
    assert posture.converged
    reached = dynamics.com(robot, posture.q)
    assert reached[[0, 2]] == pytest.approx([x + 0.02, z - 0.05], abs=1e-8)
    assert contacts.self_collisions(robot, posture.q) == ()
    lower, upper = robot.model.lowerPositionLimit[7:], robot.model.upperPositionLimit[7:]
    assert ((posture.q[7:] >= lower) & (posture.q[7:] <= upper)).all()


def test_from_inside():
    robot = robots.load("quadruped")
    posture = climb(robot, com="inside", torque_limits=False)
    assert posture.margins[-1] == pytest.approx(weight(robot) / 4, rel=1e-3)
    assert np.isnan(posture.com).all()  # free again


def test_an_infinite_margin_is_left_alone():
    """Hands that hold both ways: squeezing makes the margin of the feet unbounded."""
    robot = robots.load("biped")
    hands = [contacts.PointContact(f"{s}_hand", 0.5, bilateral=True) for s in ("left", "right")]
    targets = contacts.ContactSet(robot, hands).placements(robot.posture())
    posture = contacts.solve_posture(
        robot, hands, targets=targets, maximize="margin", torque_limits=False
    )
    assert posture.converged
    assert len(posture.margins) == 1
    assert not np.isfinite(posture.margins[0])


def test_refusals():
    robot = robots.load("biped")
    feet = contacts.at_feet(robot)
    with pytest.raises(ContactError, match="maximize: got 'comfort', expected 'margin'"):
        contacts.solve_posture(robot, feet, maximize="comfort")
    assert contacts.solve_posture(robot, feet).margins == ()
