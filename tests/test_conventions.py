"""(q, v), M, bias, Jacobians and wrenches in other programs' coordinates, against the programs."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from as_in_mujoco import moves_alike

import footwork as fw
from footwork import ConfigurationError, dynamics
from footwork.dynamics import conventions as terms
from footwork.robots import conventions
from footwork.robots.catalogue import MODELS

CONVENTIONS = ("mujoco", "drake", "mixed")
DRAKE = Path(__file__).parent / "data" / "drake_biped.json"
PAIRS = {
    "mujoco": (conventions.to_mujoco, conventions.from_mujoco),
    "drake": (conventions.to_drake, conventions.from_drake),
    "mixed": (conventions.to_mixed, conventions.from_mixed),
}


def state(robot, seed=0):
    rng = np.random.default_rng(seed)
    return robot.random_configuration(rng), *rng.standard_normal((2, robot.nv))


def robots_with_every_joint():
    """A floating robot with a joint without limits, a ball joint and a planar joint."""
    model = pin.Model()
    one = pin.Inertia(1.0, np.array([0.1, 0.2, 0.0]), np.diag([0.2, 0.3, 0.4]))
    parent = 0
    for kind in (
        pin.JointModelFreeFlyer(), pin.JointModelRUBZ(), pin.JointModelSpherical(),
        pin.JointModelPlanar(), pin.JointModelPX(), pin.JointModelRUBY(),
    ):  # fmt: skip
        name = "root_joint" if parent == 0 else f"j{parent}"
        parent = model.addJoint(parent, kind, pin.SE3(np.eye(3), np.array([0, 0, 0.3])), name)
        model.appendBodyToJoint(parent, one, pin.SE3.Identity())
    yield fw.Robot("every joint", model, tuple(model.names)[2:])
    yield fw.load("biped")
    yield fw.load("biped", base="fixed")


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_round_trips(convention):
    to, back = PAIRS[convention]
    for robot in robots_with_every_joint():
        if convention == "drake" and robot.name == "every joint":
            continue  # no ball joint there
        for seed in range(5):
            q, v, a = state(robot, seed)
            joints = list(robot.joint_names)[::-1]
            for order in (None, joints):
                q2, v2 = back(robot, *to(robot, q, v, joints=order), joints=order)
                np.testing.assert_allclose(q2, q, atol=1e-12)
                np.testing.assert_allclose(v2, v, atol=1e-12)
            M, b = dynamics.mass_matrix(robot, q), dynamics.bias(robot, q, v)
            for to_, from_, value, *at in (
                (terms.mass_matrix_to, terms.mass_matrix_from, M, q),
                (terms.forces_to, terms.forces_from, a, q),
                (terms.jacobian_to, terms.jacobian_from, np.vstack([M, M])[:6], q),
                (terms.acceleration_to, terms.acceleration_from, a, q, v),
                (terms.bias_to, terms.bias_from, b, q, v),
            ):
                there = to_(robot, *at, value, convention, joints=joints)
                again = from_(robot, *at, there, convention, joints=joints)
                np.testing.assert_allclose(again, value, atol=1e-12 * (1 + abs(value).max()))
    w = np.arange(6.0)
    np.testing.assert_array_equal(terms.wrench_from(terms.wrench_to(w, convention), convention), w)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_velocities_are_rates_of_configurations(convention):
    """dT/dt by finite differences along the motion, and a' is the rate of v'."""
    for robot in robots_with_every_joint():
        if convention == "drake" and robot.name == "every joint":
            continue
        q, v, a = state(robot, 3)
        h = 1e-6

        def there(t, robot=robot, q=q, v=v, a=a):
            q_t = robot.integrate(q, v * t + a * t * t / 2)
            return conventions.velocity_map(robot, q_t, convention), q_t, v + a * t

        (T1, q1, v1), (T0, q0, v0) = there(h), there(-h)
        rate = conventions.velocity_map_rate(robot, q, v, convention)
        np.testing.assert_allclose((T1 - T0) / (2 * h), rate, atol=1e-8)
        u1, u0 = (PAIRS[convention][0](robot, *x)[1] for x in ((q1, v1), (q0, v0)))
        expected = terms.acceleration_to(robot, q, v, a, convention)
        np.testing.assert_allclose((u1 - u0) / (2 * h), expected, atol=1e-7)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_energy_power_and_equations_of_motion_are_the_same(convention, biped):
    q, v, a = state(biped, 1)
    _, u = PAIRS[convention][0](biped, q, v)
    M, b = dynamics.mass_matrix(biped, q), dynamics.bias(biped, q, v)
    M2 = terms.mass_matrix_to(biped, q, M, convention)
    b2 = terms.bias_to(biped, q, v, b, convention)
    a2 = terms.acceleration_to(biped, q, v, a, convention)
    tau2 = terms.forces_to(biped, q, M @ a + b, convention)
    np.testing.assert_allclose(u @ M2 @ u, v @ M @ v)
    np.testing.assert_allclose(u @ tau2, v @ (M @ a + b))
    np.testing.assert_allclose(M2 @ a2 + b2, tau2, atol=1e-9)
    J = dynamics.frame_jacobian(biped, q, "left_sole")
    J2 = terms.jacobian_to(biped, q, J, convention)
    twist = terms.wrench_to(J @ v, convention)  # it has the order of a wrench
    np.testing.assert_allclose(twist, J2 @ u, atol=1e-12)


def test_what_each_convention_means():
    """Facing +y, moving forward and turning about its own vertical, tilted."""
    robot = fw.load("block")
    R = pin.utils.rotate("z", np.pi / 2) @ pin.utils.rotate("x", 0.4)
    q = np.r_[1, 2, 3, pin.Quaternion(R).coeffs()]
    v = np.r_[1, 0, 0, 0, 0, 1.0]
    x, y, z, w = q[3:]
    qpos, qvel = conventions.to_mujoco(robot, q, v)
    np.testing.assert_allclose(qpos, [1, 2, 3, w, x, y, z])
    np.testing.assert_allclose(qvel, [0, 1, 0, 0, 0, 1], atol=1e-12)
    q_drake, v_drake = conventions.to_drake(robot, q, v)
    np.testing.assert_allclose(q_drake, [w, x, y, z, 1, 2, 3])
    np.testing.assert_allclose(v_drake, np.r_[R[:, 2], 0, 1, 0], atol=1e-12)
    q_mixed, v_mixed = conventions.to_mixed(robot, q, v)
    np.testing.assert_allclose(q_mixed, q)
    np.testing.assert_allclose(v_mixed, np.r_[0, 1, 0, R[:, 2]], atol=1e-12)
    np.testing.assert_array_equal(terms.wrench_to(np.arange(6), "drake"), [3, 4, 5, 0, 1, 2])


@pytest.mark.parametrize("base", ["floating", "fixed"])
@pytest.mark.parametrize(("name", "foot"), [("biped", "left_foot"), ("quadruped", "LF_foot")])
def test_mujoco_agrees(load_robot, name, foot, base):
    """From the same URDF, its joints in another order."""
    mujoco = pytest.importorskip("mujoco")
    robot = load_robot(name, base)
    spec = mujoco.MjSpec.from_string((MODELS / f"{name}.urdf").read_text())
    if robot.is_floating:
        spec.worldbody.first_body().add_freejoint()
    spec.compiler.fusestatic = False
    model = spec.compile()
    joints = [model.joint(i).name for i in range(robot.is_floating, model.njnt)]
    assert sorted(joints) == sorted(robot.joint_names)
    J = np.zeros((6, model.nv))
    for seed in range(3):
        q, data = moves_alike(model, robot, 1e-9, seed, joints)
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, foot)
        mujoco.mj_jac(model, data, J[:3], J[3:], data.xpos[body], body)
        mine = dynamics.frame_jacobian(robot, q, foot)
        mine = terms.jacobian_to(robot, q, mine, "mujoco", joints=joints)
        np.testing.assert_allclose(mine, J, atol=1e-9)


def test_drake_agrees(biped):
    """The figures are Drake's own, for the biped: see the file."""
    drake = json.loads(DRAKE.read_text())
    there = {"convention": "drake", "joints": drake["joints"]}
    for case in drake["cases"]:
        q, v = conventions.from_drake(biped, case["q"], case["v"], joints=drake["joints"])
        M, b = dynamics.mass_matrix(biped, q), dynamics.bias(biped, q, v)
        J = dynamics.frame_jacobian(biped, q, "left_sole")
        for found, name, within in (
            (terms.mass_matrix_to(biped, q, M, **there), "M", 1e-9),
            (terms.bias_to(biped, q, v, b, **there), "bias", 1e-8),
            (terms.jacobian_to(biped, q, J, **there), "J_left_sole", 1e-9),
        ):
            np.testing.assert_allclose(found, case[name], atol=within)


def test_what_does_not_fit_is_refused(biped):
    q, v, _ = state(biped)
    fewer, odd = biped.joint_names[1:], next(robots_with_every_joint())
    nowhere = np.full((3, biped.nv), np.nan)
    for call, words in (
        (lambda: conventions.to_convention(biped, q, v, "mujocco"), "'mujoco'"),
        (lambda: conventions.to_mujoco(biped, q, v, joints=["left_kne", *fewer]), "'left_knee'"),
        (lambda: conventions.to_mujoco(biped, q, v, joints=fewer), "missing"),
        (lambda: conventions.from_mujoco(biped, np.zeros(biped.nq), v), "norm"),
        (lambda: terms.mass_matrix_to(biped, q, np.eye(3), "mujoco"), "shape"),
        (lambda: terms.jacobian_to(biped, q, nowhere, "mujoco"), "finite"),
        (lambda: conventions.to_drake(odd, *state(odd)[:2]), "counterpart"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            call()
