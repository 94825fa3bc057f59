"""The textbook sums over link Jacobians against the recursive algorithms."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from conftest import each_robot
from differences import along

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import Wrench, jacobian_sums

robot = each_robot(
    ("talos", "floating"),
    ("solo12", "floating"),
    ("solo12", "fixed"),
    ("double_pendulum", "fixed"),
    ("tree", "floating"),
    ("tree", "fixed"),
    ("heavy base", "floating"),
)


def test_mass_matrix(robot, random_state):
    q, _, _ = random_state(robot)
    assert np.abs(jacobian_sums.mass_matrix(robot, q) - dyn.mass_matrix(robot, q)).max() < 1e-10


def test_gravity_torques(robot, random_state):
    q, _, _ = random_state(robot)
    g = dyn.gravity_torques(robot, q)
    assert np.abs(jacobian_sums.gravity_torques(robot, q) - g).max() < 1e-10


def test_coriolis_tensor_is_pinocchios_matrix(robot, random_state):
    q, v, _ = random_state(robot)
    C = jacobian_sums.coriolis_tensor(robot, q)
    assert np.abs(C - dyn.coriolis_tensor(robot, q)).max() < 1e-10
    assert np.abs(C @ v - dyn.coriolis_matrix(robot, q, v)).max() < 1e-10


def test_wieber_sum_is_the_same_force(robot, random_state):
    q, v, _ = random_state(robot)
    force = jacobian_sums.coriolis_tensor_wieber(robot, q) @ v @ v
    assert np.abs(force - dyn.coriolis_tensor(robot, q) @ v @ v).max() < 1e-10


def test_wieber_sum_is_another_matrix_and_not_skew_consistent(load_robot, random_state):
    robot = load_robot("solo12", "floating")
    q, v, _ = random_state(robot)
    ours = jacobian_sums.coriolis_tensor(robot, q) @ v
    theirs = jacobian_sums.coriolis_tensor_wieber(robot, q) @ v
    assert np.abs(ours - theirs).max() > 1e-3
    dM = along(robot, q, v, lambda p: dyn.mass_matrix(robot, p))
    assert np.abs(dM - ours - ours.T).max() < 1e-7
    assert np.abs(dM - theirs - theirs.T).max() > 1e-3


def test_external_torques(robot, random_state):
    q, _, _ = random_state(robot)
    rng = np.random.default_rng(2)
    frames = [robot.frame_names[i] for i in (2, -1)]
    for axes in ("world", "local", robot.frame_names[-1]):
        for point in (None, rng.standard_normal(3)):
            wrenches = {
                frame: Wrench(rng.standard_normal(3), rng.standard_normal(3), point, axes)
                for frame in frames
            }
            tau = dyn.external_torques(robot, q, wrenches)
            assert np.abs(jacobian_sums.external_torques(robot, q, wrenches) - tau).max() < 1e-10


def test_joints_out_of_depth_first_order(random_state):
    """Pinocchio's crba and Coriolis matrix are silently wrong there; ours must not be."""
    rng = np.random.default_rng(3)
    model = pin.Model()
    parents = [0, 1, 1, 2, 3, 4]  # the branches of joint 1 take turns
    for i, parent in enumerate(parents):
        kind = pin.JointModelFreeFlyer() if i == 0 else pin.JointModelRX()
        placement = pin.SE3(pin.exp3(rng.standard_normal(3)), rng.standard_normal(3))
        joint = model.addJoint(parent, kind, placement, "root_joint" if i == 0 else f"joint_{i}")
        model.appendBodyToJoint(joint, pin.Inertia.FromBox(1.0, 0.1, 0.2, 0.3), placement)
    robot = fw.Robot("shuffled", model, shapes=None, actuated=tuple(model.names)[2:])
    q, v, a = random_state(robot)
    tau = dyn.mass_matrix(robot, q) @ a + dyn.bias(robot, q, v)
    assert np.abs(dyn.inverse_dynamics(robot, q, v, a) - tau).max() < 1e-10
    force = dyn.coriolis_matrix(robot, q, v) @ v - dyn.gravity_torques(robot, q)
    assert np.abs(dyn.bias(robot, q, v) - force).max() < 1e-10
    data = model.createData()
    assert np.abs(pin.crba(model, data, q) - dyn.mass_matrix(robot, q)).max() > 1e-2
