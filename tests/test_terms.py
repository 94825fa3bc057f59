"""terms(): equal to the functions one by one, the caller's own, and read-only."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import footwork as fw
from footwork import dynamics as dyn

ROBOTS = [("biped", "floating"), ("solo12", "fixed"), ("tree", "floating"), ("tree", "fixed")]


@pytest.fixture(params=ROBOTS, ids=lambda case: "-".join(case))
def robot(request, load_robot):
    return load_robot(*request.param)


def test_equal_to_the_functions(robot, random_state):
    q, v, _ = random_state(robot)
    t = dyn.terms(robot, q, v)
    same = {
        "mass_matrix": dyn.mass_matrix(robot, q),
        "bias": dyn.bias(robot, q, v),
        "gravity_torques": dyn.gravity_torques(robot, q),
        "coriolis_matrix": dyn.coriolis_matrix(robot, q, v),
        "coriolis_force": dyn.coriolis_tensor(robot, q) @ v @ v,
        "com": dyn.com(robot, q),
        "com_jacobian": dyn.com_jacobian(robot, q),
        "com_velocity": dyn.com_jacobian(robot, q) @ v,
        "centroidal_map": dyn.centroidal_map(robot, q),
        "centroidal_momentum": dyn.centroidal_momentum(robot, q, v),
        "centroidal_drift": dyn.centroidal_drift(robot, q, v),
        "com_drift": dyn.centroidal_drift(robot, q, v)[:3] / robot.mass,
        "kinetic_energy": dyn.kinetic_energy(robot, q, v),
        "potential_energy": dyn.potential_energy(robot, q),
    }
    for name, value in same.items():
        assert getattr(t, name) == pytest.approx(value, rel=1e-10, abs=1e-10), name


def test_frames_on_demand_belong_to_their_own_state(robot, random_state):
    q, v, _ = random_state(robot, 0)
    other_q, other_v, _ = random_state(robot, 1)
    t, other = dyn.terms(robot, q, v), dyn.terms(robot, other_q, other_v)
    frame = robot.frame_names[-1]
    for _ in range(2):  # taking turns on the same workspace
        for state, (p, w) in ((t, (q, v)), (other, (other_q, other_v))):
            assert state.frame_placement(frame) == dyn.frame_placement(robot, p, frame)
            for reference in ("LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"):
                J = dyn.frame_jacobian(robot, p, frame, reference)
                drift = dyn.frame_drift(robot, p, w, frame, reference)
                H = dyn.frame_hessian(robot, p, frame, reference)
                assert state.frame_jacobian(frame, reference) == pytest.approx(J, abs=1e-12)
                assert state.frame_drift(frame, reference) == pytest.approx(drift, abs=1e-11)
                assert state.frame_hessian(frame, reference) == pytest.approx(H, abs=1e-12)


def test_frozen(robot, random_state):
    q, v, _ = random_state(robot)
    t = dyn.terms(robot, q, v)
    M = t.mass_matrix.copy()
    q[-1] += 0.1
    dyn.terms(robot, robot.neutral(), v)
    assert (t.mass_matrix == M).all()
    assert t.q[-1] != q[-1]
    for array in (t.mass_matrix, t.bias, t.com_jacobian, t.gravity_torques):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        t.bias = M


def test_centroidal_drift_is_the_rate_of_momentum(robot, random_state):
    q, v, _ = random_state(robot)
    step = 1e-6
    forth, back = (
        dyn.centroidal_momentum(robot, robot.integrate(q, s * step * v), v) for s in (1, -1)
    )
    rate = (forth - back) / (2 * step)
    assert dyn.centroidal_drift(robot, q, v) == pytest.approx(rate, abs=1e-6)


def test_threads_do_not_share_a_workspace(load_robot, random_state):
    robot = load_robot("biped", "floating")
    states = [random_state(robot, seed)[:2] for seed in range(4)]
    alone = [dyn.terms(robot, *s).frame_drift("left_foot") for s in states]
    wrong = []

    def work(i):
        for _ in range(50):
            t = dyn.terms(robot, *states[i])
            if np.abs(t.frame_drift("left_foot") - alone[i]).max() > 1e-12:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pickled_terms_are_the_same(robot, random_state):
    q, v, _ = random_state(robot)
    t = dyn.terms(robot, q, v)
    again = pickle.loads(pickle.dumps(t))
    frame = robot.frame_names[-1]
    assert (again.mass_matrix == t.mass_matrix).all()
    assert (again.frame_drift(frame) == t.frame_drift(frame)).all()


def test_terms_read_in_another_thread(robot, random_state):
    q, v, _ = random_state(robot)
    t, frame = dyn.terms(robot, q, v), robot.frame_names[-1]
    expected, found = t.frame_drift(frame), []
    thread = threading.Thread(target=lambda: found.append(t.frame_drift(frame)))
    thread.start()
    dyn.terms(robot, robot.neutral(), v)
    thread.join()
    assert (found[0] == expected).all()


def test_bad_input(robot):
    with pytest.raises(fw.ConfigurationError, match="v: got shape"):
        dyn.terms(robot, robot.neutral(), np.zeros(robot.nv + 1))
