"""Bad input is refused where it enters, with what was got and what was expected."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import Wrench

OF_Q = {
    "mass_matrix": dyn.mass_matrix,
    "coriolis_tensor": dyn.coriolis_tensor,
    "gravity_torques": dyn.gravity_torques,
    "potential_energy": dyn.potential_energy,
    "com": dyn.com,
    "com_jacobian": dyn.com_jacobian,
    "centroidal_map": dyn.centroidal_map,
    "frame_placement": lambda robot, q: dyn.frame_placement(robot, q, "link_1"),
    "frame_jacobian": lambda robot, q: dyn.frame_jacobian(robot, q, "link_1"),
    "frame_hessian": lambda robot, q: dyn.frame_hessian(robot, q, "link_1"),
    "external_torques": lambda robot, q: dyn.external_torques(robot, q, {}),
    "sums.mass_matrix": dyn.jacobian_sums.mass_matrix,
    "sums.coriolis_tensor": dyn.jacobian_sums.coriolis_tensor,
    "sums.gravity_torques": dyn.jacobian_sums.gravity_torques,
}
OF_V = {
    "coriolis_matrix": dyn.coriolis_matrix,
    "bias": dyn.bias,
    "kinetic_energy": dyn.kinetic_energy,
    "centroidal_momentum": dyn.centroidal_momentum,
    "frame_drift": lambda robot, q, v: dyn.frame_drift(robot, q, v, "link_1"),
    "inverse_dynamics": lambda robot, q, v: dyn.inverse_dynamics(robot, q, v, np.zeros(robot.nv)),
    "forward_dynamics": lambda robot, q, v: dyn.forward_dynamics(robot, q, v, np.zeros(robot.na)),
}


@pytest.fixture
def robot(load_robot):
    return load_robot("tree", "floating")


@pytest.mark.parametrize("term", OF_Q.values(), ids=OF_Q)
def test_configurations(robot, term):
    q = robot.neutral()
    with pytest.raises(fw.ConfigurationError, match=r"got shape .* expected"):
        term(robot, q[:-1])
    with pytest.raises(fw.ConfigurationError, match="nan at index 8"):
        term(robot, np.where(np.arange(robot.nq) == 8, np.nan, q))
    twice = q.copy()
    twice[3:7] *= 2
    with pytest.raises(fw.ConfigurationError, match="quaternion"):
        term(robot, twice)


@pytest.mark.parametrize("term", OF_V.values(), ids=OF_V)
def test_velocities(robot, term):
    q, v = robot.neutral(), np.zeros(robot.nv)
    with pytest.raises(fw.ConfigurationError, match=r"v: got shape .* expected"):
        term(robot, q, v[:-1])
    with pytest.raises(fw.ConfigurationError, match="inf at index 2"):
        term(robot, q, np.where(np.arange(robot.nv) == 2, np.inf, v))


def test_accelerations_and_torques(robot):
    q, v = robot.neutral(), np.zeros(robot.nv)
    with pytest.raises(fw.ConfigurationError, match="a: got shape"):
        dyn.inverse_dynamics(robot, q, v, v[1:])
    with pytest.raises(fw.ConfigurationError, match="tau: got shape"):
        dyn.forward_dynamics(robot, q, v, v)  # (nv,) where (na,) is meant


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
