"""The gravito-inertial wrench cone against forces that give the robot the same motion."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from stances import posed

from footwork import ContactError, contacts, dynamics, robots
from footwork.contacts import PointContact, at_feet, contact_forces, gravito_inertial_cone
from footwork.contacts.wrench_cones.gravito_inertial import gravito_inertial_wrench


def centroidal_motion(robot, q, v, a):
    """(c, c̈, L̇_c) of a state, from the rate of the centroidal momentum by differences."""
    h = 1e-6
    rates = [
        dynamics.centroidal_momentum(robot, robot.integrate(q, t * v), v + t * a) for t in (h, -h)
    ]
    rate = (rates[0] - rates[1]) / (2 * h)
    return dynamics.com(robot, q), rate[:3] / robot.mass, rate[3:]


@pytest.mark.parametrize("name", ["biped", "quadruped"])
@pytest.mark.parametrize("seed", range(3))
def test_wrench_is_what_the_contacts_must_give(name, seed):
    """Minus w_gi at the base's origin is the base's rows of inverse dynamics, in world axes."""
    robot, rng = robots.load(name), np.random.default_rng(seed)
    q, v, a = robot.random_configuration(rng), *rng.standard_normal((2, robot.nv))
    c, c_dd, L_d = centroidal_motion(robot, q, v, a)
    w = gravito_inertial_wrench(robot.mass, c, c_dd, L_d, point=q[:3])
    R = pin.Quaternion(q[3:7]).matrix()
    needed = dynamics.inverse_dynamics(robot, q, v, a)[:6]
    assert -w.force == pytest.approx(R @ needed[:3], abs=1e-4)
    assert -w.moment == pytest.approx(R @ needed[3:], abs=1e-4)


@pytest.mark.parametrize("name", ["biped", "quadruped"])
def test_membership_is_the_verdict_of_contact_forces(name):
    robot, rng = robots.load(name), np.random.default_rng(2)
    q, feet = robot.posture(), at_feet(robot, 0.5)
    point = rng.standard_normal(3)
    exact = gravito_inertial_cone(robot, q, feet, point)
    inner = gravito_inertial_cone(robot, q, feet, point, "inner", 8)
    outer = gravito_inertial_cone(robot, q, feet, point, "outer", 8)
    verdicts = []
    for scale in np.linspace(0.5, 8, 8):
        v = 0.3 * rng.standard_normal(robot.nv)
        a = np.zeros(robot.nv)
        a[:3] = scale * rng.standard_normal(3)
        motion = centroidal_motion(robot, q, v, a)
        hold = contact_forces(robot, q, v, a, feet, torque_limits=False)
        verdicts.append(hold.feasible)
        assert exact.contains(*motion) is hold.feasible
        assert (exact.violation(*motion) < 1e-4) is hold.feasible
        assert outer.contains(*motion) or not hold.feasible
        assert hold.feasible or not inner.contains(*motion)
        w = inner.wrench(*motion).vector
        assert inner.contains(*motion) is bool((inner.faces @ w <= 1e-6).all())
    assert set(verdicts) == {True, False}


def test_rays_are_motions_that_can_be_carried():
    robot, feet, q = posed("quadruped", 0.5)
    cone = gravito_inertial_cone(robot, q, feet, kind="inner")
    assert (cone.rays @ cone.faces.T <= 1e-9).all()
    assert cone.rays[:, 2].max() < 0  # gravity and inertia press down, the ground pushes back
    exact = gravito_inertial_cone(robot, q, feet)
    for ray in cone.rays[::5]:
        assert exact.net.contains(-ray, 1e-6)


def test_standing_and_falling():
    robot, feet, q = posed("quadruped", 0.5)
    cone = gravito_inertial_cone(robot, q, feet)
    c = dynamics.com(robot, q)
    assert cone.contains(c)
    assert cone.contains(c, [0, 0, -9.81])  # free fall asks nothing of the ground
    assert not cone.contains(c, [0, 0, -9.9])
    assert not cone.contains(c + np.array([1, 0, 0]))
    assert not cone.contains(c, [6, 0, 0])
    assert not cone.contains(c, angular_momentum_rate=[0, 0, 1e3])


def test_bad_motions():
    robot = robots.load("quadruped")
    cone = gravito_inertial_cone(robot, robot.posture(), at_feet(robot, 0.5))
    with pytest.raises(ContactError, match="com"):
        cone.contains([0, 0])
    with pytest.raises(ContactError, match="acceleration"):
        cone.contains([0, 0, 1], [0, 0, np.nan])
    with pytest.raises(ContactError, match="mass"):
        gravito_inertial_wrench(0.0, [0, 0, 1])
    toe = PointContact(next(iter(robot.feet.values())).frame, 0.5, max_normal=5.0)
    with pytest.raises(ContactError, match="no cone"):
        contacts.gravito_inertial_cone(robot, robot.posture(), toe)
