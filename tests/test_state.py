"""State: the terms of one configuration and velocity, each worked out once, nobody else's."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pinocchio as pin
import pytest
from conftest import centrifugal, each_robot

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics import coriolis, jacobians, kinematics, single

robot = each_robot(
    ("biped", "floating"), ("solo12", "fixed"), ("tree", "floating"), ("tree", "fixed"),
    ("heavy base", "floating"),
)  # fmt: skip

MODULES = (dyn, coriolis, jacobians, kinematics)
OF_Q = [
    *("mass_matrix", "gravity_torques", "coriolis_tensor", "mass_matrix_gradient"),
    *("potential_energy", "com", "com_jacobian", "com_hessian", "centroidal_map"),
    *("angular_momentum_jacobian", "centroidal_hessian"),
]
OF_Q_AND_V = [
    *("bias", "coriolis_matrix", "mass_matrix_derivative", "kinetic_energy", "com_drift"),
    *("centroidal_momentum", "centroidal_drift", "centroidal_map_derivative"),
]
OF_FRAMES = ["frame_placement", "frame_jacobian", "frame_hessian"]
OF_MOVING_FRAMES = ["frame_drift", "frame_jacobian_derivative"]


def equal(a, b, tolerance=1e-12):
    if isinstance(a, pin.SE3):
        a, b = a.homogeneous, b.homogeneous
    scale = 1.0 + np.abs(b).max(initial=0.0)
    near = np.shape(a) == np.shape(b) and np.abs(np.subtract(a, b)) < tolerance * scale
    return np.all(near)


def function(name):
    """The function of dynamics, or of its module where it is asked for less often."""
    return next(getattr(m, name) for m in MODULES if name in vars(m))


def everything(state):
    """Every term of a state, by name."""
    frames = state.robot.frame_names[-3:]
    terms = {name: getattr(state, name) for name in OF_Q + OF_Q_AND_V}
    for name in OF_FRAMES + OF_MOVING_FRAMES:
        terms |= {f"{name} of {frame}": getattr(state, name)(frame) for frame in frames}
    return terms


def test_the_functions_are_its_terms(robot, random_state):
    q, v, a = random_state(robot)
    state = dyn.State(robot, q, v)
    for names, at in ((OF_Q, (q,)), (OF_Q_AND_V, (q, v))):
        for name in names:
            assert equal(getattr(state, name), function(name)(robot, *at)), name
            assert equal(getattr(state, name), function(name)(robot, state)), name
    frame, other, point = robot.frame_names[-1], robot.frame_names[0], [0.1, -0.2, 0.3]
    wrenches = {frame: dyn.Wrench([1, 2, 3], [4, 5, 6], axes="local"), other: dyn.Wrench([7, 8, 9])}
    tau = np.linspace(-1, 1, robot.na)
    of_q = {
        "frame_placement": (frame,),
        "frame_jacobian": (frame, "LOCAL"),
        "frame_hessian": (frame, "WORLD"),
        "point_jacobian": (frame, point),
        "point_hessian": (frame, point),
        "relative_placement": (frame, other),
        "relative_jacobian": (frame, other),
        "external_torques": (wrenches,),
    }
    of_v = {
        "frame_drift": (frame, "LOCAL"),
        "frame_velocity": (frame, "WORLD"),
        "frame_acceleration": (a, frame, "LOCAL"),
        "frame_jacobian_derivative": (frame, "WORLD"),
        "point_drift": (frame, point),
        "relative_drift": (frame, other),
        "inverse_dynamics": (a, wrenches),
        "forward_dynamics": (tau, wrenches),
    }
    for terms, at in ((of_q, (q,)), (of_v, (q, v))):
        for name, given in terms.items():
            assert equal(getattr(state, name)(*given), function(name)(robot, *at, *given)), name


@pytest.mark.parametrize("reference", ["LOCAL", "WORLD", "LOCAL_WORLD_ALIGNED"])
def test_frames_are_pinocchios(robot, random_state, reference):
    model, data = robot.model, robot.model.createData()
    at = getattr(pin, reference)
    for seed in range(3):
        q, v, _ = random_state(robot, seed)
        state = dyn.State(robot, q, v)
        pin.forwardKinematics(model, data, q, v, np.zeros(robot.nv))
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        classical = reference == "LOCAL_WORLD_ALIGNED"
        acceleration = pin.getFrameClassicalAcceleration if classical else pin.getFrameAcceleration
        for frame in robot.frame_names[::5]:
            i = robot.frame_id(frame)
            J = np.reshape(pin.getFrameJacobian(model, data, i, at), (6, robot.nv))
            assert equal(state.frame_placement(frame), data.oMf[i])
            assert equal(state.frame_jacobian(frame, reference), J)
            twist = pin.getFrameVelocity(model, data, i, at).vector
            assert equal(state.frame_velocity(frame, reference), twist)
            drift = acceleration(model, data, i, at).vector
            assert equal(state.frame_drift(frame, reference), drift)
        a = np.linspace(-1.0, 1.0, robot.nv)
        pin.forwardKinematics(model, data, q, v, a)
        for frame in robot.frame_names[::5]:
            whole = acceleration(model, data, robot.frame_id(frame), at).vector
            assert equal(dyn.frame_acceleration(robot, q, v, a, frame, reference), whole)


def test_terms_are_pinocchios(robot, random_state):
    model, data = robot.model, robot.model.createData()
    q, v, _ = random_state(robot)
    state = dyn.State(robot, q, v)
    pin.computeAllTerms(model, data, q, v)
    share = 1.0 - model.inertias[0].mass / robot.mass
    assert equal(state.gravity_torques, -data.g)
    more = centrifugal(robot, v)  # which Pinocchio leaves out
    assert equal(state.bias, data.nle + more)
    assert equal(state.com_jacobian, share * np.reshape(data.Jcom, (3, -1)))
    welded = model.inertias[0].mass / robot.mass * np.array(model.inertias[0].lever)
    assert equal(state.com, share * np.array(data.com[0]) + welded)
    assert equal(state.coriolis_force, data.nle - data.g + more)
    assert equal(state.com_velocity, state.com_jacobian @ v)


def test_worked_out_in_one_pass_they_are_the_same(robot, random_state):
    given = [random_state(robot, seed)[:2] for seed in range(2)]
    filled = [dyn.terms(robot, q, v) for q, v in given]  # the second in the memory of the first
    for state, (q, v) in zip(filled, given, strict=True):
        found, expected = everything(state), everything(dyn.State(robot, q, v))
        assert all(equal(found[name], expected[name], 1e-10) for name in expected)


def test_states_of_one_robot_keep_apart_on_one_thread(robot, random_state):
    given = [random_state(robot, seed)[:2] for seed in range(3)]
    alone = [everything(dyn.State(robot, q, v)) for q, v in given]
    states = [dyn.State(robot, q, v) for q, v in given]
    for name in alone[0]:  # each term of each state, after the others have used the same memory
        for state, expected in zip(states, alone, strict=True):
            term, _, frame = name.partition(" of ")
            found = getattr(state, term)(frame) if frame else getattr(state, term)
            assert equal(found, expected[name], 1e-15), name


def test_threads_may_share_a_state(robot, random_state):
    given = [random_state(robot, seed)[:2] for seed in range(4)]
    alone = [everything(dyn.State(robot, q, v)) for q, v in given]
    states, wrong = [dyn.State(robot, q, v) for q, v in given], []

    def work(first):
        for k in range(len(states)):
            i = (first + k) % len(states)
            found = everything(states[i])
            wrong.extend(name for name in found if not equal(found[name], alone[i][name]))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_worked_out_once_and_read_only(robot, random_state):
    q, v, _ = random_state(robot)
    state = dyn.State(robot, q, v)
    for name in OF_Q + OF_Q_AND_V:
        term = getattr(state, name)
        assert getattr(state, name) is term, name
        if isinstance(term, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                term[0] = 0
    for array in (state.q, state.v):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="bias"):
        state.bias = v
    M, J = dyn.mass_matrix(robot, state), state.frame_jacobian(robot.frame_names[-1])
    M[0, 0] = J[0, 0] = np.nan  # the caller's own
    assert np.isfinite(state.mass_matrix).all()
    assert np.isfinite(state.frame_jacobian(robot.frame_names[-1])).all()


def test_what_is_given_stays_the_callers(robot, random_state):
    q, v, _ = random_state(robot)
    state = dyn.State(robot, q, v)
    expected = everything(dyn.State(robot, q, v))
    q[-1] += 0.3
    v[:] = np.nan
    found = everything(state)
    assert all(equal(found[name], expected[name]) for name in expected)
    q[-1] -= 0.3
    q.setflags(write=False)
    dyn.State(robot, q)  # and read-only arrays may be given


def test_pickles_as_what_it_was_given(robot, random_state):
    q, v, _ = random_state(robot)
    for state in (dyn.State(robot, q, v), dyn.State(robot, q)):
        state.mass_matrix  # noqa: B018  (what is worked out stays here)
        again = pickle.loads(pickle.dumps(state))
        assert again.robot.name == robot.name
        assert (again.q == state.q).all()
        assert (again.mass_matrix == state.mass_matrix).all()
        assert again.v is None if state.v is None else (again.v == v).all()


def test_without_a_velocity(robot, random_state):
    q, v, a = random_state(robot)
    state = dyn.State(robot, q)
    assert state.v is None
    assert equal(state.mass_matrix, dyn.mass_matrix(robot, q))
    frame = robot.frame_names[-1]
    asked = {
        "bias": lambda: state.bias,
        "kinetic_energy": lambda: state.kinetic_energy,
        "velocity": lambda: state.inverse_dynamics(a),
        "joint_motions": lambda: state.frame_drift(frame),
        "coriolis_matrix": lambda: dyn.coriolis_matrix(robot, state),
    }
    for name, ask in asked.items():
        with pytest.raises(fw.ConfigurationError, match=f"{name}.* velocity"):
            ask()
    moving = state.with_velocity(v)
    assert moving.mass_matrix is state.mass_matrix
    assert equal(moving.bias, dyn.bias(robot, q, v))
    faster = moving.with_velocity(2 * v)
    assert equal(faster.bias, dyn.bias(robot, q, 2 * v))
    assert equal(faster.frame_drift(frame), dyn.frame_drift(robot, q, 2 * v, frame))
    assert equal(dyn.bias(robot, moving, 3 * v), dyn.bias(robot, q, 3 * v))


def test_of_passes_a_state_through(robot, random_state, load_robot):
    q, v, _ = random_state(robot)
    state = dyn.State(robot, q, v)
    assert dyn.State.of(robot, state) is state
    assert dyn.State.of(robot, state, state.v) is state
    assert (dyn.State.of(robot, q, v).v == v).all()
    other, on_the_moon = load_robot("anymal", "fixed"), robot.with_gravity((0, 0, -1.6))
    for of, given, words in (
        (other, state, "a State of the robot"),
        (on_the_moon, state, r"which is another one; or state\.q$"),
        ("anymal", q, "expected a Robot"),
        ("anymal", state, "expected a Robot"),
    ):
        with pytest.raises(fw.ConfigurationError, match=words):
            dyn.State.of(of, given)


def test_asked_often_the_functions_give_the_same(load_robot, random_state, monkeypatch):
    """By compiled kernels where there are some; what those do not take is refused as before."""
    monkeypatch.setattr(single, "_OFTEN", 100)
    monkeypatch.setattr(single, "_AT_FIRST", 200)
    robot = load_robot("biped", "floating")
    q, v, a = random_state(robot)
    tau = np.linspace(-1, 1, robot.na)
    asked = {"mass_matrix": (q,), "bias": (q, v)}
    asked |= {"inverse_dynamics": (q, v, a), "forward_dynamics": (q, v, tau)}
    for name, given in asked.items():
        asked_for = function(name)
        first = asked_for(robot, *given)
        for _ in range(300):
            last = asked_for(robot, *given)
        assert equal(last, first, 1e-11), name
        assert equal(asked_for(robot, *map(list, given)), first, 1e-11), name
        last[0] = np.nan  # the caller's own
        assert equal(asked_for(robot, *given), first, 1e-11), name
        for k, value in enumerate(given):
            for bad in (np.full_like(value, np.nan), value[:-1], np.zeros((2, 2)), "no"):
                wrong = [*given[:k], bad, *given[k + 1 :]]
                with pytest.raises(fw.ConfigurationError):
                    asked_for(robot, *wrong)
    with pytest.raises(fw.ConfigurationError, match="norm"):
        dyn.mass_matrix(robot, 2 * q)
