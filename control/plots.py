"""Plots of closed loops with Matplotlib: torques within their limits, forces, margins, balance.

Each function draws into `ax`, or into new axes, and returns them. Matplotlib is the extra `plots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigurationError, FootworkError, unknown
from .closed_loop import ClosedLoop

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

SERIES = ("#0f766e", "#1d4ed8", "#b45309", "#7c3aed", "#be123c", "#4d7c0f")


def plot_torques(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw torques as shares of their limits, and the limits; the six most loaded if none named."""
    robot, limits = motion.robot, motion.robot.torque_limits
    finite = np.where(np.isfinite(limits), limits, np.abs(motion.tau).max())
    shares = motion.tau / finite
    if joints is None:
        rows = np.argsort(-np.abs(shares).max(axis=0))[:6]
    else:
        for name in joints:
            if name not in robot.actuated:
                raise ConfigurationError(unknown("joint", name, robot.actuated))
        rows = np.array([robot.actuated.index(name) for name in joints])
    ax = _axes(ax, "torque / limit [-]")
    for color, row in zip(SERIES, rows, strict=False):
        ax.plot(motion.t, shares[:, row], color=color, lw=1, label=robot.actuated[row])
    for limit in (-1.0, 1.0):
        ax.axhline(limit, color="#dc2626", lw=1, ls="--")
    ax.legend(loc="upper right", fontsize=8)
    return ax


def plot_forces(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw each contact's vertical force in units of the robot's weight."""
    ax, weight = _axes(ax, "vertical force / weight [-]"), 9.81 * motion.robot.mass
    for color, (name, forces) in zip(SERIES, motion.forces.items(), strict=False):
        ax.plot(motion.t, forces.sum(axis=1)[:, 2] / weight, color=color, lw=1, label=name)
    ax.legend(loc="upper right", fontsize=8)
    return ax


def plot_margins(motion: ClosedLoop, every: float = 0.05, *, ax: Axes | None = None) -> Axes:
    """Draw the margin of `contact_forces` along the motion [N]; grey where nothing touches."""
    times, margins = motion.margins(every)
    ax = _axes(ax, "margin at every contact [N]")
    shown = np.where(np.isfinite(margins), margins, np.nan)
    ax.plot(times, shown, color=SERIES[0], lw=1.2)
    ax.fill_between(times, 0.0, shown, color=SERIES[0], alpha=0.15)
    for t in times[~np.isfinite(margins)]:
        ax.axvspan(t - every / 2, t + every / 2, color="#9ca3af", alpha=0.3, lw=0)
    ax.axhline(0.0, color="#dc2626", lw=1, ls="--")
    return ax


def plot_centre(motion: ClosedLoop, axis: int = 1, *, ax: Axes | None = None) -> Axes:
    """Draw the centre of mass and the centre of pressure, along x (0) or y (1) [m]."""
    if axis not in (0, 1) or motion.contacts is None:
        raise ConfigurationError(f"axis: got {axis!r}; expected 0 (x) or 1 (y)")
    robot, contacts = motion.robot, list(motion.contacts)
    pressure = np.full(len(motion), np.nan)
    for i, q in enumerate(motion.q):
        points = np.concatenate([c.world_points(robot, q)[:, axis] for c in contacts])
        up = np.concatenate([motion.forces[c.name][i][:, 2] for c in contacts])
        if up.sum() > 0:
            pressure[i] = up @ points / up.sum()
    ax = _axes(ax, f"{'xy'[axis]} [m]")
    ax.plot(motion.t, motion.com[:, axis], color="#c026a3", lw=1.5, label="centre of mass")
    ax.plot(motion.t, pressure, color="#ea580c", lw=0.8, label="centre of pressure")
    ax.legend(loc="upper right", fontsize=8)
    return ax


def _axes(ax: Axes | None, label: str) -> Axes:
    if ax is None:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise FootworkError("plots need Matplotlib; pip install 'footwork[plots]'") from None
        ax = Figure(figsize=(7.2, 2.6), layout="constrained").add_subplot()
    ax.set_xlabel("time [s]")
    ax.set_ylabel(label)
    return ax
