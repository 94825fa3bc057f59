"""What to do about it: torques from states."""

from __future__ import annotations

from . import references
from .command import Command
from .force_tasks import CopTask, ForceTask, ZmpTask
from .joint import PD, PID, ComputedTorque, gravity_compensation
from .limits import JointLimits
from .reference import by_cvxpy
from .tasks import ComTask, FrameTask, MomentumTask, PostureTask
from .whole_body import WholeBodyController

__all__ = [
    "PD",
    "PID",
    "ComputedTorque",
    "gravity_compensation",
    "ComTask",
    "FrameTask",
    "PostureTask",
    "MomentumTask",
    "ForceTask",
    "CopTask",
    "ZmpTask",
    "JointLimits",
    "WholeBodyController",
    "Command",
    "by_cvxpy",
    "references",
]
