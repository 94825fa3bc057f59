"""Kernels: three readings of one source. Their compiling is in test_toolchain."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import dynamics as dyn
from footwork.dynamics.kernels import body_table, crba, rnea, scalars, spatial, toolchain
from footwork.dynamics.kernels.aba import aba
from footwork.dynamics.kernels.scalars import LANES, as_lanes, sincos


def workspace(*shape):
    return np.zeros((*shape, LANES))


# --- NumPy ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "base"), [("biped", "floating"), ("limb", "fixed")])
def test_kernels_are_plain_python_on_rows_of_numpy(name, base, load_robot, random_state):
    robot = load_robot(name, base)
    bodies = body_table.body_table(robot)
    n, nv = len(bodies), robot.nv
    q, v, a = lanes_of_states(robot, random_state)
    tau, M, back = workspace(nv), workspace(nv, nv), workspace(nv)
    rnea.rnea(bodies, q, v, a, tau, workspace(n + 1, 20))
    crba.crba(bodies, q, M, workspace(n + 1, 11))
    aba(bodies, q, v, tau, back, workspace(max(n + 1, 7), 37))
    assert np.abs(back - a).max() < 1e-8
    for lane in range(LANES):
        at = q[:, lane], v[:, lane]
        expected = dyn.inverse_dynamics(robot, *at, a[:, lane])
        assert np.abs(tau[:, lane] - expected).max() < 1e-10
        assert np.abs(M[..., lane] - dyn.mass_matrix(robot, at[0])).max() < 1e-10


def lanes_of_states(robot, random_state):
    states = [random_state(robot, seed) for seed in range(LANES)]
    return tuple(np.stack(numbers, axis=-1) for numbers in zip(*states, strict=True))


def test_kernels_are_plain_python_on_floats(load_robot, random_state):
    robot = load_robot("quadruped", "floating")
    bodies = body_table.body_table(robot)
    n, (q, v, a), tau = len(bodies), random_state(robot), np.zeros(robot.nv)
    rnea.rnea(bodies, q, v, a, tau, np.zeros((n + 1, 20)))
    assert np.abs(tau - dyn.inverse_dynamics(robot, q, v, a)).max() < 1e-11


def test_numba_switched_off_is_numpy(tmp_path):
    """NUMBA_DISABLE_JIT=1: the same answers, line by line in Python."""
    pytest.importorskip("numba")
    code = """
        import sys, warnings, numpy as np, footwork as fw
        from footwork import dynamics as dyn
        from footwork.dynamics import batch
        warnings.simplefilter("error")
        from footwork.dynamics.kernels import rnea
        from footwork.dynamics.kernels.toolchain import Kernel
        assert Kernel(rnea.bias_rows).compiled().__wrapped__ is rnea.bias_rows
        robot, rng = fw.load("quadruped"), np.random.default_rng(0)
        Q = np.array([robot.random_configuration(rng) for _ in range(9)])
        V = rng.standard_normal((9, robot.nv))
        for many, one in ((batch.bias, dyn.bias), (batch.coriolis_matrix, dyn.coriolis_matrix)):
            expected = np.array([one(robot, q, v) for q, v in zip(Q, V)])
            assert np.abs(many(robot, Q, V) - expected).max() < 1e-10
        from footwork import contacts, control
        q, feet = robot.posture(), contacts.at_feet(robot)
        controller = control.WholeBodyController(robot, feet, [control.PostureTask(q)])
        assert controller(q, np.zeros(robot.nv)).solved
        minimum = controller._formulation.kernel
        assert minimum.available().__wrapped__ is minimum.kernel.function
        assert contacts.static_hold(robot, q, feet).friction_margin() > 1
        assert "numba" not in sys.modules
    """
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    subprocess.run(command, check=True, timeout=100, env=environment)


def test_squares_are_turned():
    X, lanes = np.arange(200.0).reshape(10, 20), np.zeros((20, LANES))
    scalars.turn_in(X, 1, lanes, 3)
    assert np.array_equal(lanes[3:11], X[1:9, 3:11].T)
    back = np.zeros_like(X)
    scalars.turn_out(lanes, 3, back, 1)
    assert np.array_equal(back[1:9, 3:11], X[1:9, 3:11])


# --- the algebra, by matrices --------------------------------------------------------------------


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def test_motions_and_forces_are_dual():
    """(X x) · f = x · (Xᵀ f), (x × y) · f = −y · (x ×* f), for every joint and placement."""
    rng = np.random.default_rng(0)
    body = np.zeros(1, body_table.BODY)[0]
    x, y, z, w = np.array([0.1, -0.5, 0.5, 0.7])
    joints = {
        body_table.REVOLUTE: ((np.cos(0.3), np.sin(0.3)), (0.0, 0.0)),
        body_table.PRISMATIC: ((0.3, 0.0), (0.0, 0.0)),
        body_table.BALL: ((x, y), (z, w)),
        body_table.AXIS: ((0.0, 0.0), (0.0, 0.0)),
    }
    for kind, joint in joints.items():
        for turn, R in enumerate([*body_table._RENAMED, np.linalg.qr(rng.normal(size=(3, 3)))[0]]):
            body["kind"], body["p"] = kind, rng.normal(size=3)
            body["turn"] = turn if kind != body_table.BALL else 3
            body["R"] = (R * np.sign(np.linalg.det(R))).ravel()
            x, f, y = rng.normal(size=(3, 2, 3))
            moved = np.array(spatial.motion_to_child(body, joint, x))
            carried = np.array(spatial.force_to_parent(body, joint, f))
            assert np.isclose((moved * f).sum(), (x * carried).sum(), atol=1e-13)
            turned = np.array(spatial.to_parent_axes(body, joint, f[0]))
            assert np.allclose(spatial.to_child_axes(body, joint, turned), f[0])
            crossed = np.array(spatial.cross_motion(x, y))
            forces = np.array(spatial.cross_force(x, f))
            assert np.isclose((crossed * f).sum(), -(y * forces).sum(), atol=1e-13)


def test_articulated_inertias_move_as_matrices_do():
    from footwork.dynamics.kernels import articulated, inertia

    rng = np.random.default_rng(1)
    B = rng.normal(size=(6, 6))
    Y, r = B @ B.T, rng.normal(size=3)
    six = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    A, I = (tuple(block[i] for i in six) for block in (Y[:3, :3], Y[3:, 3:]))  # noqa: E741
    moved = articulated.shifted((A, tuple(map(tuple, Y[:3, 3:])), I), r)
    X = np.eye(6)
    X[:3, 3:] = -skew(r)  # v at r is v + ω × r
    expected = X.T @ Y @ X
    assert np.allclose(moved[0], [expected[:3, :3][i] for i in six])
    assert np.allclose(moved[1], expected[:3, 3:])
    assert np.allclose(moved[2], [expected[3:, 3:][i] for i in six])
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    turned = R @ Y[3:, 3:] @ R.T
    assert np.allclose(inertia.turned_about_z(((c, s),), I), [turned[i] for i in six])
    points = rng.normal(size=(5, 3))
    about = [sum(p @ p * np.eye(3) - np.outer(p, p) for p in points + d) for d in (0 * r, r)]
    gained = (about[1] - about[0]).astype(float)
    assert np.allclose(inertia.shift(5.0, points.sum(axis=0), r), [gained[i] for i in six])


def test_the_table_holds_the_whole_robot(load_robot):
    robot = load_robot("talos", "fixed")
    bodies = body_table.body_table(robot)
    assert np.isclose(bodies[0]["subtree_mass"], robot.mass)
    assert (bodies["parent"][1:] < np.arange(1, len(bodies))).all()
    assert body_table.body_table(robot) is bodies
    assert not bodies.flags.writeable
    assert body_table.unknown_joints(load_robot("tree", "floating")) == ("joint_5",)  # planar


def test_far_from_the_world_nothing_is_lost(load_robot, random_state):
    pytest.importorskip("numba")
    robot = load_robot("biped", "floating")
    q, _, _ = random_state(robot)
    away = q + np.pad([3e4, -3e4, 3e4], (0, robot.nq - 3))
    here, there = (dyn.batch.centroidal_map(robot, x[None]) for x in (q, away))
    assert np.abs(here - there).max() < 1e-12
    com = dyn.batch.com(robot, np.stack([q, away]))
    assert np.abs(com[1] - com[0] - (away - q)[:3]).max() < 1e-9


# --- SymPy ---------------------------------------------------------------------------------------


def test_the_double_pendulum_reads_as_in_a_textbook():
    sympy = pytest.importorskip("sympy")
    robot = fw.robots.double_pendulum(l1=0.7, l2=0.5, m1=2.0, m2=3.0)
    forms = dyn.closed_forms(robot)
    m1, m2, l2, c1, c2 = sympy.symbols("m_1 m_2 l_2 c_1 c_2", positive=True)
    I1, I2, g = sympy.symbols("I_1 I_2 g", positive=True)
    (q1, q2), (v1, v2) = forms.q, forms.v
    k = m2 * l2 * c2
    M22, M12 = I2, I2 + k * sympy.cos(q2)
    M = sympy.Matrix([[I1 + I2 + m2 * l2**2 + 2 * k * sympy.cos(q2), M12], [M12, M22]])
    force = k * sympy.sin(q2) * sympy.Matrix([-2 * v1 * v2 - v2**2, v1**2])
    lower = m2 * c2 * sympy.sin(q1 + q2)
    gravity = -g * sympy.Matrix([(m1 * c1 + m2 * l2) * sympy.sin(q1) + lower, lower])
    assert (forms.mass_matrix - M).applyfunc(sympy.simplify).is_zero_matrix
    assert (forms.coriolis_force - force).applyfunc(sympy.simplify).is_zero_matrix
    assert (forms.gravity_torques - gravity).applyfunc(sympy.simplify).is_zero_matrix
    assert forms.values[m2] == 3.0
    assert forms.values[l2] == 0.7
    assert r"\cos" in sympy.latex(forms.mass_matrix)


def values_of(forms, q, v):
    """M, Coriolis's force and gravity's torques of closed forms, as numbers."""
    at = forms.values | dict(zip((*forms.q, *forms.v), (*q, *v), strict=True))
    terms = forms.mass_matrix, forms.coriolis_force, forms.gravity_torques
    M, force, gravity = (np.array(term.subs(at), dtype=float) for term in terms)
    return M, force.ravel(), gravity.ravel()


def ball_joint():
    model = pin.Model()
    ball = model.addJoint(0, pin.JointModelSpherical(), pin.SE3.Identity(), "ball")
    place = pin.SE3(np.eye(3), np.array([0.1, 0.2, -0.4]))
    model.appendBodyToJoint(ball, pin.Inertia.FromBox(2.0, 0.1, 0.2, 0.3), place)
    return fw.Robot("ball joint", model, shapes=None, actuated=("ball",))


@pytest.mark.parametrize(
    ("name", "base"),
    [("double_pendulum", "fixed"), ("limb", "fixed"), ("block", "floating"), ("ball", "fixed")],
)
def test_closed_forms_have_the_values_of_the_robot(name, base, load_robot, random_state):
    pytest.importorskip("sympy")
    robot = ball_joint() if name == "ball" else load_robot(name, base)
    forms = dyn.closed_forms(robot)
    q, v, _ = random_state(robot)
    M, force, gravity = values_of(forms, q, v)
    assert np.abs(M - dyn.mass_matrix(robot, q)).max() < 1e-12
    assert np.abs(gravity - dyn.gravity_torques(robot, q)).max() < 1e-12
    assert np.abs(force - gravity - dyn.bias(robot, q, v)).max() < 1e-12


def test_closed_forms_of_unknown_joints(load_robot):
    pytest.importorskip("sympy")
    with pytest.raises(fw.ModelError, match="no kernel knows the joints"):
        dyn.closed_forms(load_robot("tree", "fixed"))


def test_one_source_gives_the_same_in_every_reading(random_state):
    """τ = M a + b by `rnea`: on floats, rows of NumPy, symbols, and compiled for one and eight."""
    pytest.importorskip("sympy")
    pytest.importorskip("numba")
    robot = fw.robots.double_pendulum(l1=0.7, l2=0.5, m1=2.0, m2=3.0)
    bodies = body_table.body_table(robot)
    n, (q, v, a) = len(bodies), random_state(robot)
    floats, lanes = np.zeros(2), workspace(2)
    rnea.rnea(bodies, q, v, a, floats, np.zeros((n + 1, 20)))
    rows = (np.repeat(x[:, None], LANES, axis=1) for x in (q, v, a))
    rnea.rnea(bodies, *rows, lanes, workspace(n + 1, 20))
    M, force, gravity = values_of(dyn.closed_forms(robot), q, v)
    eight = [np.repeat(x[None], 8, axis=0) for x in (q, v, a)]
    for tau in (
        lanes[:, 3],
        M @ a + force - gravity,
        dyn.batch.inverse_dynamics(robot, *(x[:1] for x in eight))[0],
        dyn.batch.inverse_dynamics(robot, *eight)[5],
    ):
        assert np.abs(tau - floats).max() < 1e-12


# --- machine code --------------------------------------------------------------------------------


def both_sines(x, s, c):
    X, S, C = as_lanes(x), as_lanes(s), as_lanes(c)
    for k in range(len(X)):
        S[k], C[k] = sincos(X[k])


@pytest.mark.parametrize("lanes", [1, LANES])
def test_compiled_sine_and_cosine(lanes):
    """To 1.5 ulp of 1 over all angles that kernels accept."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    quarters = np.arange(-4000, 4000) * np.pi / 8
    x = np.concatenate([quarters, rng.uniform(-1e5, 1e5, 16000), rng.uniform(-4, 4, 8000)])
    x = x.reshape(-1, lanes)
    s, c = np.empty_like(x), np.empty_like(x)
    toolchain.Kernel(both_sines, lanes).compiled(x, s, c)(x, s, c)
    assert np.abs(s - np.sin(x)).max() < 3.4e-16
    assert np.abs(c - np.cos(x)).max() < 3.4e-16
