"""Control of legged robots: joint laws, whole-body control, gaits, closed-loop simulation."""

from __future__ import annotations

from .. import registry
from . import constraints, estimation, gaits, judging, predictive, references, speed
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
from .gaits.locomotion import GaitController
from .gaits.walking import WalkingController
from .joint import PD, PID, ComputedTorque, gravity_compensation
from .judging import Judgement, judge
from .predictive import Predictive, PredictiveGait
from .repairs.repair import repair
from .repairs.report import Change, Repair
from .simulation.closed_loop import ClosedLoop
from .simulation.recordings import read_motion, save_motion
from .simulation.simulate import simulate
from .speed import SpeedLimits, speed_limits
from .tasks import (
    ComTask,
    FrameTask,
    GazeTask,
    ImpedanceTask,
    MomentumTask,
    PostureTask,
    RelativeTask,
)
from .tasks.forces import CopTask, ForceTask, ZmpTask
from .whole_body.command import Command
from .whole_body.controller import WholeBodyController
from .whole_body.cvxpy_reference import by_cvxpy
from .whole_body.standing import stand, trunk

__all__ = [
    "PD",
    "PID",
    "ComputedTorque",
    "gravity_compensation",
    "ComTask",
    "FrameTask",
    "GazeTask",
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

__getattr__ = registry.moved("control")
