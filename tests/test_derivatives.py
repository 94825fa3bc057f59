"""Derivatives of the dynamics and linearisations, against differences on the manifold."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from conftest import each_robot
from differences import close, gradient, in_vector

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import Wrench
from footwork.dynamics.derivatives import external_torques_derivative

robot = each_robot(
    ("quadruped", "floating"),
    ("solo12", "fixed"),
    ("tree", "floating"),
    ("tree", "fixed"),
    ("heavy base", "floating"),
)


def loads(robot):
    first, last = robot.frame_names[len(robot.frame_names) // 2], robot.frame_names[-1]
    return [
        {},
        {last: Wrench((1, -2, 3), (0.3, 0.2, 0.1))},
        {last: Wrench((1, -2, 3), (0.3, 0.2, 0.1), point=(0.1, 0.5, 0.3))},
        {last: Wrench((1, -2, 3), (0.3, 0.2, 0.1), point=(0.1, 0.5, 0.3), axes="local")},
        {first: Wrench((1, 2, 3)), last: Wrench((0, 0, 0), (1, 2, 3), axes="local")},
    ]


def test_inverse_dynamics(robot, random_state):
    q, v, a = random_state(robot)
    for wrenches in loads(robot):
        d = dyn.inverse_dynamics_derivatives(robot, q, v, a, wrenches)
        tau = partial(dyn.inverse_dynamics, robot, a=a, wrenches=wrenches)
        close(d.dq, gradient(robot, q, partial(tau, v=v)), 1e-6)
        close(d.dv, in_vector(v, partial(tau, q)), 1e-6)
    close(d.da, dyn.mass_matrix(robot, q), 1e-12)


def test_forward_dynamics(robot, random_state):
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)
    for wrenches in loads(robot)[::2]:
        d = dyn.forward_dynamics_derivatives(robot, q, v, tau, wrenches)
        a = partial(dyn.forward_dynamics, robot, wrenches=wrenches)
        close(d.dq, gradient(robot, q, partial(a, v=v, tau=tau)), 1e-6)
        close(d.dv, in_vector(v, partial(a, q, tau=tau)), 1e-6)
        close(d.dtau, in_vector(tau, partial(a, q, v)), 1e-6)


def test_gravity(robot, random_state):
    q, _, _ = random_state(robot)
    change = gradient(robot, q, partial(dyn.gravity_torques, robot))
    close(dyn.derivatives.gravity_torques_derivative(robot, q), change, 1e-6)


def test_linearisation_of_a_step(robot, random_state):
    q, v, _ = random_state(robot)
    tau, h = np.random.default_rng(1).standard_normal(robot.na), 1e-2

    def step(p, w, t):
        w = w + h * dyn.forward_dynamics(robot, p, w, t)
        return robot.integrate(p, h * w), w

    q0, v0 = step(q, v, tau)

    def away(p, w, t):
        q1, v1 = step(p, w, t)
        return np.r_[robot.difference(q0, q1), v1 - v0]

    A, B = dyn.linearise(robot, q, v, tau, step=h)
    # a longer step: the difference of two angles of a planar joint is good to 1e-8 only
    close(A[:, : robot.nv], gradient(robot, q, lambda p: away(p, v, tau), step=1e-3), 1e-4)
    close(A[:, robot.nv :], in_vector(v, lambda w: away(q, w, tau), step=1e-3), 1e-4)
    close(B, in_vector(tau, lambda t: away(q, v, t), step=1e-3), 1e-4)


def test_linearisation_in_continuous_time(robot, random_state):
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)
    A, B = dyn.linearise(robot, q, v, tau)

    def rate(p, w):
        """d/dt of q_disturbed ⊖ q_undisturbed, at t = 0."""
        t = 1e-5
        ahead, behind = (
            robot.difference(robot.integrate(q, s * t * v), robot.integrate(p, s * t * w))
            for s in (1, -1)
        )
        return (ahead - behind) / (2 * t)

    d = 1e-4
    top = [
        (rate(robot.integrate(q, d * e), v) - rate(robot.integrate(q, -d * e), v)) / (2 * d)
        for e in np.eye(robot.nv)
    ]
    close(A[: robot.nv, : robot.nv], np.stack(top, axis=-1), 1e-5)
    close(A[: robot.nv, robot.nv :], np.eye(robot.nv), 1e-14)
    d = dyn.forward_dynamics_derivatives(robot, q, v, tau)
    assert (A[robot.nv :] == np.hstack([d.dq, d.dv])).all()
    assert not B[: robot.nv].any()
    assert (B[robot.nv :] == d.dtau).all()


def test_the_hanging_pendulum_is_stable_and_the_standing_one_is_not(load_robot):
    robot = load_robot("double_pendulum", "fixed")
    still = np.zeros(2)
    for q, stable in (([0.0, 0.0], True), ([np.pi, 0.0], False)):
        eigenvalues = np.linalg.eigvals(dyn.linearise(robot, q, still, still).A)
        assert (eigenvalues.real.max() < 1e-9) == stable


def test_bad_input(robot):
    q, v, tau = robot.neutral(), np.zeros(robot.nv), np.zeros(robot.na)
    with pytest.raises(fw.ConfigurationError, match="step"):
        dyn.linearise(robot, q, v, tau, step=0)
    other, frame = robot.frame_names[1], robot.frame_names[-1]
    with pytest.raises(fw.ConfigurationError, match="local"):
        external_torques_derivative(robot, q, {frame: Wrench((0, 0, 1), axes=other)})
