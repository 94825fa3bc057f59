"""Judging of controllers: an independent closed loop, what they survive, and their limits."""

from __future__ import annotations

from .controllers import OfState
from .impulse import Impulse
from .judge_controller import judge
from .judgement import Judgement, Row
from .pushes import LargestPush, capture_limits
from .trials import Trial, trial
from .walkers import walker
from .world import World

__all__ = [
    "judge",
    "Judgement",
    "Row",
    "LargestPush",
    "capture_limits",
    "OfState",
    "World",
    "Impulse",
    "Trial",
    "trial",
    "walker",
]
