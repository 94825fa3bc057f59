"""Plots of a trajectory: joints and energy."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ...dynamics.trajectory import Trajectory
from .axes import axes_grid, plot_series
from .dynamics import plot_configuration, plot_torque, plot_velocity


def plot_trajectory(motion: Trajectory) -> NDArray[Any]:
    """Return axes (4,): joint positions, velocities and torques with their limits, and energy."""
    axes = axes_grid(2, 2, (10, 6.4)).ravel()
    robot, t = motion.robot, motion.t
    plot_configuration(robot, t, motion.q, ax=axes[0])
    plot_velocity(robot, t, motion.v, ax=axes[1])
    plot_torque(robot, t, motion.tau, ax=axes[2])
    title = f"Energy of {robot.name}"
    plot_series(t, {"kinetic + potential": motion.energy}, "energy [J]", title, ax=axes[3])
    return axes
