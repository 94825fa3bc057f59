"""Whole-body control on contacts with friction against turning, on edges, and on moving ground."""

from __future__ import annotations

import numpy as np
import pytest

from footwork import contacts, control, dynamics
from footwork.robots.unchecked import unchecked

G = 9.81
GAMMA = 0.02


def standing(robot, **limits):
    """Feet, a posture on them, and a controller with all of TALOS's usual tasks."""
    feet = contacts.at_feet(robot, 0.6, **limits)
    q = contacts.solve_posture(robot, contacts.at_feet(robot, 0.6), com="inside").q
    base = next(f.name for f in robot.model.frames if f.parentJoint == 1)
    shift = np.array([0.01, 0.005, -0.01])
    tasks = [
        control.ComTask(dynamics.com(robot, q) + shift, weight=10.0),
        control.FrameTask(
            dynamics.frame_placement(robot, q, base), frame=base, rows_of="orientation", weight=5.0
        ),
        control.PostureTask(q, weight=0.1),
    ]
    return control.WholeBodyController(robot, feet, tasks, on_failure="raise"), q


def agree(command, reference, weight):
    a, w, tau = reference
    assert command.a == pytest.approx(a, abs=1e-6 * (1 + np.abs(a).max()))
    assert command.w == pytest.approx(w, abs=1e-6 * weight)
    assert command.tau == pytest.approx(tau, abs=2e-6 * (1 + np.abs(tau).max()))


@pytest.mark.parametrize("name", ["solo12", "go2"])
def test_soft_points(load_robot, name):
    """Four rows a foot: as cvxpy has it, in the cone, the motion that the torques lead to."""
    robot = load_robot(name, "floating")
    controller, q = standing(robot, torsional_friction=GAMMA)
    assert controller.contacts.dim == 16
    weight = G * robot.mass
    for seed in range(3):
        v = 0.05 * np.random.default_rng(seed).standard_normal(robot.nv)
        command = controller(q, v, t=float(seed))
        agree(command, control.by_cvxpy(controller, q, v, t=float(seed)), weight)
        for w in command.w.reshape(4, 4):
            assert contacts.SoftFingerCone(0.6, GAMMA).violation(w) < 1e-6 * weight
        assert max(command.residuals.values()) < 1e-6 * weight
        a, f = contacts.constrained_forward_dynamics(
            robot, q, v, command.tau, controller.contacts, kd=20.0
        )
        assert a == pytest.approx(command.a, abs=1e-6 * (1 + np.abs(a).max()))
        moments = [wrench.moment for wrench in command.wrenches.values()]
        assert np.array(moments)[:, 2] == pytest.approx(f.reshape(4, 4)[:, 3], abs=1e-6 * weight)


def test_a_soft_point_turns_no_more_than_it_can(load_robot):
    """One soft foot asked for a large moment gives γ times its normal force, and says so."""
    robot = load_robot("solo12", "floating")
    controller, q = standing(robot, torsional_friction=GAMMA)
    name, v = controller.contacts.names[0], np.zeros(robot.nv)
    asked = control.ForceTask([0.0, 0.0, 6.0, 5.0], contact=name, weight=1.0)
    controller.set_tasks([*controller.tasks, asked])
    command = controller(q, v)
    w = command.w[:4]
    assert w[3] == pytest.approx(GAMMA * w[2], rel=0.05)
    assert f"friction of {name}" in command.active(1e-4)
    assert command.residuals["exact cones"] < 1e-6
    agree(command, control.by_cvxpy(controller, q, v), G * robot.mass)


def test_patches_with_a_limit_of_turning(load_robot):
    robot = load_robot("biped", "floating")
    controller, q = standing(robot, torsional_friction=1e-3)
    name, v = controller.contacts.names[0], np.zeros(robot.nv)
    yaw = control.ForceTask([0, 0, 0.5 * G * robot.mass, 0, 0, 50.0], contact=name, weight=1e-3)
    controller.set_tasks([*controller.tasks, yaw])
    command = controller(q, v)
    own = command.w[:6]
    assert abs(own[5]) <= 1e-3 * own[2] + 1e-6
    agree(command, control.by_cvxpy(controller, q, v), G * robot.mass)


def test_violations_of_soft_cones_are_seen(load_robot):
    robot = load_robot("solo12", "floating")
    controller, q = standing(robot, torsional_friction=GAMMA)
    command = controller(q, np.zeros(robot.nv))
    w = command.w.copy()
    w[3] += 1.0
    turned = unchecked(control.Command, status="optimal", w=w, contacts=controller.contacts)
    excess = contacts.SoftFingerCone(0.6, GAMMA).violation(w[:4])
    assert turned.cone_violations[controller.contacts.names[0]] == pytest.approx(excess)
    assert excess > 0.1


def test_standing_on_a_belt(load_robot):
    """Feet on a surface that moves go with it: J a is the surface's, and what lags catches up."""
    robot = load_robot("solo12", "floating")
    belt = contacts.MovingSurface((0.3, 0.0, 0.0))
    controller, q = standing(robot, surface=belt)
    v = np.zeros(robot.nv)
    command = controller(q, v)
    J, feet = controller.contacts.jacobian(q), controller.contacts
    slip = np.tile([0.3, 0.0, 0.0], 4) - J @ v
    assert J @ command.a + feet.drift(q, v) == pytest.approx(20.0 * slip, abs=1e-8)
    agree(command, control.by_cvxpy(controller, q, v), G * robot.mass)
