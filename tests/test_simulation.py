"""simulate(): orders of the integrators, energy, events, springs, wrenches and controllers."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import trapezoid

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import JointSprings, Wrench

ORDERS = {"explicit_euler": 1, "semi_implicit_euler": 1, "implicit_midpoint": 2, "rk4": 4}


@pytest.fixture
def pendulum(load_robot):
    return load_robot("double_pendulum", "fixed")


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("which", ["double_pendulum", "tree"])
def test_order(load_robot, random_state, name, which):
    """Half the step, 2^order times less error, on a floating base too."""
    robot = load_robot(which, "fixed" if which == "double_pendulum" else "floating")
    q, v, _ = random_state(robot)
    duration, step = 0.02, 0.02 / 8

    def end(integrator, h):
        run = dyn.simulate(robot, q, v, duration=duration, step=h, integrator=integrator)
        return run.q[-1], run.v[-1]

    exact = end("dop853", duration)
    errors = []
    for h in (step, step / 2):
        p, w = end(name, h)
        errors.append(np.linalg.norm(np.r_[robot.difference(exact[0], p), w - exact[1]]))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[name], abs=0.35)


def test_a_free_robot_keeps_energy_and_angular_momentum(biped, random_state):
    q, v, _ = random_state(biped)
    run = dyn.simulate(biped, q, v, duration=0.2, step=0.02, integrator="dop853")
    assert np.ptp(run.energy) < 1e-9 * np.abs(run.energy).max()
    h = [dyn.centroidal_momentum(biped, p, w)[3:] for p, w in zip(run.q, run.v, strict=True)]
    assert np.ptp(h, axis=0).max() < 1e-9 * np.abs(h).max()
    fall = dyn.com(biped, run.q[-1]) - dyn.com(biped, q)
    flight = 0.2 * dyn.com_jacobian(biped, q) @ v + 0.5 * 0.2**2 * biped.model.gravity.linear
    assert fall == pytest.approx(flight, abs=1e-10)
    assert run.t[-1] == pytest.approx(0.2)
    assert len(run) == 11


def test_explicit_euler_gains_energy_and_the_midpoint_keeps_it(pendulum):
    def drift(name):
        run = dyn.simulate(pendulum, [1.0, 0.5], [0, 0], duration=4.0, step=0.01, integrator=name)
        return run.energy[-1] - run.energy[0]

    assert drift("explicit_euler") > 1.0
    assert abs(drift("implicit_midpoint")) < 0.05


def test_a_rotating_block_over_many_turns(load_robot):
    """The chart is left behind at every step: nothing happens at half a turn."""
    block = load_robot("block", "floating")
    v = np.r_[0, 0, 0, 0.1, 9.0, 0.1]  # about the middle axis, which is unstable
    run = dyn.simulate(block, block.neutral(), v, duration=3.0, step=0.05, integrator="dop853")
    assert np.ptp(run.energy) < 1e-8
    inertia = block.model.inertias[1].inertia
    pairs = zip(run.q, run.v, strict=True)
    L = [pin.Quaternion(q[3:7]).toRotationMatrix() @ inertia @ w[3:] for q, w in pairs]
    assert np.ptp(L, axis=0).max() < 1e-9


@pytest.mark.parametrize("spin", [2.0, 6.0, 60.0])
def test_the_centre_of_mass_of_a_spinning_block_flies_on_in_one_step(load_robot, spin):
    """x = x₀ + v t, z = −g t²/2, R = exp([ω]× t), over many turns within one step."""
    block = load_robot("block", "floating")
    start, turn = block.neutral(), pin.exp3(np.array([0.0, 0.0, spin]))
    v = [1.0, 0, 0, 0, 0, spin]
    run = dyn.simulate(block, start, v, duration=1, step=1, integrator="dop853")
    assert run.q[-1, :3] == pytest.approx([1.0, 0.0, -9.81 / 2], abs=1e-9)
    assert pin.Quaternion(run.q[-1, 3:7]).toRotationMatrix() == pytest.approx(turn, abs=1e-9)
    coarse = dyn.simulate(block, start, v, duration=1, step=1, integrator="rk4")
    assert np.abs(coarse.q[-1, :3] - run.q[-1, :3]).max() < 0.02 * spin  # of order 4, not lost


@pytest.mark.parametrize("which", ["biped", "tree"])
@pytest.mark.parametrize("spin", [8.0, 30.0])
def test_dop853_does_not_depend_on_the_spacing_of_samples(load_robot, random_state, which, spin):
    robot = load_robot(which, "floating")
    # the first state of the biped is chaotic: changes of it grow by 2e5, and so does rounding
    q, v, _ = random_state(robot, 1)
    v[3:6] *= spin / np.linalg.norm(v[3:6])
    how = {"duration": 0.5, "integrator": "dop853"}
    one, other = (dyn.simulate(robot, q, v, step=h, **how) for h in (0.5, 0.5 / 64))
    assert np.abs(robot.difference(one.q[-1], other.q[-1])).max() < 1e-7
    assert one.v[-1] == pytest.approx(other.v[-1], abs=1e-6 * np.abs(other.v).max())
    assert np.ptp(one.energy) < 1e-9 * np.abs(one.energy).max() + 1e-7


def test_a_spin_too_fast_for_any_step_is_said(load_robot):
    block = load_robot("block", "floating")
    with pytest.raises(fw.SolverError, match="too fast for any step"):
        dyn.simulate(block, block.neutral(), [0, 0, 0, 0, 0, 1e18], duration=1, step=1)


def test_torque_laws(pendulum):
    start = ([0.1, 0.2], [0.0, 0.0])
    tau = np.array([0.3, -0.1])
    one, other = (
        dyn.simulate(pendulum, *start, torque, duration=0.5, step=0.01)
        for torque in (tau, lambda t, q, v: tau)
    )
    assert (one.q == other.q).all()
    assert (one.tau == tau).all()
    with pytest.raises(fw.ConfigurationError, match=r"torque law's answer: got shape \(3,\)"):
        dyn.simulate(pendulum, *start, lambda t, q, v: np.zeros(3), duration=1, step=0.1)


def test_laws_may_write_into_what_they_are_told(pendulum):
    def in_place(t, q, v):
        q *= -2.0
        q -= v
        v[:] = 1e3
        return q

    options = {"duration": 0.1, "step": 1e-2}
    q, v = np.array([0.3, 0.2]), np.zeros(2)
    run = dyn.simulate(pendulum, q, v, in_place, **options)
    whole = dyn.simulate(pendulum, q, v, lambda t, q, v: -2 * q - v, **options)
    assert np.array_equal(run.q, whole.q)


def test_springs_and_dampers(pendulum):
    springs = JointSprings(stiffness={"joint_1": 50.0}, damping=0.8, rest=[0.3, 0.0])
    run = dyn.simulate(pendulum, [0.1, 0.2], [0, 0], duration=1, step=0.005, springs=springs)
    assert (np.diff(run.energy) < 0).all()  # dampers only take, springs' energy counted
    assert springs.forces(pendulum, [0.4, 1.0], [1.0, 2.0]) == pytest.approx([-5.8, -1.6])
    how = {"springs": JointSprings(stiffness=20.0), "integrator": "dop853"}
    run = dyn.simulate(pendulum, [0.1, 0.2], [0, 0], duration=1, step=0.1, **how)
    assert np.ptp(run.energy) < 1e-10
    few = "stiffness: got -1.0, expected .* at least 0"
    for stiffness, words in (({"joint_3": 1.0}, "no joint 'joint_3'"), (-1.0, few)):
        with pytest.raises(fw.ConfigurationError, match=words):
            JointSprings(stiffness).forces(pendulum, [0, 0], [0, 0])


def test_wrenches_do_work(biped, random_state):
    q, v, _ = random_state(biped)
    frame = biped.frame_names[-1]
    push = {frame: Wrench((30.0, 0.0, 10.0))}
    run, same = (
        dyn.simulate(biped, q, v, duration=0.1, step=0.002, wrenches=w)
        for w in (push, lambda t, q, v: push)
    )
    assert (run.q == same.q).all()
    rates = [dyn.frame_velocity(biped, *x, frame)[:3] for x in zip(run.q, run.v, strict=True)]
    power = np.array(rates) @ push[frame].force
    work = trapezoid(power, run.t)
    assert run.energy[-1] - run.energy[0] == pytest.approx(work, rel=1e-3)


def test_events(pendulum):
    def below(t, q, v):
        return q[0]

    how = {"duration": 2.0, "step": 0.05, "events": {"below": below}}
    run = dyn.simulate(pendulum, [0.5, 0.0], [0, 0], **how)
    assert len(run.events) >= 2
    for event in run.events:
        assert event.name == "below"
        assert abs(event.q[0]) < 1e-9
    below.terminal = True
    stopped = dyn.simulate(pendulum, [0.5, 0.0], [0, 0], **how)
    assert stopped.t[-1] == pytest.approx(run.events[0].t, abs=1e-10)
    assert len(stopped.events) == 1
    assert abs(stopped.q[-1, 0]) < 1e-9


def test_trajectory_between_samples(biped, random_state):
    q, v, _ = random_state(biped)
    run = dyn.simulate(biped, q, v, duration=0.05, step=0.01)
    for i in (0, 2, 5):
        p, w = run.at(run.t[i])
        assert p == pytest.approx(run.q[i])
        assert w == pytest.approx(run.v[i])
    fine = dyn.simulate(biped, q, v, duration=0.05, step=0.005)
    p, _ = run.at(0.025)
    assert np.abs(biped.difference(p, fine.q[5])).max() < 1e-2
    Q, V = run.resampled(np.linspace(0, 0.05, 7))
    assert Q.shape == (7, biped.nq)
    assert V.shape == (7, biped.nv)
    with pytest.raises(fw.ConfigurationError, match="expected a finite number from 0 to"):
        run.at(0.06)


def test_ctrl_c_keeps_the_motion_so_far(pendulum):
    def torque(t, q, v):
        if t > 0.35:
            raise KeyboardInterrupt
        return np.zeros(2)

    run = dyn.simulate(pendulum, [0.5, 0], [0, 0], torque, duration=1, step=0.1)
    whole = dyn.simulate(pendulum, [0.5, 0], [0, 0], duration=1, step=0.1)
    assert run.t == pytest.approx([0, 0.1, 0.2, 0.3])
    assert (run.q == whole.q[:4]).all()
    assert [(event.name, event.t) for event in run.events] == [("interrupted", run.t[-1])]


def test_progress(pendulum, capsys):
    dyn.simulate(pendulum, [0.5, 0], [0, 0], duration=0.1, step=0.05, progress=True)
    drawn = capsys.readouterr()
    assert drawn.err.endswith("100 %\n")
    assert not drawn.out


def test_refusals(pendulum):
    start = ([0.5, 0.0], [0.0, 0.0])
    with pytest.raises(fw.ConfigurationError, match="did you mean 'rk4'"):
        dyn.simulate(pendulum, *start, duration=1, step=0.1, integrator="rk")
    for wrong in ({"duration": 0, "step": 0.1}, {"duration": 1, "step": np.nan}):
        with pytest.raises(fw.ConfigurationError, match=r"expected a finite number above 0 \[s\]"):
            dyn.simulate(pendulum, *start, **wrong)
    explosive = JointSprings(damping=1e6)
    with pytest.raises(fw.SolverError, match="blew up"), np.errstate(all="ignore"):
        dyn.simulate(pendulum, [0.5, 0], [1, 1], duration=9, step=0.1, springs=explosive)
