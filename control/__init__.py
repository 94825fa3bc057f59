"""What to do about it: torques from states."""

from __future__ import annotations

from . import gaits, references
from .balance import DcmPlan, DcmTask, Phase
from .capture import Catcher
from .closed_loop import ClosedLoop, Collision
from .command import Command
from .disturbances import Noise, Push, random_pushes
from .force_tasks import CopTask, ForceTask, ZmpTask
from .joint import PD, PID, ComputedTorque, gravity_compensation
from .limits import JointLimits
from .recordings import read_motion, save_motion
from .reference import by_cvxpy
from .simulation import simulate
from .standing import stand, trunk
from .tasks import ComTask, FrameTask, MomentumTask, PostureTask
from .walking import Walker
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
    "simulate",
    "stand",
    "trunk",
    "ClosedLoop",
    "Collision",
    "save_motion",
    "read_motion",
    "Push",
    "Noise",
    "random_pushes",
    "Walker",
    "Catcher",
    "Phase",
    "DcmPlan",
    "DcmTask",
    "gaits",
    "references",
]
