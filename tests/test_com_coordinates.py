"""Centre-of-mass coordinates: block-diagonal M, consistent C, the same physics, the way back."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import each_robot
from differences import along, close

import footwork as fw
from footwork import dynamics as dyn

robot = each_robot(
    ("talos", "floating"),
    ("solo12", "floating"),
    ("biped", "floating"),
    ("tree", "floating"),
)


@pytest.fixture
def at(robot, random_state):
    q, v, a = random_state(robot)
    return q, v, a, dyn.com_coordinates(robot, q, v)


def test_mass_is_block_diagonal_and_the_same_energy(robot, at):
    q, v, _, c = at
    T_inv, M = np.linalg.inv(c.transformation), dyn.mass_matrix(robot, q)
    close(c.inverse, T_inv)
    close(c.mass_matrix, T_inv.T @ M @ T_inv)
    assert (c.mass_matrix[:3, :3] == robot.mass * np.eye(3)).all()
    assert not c.mass_matrix[:3, 3:].any()
    assert not c.mass_matrix[3:, :3].any()
    energy = 0.5 * c.velocity @ c.mass_matrix @ c.velocity
    assert energy == pytest.approx(dyn.kinetic_energy(robot, q, v))


def test_coriolis_is_the_transformed_matrix_and_its_com_part_vanishes(robot, at):
    q, v, _, c = at
    T, T_inv = c.transformation, np.linalg.inv(c.transformation)
    dT = along(robot, q, v, lambda p: dyn.com_coordinates(robot, p, v).transformation)
    C, M = dyn.coriolis_matrix(robot, q, v), dyn.mass_matrix(robot, q)
    whole = T_inv.T @ (C - M @ T_inv @ dT) @ T_inv
    close(c.coriolis_matrix, whole, 1e-7)
    close(c.drift, dT @ v, 1e-7)
    assert not c.coriolis_matrix[:3].any()
    assert not c.coriolis_matrix[:, :3].any()
    assert T.shape == (robot.nv, robot.nv)


def test_the_vanishing_blocks_vanish_to_rounding(robot, at):
    """Without the finite difference: the blocks that are set to zero, worked out in full."""
    q, v, _, c = at
    dJ = dyn.com_hessian(robot, q) @ v
    dT = np.vstack([dJ, np.zeros((robot.nv - 3, robot.nv))])
    C, M = dyn.coriolis_matrix(robot, q, v), dyn.mass_matrix(robot, q)
    whole = c.inverse.T @ (C - M @ c.inverse @ dT) @ c.inverse
    close(c.coriolis_matrix, whole)


def test_skew_property_is_kept(robot, at):
    q, v, _, c = at
    dM = along(robot, q, v, lambda p: dyn.com_coordinates(robot, p, v).mass_matrix)
    N = dM - 2 * c.coriolis_matrix
    close(N, -N.T, 1e-7)


def test_gravity_is_the_weight_and_nothing_else(robot, at):
    q, _, _, c = at
    g = robot.model.gravity.linear
    assert (c.gravity == np.r_[robot.mass * g, np.zeros(robot.nv - 3)]).all()
    close(c.forces(dyn.gravity_torques(robot, q)), c.gravity)


def test_actuation_is_unchanged(robot, at):
    *_, c = at
    S = robot.selection_matrix
    tau = np.random.default_rng(3).standard_normal(robot.na)
    close(c.forces(S.T @ tau), S.T @ tau)
    assert c.selection_matrix is S


def test_the_same_motion_follows(robot, at):
    q, v, _, c = at
    tau = np.random.default_rng(3).standard_normal(robot.na)
    dy = np.linalg.solve(c.mass_matrix, robot.selection_matrix.T @ tau - c.bias)
    a = dyn.forward_dynamics(robot, q, v, tau)
    close(c.back_to_acceleration(dy), a, 1e-9)
    close(c.acceleration(a), dy, 1e-9)
    close(c.back_to_velocity(c.velocity), v)


def test_newton_in_the_first_three_rows(robot, at):
    q, v, a, c = at
    acceleration = dyn.com_jacobian(robot, q) @ a + dyn.com_drift(robot, q, v)
    close(c.acceleration(a)[:3], acceleration)
    close(c.velocity[:3], dyn.com_jacobian(robot, q) @ v)


@pytest.mark.parametrize("reference", ["LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"])
def test_contact_jacobians_and_drifts(robot, at, reference):
    q, v, a, c = at
    frame = robot.frame_names[-1]
    J = dyn.frame_jacobian(robot, q, frame, reference)
    J_y = c.frame_jacobian(frame, reference)
    close(J_y @ c.velocity, J @ v)
    acceleration = J @ a + dyn.frame_drift(robot, q, v, frame, reference)
    close(J_y @ c.acceleration(a) + c.frame_drift(frame, reference), acceleration)
    w = np.random.default_rng(4).standard_normal(6)
    close(J_y.T @ w, c.forces(J.T @ w))
    if reference == "LOCAL_WORLD_ALIGNED":  # a contact force moves the centre of mass, unscaled
        close((J_y.T @ w)[:3], w[:3])


def test_a_fixed_base_is_refused(load_robot):
    robot = load_robot("biped", "fixed")
    with pytest.raises(fw.ModelError, match="fixed base; expected a floating one"):
        dyn.com_coordinates(robot, robot.neutral(), np.zeros(robot.nv))
