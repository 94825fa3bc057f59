"""A robot is immutable; others are made from it: another inertia, a payload, another gravity."""

import copy
import pickle

import numpy as np
import pinocchio as pin
import pytest

from footwork import ConfigurationError, dynamics, load, robots
from footwork.robots.files import hardened_xml

INERTIA = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, -0.003], [0.002, -0.003, 0.05]])
PAYLOAD = """<link name="load"><inertial><origin xyz="0.1 -0.2 0.3"/><mass value="2"/>
<inertia ixx="0.03" ixy="0.001" ixz="0.002" iyy="0.04" iyz="-0.003" izz="0.05"/></inertial></link>
<joint name="weld" type="fixed"><parent link="{}"/><child link="load"/></joint></robot>"""


def biped_text():
    return (robots.catalogue.MODELS / "biped.urdf").read_text()


def state_of(robot):
    rng = np.random.default_rng(3)
    return robot.random_configuration(rng), rng.standard_normal(robot.nv)


def test_a_change_of_the_model_does_not_reach_the_robot():
    """The batch and the single term once answered by two models."""
    robot = load("biped")
    q, v = state_of(robot)
    before, weight = dynamics.bias(robot, q, v), dynamics.gravity_torques(robot, q)[:3]
    robot.model.inertias[1] += pin.Inertia(5.0, np.zeros(3), np.eye(3))
    model = robot.model
    model.gravity.linear = np.zeros(3)
    model.inertias[1] += pin.Inertia(5.0, np.zeros(3), np.eye(3))
    model.name = "other"
    for same in (robot, pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        np.testing.assert_array_equal(dynamics.bias(same, q, v), before)
        np.testing.assert_allclose(dynamics.batch.bias(same, [q], [v])[0], before, atol=1e-9)
        assert np.linalg.norm(weight) == pytest.approx(9.81 * same.mass)
        assert same.model.name == "biped"


def test_a_change_of_the_model_that_a_robot_was_made_of_does_not_reach_it():
    model = load("biped").model
    robot = robots.Robot("mine", model, ())
    model.inertias[1] += pin.Inertia(5.0, np.zeros(3), np.eye(3))
    assert robot.model.inertias[1].mass + 5 == model.inertias[1].mass


@pytest.mark.parametrize("link", ["torso", "left_foot", "right_shin"])
def test_a_payload_is_a_link_welded_on(link):
    there = load(biped_text().replace("</robot>", PAYLOAD.format(link)))
    here = load("biped").with_payload(link, 2.0, [0.1, -0.2, 0.3], INERTIA)
    q, v = state_of(here)
    for term in (dynamics.bias, dynamics.inverse_dynamics):
        values = (v,) if term is dynamics.bias else (v, v)
        np.testing.assert_allclose(term(here, q, *values), term(there, q, *values), atol=1e-9)
    assert here.mass == pytest.approx(load("biped").mass + 2)
    assert here.feet.keys() == load("biped").feet.keys()


def test_an_inertia_is_that_of_the_file():
    robot = load("double_pendulum")
    link = "bar_2"
    changed = robot.with_inertia(link, mass=2.0, com=[0.1, -0.2, 0.3], inertia=INERTIA)
    tree = hardened_xml.parse(robots.builders.double_pendulum_urdf())
    inertial = next(n for n in tree.all("link") if n.get("name") == link).find("inertial")
    inertial.children = (
        hardened_xml.parse(PAYLOAD[: PAYLOAD.index("</link>") + 7]).find("inertial").children
    )
    there = load(hardened_xml.serialize(tree), base="fixed")
    q, v = state_of(robot)
    np.testing.assert_allclose(
        dynamics.inverse_dynamics(changed, q, v, v),
        dynamics.inverse_dynamics(there, q, v, v),
        atol=1e-10,
    )
    same = changed.with_inertia(link)  # nothing is asked for
    assert same.model.inertias[2].isApprox(changed.model.inertias[2], 1e-12)
    heavier = robot.with_inertia(link, mass=7.0)
    # more than any legged robot's is not impossible
    assert robot.with_inertia(link, mass=7000.0).mass > 7000.0
    assert heavier.mass == pytest.approx(robot.mass - robot.model.inertias[2].mass + 7)


@pytest.mark.parametrize("when", ["loaded", "later"])
def test_gravity_of_the_moon(when):
    robot, g = load("biped"), [0, 0.5, -1.62]
    q, _ = state_of(robot)
    moon = robot.with_gravity(g) if when == "later" else robots.load("biped", gravity=g)
    np.testing.assert_allclose(
        dynamics.gravity_torques(moon, q),
        robot.mass * dynamics.com_jacobian(robot, q).T @ [0, 0.5, -1.62],
        atol=1e-9,
    )
    np.testing.assert_allclose(
        dynamics.gravity_torques(robot, q),
        robot.mass * dynamics.com_jacobian(robot, q).T @ [0, 0, -9.81],
        atol=1e-9,
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.with_payload("torzo", 1.0), "torso"),
        (lambda r: r.with_payload("torso", -1.0), "mass: got -1.0"),
        (lambda r: r.with_payload("torso", 1.0, inertia=np.diag([1.0, 0.1, 0.1])), "largest"),
        (lambda r: r.with_inertia("torso", inertia=[[1, 2, 3]] * 3), "symmetric"),
        (lambda r: r.with_inertia("torso", inertia=-np.eye(3)), "definite"),
        (lambda r: r.with_inertia("torso", mass=0.0), "without mass"),
    ],
)
def test_what_no_body_has_is_refused(change, message):
    with pytest.raises(ConfigurationError, match=message):
        change(load("biped"))
