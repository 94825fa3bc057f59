"""A robot with a single joint has matrices with a single column, not vectors."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import ModelError, Wrench, contacts, dynamics, robots


@pytest.fixture(scope="module")
def pendulum():
    return robots.limb(lengths=(0.5,), masses=(2.0,))


def test_shapes(pendulum):
    q, v, tip = np.array([0.3]), np.array([0.7]), pendulum.frame_names[-1]
    assert pendulum.nv == 1
    assert dynamics.com_jacobian(pendulum, q).shape == (3, 1)
    assert dynamics.centroidal_map(pendulum, q).shape == (6, 1)
    assert dynamics.frame_hessian(pendulum, q, tip).shape == (6, 1, 1)
    assert dynamics.com_hessian(pendulum, q).shape == (3, 1, 1)
    for reference in ("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"):
        J = dynamics.frame_jacobian(pendulum, q, tip, reference)
        H = dynamics.frame_hessian(pendulum, q, tip, reference)
        assert J.shape == (6, 1)
        assert dynamics.frame_jacobian_derivative(pendulum, q, v, tip, reference).shape == (6, 1)
        drift = dynamics.frame_drift(pendulum, q, v, tip, reference)
        assert H @ v @ v == pytest.approx(drift, abs=1e-12)
    terms = dynamics.terms(pendulum, q, v)
    assert terms.com_jacobian.shape == (3, 1)
    assert terms.com_velocity == pytest.approx(dynamics.com_jacobian(pendulum, q) @ v)
    assert terms.centroidal_momentum[:3] == pytest.approx(2.0 * terms.com_velocity)


def test_second_roads(pendulum):
    q, v, a = np.array([0.3]), np.array([0.7]), np.array([-0.4])
    Y = dynamics.torque_regressor(pendulum, q, v, a)
    assert Y.shape == (1, 10)
    assert Y @ dynamics.inertial_parameters(pendulum) == pytest.approx(
        dynamics.inverse_dynamics(pendulum, q, v, a)
    )
    for name in ("mass_matrix", "coriolis_tensor", "gravity_torques"):
        sums = getattr(dynamics.jacobian_sums, name)(pendulum, q)
        assert sums == pytest.approx(getattr(dynamics, name)(pendulum, q), abs=1e-12), name


def test_contacts(pendulum):
    """The tip of a pendulum leaning on a wall: one torque, one force, by hand."""
    q, tip = np.array([0.0]), pendulum.frame_names[-1]
    wall = contacts.PointContact(tip, 0.3, normal=(1, 0, 0))
    assert contacts.ContactSet(pendulum, [wall]).jacobian(q).shape == (3, 1)
    push = {tip: Wrench([-10.0, 0, 0])}
    hold = contacts.static_hold(pendulum, q, wall, push, torque_limits=False)
    assert hold.feasible is True
    a, f = contacts.constrained_forward_dynamics(pendulum, q, [0.0], [0.0], [wall], push)
    assert a == pytest.approx([0.0], abs=1e-9)
    assert f[0] == pytest.approx(10.0)


def test_a_joint_without_inertia_is_an_error():
    """Rounding over a vanishing inertia is no acceleration."""
    icub = next((i for i in robots.available() if i.name == "icub" and i.installed), None)
    if icub is None:
        pytest.skip("needs example-robot-data")
    robot = robots.load("icub")
    with pytest.raises(ModelError, match="singular"):
        dynamics.forward_dynamics(robot, robot.posture(), np.ones(robot.nv), np.ones(robot.na))


def test_nothing_moves():
    """A block that is bolted down: no joints, and no number that is none."""
    bolted = robots.load("block", base="fixed")
    q, v = bolted.neutral(), np.zeros(0)
    assert bolted.nv == 0
    for term in (dynamics.centroidal_momentum, dynamics.centroidal_drift):
        np.testing.assert_array_equal(term(bolted, q, v), np.zeros(6))
    assert np.isfinite(dynamics.com(bolted, q)).all()
    assert dynamics.centroidal_map(bolted, q).shape == (6, 0)
