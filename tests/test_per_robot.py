"""Facts of a robot are worked out once, and forgotten with it."""

from __future__ import annotations

import gc
import pickle
import weakref

import footwork as fw
from footwork.dynamics.per_robot import per_robot


def test_once_a_robot_and_no_longer():
    asked = []

    @per_robot
    def fact(robot):
        asked.append(robot.name)
        return robot.nv

    robot, other = fw.robots.limb(), fw.load("double_pendulum")
    assert [fact(robot), fact(robot), fact(other)] == [robot.nv, robot.nv, other.nv]
    assert asked == ["limb", "double_pendulum"]
    copied = pickle.loads(pickle.dumps(robot))  # facts do not travel
    assert fact(copied) == robot.nv
    assert asked == ["limb", "double_pendulum", "limb"]
    gone = weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is None
