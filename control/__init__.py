"""Control of legged robots: joint laws, whole-body control, gaits, closed-loop simulation."""

from __future__ import annotations

from . import constraints, estimation, gaits, judging, predictive, references, speed
from .capture import PushRecoveryController
from .closed_loop import ClosedLoop
from .command import Command
from .constraints import (
    AccelerationConstraint,
    ComConstraint,
    DistanceConstraint,
    GazeConstraint,
    SelfCollisionConstraint,
)
from .disturbances import ForcePulse, Noise, random_pushes
from .estimation import (
    ContactWrenches,
    Estimate,
    Estimator,
    Readings,
    SensorLog,
    Sensors,
    contact_wrenches,
)
from .force_tasks import CopTask, ForceTask, ZmpTask
from .joint import PD, PID, ComputedTorque, gravity_compensation
from .judging import Judgement, judge
from .locomotion import GaitController
from .predictive import Predictive, PredictiveGait
from .recordings import read_motion, save_motion
from .reference import by_cvxpy
from .repairs.repair import repair
from .repairs.report import Change, Repair
from .simulation import simulate
from .speed import SpeedLimits, speed_limits
from .standing import stand, trunk
from .tasks import (
    ComTask,
    FrameTask,
    ImpedanceTask,
    MomentumTask,
    PostureTask,
    RelativeTask,
)
from .walking import WalkingController
from .whole_body import WholeBodyController

__all__ = [
    "PD",
    "PID",
    "ComputedTorque",
    "gravity_compensation",
    "ComTask",
    "FrameTask",
    "RelativeTask",
    "ImpedanceTask",
    "PostureTask",
    "MomentumTask",
    "ForceTask",
    "CopTask",
    "ZmpTask",
    "ComConstraint",
    "DistanceConstraint",
    "GazeConstraint",
    "AccelerationConstraint",
    "SelfCollisionConstraint",
    "WholeBodyController",
    "Command",
    "by_cvxpy",
    "simulate",
    "stand",
    "trunk",
    "ClosedLoop",
    "save_motion",
    "read_motion",
    "repair",
    "Repair",
    "Change",
    "ForcePulse",
    "Noise",
    "random_pushes",
    "WalkingController",
    "PushRecoveryController",
    "judge",
    "Judgement",
    "judging",
    "GaitController",
    "Estimator",
    "Estimate",
    "Sensors",
    "Readings",
    "SensorLog",
    "contact_wrenches",
    "ContactWrenches",
    "estimation",
    "Predictive",
    "PredictiveGait",
    "predictive",
    "speed_limits",
    "SpeedLimits",
    "speed",
    "gaits",
    "references",
    "constraints",
]
