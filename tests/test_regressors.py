"""Regressors times parameters are the terms."""

from __future__ import annotations

import pytest

from footwork import dynamics as dyn

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
