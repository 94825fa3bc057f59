"""Frames: placements, Jacobians, drifts and Hessians, against differences on the manifold."""

from __future__ import annotations

from functools import partial

import numpy as np
import pinocchio as pin
import pytest
from conftest import each_robot
from differences import gradient

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics.body_points import BodyPoints
from footwork.dynamics.kernels.points import point_accelerations, point_jacobians
from footwork.dynamics.kernels.toolchain import switched_off
from footwork.dynamics.topology import carried_by

REFERENCES = ["LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"]
robot = each_robot(
    ("talos", "floating"), ("solo12", "fixed"), ("tree", "floating"), ("tree", "fixed")
)
STEP = 1e-6


def some_frames(robot):
    names = robot.frame_names
    return [names[i] for i in (2, len(names) // 2, -1)]


def twist(T0, T1, step, reference):
    """The twist between two placements `step` apart, by the definition of each reference."""
    if reference == "LOCAL":
        return pin.log6(T0.actInv(T1)).vector / step
    angular = pin.log3(T1.rotation @ T0.rotation.T) / step
    linear = (T1.translation - T0.translation) / step
    if reference == "WORLD":
        linear = linear + np.cross(0.5 * (T0.translation + T1.translation), angular)
    return np.r_[linear, angular]


@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobian_is_the_derivative_of_the_placement(robot, random_state, reference):
    q, _, _ = random_state(robot)
    for frame in some_frames(robot):
        J = dyn.frame_jacobian(robot, q, frame, reference)
        for k, e in enumerate(np.eye(robot.nv)):
            back, forth = (
                dyn.frame_placement(robot, robot.integrate(q, s * STEP * e), frame) for s in (-1, 1)
            )
            assert np.abs(twist(back, forth, 2 * STEP, reference) - J[:, k]).max() < 1e-7


@pytest.mark.parametrize("reference", REFERENCES)
def test_hessian_is_the_derivative_of_the_jacobian(robot, random_state, reference):
    q, v, _ = random_state(robot)
    for frame in some_frames(robot):
        H = dyn.frame_hessian(robot, q, frame, reference)
        J = partial(dyn.frame_jacobian, robot, frame=frame, reference=reference)
        assert np.abs(gradient(robot, q, J) - H).max() < 1e-7
        dJ = dyn.frame_jacobian_derivative(robot, q, v, frame, reference)
        assert np.abs(H @ v - dJ).max() < 1e-11
        drift = dyn.frame_drift(robot, q, v, frame, reference)
        assert np.abs(H @ v @ v - drift).max() < 1e-11


def test_drift_is_the_acceleration_of_the_origin_at_zero_a(robot, random_state):
    q, v, _ = random_state(robot)
    frame = robot.frame_names[-1]
    step = 1e-4
    p = [
        dyn.frame_placement(robot, robot.integrate(q, s * step * v), frame).translation
        for s in (-1, 0, 1)
    ]
    acceleration = (p[0] - 2 * p[1] + p[2]) / step**2
    drift = dyn.frame_drift(robot, q, v, frame)
    assert np.abs(acceleration - drift[:3]).max() < 1e-4


def test_hessian_is_not_symmetric_so_the_order_of_its_indices_counts(load_robot, random_state):
    robot = load_robot("tree", "floating")
    q, _, _ = random_state(robot)
    H = dyn.frame_hessian(robot, q, robot.frame_names[-1])
    assert np.abs(H - H.transpose(0, 2, 1)).max() > 0.1


def test_joints_whose_axes_turn_are_refused_by_name(random_state):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelSphericalZYX(), pin.SE3.Identity(), "ball")
    model.appendBodyToJoint(joint, pin.Inertia.FromSphere(1.0, 0.1), pin.SE3.Identity())
    model.addFrame(pin.Frame("tip", joint, pin.SE3.Random(), pin.FrameType.OP_FRAME))
    robot = fw.Robot("ball", model, shapes=None, actuated=("ball",))
    q, v, _ = random_state(robot)
    for term in (
        lambda: dyn.frame_hessian(robot, q, "tip"),
        lambda: dyn.frame_jacobian_derivative(robot, q, v, "tip"),
        lambda: dyn.coriolis_matrix(robot, q, v),
        lambda: dyn.coriolis_tensor(robot, q),
        lambda: dyn.jacobian_sums.coriolis_tensor(robot, q),
    ):
        with pytest.raises(fw.ModelError, match="axes of 'ball' turn"):
            term()
    tau = dyn.mass_matrix(robot, q) @ v + dyn.bias(robot, q, v)  # what needs no dJ/dt is right
    assert dyn.inverse_dynamics(robot, q, v, v) == pytest.approx(tau)


def test_a_frame_fixed_to_the_world_does_not_move(load_robot, random_state):
    robot = load_robot("solo12", "fixed")
    q, v, _ = random_state(robot)
    dyn.bias(robot, q, v)  # leaves −g where Pinocchio keeps the world's acceleration, with gravity
    frame = robot.frame_names[1]
    assert robot.model.frames[robot.frame_id(frame)].parentJoint == 0
    assert not dyn.frame_jacobian(robot, q, frame).any()
    assert not dyn.frame_drift(robot, q, v, frame).any()
    assert not dyn.frame_hessian(robot, q, frame).any()


def test_references_are_strings_or_pinocchios(load_robot, random_state):
    robot = load_robot("tree", "floating")
    q, _, _ = random_state(robot)
    J = dyn.frame_jacobian(robot, q, "link_3", pin.ReferenceFrame.LOCAL)
    assert (dyn.frame_jacobian(robot, q, "link_3", "LOCAL") == J).all()
    with pytest.raises(fw.ConfigurationError, match="did you mean 'LOCAL'"):
        dyn.frame_jacobian(robot, q, "link_3", "LOCL")


def test_points_of_bodies_accelerate_as_pinocchios_frames(robot, random_state):
    """The kernel, as Python, and the arrays that stand in for it."""
    (q, v, _), rng, model = random_state(robot), np.random.default_rng(0), robot.model
    joints, places = rng.integers(0, model.njoints, 5), rng.standard_normal((5, 3))
    frames = [
        model.addFrame(pin.Frame(f"p{k}", int(i), pin.SE3(np.eye(3), p), pin.FrameType.OP_FRAME))
        for k, (i, p) in enumerate(zip(joints, places, strict=True))
    ]
    data, state = model.createData(), dyn.State(robot, q, v)
    pin.forwardKinematics(model, data, q, v, np.zeros(robot.nv))
    pin.updateFramePlacements(model, data)
    aligned = pin.LOCAL_WORLD_ALIGNED
    expected = [
        pin.getFrameClassicalAcceleration(model, data, i, aligned).vector.reshape(2, 3)
        for i in frames
    ]
    points, out = BodyPoints(joints.astype(np.intp), places), np.empty((5, 2, 3))
    S, T, motions = state.joint_columns, state.joint_placements, state.joint_motions
    given = points.joints, points.points, points.arms
    point_accelerations(T, motions, *given, out)
    with switched_off():
        arrays = points.accelerations(T, motions)
    assert out == pytest.approx(np.array(expected), abs=1e-10)
    assert arrays == pytest.approx(np.array(expected), abs=1e-10)
    pin.computeJointJacobians(model, data, q)
    expected, out = [], np.empty((5, 6, robot.nv))
    for i in frames:
        pin.updateFramePlacement(model, data, i)
        expected.append(pin.getFrameJacobian(model, data, i, aligned).reshape(6, robot.nv))
    point_jacobians(S, T, carried_by(robot), *given, out)
    with switched_off():
        arrays = points.jacobians(S, T, carried_by(robot))
    assert out == pytest.approx(np.array(expected), abs=1e-12)
    assert arrays == pytest.approx(np.array(expected), abs=1e-12)


def test_arms_of_points_turn_for_the_moment_alone(robot, random_state):
    """v + ω × r and a + α × r of an arm r in the world, by kernels as Python and by arrays."""
    (q, v, _), rng = random_state(robot), np.random.default_rng(1)
    joints, places = np.arange(robot.model.njoints - 3, robot.model.njoints), np.ones((3, 3))
    arms, state = rng.standard_normal((3, 3)), dyn.State(robot, q, v)
    S, T, motions = state.joint_columns, state.joint_placements, state.joint_motions
    carried, points = carried_by(robot), BodyPoints(joints, places, arms)
    J, a = np.empty((3, 6, robot.nv)), np.empty((3, 2, 3))
    point_jacobians(S, T, carried, joints, places, arms, J)
    point_accelerations(T, motions, joints, places, arms, a)
    with switched_off():
        plain = BodyPoints(joints, places)
        expected, turned = plain.jacobians(S, T, carried), plain.accelerations(T, motions)
        assert points.jacobians(S, T, carried) == pytest.approx(J, abs=1e-12)
        assert points.accelerations(T, motions) == pytest.approx(a, abs=1e-12)
    expected[:, :3] += np.cross(expected[:, 3:], arms[:, :, None], axis=1)
    turned[:, 0] += np.cross(turned[:, 1], arms)
    assert pytest.approx(expected, abs=1e-12) == J
    assert a == pytest.approx(turned, abs=1e-12)
