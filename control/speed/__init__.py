"""Speeds that robots can go at with a gait, and what limits them."""

from .limits import Direction, SpeedLimit, SpeedLimits, speed_limits

__all__ = ["speed_limits", "SpeedLimits", "SpeedLimit", "Direction"]
