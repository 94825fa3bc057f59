"""Memoised functions of a robot, whose values live as long as it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ..robots.configuration import check_robot
from ..robots.robot import Robot

Fact = TypeVar("Fact")

_FACTS = "_facts"  # among a robot's attributes, as its cached properties are; not pickled


def per_robot(fact: Callable[[Robot], Fact]) -> Callable[[Robot], Fact]:
    """Return `fact` with a memory, which each robot carries itself."""

    @wraps(fact)
    def remembered(robot: Robot) -> Any:
        try:
            return robot.__dict__[_FACTS][fact]
        except (KeyError, AttributeError):
            check_robot(robot)
        facts: dict[Any, Any] = robot.__dict__.setdefault(_FACTS, {})
        return facts.setdefault(fact, fact(robot))

    return remembered
