"""Bad input is refused where it enters, with what was got and what was expected."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import footwork as fw
from footwork import ConfigurationError
from footwork import dynamics as dyn
from footwork.dynamics import Wrench
from footwork.dynamics.contact_derivatives import frame_acceleration_derivatives

OF_Q = {
    "mass_matrix": dyn.mass_matrix,
    "coriolis_tensor": dyn.coriolis_tensor,
    "gravity_torques": dyn.gravity_torques,
    "potential_energy": dyn.potential_energy,
    "com": dyn.com,
    "com_jacobian": dyn.com_jacobian,
    "centroidal_map": dyn.centroidal_map,
    "frame_placement": lambda robot, q: dyn.frame_placement(robot, q, "link_1"),
    "frame_jacobian": lambda robot, q: dyn.frame_jacobian(robot, q, "link_1"),
    "frame_hessian": lambda robot, q: dyn.frame_hessian(robot, q, "link_1"),
    "external_torques": lambda robot, q: dyn.external_torques(robot, q, {}),
    "mass_matrix_gradient": dyn.coriolis.mass_matrix_gradient,
    "point_jacobian": lambda robot, q: dyn.point_jacobian(robot, q, "link_1", [0, 0, 0]),
    "point_hessian": lambda robot, q: dyn.point_hessian(robot, q, "link_1", [0, 0, 0]),
    "com_hessian": dyn.com_hessian,
    "centroidal_hessian": dyn.centroidal_hessian,
    "angular_momentum_jacobian": dyn.jacobians.angular_momentum_jacobian,
    "relative_placement": lambda robot, q: dyn.relative_placement(robot, q, "link_1", "link_2"),
    "relative_jacobian": lambda robot, q: dyn.relative_jacobian(robot, q, "link_1", "link_2"),
    "gravity_torques_derivative": dyn.derivatives.gravity_torques_derivative,
    "sums.external_torques": lambda robot, q: dyn.jacobian_sums.external_torques(
        robot, q, {"link_1": Wrench((0, 0, 1))}
    ),
    "sums.mass_matrix": dyn.jacobian_sums.mass_matrix,
    "sums.coriolis_tensor": dyn.jacobian_sums.coriolis_tensor,
    "sums.gravity_torques": dyn.jacobian_sums.gravity_torques,
}
OF_V = {
    "coriolis_matrix": dyn.coriolis_matrix,
    "terms": dyn.terms,
    "com_coordinates": dyn.com_coordinates,
    "mass_matrix_derivative": dyn.mass_matrix_derivative,
    "matrix_form": dyn.matrix_form,
    "com_drift": dyn.com_drift,
    "centroidal_drift": dyn.centroidal_drift,
    "centroidal_map_derivative": dyn.centroidal_map_derivative,
    "frame_jacobian_derivative": lambda robot, q, v: dyn.frame_jacobian_derivative(
        robot, q, v, "link_1"
    ),
    "point_drift": lambda robot, q, v: dyn.point_drift(robot, q, v, "link_1", [0, 0, 0]),
    "relative_drift": lambda robot, q, v: dyn.relative_drift(robot, q, v, "link_1", "link_2"),
    "generalised_momentum": dyn.generalised_momentum,
    "momentum_drift": dyn.observer.momentum_drift,
    "torque_regressor": lambda robot, q, v: dyn.torque_regressor(robot, q, v, np.zeros(robot.nv)),
    "inverse_dynamics_derivatives": lambda robot, q, v: dyn.inverse_dynamics_derivatives(
        robot, q, v, np.zeros(robot.nv)
    ),
    "linearise": lambda robot, q, v: dyn.linearise(robot, q, v, np.zeros(robot.na)),
    "joint_wrenches": lambda robot, q, v: dyn.joint_wrenches(robot, q, v, np.zeros(robot.nv)),
    "frame_acceleration_derivatives": lambda robot, q, v: frame_acceleration_derivatives(
        robot, q, v, np.zeros(robot.nv), "link_1"
    ),
    "contact_derivatives": lambda robot, q, v: dyn.contact_derivatives(
        robot, q, v, np.zeros(robot.na), {"link_1": 3}
    ),
    "simulate": lambda robot, q, v: dyn.simulate(robot, q, v, duration=0.1, step=0.1),
    "bias": dyn.bias,
    "kinetic_energy": dyn.kinetic_energy,
    "centroidal_momentum": dyn.centroidal_momentum,
    "frame_drift": lambda robot, q, v: dyn.frame_drift(robot, q, v, "link_1"),
    "inverse_dynamics": lambda robot, q, v: dyn.inverse_dynamics(robot, q, v, np.zeros(robot.nv)),
    "forward_dynamics": lambda robot, q, v: dyn.forward_dynamics(robot, q, v, np.zeros(robot.na)),
}


@pytest.fixture
def robot(load_robot):
    return load_robot("tree", "floating")


@pytest.mark.parametrize("term", OF_Q.values(), ids=OF_Q)
def test_configurations(robot, term):
    q = robot.neutral()
    with pytest.raises(fw.ConfigurationError, match=r"got shape .* expected"):
        term(robot, q[:-1])
    with pytest.raises(fw.ConfigurationError, match="nan at index 8"):
        term(robot, np.where(np.arange(robot.nq) == 8, np.nan, q))
    twice = q.copy()
    twice[3:7] *= 2
    with pytest.raises(fw.ConfigurationError, match="quaternion"):
        term(robot, twice)


@pytest.mark.parametrize("term", OF_V.values(), ids=OF_V)
def test_configurations_with_velocities(robot, term):
    q, v = robot.neutral(), np.zeros(robot.nv)
    with pytest.raises(fw.ConfigurationError, match=r"q: got shape .* expected"):
        term(robot, q[:-1], v)
    twice = q.copy()
    twice[3:7] *= 2
    with pytest.raises(fw.ConfigurationError, match="quaternion"):
        term(robot, twice, v)


@pytest.mark.parametrize("term", OF_V.values(), ids=OF_V)
def test_velocities(robot, term):
    q, v = robot.neutral(), np.zeros(robot.nv)
    with pytest.raises(fw.ConfigurationError, match=r"v: got shape .* expected"):
        term(robot, q, v[:-1])
    with pytest.raises(fw.ConfigurationError, match="inf at index 2"):
        term(robot, q, np.where(np.arange(robot.nv) == 2, np.inf, v))


def test_accelerations_and_torques(robot):
    q, v = robot.neutral(), np.zeros(robot.nv)
    with pytest.raises(fw.ConfigurationError, match="a: got shape"):
        dyn.inverse_dynamics(robot, q, v, v[1:])
    with pytest.raises(fw.ConfigurationError, match="tau: got shape"):
        dyn.forward_dynamics(robot, q, v, v)  # (nv,) where (na,) is meant


def test_frames(robot):
    q = robot.neutral()
    with pytest.raises(fw.ConfigurationError, match="did you mean 'link_1'"):
        dyn.frame_jacobian(robot, q, "lnk_1")
    with pytest.raises(fw.ConfigurationError, match="no frame 'lnk_1'"):
        dyn.external_torques(robot, q, {"lnk_1": Wrench((0, 0, 1))})
    with pytest.raises(fw.ConfigurationError, match="no frame 'base'"):
        dyn.external_torques(robot, q, {"link_1": Wrench((0, 0, 1), axes="base")})
    with pytest.raises(fw.ConfigurationError, match="expected a Wrench"):
        dyn.inverse_dynamics(robot, q, np.zeros(robot.nv), np.zeros(robot.nv), {"link_1": [0] * 6})


def test_speeds_whose_forces_overflow_are_told(load_robot):
    robot = load_robot("double_pendulum", "fixed")
    with pytest.raises(fw.ConfigurationError, match=r"at most 1e\+50"):
        dyn.forward_dynamics(robot, [0.3, 0.4], [1e200, 1e200], [0.0, 0.0])


def test_a_joint_that_moves_no_mass_is_named(load_robot):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "idle")
    model.appendBodyToJoint(joint, pin.Inertia.Zero(), pin.SE3.Identity())
    robot = fw.Robot("massless", model, shapes=None, actuated=("idle",))
    with pytest.raises(fw.ModelError, match="singular"):
        dyn.forward_dynamics(robot, [0.0], [0.0], [1.0])
    with pytest.raises(fw.ModelError, match="no mass"):
        dyn.com(robot, [0.0])


def test_results_are_the_callers_own(robot):
    q, v = robot.neutral(), np.ones(robot.nv)
    for term in (dyn.mass_matrix, dyn.gravity_torques, dyn.com_jacobian, dyn.centroidal_map):
        first = term(robot, q)
        kept = first.copy()
        other = robot.integrate(q, v)
        term(robot, other)
        dyn.inverse_dynamics(robot, other, v, v)
        assert (first == kept).all()
        assert first.flags.writeable
    T = dyn.frame_placement(robot, q, "link_1")
    kept = T.homogeneous
    dyn.frame_placement(robot, other, "link_1")
    assert (T.homogeneous == kept).all()


def functions_of_a_robot():
    """The public functions whose first argument is the robot, with how many further ones."""
    for name in dyn.__all__:
        signature = inspect.isfunction(f := getattr(dyn, name)) and inspect.signature(f)
        if signature and next(iter(signature.parameters), "") == "robot":
            needed = [p for p in signature.parameters.values() if p.default is p.empty]
            if all(p.kind is p.POSITIONAL_OR_KEYWORD for p in needed):
                yield name, needed[1:]


@pytest.mark.parametrize(("name", "others"), list(functions_of_a_robot()))
@pytest.mark.parametrize("robot", ["biped", None, 3], ids=str)
def test_what_is_no_robot_is_told_so(name, others, robot):
    given = {"wrenches": {}, "contacts": {}, "point": np.zeros(3)}
    values = [given.get(p.name, np.zeros(3)) for p in others]
    with pytest.raises(ConfigurationError, match="expected a Robot"):
        getattr(dyn, name)(robot, *values)


def test_results_are_not_written_past_a_mask():
    robot = fw.load("block")
    Q, V = np.array([robot.neutral()]), np.zeros((1, robot.nv))
    with pytest.raises(ConfigurationError, match="out: got MaskedArray"):
        dyn.batch.bias(robot, Q, V, out=np.ma.zeros((1, robot.nv)))
