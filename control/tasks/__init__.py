"""Motion tasks of a whole-body controller, one kind a file; `Task` is their base."""

from __future__ import annotations

from .com import ComTask
from .frame import FrameTask
from .gaze import GazeTask
from .impedance import ImpedanceTask
from .momentum import MomentumTask
from .posture import PostureTask
from .relative import RelativeTask
from .task import Goal, Rows, Task

__all__ = [
    "Goal",
    "Task",
    "Rows",
    "ComTask",
    "FrameTask",
    "GazeTask",
    "RelativeTask",
    "ImpedanceTask",
    "PostureTask",
    "MomentumTask",
]
