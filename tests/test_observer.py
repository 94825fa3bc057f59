"""The momentum observer: finds external forces on fixed and floating bases, and only those."""

from __future__ import annotations

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import MomentumObserver, Wrench

STEP = 1e-3


def observe(robot, run, gain):
    observer = MomentumObserver(robot, gain)
    rows = [
        observer.update(q, v, tau, STEP) for q, v, tau in zip(run.q, run.v, run.tau, strict=True)
    ]
    return np.array(rows), observer


@pytest.mark.parametrize("base", ["floating", "fixed"])
def test_momentum_balance(load_robot, random_state, base):
    """d(M v)/dt = Cᵀv + τ_g + Sᵀτ + τ_ext, along the motion."""
    robot = load_robot("tree", base)
    q, v, _ = random_state(robot)
    tau = np.random.default_rng(1).standard_normal(robot.na)
    wrenches = {"link_9": Wrench((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))}
    a, h = dyn.forward_dynamics(robot, q, v, tau, wrenches), 1e-6
    forth, back = (
        dyn.generalised_momentum(robot, robot.integrate(q, s * h * v), v + s * h * a)
        for s in (1, -1)
    )
    external = dyn.external_torques(robot, q, wrenches)
    rate = dyn.observer.momentum_drift(robot, q, v) + robot.selection_matrix.T @ tau + external
    assert np.abs((forth - back) / (2 * h) - rate).max() < 1e-5 * (1 + np.abs(rate).max())


def test_answers_as_a_first_order_filter(load_robot):
    """A constant moment on the end of the limb: r = τ_ext (1 − exp(−K t)), whatever the motion."""
    robot = load_robot("limb", "fixed")
    moment = {robot.frame_names[-1]: Wrench((0, 0, 0), (0, 0, 0.05))}
    run = dyn.simulate(robot, [0.1, 0.2, 0.3], [0, 1, 0], duration=0.3, step=STEP, wrenches=moment)
    rows, _ = observe(robot, run, 20.0)
    expected = 0.05 * (1 - np.exp(-20.0 * run.t))
    assert np.abs(rows - expected[:, None]).max() < 1e-3
    in_steps = 0.05 * (1 - (1 + 20.0 * STEP) ** -np.arange(len(run)))
    assert np.abs(rows - in_steps[:, None]).max() < 1e-5


def test_a_push_on_a_flying_robot_is_found_and_named(load_robot, random_state):
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot)
    push = {"left_foot": Wrench((20.0, -10.0, 30.0), (1.0, 2.0, -1.0))}
    run = dyn.simulate(robot, q, 0.3 * v, duration=0.2, step=STEP, wrenches=push)
    rows, observer = observe(robot, run, 200.0)
    truth = dyn.external_torques(robot, run.q[-1], push)
    assert np.abs(rows[-1] - truth).max() < 0.03 * np.abs(truth).max()
    found = dyn.explain_by_wrenches(robot, run.q[-1], truth, ["left_foot"])
    assert found.wrenches["left_foot"].vector == pytest.approx(push["left_foot"].vector)
    assert np.abs(found.residual).max() < 1e-9
    wrong = dyn.explain_by_wrenches(robot, run.q[-1], truth, ["right_foot"])
    assert np.abs(wrong.residual).max() > 1.0
    observer.restart()
    assert not observer.update(run.q[0], run.v[0], run.tau[0], STEP).any()


def test_what_is_known_is_no_news(load_robot, random_state):
    robot = load_robot("biped", "floating")
    q, v, _ = random_state(robot)
    push = {"left_foot": Wrench((20.0, -10.0, 30.0))}
    run = dyn.simulate(robot, q, 0.3 * v, duration=0.05, step=STEP, wrenches=push)
    observer = MomentumObserver(robot, 100.0)
    for p, w, tau in zip(run.q, run.v, run.tau, strict=True):
        known = dyn.external_torques(robot, p, push)
        estimate = observer.update(p, w, tau, STEP, known=known)
    assert np.abs(estimate).max() < 0.02 * np.abs(known).max()


def test_nothing_there_nothing_found(load_robot, random_state):
    robot = load_robot("quadruped", "fixed")
    q, v, _ = random_state(robot)
    tau = 0.1 * np.random.default_rng(0).standard_normal(robot.na)
    run = dyn.simulate(robot, q, v, tau, duration=0.1, step=STEP)
    rows, _ = observe(robot, run, 1000.0)
    assert np.abs(rows).max() < 1e-2


def test_refusals(load_robot):
    robot = load_robot("limb", "fixed")
    with pytest.raises(fw.ConfigurationError, match="gain"):
        MomentumObserver(robot, -1.0)
    observer = MomentumObserver(robot)
    with pytest.raises(fw.ConfigurationError, match="step"):
        observer.update(np.zeros(3), np.zeros(3), np.zeros(3), 0.0)
    with pytest.raises(fw.ConfigurationError, match="frames"):
        dyn.explain_by_wrenches(robot, np.zeros(3), np.zeros(3), [])
