"""The double pendulum in matrix form and absolute angles, against the closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import footwork as fw
from footwork import dynamics as dyn
from footwork.control import PID

M1 = M2 = 1.0
L1, L2, G = 1.0, 0.5, 9.81
THETA, OMEGA = np.array([np.pi / 10, np.pi / 3]), np.array([2 * np.pi, -6 * np.pi])


def closed_form(theta, omega, tau2=0.0):
    """Two uniform bars from the downward vertical: M, C, G, Q on paper."""
    (a, b), c = theta, np.cos(theta[0] - theta[1])
    h = 0.5 * M2 * L1 * L2 * np.sin(a - b)
    M = np.array(
        [
            [M1 * L1**2 / 3 + M2 * L1**2, 0.5 * M2 * L1 * L2 * c],
            [0.5 * M2 * L1 * L2 * c, M2 * L2**2 / 3],
        ]
    )
    C = np.array([-h * omega[1] ** 2, h * omega[0] ** 2])
    gravity = -G * np.array([(0.5 * M1 + M2) * L1 * np.sin(a), 0.5 * M2 * L2 * np.sin(b)])
    return M, C, gravity, np.array([-tau2, tau2])


@pytest.fixture(scope="module")
def robot():
    return fw.robots.double_pendulum(L1, L2, M1, M2)


@pytest.fixture(scope="module")
def absolute(robot):
    return dyn.absolute_angles(robot)


@pytest.fixture(scope="module")
def reference():
    """The closed form integrated by another method, to t = 10 s."""

    def rates(t, y):
        M, C, gravity, _ = closed_form(y[:2], y[2:])
        return np.r_[y[2:], np.linalg.solve(M, C + gravity)]

    times = np.linspace(0, 10, 101)
    start = np.r_[THETA, OMEGA]
    return solve_ivp(rates, (0, 10), start, method="DOP853", t_eval=times, rtol=2.3e-14, atol=1e-15)


@pytest.fixture(scope="module")
def motion(robot, absolute):
    back = np.linalg.inv(absolute)
    return dyn.simulate(
        robot, back @ THETA, back @ OMEGA, duration=20.0, step=0.1, integrator="dop853"
    )


def test_absolute_angles(absolute):
    assert (absolute == [[1, 0], [1, 1]]).all()


def test_matrices_are_those_of_paper_and_pencil(robot, absolute):
    rng = np.random.default_rng(0)
    back = np.linalg.inv(absolute)
    for _ in range(5):
        theta, omega = rng.uniform(-np.pi, np.pi, 2), 5 * rng.standard_normal(2)
        tau2 = rng.standard_normal()
        form = dyn.matrix_form(robot, back @ theta, back @ omega, [0.0, tau2], coordinates=absolute)
        for ours, theirs in zip(form, closed_form(theta, omega, tau2), strict=False):
            assert np.abs(ours - theirs).max() < 1e-12 * max(1, np.abs(theirs).max())
        assert not form.E.any()
        a = absolute @ dyn.forward_dynamics(robot, back @ theta, back @ omega, [0.0, tau2])
        assert form.acceleration == pytest.approx(a, rel=1e-9, abs=1e-9)


def test_springs_are_the_e_of_the_matrix_form(robot, absolute):
    springs = dyn.JointSprings(stiffness=2.0, damping=0.5)
    q, v = np.array([0.3, -0.2]), np.array([1.0, 2.0])
    E = dyn.matrix_form(robot, q, v, springs=springs, coordinates=absolute).E
    inner, outer = -2 * q - 0.5 * v
    assert pytest.approx([inner - outer, outer]) == E


def test_trajectory(motion, absolute, reference):
    theta = motion.q @ absolute.T
    error = np.abs(theta[:101] - reference.y[:2].T).max(axis=1)
    assert error[:51].max() < 1e-6
    assert error.max() < 1e-3


def test_energy_over_twenty_seconds(motion):
    assert np.abs(motion.energy - motion.energy[0]).max() < 1e-8


def test_explicit_euler_drifts(robot, absolute, motion):
    back = np.linalg.inv(absolute)
    run = dyn.simulate(
        robot, back @ THETA, back @ OMEGA, duration=0.2, step=1e-4, integrator="explicit_euler"
    )
    assert 1e-4 < abs(run.energy[-1] - run.energy[0]) < 1.0
    assert abs(run.energy[0] - motion.energy[0]) < 1e-12


def test_pid_on_the_absolute_angle_of_the_second_bar(robot, absolute):
    """M12 = 30 (r − θ₂) − 2 ω₂ + 3 ∫ (r − θ₂): + on bar 2, − on bar 1."""
    back, r = np.linalg.inv(absolute), np.pi / 3
    pid = PID(
        robot,
        target=back @ [0.0, r],
        kp=[0.0, 30.0],
        kd=[0.0, 2.0],
        ki=[0.0, 3.0],
        watches=absolute,
    )
    run = dyn.simulate(robot, back @ THETA, back @ OMEGA, pid, duration=20.0, step=5e-3)
    theta = run.q @ absolute.T
    integral = np.r_[0, np.cumsum(0.5 * np.diff(run.t) * (2 * r - theta[1:, 1] - theta[:-1, 1]))]
    expected = 30 * (r - theta[:, 1]) - 2 * (run.v @ absolute.T)[:, 1] + 3 * integral
    assert np.abs(run.tau[:, 1] - expected).max() < 1e-9
    assert not run.tau[:, 0].any()
    late = run.t > 15.0
    assert np.abs(theta[late, 1] - r).max() < np.abs(theta[run.t < 5, 1] - r).max()
    with pytest.raises(fw.ConfigurationError, match="restart"):
        pid(0.0, run.q[0], run.v[0])
    pid.restart()
    assert pid(0.0, run.q[0], run.v[0]) == pytest.approx(run.tau[0])


def test_absolute_angles_need_parallel_hinges(load_robot):
    for name, base in (("biped", "floating"), ("solo12", "fixed"), ("tree", "fixed")):
        with pytest.raises(fw.ModelError, match="absolute angles need"):
            dyn.absolute_angles(load_robot(name, base))


def test_coordinates_must_be_invertible(robot):
    with pytest.raises(fw.ConfigurationError, match="invertible"):
        dyn.matrix_form(robot, [0, 0], [0, 0], coordinates=np.ones((2, 2)))
