"""The compiled Coriolis tensor against Pinocchio's matrices, one direction at a time."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from conftest import each_robot

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics.kernels.body_table import body_table, velocity_chains
from footwork.dynamics.kernels.coriolis import CORIOLIS_TENSOR
from footwork.dynamics.kernels.toolchain import switched_off

robot = each_robot(
    ("talos", "floating"),
    ("solo12", "fixed"),
    ("double_pendulum", "fixed"),
    ("block", "floating"),
    ("block", "fixed"),
    ("tree", "floating"),
    ("tree", "fixed"),
)


@pytest.fixture
def kernel():
    pytest.importorskip("numba")
    return CORIOLIS_TENSOR.compiled()


def stacked(robot, q):
    data = robot.model.createData()
    C = np.zeros((robot.nv,) * 3)
    for k, e in enumerate(np.eye(robot.nv)):
        C[:, :, k] = pin.computeCoriolisMatrix(robot.model, data, q, e)
    return C


def test_equal_to_stacked_matrices(robot, kernel, random_state):
    C = np.zeros((robot.nv,) * 3)
    for seed in range(3):
        q, _, _ = random_state(robot, seed)
        kernel(
            body_table(robot).view(np.uint8), *velocity_chains(robot), q, C
        )  # into the answer of the state before
        reference = stacked(robot, q)
        assert np.abs(C - reference).max(initial=0) < 1e-11 * (1 + np.abs(reference).max(initial=0))
        assert dyn.coriolis_tensor(robot, q, out=C) is C


def test_uncompiled_the_same(robot, random_state):
    q, v, _ = random_state(robot)
    with_it = dyn.coriolis_tensor(robot, q)
    with switched_off():
        without = dyn.coriolis_tensor(robot, q)
    assert np.abs(with_it - without).max(initial=0) < 1e-11 * (1 + np.abs(without).max(initial=0))
    assert np.abs(without @ v - dyn.coriolis_matrix(robot, q, v)).max(initial=0) < 1e-10


def test_a_joint_that_the_kernel_does_not_know(random_state):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelHX(0.1), pin.SE3.Random(), "screw")
    model.appendBodyToJoint(joint, pin.Inertia.FromBox(1.0, 0.1, 0.2, 0.3), pin.SE3.Random())
    last = model.addJoint(joint, pin.JointModelRY(), pin.SE3.Random(), "hinge")
    model.appendBodyToJoint(last, pin.Inertia.FromBox(1.0, 0.1, 0.2, 0.3), pin.SE3.Random())
    robot = fw.Robot("screw", model, shapes=None, actuated=("screw", "hinge"))
    assert body_table(robot) is None
    q, _, _ = random_state(robot)
    C = dyn.coriolis_tensor(robot, q)
    assert np.abs(C - dyn.jacobian_sums.coriolis_tensor(robot, q)).max() < 1e-11


def test_a_free_joint_within_a_chain(random_state):
    model, joint = pin.Model(), 0
    for kind in (pin.JointModelRX(), pin.JointModelFreeFlyer(), pin.JointModelRY()):
        joint = model.addJoint(joint, kind, pin.SE3.Random(), f"joint_{joint}")
        inertia = pin.Inertia.FromBox(1.0, 0.1, 0.2, 0.3)
        model.appendBodyToJoint(joint, inertia, pin.SE3.Random())
    robot = fw.Robot("thrown", model, shapes=None, actuated=())
    assert body_table(robot) is None  # the kernel leaves free joints where they are
    q, _, _ = random_state(robot)
    assert np.abs(dyn.coriolis_tensor(robot, q) - stacked(robot, q)).max() < 1e-11


def test_a_second_tree_on_the_world(kernel, random_state):
    model, inertia = pin.Model(), pin.Inertia.FromBox(1.0, 0.1, 0.2, 0.3)
    for parent, kind in ((0, pin.JointModelFreeFlyer()), (1, pin.JointModelRX()),
                         (0, pin.JointModelRY()), (3, pin.JointModelRZ())):  # fmt: skip
        joint = model.addJoint(parent, kind, pin.SE3.Random(), f"joint_{model.njoints}")
        model.appendBodyToJoint(joint, inertia, pin.SE3.Random())
    robot = fw.Robot("pair", model, shapes=None, actuated=())
    table, (q, _, _) = body_table(robot), random_state(robot)
    assert table["subtree_mass"] == pytest.approx([2.0, 1.0, 2.0, 1.0])
    C = np.zeros((robot.nv,) * 3)
    kernel(table.view(np.uint8), *velocity_chains(robot), q, C)
    assert np.abs(C - stacked(robot, q)).max() < 1e-11


def test_out_must_fit(load_robot):
    robot = load_robot("tree", "floating")
    n = robot.nv
    for wrong in (
        np.zeros((n, n)),
        np.zeros((n, n, n), dtype=np.float32),
        np.zeros((n, n, 2 * n + 1))[:, :, :n],
        [0.0],
    ):
        with pytest.raises(fw.ConfigurationError, match="out: got"):
            dyn.coriolis_tensor(robot, robot.neutral(), out=wrong)


def test_where_the_base_is_does_not_matter(load_robot, random_state, kernel):
    robot = load_robot("tree", "floating")
    q, _, _ = random_state(robot)
    elsewhere = q.copy()
    elsewhere[:7] = [10.0, -20.0, 5.0, 0.5, 0.5, 0.5, 0.5]
    assert np.abs(stacked(robot, elsewhere) - dyn.coriolis_tensor(robot, q)).max() < 1e-10
