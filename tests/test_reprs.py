"""What a Python prompt shows of an answer fits a line or two."""

import numpy as np
import pinocchio as pin
import pytest

import footwork as fw
from footwork import contacts, control, dynamics


@pytest.fixture(scope="module")
def stance():
    robot = fw.load("biped")
    return robot, np.array([robot.posture()] * 3), fw.at_feet(robot)


def test_verdicts_and_regions(stance):
    robot, Q, feet = stance
    V = np.zeros((3, robot.nv))
    assert repr(contacts.batch.static_hold(robot, Q, feet)) == "Verdicts(3 states: 3 hold)"
    along = contacts.batch.contact_forces(robot, Q, V, V + [0, 0, -20] @ np.eye(3, robot.nv), feet)
    assert repr(along) == "MotionVerdicts(3 states: 3 do not)"
    assert repr(contacts.batch.causes(along)) == "Causes(3 states: 3 pull)"
    nothing = contacts.batch.contact_forces(robot, Q[:0], V[:0], V[:0], feet)
    assert repr(contacts.batch.causes(nothing)) == "Causes(0 states)"
    predict = repr(control.Predictive(robot, feet, Q[0]))
    assert predict.startswith("Predictive('biped', feet: left_foot, right_foot, ")
    region = contacts.static_equilibrium_polygon(robot, Q[0], feet)
    assert repr(region) == "Region('bounded', 4 vertices, area 0.056)"
    slopes = contacts.margin_gradient(fw.static_hold(robot, Q[0], feet))
    assert repr(slopes) == "MarginGradient(171.6, contacts left_foot, right_foot, kinks: none)"


def test_slopes_points_and_cones(stance):
    robot, Q, feet = stance
    V = np.zeros((3, robot.nv))
    along = contacts.batch.margin_gradients(robot, Q, V, V, feet)
    text = "MarginGradients(3 states, 2 contacts, margins 171.6 to 171.6, kinks: 3)"
    assert repr(along) == text
    nothing = contacts.batch.margin_gradients(robot, Q[:0], V[:0], V[:0], feet)
    assert repr(nothing) == "MarginGradients(0 states, 2 contacts, kinks: none)"
    cone = contacts.com_acceleration_cone(robot, Q[0], feet)
    text = "AccelerationCone(apex [0, 0, -9.81], PointForces(8 points of 2 contacts))"
    assert repr(cone) == text
    assert repr(cone.forces) == "PointForces(8 points of 2 contacts)"


def test_friction_maps(stance):
    robot, Q, feet = stance
    found = contacts.friction_map(robot, Q[0], feet, x=[0, 0.02, 5], y=[0, 0.01])
    text = repr(found)
    assert text.startswith("FrictionMap(3 × 2 places: 4 hold, with friction from ")
    assert "\n" not in text
    far = contacts.friction_map(robot, Q[0], feet, x=[5], y=[0])
    assert repr(far) == "FrictionMap(1 × 1 places: 0 hold)"


def test_sweeps():
    axes = {"friction": (0.1, 0.4), "loads[0].force[1]": (0.0, 90.0)}
    text = "Sweep('push', 2 × 2 points of friction, loads[0].force[1]: 2 hold, 2 do not)"
    assert repr(contacts.sweep("push", axes)) == text


def test_feet_and_scenarios():
    foot = fw.load("biped").feet["left_foot"]
    assert repr(foot) == "Foot('left_foot', frame='left_sole', 0.2 × 0.11 m)"
    scenario = "Scenario('A push that topples', robot='biped', 2 contacts, 1 load, terrain: ground)"
    assert repr(contacts.Scenario.load("push")) == scenario


def test_controllers(stance):
    robot, _, feet = stance
    standing, q = control.stand(robot, feet)
    on = "left_foot, right_foot"
    words = f"WholeBodyController('biped', on {on}, tasks: com, base, posture)"
    assert repr(standing) == words
    walker = control.GaitController(robot, feet, q, "walk")
    assert repr(walker) == f"GaitController('biped', feet: {on})"
    assert repr(control.PD(robot, q, 10.0)) == "PD('biped', 19 torques)"
    assert repr(control.PID(robot, q, 10.0)) == "PID('biped', 19 torques)"


def test_what_is_found_late_is_shown():
    robot = fw.load("quadruped", feet="LF_foot:0.02")
    assert "Foot('LF_foot', frame='LF_foot', radius=0.02)" in repr(robot.feet)
    assert "array(" in repr(robot.postures)


def test_contacts_show_what_was_given():
    hand = fw.PointContact("hand", 0.5, (0, -1, 0), max_normal=30)
    assert repr(hand) == "PointContact('hand', friction=0.5, max_normal=30, normal=[0, -1, 0])"
    skate = fw.PointContact("foot", (0, 0.6), tangent=(1, 0, 0))
    assert repr(skate) == "PointContact('foot', friction=(0, 0.6), tangent=[1, 0, 0])"
    below = pin.SE3(np.eye(3), np.array([0.0, 0.0, -0.1]))
    sole = fw.SurfaceContact("foot", half_length=0.1, half_width=1 / 3, friction=1, placement=below)
    text = "placement=SE3(R, [0, 0, -0.1]), half_length=0.1, half_width=0.333333"
    assert repr(sole) == f"SurfaceContact('foot', friction=1, {text})"


def test_wrenches():
    assert repr(fw.Wrench([1, 2, 1 / 3])) == "Wrench([1, 2, 0.333333], [0, 0, 0])"
    at = fw.Wrench([1, 0, 0], [0, 2, 0], [0, 0, 1], "foot")
    assert repr(at) == "Wrench([1, 0, 0], [0, 2, 0], point=[0, 0, 1], axes='foot')"


def test_closed_loops_and_stretches_of_audits(stance):
    robot, Q, _ = stance
    q, v = Q[0], np.zeros(robot.nv)
    motion = control.simulate(robot, lambda t, q, v: np.zeros(robot.na), q=q, v=v, duration=0.01)
    assert repr(motion) == "ClosedLoop('biped', 11 samples over 0.01 s, 0 events)"
    t = np.arange(0, 0.2, 0.02)
    rising = np.array([robot.integrate(q, 0.5 * s * np.eye(robot.nv)[2]) for s in t])
    audit = contacts.audit(dynamics.Motion.of(robot, t, rising))
    assert audit.stretches
    assert all(len(repr(stretch)) < 300 for stretch in audit.stretches)


def test_matrices_are_shown_by_their_shapes(stance):
    robot, Q, feet = stance
    q, v, tau = Q[0], np.zeros(robot.nv), np.zeros(robot.na)
    found = dynamics.linearise(robot, q, v, tau)
    assert repr(found) == "Linearisation(A (50, 50), B (50, 19))"
    found = dynamics.inverse_dynamics_derivatives(robot, q, v, v)
    assert repr(found) == "InverseDerivatives(dq (25, 25), dv (25, 25), da (25, 25))"
    text = repr(contacts.constrained_motion(robot, q, v, tau, feet))
    assert text.startswith("ConstrainedMotion(a (25,), ")
    assert len(text) < 300
    text = "Estimator('biped', feet: left_foot, right_foot)"
    assert repr(control.Estimator(robot, feet, q)) == text
