"""PD, PID and computed torque at the joints, in closed loop."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.control import PD, PID, ComputedTorque, gravity_compensation


@pytest.fixture
def robot(load_robot):
    return load_robot("quadruped", "fixed")


def test_gravity_compensation_holds_still(robot):
    q = robot.posture()
    tau = gravity_compensation(robot, q)
    assert np.abs(dyn.forward_dynamics(robot, q, np.zeros(robot.nv), tau)).max() < 1e-9


def test_pd_goes_where_it_is_told(load_robot):
    robot = load_robot("limb", "fixed")
    target, kd = np.array([0.4, -0.3, 0.6]), np.array([2.0, 1.0, 0.2])
    law = PD(robot, target, kp=4.0, kd=kd, saturate=False)
    law_with_gravity = PD(
        robot,
        target,
        kp=4.0,
        kd=kd,
        saturate=False,
        feedforward=lambda t, q, v: gravity_compensation(robot, q),
    )
    start = (np.zeros(3), np.zeros(3))
    run = dyn.simulate(robot, *start, law_with_gravity, duration=12.0, step=0.005)
    assert np.abs(run.q[-1] - target).max() < 1e-3
    error = target - start[0]
    assert law(0.0, *start) == pytest.approx(4 * error)
    assert law(0.0, start[0], np.ones(3)) == pytest.approx(4 * error - kd)


def test_torques_saturate(robot):
    law = PD(robot, robot.posture(), kp=1e6)
    tau = law(0.0, robot.neutral(), np.zeros(robot.nv))
    limits = robot.torque_limits
    assert np.isfinite(limits).all()
    assert (np.abs(tau) <= limits).all()
    assert (np.abs(tau) == limits).any()
    free = PD(robot, robot.posture(), kp=1e6, saturate=False)
    assert np.abs(free(0.0, robot.neutral(), np.zeros(robot.nv))).max() > limits.max()


def test_the_integral_takes_away_what_pd_leaves(robot):
    target = robot.posture()
    start = (target, np.zeros(robot.nv))
    settled = {}
    for name, law in {
        "pd": PD(robot, target, kp=100.0, kd=10.0),
        "pid": PID(robot, target, kp=100.0, kd=10.0, ki=300.0),
    }.items():
        run = dyn.simulate(robot, *start, law, duration=4.0, step=0.002)
        settled[name] = np.abs(run.q[-1] - target).max()
    assert settled["pd"] > 5e-3
    assert settled["pid"] < 0.05 * settled["pd"]


def test_computed_torque_makes_every_joint_a_damped_spring(robot):
    q0, target = robot.posture(), robot.posture() + 0.2
    law = ComputedTorque(robot, target, kp=25.0)
    run = dyn.simulate(robot, q0, np.zeros(robot.nv), law, duration=1.0, step=0.005)
    wanted = -0.2 * (1 + 5 * run.t) * np.exp(-5 * run.t)  # critically damped
    assert np.abs(run.q - target - wanted[:, None]).max() < 1e-6


def test_refusals(robot, load_robot):
    with pytest.raises(fw.ConfigurationError, match="target: got shape"):
        PD(robot, robot.posture()[1:], kp=1.0)
    with pytest.raises(fw.ConfigurationError, match="expected at least 0"):
        PD(robot, robot.posture(), kp=-1.0)
    with pytest.raises(fw.ConfigurationError, match="kd: got shape"):
        PD(robot, robot.posture(), kp=1.0, kd=[1.0, 2.0])
    with pytest.raises(fw.ConfigurationError, match="watches: got shape"):
        PD(robot, robot.posture(), kp=1.0, watches=np.eye(2))
    floating = load_robot("quadruped", "floating")
    with pytest.raises(fw.ConfigurationError, match="fixed base"):
        ComputedTorque(floating, floating.posture())
