"""A robot that lies, tips over or is inside of the ground is not on its feet."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from footwork import load
from footwork.contacts import Box, ContactSet, Plane, PointContact, Terrain, at_feet
from footwork.control import simulate
from footwork.control.judging import World, trial
from footwork.control.simulation.falls import Fall
from footwork.errors import ConfigurationError

FLOOR = Terrain([Plane("ground")])


def moved(q, z=0.0, pitch=0.0):
    """The base higher by z [m], and turned about the world's y [rad]."""
    turned = pin.Quaternion(pin.utils.rotate("y", pitch)) * pin.Quaternion(*q[[6, 3, 4, 5]])
    return np.r_[q[:2], q[2] + z, turned.coeffs(), q[7:]]


@pytest.fixture(scope="module")
def standing():
    robot = load("biped")
    q = robot.posture()
    return Fall(robot, at_feet(robot, 0.7), FLOOR, q), q


@pytest.mark.parametrize(
    ("z", "pitch", "words"),
    [
        (0.0, 0.0, ""),
        (0.02, 0.2, ""),
        (-0.5, 0.0, "above the ground"),
        (-5.0, 0.0, "under the ground"),
        (0.3, 1.2, "tilts by 69 degrees"),
        (-0.2, 0.0, "its feet are 0.2 m inside"),
    ],
)
def test_height_tilt_and_depth(standing, z, pitch, words):
    fall, q = standing
    said = fall.reason(moved(q, z, pitch))
    assert words in said
    assert bool(said) == bool(words)


def test_links_that_touch():
    """The feet stand as they did, but the end of the trunk lies on a stone."""
    robot = load("quadruped")
    q = robot.posture()
    box = robot.collision.geometryObjects[0].geometry
    length, _, thick = 2 * np.asarray(box.halfSide)
    top = q[2] - 0.5 * thick + 0.05
    stone = Box("stone", (0.1, 0.05, top), (0.5 * length, 0.0, 0.0))
    fall = Fall(robot, at_feet(robot, 0.7), FLOOR, q)
    assert fall.reason(q) == ""
    fall.terrain = Terrain([Plane("ground"), stone])
    assert "lies on the ground" in fall.reason(q)
    assert fall.reason(q, look=False) == ""
    already = Fall(robot, at_feet(robot, 0.7), fall.terrain, q)  # it began so
    assert already.reason(q) == ""


def test_a_robot_that_starts_under_the_floor_is_not_on_its_feet():
    robot = load("quadruped")
    q = moved(robot.posture(), z=-5.0)
    motion = simulate(robot, lambda t, q, v: np.zeros(robot.na), duration=0.05, q=q)
    assert motion.fell
    assert "under the ground" in motion.ended


def test_a_robot_that_is_dropped_has_not_fallen_when_it_lands():
    """The height that counts is that above its feet, not that of where it started."""
    robot = load("quadruped")
    q = moved(robot.posture(), z=2.0)
    fall = Fall(robot, at_feet(robot, 0.7), FLOOR, q)
    assert fall.reason(robot.posture()) == ""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_joints_that_move_nothing_are_named():
    """Their accelerations would be endless; without them it is simulated."""
    text = (
        '<mujoco model="m"><worldbody><body name="trunk" pos="0 0 0.1"><freejoint/>'
        '<geom type="box" size="0.2 0.2 0.1" mass="5"/><body name="arm"><joint name="shoulder"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/><body name="dial">'
        '<joint name="twist" axis="1 0 0"/><inertial pos="0 0 0" mass="0.1" '
        'diaginertia="1e-20 1e-20 1e-20"/></body></body></body></worldbody></mujoco>'
    )
    for lock, count in (((), 2), (("twist",), 1)):
        robot = load(text, lock=lock)
        q = robot.neutral()
        q[2] = 0.1
        feet = ContactSet(robot, [PointContact("trunk", 0.7)])
        law = lambda t, q, v, n=count: np.zeros(n)  # noqa: E731
        make = lambda *_, law=law: law  # noqa: E731
        if lock:
            assert simulate(robot, law, q=q, contacts=feet, duration=0.01).duration > 0
            continue
        with pytest.raises(ConfigurationError, match="nothing that twist would move has inertia"):
            simulate(robot, law, q=q, contacts=feet, duration=0.01)
        with pytest.raises(ConfigurationError, match="nothing that twist would move has inertia"):
            trial(robot, make, q=q, contacts=feet)
        assert trial(robot, make, World(armature=0.01), q=q, contacts=feet, duration=0.01)


def test_a_robot_that_has_not_yet_fallen_is_told_that_it_will(run):
    weak = ("left_knee", "left_ankle_pitch", "right_knee", "right_ankle_pitch")
    code, out, _ = run("simulate", "biped", "--passive", *weak, "--duration", "0.02")
    first = out.splitlines()[0]
    assert code == 0
    assert first.startswith("biped is on its feet after 0.02 s, though it cannot hold where it")
    assert "joints without a motor would have to hold: " in first
    strong = run("simulate", "biped", "--duration", "0.02")[1]
    assert strong.splitlines()[0] == "biped is on its feet after 0.02 s"
