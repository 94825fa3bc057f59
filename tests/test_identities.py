"""Physical identities that the terms obey on every robot, floating or fixed, at random states."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from conftest import centrifugal, each_robot
from differences import along, close, gradient

from footwork import dynamics as dyn
from footwork.dynamics import Wrench

robot = each_robot(
    ("talos", "floating"),
    ("anymal", "floating"),
    ("solo12", "fixed"),
    ("biped", "floating"),
    ("quadruped", "fixed"),
    ("double_pendulum", "fixed"),
    ("limb", "fixed"),
    ("block", "floating"),
    ("tree", "floating"),
    ("tree", "fixed"),
    ("heavy base", "floating"),
)


def test_the_mass_matrix_is_symmetric_and_positive(robot, random_state):
    q, _, _ = random_state(robot)
    M = dyn.mass_matrix(robot, q)
    close(M, M.T, 1e-13)
    assert np.linalg.eigvalsh(M).min() > 0


def test_half_vMv_is_the_kinetic_energy(robot, random_state):
    q, v, _ = random_state(robot)
    energy = 0.5 * v @ dyn.mass_matrix(robot, q) @ v
    assert dyn.kinetic_energy(robot, q, v) == pytest.approx(energy, rel=1e-12)


def test_forward_dynamics_takes_generalised_forces(robot, random_state):
    """M a + b = Sᵀτ + τ_ext + forces, against inverse dynamics."""
    q, v, _ = random_state(robot)
    rng = np.random.default_rng(3)
    tau, forces = rng.standard_normal(robot.na), rng.standard_normal(robot.nv)
    push = {robot.frame_names[-1]: Wrench(rng.standard_normal(3), rng.standard_normal(3))}
    for wrenches, more in ((None, None), (push, None), (None, forces), (push, forces)):
        a = dyn.forward_dynamics(robot, q, v, tau, wrenches, forces=more)
        balance = dyn.inverse_dynamics(robot, q, v, a, wrenches)
        close(balance, robot.selection_matrix.T @ tau + (0 if more is None else more), 1e-9)


def test_dM_minus_2C_is_skew(robot, random_state):
    q, v, _ = random_state(robot)
    dM = along(robot, q, v, lambda p: dyn.mass_matrix(robot, p))
    N = dM - 2 * dyn.coriolis_tensor(robot, q) @ v
    close(N, -N.T, 1e-7)


def test_the_bias_is_coriolis_minus_gravity(robot, random_state):
    q, v, _ = random_state(robot)
    b = dyn.coriolis_tensor(robot, q) @ v @ v - dyn.gravity_torques(robot, q)
    close(dyn.bias(robot, q, v), b, 1e-11)
    close(dyn.inverse_dynamics(robot, q, v, np.zeros(robot.nv)), b, 1e-11)


def test_inverse_dynamics_is_Ma_plus_bias(robot, random_state):
    q, v, a = random_state(robot)
    tau = dyn.mass_matrix(robot, q) @ a + dyn.bias(robot, q, v)
    close(dyn.inverse_dynamics(robot, q, v, a), tau, 1e-11)


def test_gravity_is_the_slope_of_the_potential_energy(robot, random_state):
    q, _, _ = random_state(robot)
    slope = gradient(robot, q, lambda p: dyn.potential_energy(robot, p))
    close(dyn.gravity_torques(robot, q), -slope, 1e-7)


def test_gravity_acts_at_the_centre_of_mass(robot, random_state):
    q, _, _ = random_state(robot)
    g = robot.model.gravity.linear
    tau = robot.mass * dyn.com_jacobian(robot, q).T @ g
    close(dyn.gravity_torques(robot, q), tau, 1e-11)
    energy = -robot.mass * g @ dyn.com(robot, q)
    assert dyn.potential_energy(robot, q) == pytest.approx(energy, rel=1e-12, abs=1e-10)


def test_com_jacobian_is_the_derivative_of_the_com(robot, random_state):
    q, _, _ = random_state(robot)
    close(dyn.com_jacobian(robot, q), gradient(robot, q, lambda p: dyn.com(robot, p)), 1e-8)


def test_centroidal_momentum_is_that_of_the_links(robot, random_state):
    q, v, _ = random_state(robot)
    c, h = dyn.com(robot, q), np.zeros(6)
    data = robot.model.createData()
    pin.forwardKinematics(robot.model, data, q, v)
    for joint in range(1, robot.model.njoints):
        body, T = robot.model.inertias[joint], data.oMi[joint]
        momentum = T.act(body * data.v[joint])  # about the world's origin
        h += np.r_[momentum.linear, momentum.angular - np.cross(c, momentum.linear)]
    close(dyn.centroidal_momentum(robot, q, v), h, 1e-11)
    close(dyn.centroidal_map(robot, q)[:3], robot.mass * dyn.com_jacobian(robot, q), 1e-11)


def test_power_is_what_changes_the_energy(robot, random_state):
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)
    a = dyn.forward_dynamics(robot, q, v, tau)

    def energy(t):
        p = robot.integrate(q, t * v + 0.5 * t * t * a)
        return dyn.kinetic_energy(robot, p, v + t * a) + dyn.potential_energy(robot, p)

    step = 1e-5
    power = (energy(step) - energy(-step)) / (2 * step)
    scale = 1 + np.abs(a).max() * np.abs(dyn.mass_matrix(robot, q)).max()
    assert power == pytest.approx(v @ robot.selection_matrix.T @ tau, abs=1e-5 * scale)


def test_torques_are_linear_in_the_inertial_parameters(robot, random_state):
    q, v, a = random_state(robot)
    Y, parameters = dyn.torque_regressor(robot, q, v, a), dyn.inertial_parameters(robot)
    assert Y.shape == (robot.nv, parameters.size)
    of_rotors = robot.model.armature * a + centrifugal(robot, v)
    close(Y @ parameters + of_rotors, dyn.inverse_dynamics(robot, q, v, a))
    welded = robot.model.inertias[0].mass
    assert parameters[::10].sum() + welded == pytest.approx(robot.mass)
