"""Jacobians of points, the centre of mass, momenta and relative frames, against differences."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from conftest import each_robot
from differences import along, gradient

import footwork as fw
from footwork import dynamics as dyn

robot = each_robot(
    ("biped", "floating"), ("solo12", "fixed"), ("tree", "floating"), ("tree", "fixed")
)
POINT = np.array([0.3, -0.2, 0.5])


def test_point(robot, random_state):
    q, v, _ = random_state(robot)
    frame = robot.frame_names[-1]

    def position(p):
        return dyn.frame_placement(robot, p, frame).act(POINT)

    J = dyn.point_jacobian(robot, q, frame, POINT)
    H = dyn.point_hessian(robot, q, frame, POINT)
    assert np.abs(J - gradient(robot, q, position)).max() < 1e-7
    by_differences = gradient(robot, q, lambda p: dyn.point_jacobian(robot, p, frame, POINT))
    assert np.abs(H - by_differences).max() < 1e-7
    assert dyn.point_drift(robot, q, v, frame, POINT) == pytest.approx(H @ v @ v, abs=1e-10)


def test_centre_of_mass(robot, random_state):
    q, v, _ = random_state(robot)
    H = dyn.com_hessian(robot, q)
    assert np.abs(H - gradient(robot, q, lambda p: dyn.com_jacobian(robot, p))).max() < 1e-7
    assert dyn.com_drift(robot, q, v) == pytest.approx(H @ v @ v, abs=1e-10)


def test_centroidal_momentum(robot, random_state):
    q, v, _ = random_state(robot)
    H = dyn.centroidal_hessian(robot, q)
    assert np.abs(H - gradient(robot, q, lambda p: dyn.centroidal_map(robot, p))).max() < 1e-6
    dA = dyn.centroidal_map_derivative(robot, q, v)
    assert dA == pytest.approx(H @ v, abs=1e-10)
    assert dyn.centroidal_drift(robot, q, v) == pytest.approx(dA @ v, abs=1e-10)
    angular = dyn.jacobians.angular_momentum_jacobian(robot, q) @ v
    assert angular == pytest.approx(dyn.centroidal_momentum(robot, q, v)[3:])


def test_relative_frames(robot, random_state):
    q, v, _ = random_state(robot)
    frame, seen_from = robot.frame_names[-1], robot.frame_names[len(robot.frame_names) // 2]
    T0 = dyn.relative_placement(robot, q, frame, seen_from)

    def moved(p):
        T = dyn.relative_placement(robot, p, frame, seen_from)
        return np.r_[T.translation, pin.log3(T.rotation @ T0.rotation.T)]

    J = dyn.relative_jacobian(robot, q, frame, seen_from)
    assert np.abs(J - gradient(robot, q, moved)).max() < 1e-7
    change = along(robot, q, v, lambda p: dyn.relative_jacobian(robot, p, frame, seen_from) @ v)
    drift = dyn.relative_drift(robot, q, v, frame, seen_from)
    assert drift == pytest.approx(change, abs=1e-6)
    if robot.is_floating:  # a robot that moves as one is still to its own frames
        assert np.abs(J[:, :6]).max() < 1e-12


def test_seen_from_the_world_it_is_the_frame_jacobian(robot, random_state):
    q, v, _ = random_state(robot)
    frame = robot.frame_names[-1]
    J = dyn.relative_jacobian(robot, q, frame, "universe")
    assert np.abs(J - dyn.frame_jacobian(robot, q, frame)).max() < 1e-12
    drift = dyn.relative_drift(robot, q, v, frame, "universe")
    assert drift == pytest.approx(dyn.frame_drift(robot, q, v, frame))


def test_bad_input(robot):
    q = robot.neutral()
    with pytest.raises(fw.ConfigurationError, match="no frame 'nowhere'"):
        dyn.relative_jacobian(robot, q, robot.frame_names[-1], "nowhere")
