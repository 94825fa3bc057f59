"""M, C and τ_g of robots in closed form: the textbook's, and the numeric method's to 1e-12."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pinocchio as pin
import pytest
import sympy as sp

import footwork as fw
from footwork import dynamics as dyn
from footwork.biomechanics import symbolic as sy
from footwork.biomechanics.symbolic.closed_form import is_zero
from footwork.biomechanics.symbolic.parameters import exact, rounded

CRANE = """
<robot name="crane">
  <link name="base"/>
  <joint name="slew" type="continuous"><parent link="base"/><child link="tower"/>
    <origin xyz="0 0 1.5" rpy="0.3 0 0.7853981633974483"/><axis xyz="0 0 1"/></joint>
  <link name="tower"><inertial><origin xyz="0.1 0 0.4"/><mass value="3.2"/>
    <inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial></link>
  <joint name="boom" type="prismatic"><parent link="tower"/><child link="arm"/>
    <origin xyz="0 0.2 0.8" rpy="0 0 1.5707963267949"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
  <link name="arm"><inertial><origin xyz="0 0.3 0"/><mass value="1.1"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hook" type="revolute"><parent link="arm"/><child link="load"/>
    <origin xyz="0.1 0 0.7"/><axis xyz="0 0.6 0.8"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
  <link name="load"><inertial><origin xyz="0 0 -0.4"/><mass value="0.9"/>
    <inertia ixx="0.05" iyy="0.04" izz="0.03" ixy="0" ixz="0" iyz="0.01"/></inertial></link>
  <joint name="vane" type="revolute"><parent link="tower"/><child link="flag"/>
    <origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
  <link name="flag"><inertial><origin xyz="0 0.2 0.1"/><mass value="0.4"/>
    <inertia ixx="0.02" iyy="0.01" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>
"""

# axes whose decimals are not quite of length one
ASLANT = CRANE.replace(
    "0.6 0 0.8", "0.226455406828919 -0.566138517072298 0.792593923901217"
).replace("0 0.6 0.8", "-0.200985382557243 0.499221756674443 0.842841926852955")


def random_tree():
    """Hinges and a slider about any axes, two branches, rotors, gravity aslant."""
    rng = np.random.default_rng(3)
    model = pin.Model()
    model.name = "tree"
    model.gravity = pin.Motion(np.array([1.0, -3.0, -9.0, 0, 0, 0]))
    axes = [np.array([0.6, 0, 0.8]), np.array([0, 0.6, 0.8])]
    kinds = [
        (0, pin.JointModelRUBZ()),
        (1, pin.JointModelPrismaticUnaligned(axes[0])),
        (2, pin.JointModelRX()),
        (1, pin.JointModelRevoluteUnaligned(axes[1])),
    ]
    for i, (parent, kind) in enumerate(kinds):
        place = pin.SE3(pin.exp3(rng.standard_normal(3)), 0.4 * rng.standard_normal(3))
        joint = model.addJoint(parent, kind, place, f"joint_{i}")
        A = rng.standard_normal((3, 3))
        inertia = pin.Inertia(1 + rng.random(), 0.3 * rng.standard_normal(3), A @ A.T + np.eye(3))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    model.armature = np.array([0.1, 0.0, 0.2, 0.0])
    return fw.Robot(model.name, model, actuated=tuple(model.names)[1:])


ROBOTS = {
    "double_pendulum": lambda: fw.load("double_pendulum"),
    "limb": lambda: fw.load("limb"),
    "crane": lambda: fw.load(CRANE, base="fixed"),
    "aslant": lambda: fw.load(ASLANT, base="fixed"),
    "tree": random_tree,
}


@pytest.fixture(scope="module", params=ROBOTS, ids=str)
def equations(request):
    return sy.from_robot(ROBOTS[request.param]())


@pytest.mark.parametrize("seed", range(3))
def test_agree_with_the_numeric_road(equations, random_state, seed):
    robot = equations.robot
    q, v, a = random_state(robot, seed)
    tau_g = equations.gravity_torques(q)
    M, C = equations.mass_matrix(q), equations.coriolis_matrix(q, v)
    assert np.abs(M - dyn.mass_matrix(robot, q)).max() < 1e-12
    assert np.abs(C - dyn.coriolis_matrix(robot, q, v)).max() < 1e-12
    assert tau_g.shape == (robot.nv,)
    assert np.abs(tau_g - dyn.gravity_torques(robot, q)).max() < 1e-12
    tau = dyn.inverse_dynamics(robot, q, v, a)
    assert np.abs(M @ a + C @ v - tau_g - tau).max() < 1e-11


def test_mass_matrix_derivative_less_twice_c_is_skew_in_symbols(equations):
    dM = sum(
        (equations.M.diff(x) * v for x, v in zip(equations.q, equations.v, strict=True)),
        sp.zeros(len(equations.q)),
    )
    N = (dM - 2 * equations.C + (dM - 2 * equations.C).T).expand()
    coefficients = [c for entry in N for c in entry.as_coefficients_dict().values()]
    assert max(map(abs, coefficients), default=0) < 1e-13


def test_double_pendulum_is_the_textbooks():
    l1, l2, m1, m2, g = 1, sp.Rational(1, 2), 1, 1, sp.Rational(981, 100)
    equations = sy.from_robot(fw.load("double_pendulum"))
    (q1, q2), (v1, v2) = equations.q, equations.v
    M22 = m2 * l2**2 / 3
    M12 = M22 + m2 * l1 * l2 / 2 * sp.cos(q2)
    M11 = m1 * sp.Rational(l1, 3) + m2 * l1**2 + M22 + m2 * l1 * l2 * sp.cos(q2)
    assert is_zero(equations.M - sp.Matrix([[M11, M12], [M12, M22]]))
    h = m2 * l1 * l2 / 2 * sp.sin(q2)
    assert is_zero(equations.C - h * sp.Matrix([[-v2, -v1 - v2], [v1, 0]]))
    V = -(sp.Rational(m1, 2) + m2) * g * l1 * sp.cos(q1) - m2 * g * l2 / 2 * sp.cos(q1 + q2)
    assert is_zero(equations.tau_g + sp.Matrix([V.diff(q1), V.diff(q2)]))
    assert is_zero(equations.bias - equations.C * sp.Matrix([v1, v2]) + equations.tau_g)


def test_double_pendulum_with_symbols():
    """Masses, lengths and gravity as letters: the textbook's, for any bars."""
    equations = sy.from_robot(fw.robots.double_pendulum(0.9, 0.7, 1.3, 0.4), symbols=True)
    m1, m2, I1, I2, c1, c2, p, g = sp.symbols("m_1 m_2 I_1yy I_2yy c_1z c_2z p_2z g", real=True)
    q1, q2 = equations.q
    M22 = m2 * c2**2 + I2
    M12 = M22 + m2 * p * c2 * sp.cos(q2)
    M11 = m1 * c1**2 + I1 + m2 * p**2 + M12 + m2 * p * c2 * sp.cos(q2)
    assert is_zero(equations.M - sp.Matrix([[M11, M12], [M12, M22]]))
    V = m1 * g * c1 * sp.cos(q1) + m2 * g * (p * sp.cos(q1) + c2 * sp.cos(q1 + q2))
    assert is_zero(equations.tau_g + sp.Matrix([V.diff(q1), V.diff(q2)]))
    assert equations.values[m2] == 0.4
    assert equations.values[p] == -0.9


def test_symbols_stand_for_the_robots_numbers(random_state):
    robot = ROBOTS["crane"]()
    equations = sy.from_robot(robot, symbols=True)
    for seed in range(2):
        q, v, _ = random_state(robot, seed)
        M, C = equations.mass_matrix(q), equations.coriolis_matrix(q, v)
        assert np.abs(M - dyn.mass_matrix(robot, q)).max() < 1e-12
        assert np.abs(C - dyn.coriolis_matrix(robot, q, v)).max() < 1e-12
        tau_g = dyn.gravity_torques(robot, q)
        assert np.abs(equations.gravity_torques(q) - tau_g).max() < 1e-12


def test_latex_and_functions(equations):
    assert r"\cos" in equations.latex("M")
    assert "q_{2}" in equations.latex("M")
    assert equations.latex("tau_g").startswith(r"\left[\begin{matrix}")
    n = len(equations.q)
    rng = np.random.default_rng(0)
    q, v = rng.random((2, n))
    bias = equations.lambdify("bias")(*q, *v)
    C, tau_g = equations.lambdify("C")(*q, *v), equations.lambdify("tau_g")(*q)
    assert bias.shape == (n,)
    assert bias == pytest.approx(C @ v - tau_g, abs=1e-12)
    with pytest.raises(fw.ConfigurationError, match="no term 'N'"):
        equations.latex("N")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.3, sp.Rational(3, 10)),
        (0.0833333333333, sp.Rational(1, 12)),
        (6e-17, sp.S.Zero),
        (-0.7071067811865476, -sp.sqrt(2) / 2),
        (0.8660254037844386, sp.sqrt(3) / 2),
        (0.00012345, sp.Rational(12345, 10**8)),
        (9.81, sp.Rational(981, 100)),
        (-2.0, sp.Integer(-2)),
    ],
)
def test_exact_numbers(value, number):
    assert exact(value) == number


def test_long_fractions_become_decimals():
    x = sp.Symbol("x")
    tidy = rounded(
        sp.Rational(1, 3) * x + sp.Rational(1, 7 * 10**8) + sp.Rational(1, 10**17) * x**2
    )
    assert tidy.coeff(x) == sp.Rational(1, 3)
    assert tidy.coeff(x, 2) == 0
    assert float(tidy.subs(x, 0)) == 1 / (7 * 10**8)


def test_refusals(load_robot):
    with pytest.raises(fw.ConfigurationError, match="expected a Robot"):
        sy.from_robot("double_pendulum")
    with pytest.raises(fw.ModelError, match='base="fixed"'):
        sy.from_robot(load_robot("biped", "floating"))
    with pytest.raises(fw.ModelError, match="most_joints"):
        sy.from_robot(load_robot("biped", "fixed"))
    with pytest.raises(fw.ModelError, match=r"expected revolute"):
        sy.from_robot(load_robot("tree", "fixed"), most_joints=100)


def test_without_sympy_the_error_says_what_to_install():
    code = (
        "import sys, importlib.util as u; find = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'sympy' else find(name, *rest);"
        "from footwork.dynamics import bodies\n"
        "assert 'sympy' not in sys.modules\n"
        "try: bodies.symbolic\n"
        "except Exception as e: print(type(e).__name__, e)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("FootworkError")
    assert "pip install 'footwork[symbolic]'" in done.stdout
