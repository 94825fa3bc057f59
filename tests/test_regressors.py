"""Regressors times parameters are the terms; power in is energy gained."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import dynamics as dyn
from footwork.dynamics import Wrench

ROBOTS = [("biped", "floating"), ("solo12", "fixed"), ("tree", "floating"), ("tree", "fixed")]


@pytest.fixture(params=ROBOTS, ids=lambda case: "-".join(case))
def robot(request, load_robot):
    return load_robot(*request.param)


def test_torques(robot, random_state):
    q, v, a = random_state(robot)
    Y, parameters = dyn.torque_regressor(robot, q, v, a), dyn.inertial_parameters(robot)
    assert Y.shape == (robot.nv, parameters.size)
    torques = Y @ parameters + robot.model.armature * a
    assert torques == pytest.approx(dyn.inverse_dynamics(robot, q, v, a), rel=1e-10, abs=1e-9)
    assert parameters[::10].sum() + robot.model.inertias[0].mass == pytest.approx(robot.mass)


def test_energies(robot, random_state):
    q, v, _ = random_state(robot)
    parameters = dyn.inertial_parameters(robot)
    rotors = 0.5 * robot.model.armature @ v**2
    kinetic = dyn.regressors.kinetic_energy_regressor(robot, q, v) @ parameters + rotors
    assert kinetic == pytest.approx(dyn.kinetic_energy(robot, q, v), rel=1e-10)
    welded = robot.model.inertias[0]
    fixed = -welded.mass * robot.model.gravity.linear @ welded.lever
    potential = dyn.regressors.potential_energy_regressor(robot, q) @ parameters + fixed
    assert potential == pytest.approx(dyn.potential_energy(robot, q), rel=1e-10)


def test_power_balance(robot, random_state):
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)
    wrenches = {robot.frame_names[-1]: Wrench((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))}
    a = dyn.forward_dynamics(robot, q, v, tau, wrenches)
    balance = dyn.regressors.power_balance(robot, q, v, a, tau, wrenches)
    scale = abs(balance.kinetic) + abs(balance.potential)
    assert abs(balance.unexplained) < 1e-10 * scale
    step = 1e-6
    forth, back = (
        dyn.kinetic_energy(robot, robot.integrate(q, s * step * v), v + s * step * a)
        for s in (1, -1)
    )
    assert balance.kinetic == pytest.approx((forth - back) / (2 * step), abs=1e-6 * scale)
    without = dyn.regressors.power_balance(robot, q, v, a, tau)
    assert without.unexplained == pytest.approx(balance.external, abs=1e-10 * scale)
