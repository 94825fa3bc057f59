"""Legs without an ankle roll walk on the middle lines of their soles."""

import json
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pinocchio as pin
import pytest

from footwork import FootworkWarning, control, load
from footwork.contacts import ContactSet, LineContact, SurfaceContact, at_feet
from footwork.control.gaits.rolling import rolling
from footwork.dynamics import State

ROLLS = ("left_ankle_roll", "right_ankle_roll")


def test_soles_that_a_leg_can_turn_stay_as_they_are():
    for robot in (load("biped"), load("biped", lock=["*_hip_yaw"])):
        feet = at_feet(robot)
        assert rolling(feet, robot.posture()) is feet
        assert rolling(feet, robot.neutral()) is feet  # straight knees


@pytest.mark.parametrize("turned", [False, True])
def test_soles_that_a_leg_cannot_roll_are_lines_along_it(turned):
    robot = load("biped", lock=ROLLS)
    soles = list(at_feet(robot))
    if turned:  # by 90° in their frames: the line is along y
        quarter = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 0.5 * np.pi), np.zeros(3))
        soles = [
            replace(s, placement=s.placement * quarter, vertices=s.vertices[:, ::-1] * [1, -1])
            for s in soles
        ]
    q = robot.posture()
    feet = ContactSet(robot, soles)
    lines = rolling(feet, q)
    for sole, line in zip(soles, lines, strict=True):
        assert isinstance(line, LineContact)
        assert (line.name, line.friction) == (sole.name, sole.friction)
        assert line.half_length == pytest.approx(0.1)
        assert abs(line.pose(State(robot, q)).rotation[0, 0]) == pytest.approx(1.0)


def test_soles_that_no_step_can_lay_flat_are_told():
    """A trot with a sole on a leg of three hinges fell without a word."""
    robot = load("quadruped")
    q, (first, *others) = robot.posture(), at_feet(robot)
    flat = State(robot, q).frame_placement(first.frame).rotation.T
    sole = SurfaceContact(
        first.frame, half_length=0.03, half_width=0.02, friction=0.7, name=first.name,
        placement=pin.SE3(flat, np.zeros(3)),
    )  # fmt: skip
    feet = ContactSet(robot, [sole, *others])
    with pytest.warns(FootworkWarning, match="'lf_foot' is a sole that its leg cannot turn"):
        assert rolling(feet, q) is feet


def test_soles_that_slide_stay_flat():
    slides = "".join(
        f'<joint name="{axis}" type="slide" axis="{where}" range="-1 1"/>'
        for axis, where in (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1"))
    )
    robot = load(
        '<mujoco><worldbody><body name="body"><freejoint/><geom size=".1 .1 .1" type="box"/>'
        f'<body name="foot">{slides}<geom size=".1 .1 .1" type="box"/></body></body></worldbody>'
        "</mujoco>"
    )
    sole = SurfaceContact("foot", half_length=0.1, half_width=0.1, friction=0.7)
    feet = ContactSet(robot, [sole])
    assert rolling(feet, robot.neutral()) is feet


def test_a_biped_without_ankle_rolls_stands_with_noise(run):
    """With both soles flat no acceleration fitted the noise, and Cassie fell in 0.4 s."""
    robot = load("biped", lock=ROLLS)
    if find_spec("mujoco"):
        trial = control.judging.trial(robot, control.judging.walker, duration=0.4)
        assert trial.statuses == {"optimal": 200}
    arguments = "--lock", ",".join(ROLLS), "--estimator", "--duration", "0.4", "--json"
    code, out, _ = run("simulate", "biped", *arguments)
    assert (code, json.loads(out)["ticks"]) == (0, {"optimal": 201})


def test_a_biped_without_ankle_rolls_walks():
    robot = load("biped", lock=ROLLS)
    _, q = control.stand(robot, crouch=0.03)
    feet = at_feet(robot)
    walker = control.GaitController(robot, feet, q, "walk", velocity=(0.3, 0.0, 0.0))
    assert all(isinstance(foot, LineContact) for foot in walker.feet)
    motion = control.simulate(robot, walker, q=q, contacts=feet, duration=2.2, control_step=2e-3)
    assert not motion.ended
    assert motion.q[-1, 0] - q[0] > 0.3
