"""Robots and how they stand, found once in a process: (robot, feet, q (nq,), read-only)."""

from __future__ import annotations

from functools import cache
from typing import Any

import footwork as fw
from footwork import contacts, control


@cache
def posed(name: str, friction: float = 0.7) -> tuple[Any, Any, Any]:
    """In its posture."""
    robot = fw.load(name)
    return robot, fw.at_feet(robot, friction), _frozen(robot.posture())


@cache
def standing(name: str, friction: float = 0.7, crouch: float = 0.0) -> tuple[Any, Any, Any]:
    """As `control.stand` has it."""
    robot = fw.load(name)
    feet = fw.at_feet(robot, friction)
    return robot, feet, _frozen(control.stand(robot, feet, crouch=crouch)[1])


@cache
def inside(name: str, friction: float = 0.6) -> tuple[Any, Any, Any]:
    """With the centre of mass where the contacts can hold it."""
    robot = fw.load(name)
    feet = fw.at_feet(robot, friction)
    return robot, feet, _frozen(contacts.solve_posture(robot, feet, com="inside").q)


def _frozen(q: Any) -> Any:
    q.setflags(write=False)
    return q
