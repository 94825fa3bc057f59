"""Bad input is refused with what was got and expected; single values: `test_bad_values`."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import ConfigurationError
from footwork import dynamics as dyn
from footwork.dynamics import Wrench


@pytest.fixture
def robot(load_robot):
    return load_robot("tree", "floating")


def test_frames(robot):
    q = robot.neutral()
    with pytest.raises(fw.ConfigurationError, match="did you mean 'link_1'"):
        dyn.frame_jacobian(robot, q, "lnk_1")
    with pytest.raises(fw.ConfigurationError, match="no frame 'lnk_1'"):
        dyn.external_torques(robot, q, {"lnk_1": Wrench((0, 0, 1))})
    with pytest.raises(fw.ConfigurationError, match="no frame 'base'"):
        dyn.external_torques(robot, q, {"link_1": Wrench((0, 0, 1), axes="base")})
    with pytest.raises(fw.ConfigurationError, match="expected a Wrench"):
        dyn.inverse_dynamics(robot, q, np.zeros(robot.nv), np.zeros(robot.nv), {"link_1": [0] * 6})


def test_speeds_whose_forces_overflow_are_told(load_robot):
    robot = load_robot("double_pendulum", "fixed")
    with pytest.raises(fw.ConfigurationError, match=r"at most 1e\+50"):
        dyn.forward_dynamics(robot, [0.3, 0.4], [1e200, 1e200], [0.0, 0.0])


def test_a_joint_that_moves_no_mass_is_named(load_robot):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "idle")
    model.appendBodyToJoint(joint, pin.Inertia.Zero(), pin.SE3.Identity())
    robot = fw.Robot("massless", model, shapes=None, actuated=("idle",))
    with pytest.raises(fw.ModelError, match="singular"):
        dyn.forward_dynamics(robot, [0.0], [0.0], [1.0])
    with pytest.raises(fw.ModelError, match="no mass"):
        dyn.com(robot, [0.0])


def test_results_are_the_callers_own(robot):
    q, v = robot.neutral(), np.ones(robot.nv)
    for term in (dyn.mass_matrix, dyn.gravity_torques, dyn.com_jacobian, dyn.centroidal_map):
        first = term(robot, q)
        kept = first.copy()
        other = robot.integrate(q, v)
        term(robot, other)
        dyn.inverse_dynamics(robot, other, v, v)
        assert (first == kept).all()
        assert first.flags.writeable
    T = dyn.frame_placement(robot, q, "link_1")
    kept = T.homogeneous
    dyn.frame_placement(robot, other, "link_1")
    assert (T.homogeneous == kept).all()


def test_results_are_not_written_past_a_mask():
    robot = fw.load("block")
    Q, V = np.array([robot.neutral()]), np.zeros((1, robot.nv))
    with pytest.raises(ConfigurationError, match="out: got MaskedArray"):
        dyn.batch.bias(robot, Q, V, out=np.ma.zeros((1, robot.nv)))
