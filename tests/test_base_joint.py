"""The free flyer of a floating base has any name: MJCF and URDF files give it their own."""

from dataclasses import replace

import numpy as np
import pytest

import footwork as fw
from footwork import contacts, control, robots
from footwork.errors import ConfigurationError


def renamed(robot):
    """The robot, with another name of its free flyer."""
    model = robot.model
    for frame in model.frames:
        frame.name = "floating_base" if frame.name == robot.base_joint else frame.name
    model.names[1] = "floating_base"
    return replace(robot, model=model)


@pytest.fixture(scope="module")
def pair():
    robot = robots.load("quadruped")
    return robot, renamed(robot)


def test_a_fixed_base_has_none():
    robot = robots.double_pendulum()
    with pytest.raises(ConfigurationError, match="fixed base; expected a floating one"):
        _ = robot.base_joint
    assert robot.joint_names[0] == robot.model.names[1]  # which is no base


def test_verdicts_and_their_gradients(pair):
    found = []
    for robot in pair:
        q, feet = robot.posture(), fw.at_feet(robot)
        Q, V = np.array([q, q]), np.zeros((2, robot.nv))
        A = V + np.array([[0.5], [-12.0]]) * np.eye(robot.nv)[2]
        verdicts = contacts.batch.contact_forces(robot, Q, V, A, feet)
        causes = contacts.batch.causes(verdicts)
        push = np.array([5.0, 0, 0, 0, 0, 0])  # about the centre of mass
        slopes = contacts.batch.margin_gradients(robot, Q[:1], V[:1], V[:1], feet, wrenches=push)
        found.append((verdicts.margin, causes.code.tolist(), slopes.q))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-9)
    assert found[0][1] == found[1][1]
    np.testing.assert_allclose(found[0][2], found[1][2], atol=1e-9)


def test_closed_loops_audits_and_speeds(pair):
    found = []
    for robot in pair:
        controller, q = control.stand(robot)
        push = control.ForcePulse(control.trunk(robot), (20.0, 0.0, 0.0), 0.0)
        run = control.simulate(
            robot, controller, q=q, contacts=controller.contacts, duration=0.1, control_step=2e-3,
            disturbances=[push],
        )  # fmt: skip
        audit = contacts.audit(run)
        limits = control.speed_limits(robot, most=0.4, progress=False)
        found.append((run.margins(0.05)[1], audit.share, limits.explain()))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-6)
    assert found[0][1:] == found[1][1:]
