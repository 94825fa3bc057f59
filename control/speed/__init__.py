"""Speeds that robots can go at with a gait, and what limits them."""

from .limits import speed_limits
from .report import Direction, SpeedLimit, SpeedLimits

__all__ = ["speed_limits", "SpeedLimits", "SpeedLimit", "Direction"]
