"""Inequality constraints of a whole-body controller, one kind a file; `Barrier` is their base."""

from __future__ import annotations

from .acceleration import AccelerationConstraint
from .com import ComConstraint
from .constraint import Barrier, Constraint, Inequalities, Tick
from .distance import DistanceConstraint
from .gaze import GazeConstraint
from .self_collision import SelfCollisionConstraint

__all__ = [
    "Constraint",
    "Barrier",
    "Inequalities",
    "Tick",
    "ComConstraint",
    "DistanceConstraint",
    "GazeConstraint",
    "AccelerationConstraint",
    "SelfCollisionConstraint",
]
