"""Facts of a robot that are worked out once and forgotten with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from ..robots.configuration import not_a_robot
from ..robots.robot import Robot

Fact = TypeVar("Fact")


def per_robot(fact: Callable[[Robot], Fact]) -> Callable[[Robot], Fact]:
    """Return `fact` with a memory that does not keep its robots alive."""
    known: WeakKeyDictionary[Robot, Fact] = WeakKeyDictionary()

    @wraps(fact)
    def remembered(robot: Robot) -> Fact:
        try:
            return known[robot]
        except KeyError:
            return known.setdefault(robot, fact(robot))
        except TypeError:
            raise not_a_robot(robot) from None

    return remembered
