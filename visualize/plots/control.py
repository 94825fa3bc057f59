"""Plots of closed loops with Matplotlib: joints within their limits, forces, margins, balance.

Each function draws into `ax`, or into new axes, and returns them. Matplotlib is the extra `plots`.
`plots.dynamics` draws the joints of any motion in their own units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...control.closed_loop import ClosedLoop
from ...control.stops import FAR
from ...errors import ConfigurationError, FootworkError, unknown
from ...robots.robot import Robot
from . import dynamics as dynamics_plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

SERIES = ("#0f766e", "#1d4ed8", "#b45309", "#7c3aed", "#be123c", "#4d7c0f")


def plot_torques(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw torques as shares of their limits, and the limits; the six most loaded if none named."""
    limits = motion.robot.torque_limits
    finite = np.where(np.isfinite(limits), limits, np.abs(motion.tau).max())
    return _shares(motion, motion.tau / finite, joints, _axes(ax, "torque / limit [-]"))


def plot_positions(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw where joints are in their ranges, −1 and 1 the ends; the six nearest if none named.

    A joint without a range has half a turn [rad] or a metre to both sides.
    """
    model = motion.robot.model
    places = [model.joints[motion.robot.joint_id(name)].idx_q for name in motion.robot.actuated]
    low, high = model.lowerPositionLimit[places], model.upperPositionLimit[places]
    endless = ~((low > -FAR) & (high < FAR))
    middle = np.where(endless, 0.0, (low + high) / 2)
    half = np.where(endless, np.pi, (high - low) / 2)
    shares = (motion.q[:, places] - middle) / half
    return _shares(motion, shares, joints, _axes(ax, "place in range [-]"))


def plot_velocities(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw speeds of joints as shares of their limits; the six fastest if none named."""
    robot = motion.robot
    speeds, limits = motion.v @ robot.selection_matrix.T, robot.selection_matrix @ _speeds(robot)
    finite = np.where(limits < FAR, limits, max(float(np.abs(speeds).max()), 1e-9))
    return _shares(motion, speeds / finite, joints, _axes(ax, "speed / limit [-]"))


def _speeds(robot: Robot) -> Array:
    """(nv,), where the description has none or zero: very fast."""
    limits = np.asarray(robot.model.upperVelocityLimit)
    return np.where((limits > 0) & np.isfinite(limits), np.minimum(limits, FAR), FAR)


def _shares(motion: ClosedLoop, shares: Array, joints: Sequence[str] | None, ax: Axes) -> Axes:
    """The rows of named actuated joints, or the six largest, between −1 and 1."""
    robot = motion.robot
    if joints is None:
        rows = np.argsort(-np.abs(shares).max(axis=0))[:6]
    else:
        for name in joints:
            if name not in robot.actuated:
                raise ConfigurationError(unknown("joint", name, robot.actuated))
        rows = np.array([robot.actuated.index(name) for name in joints])
    for i, row in enumerate(rows):
        color = SERIES[i % len(SERIES)]
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


def plot_friction(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw how much of its friction cone each contact uses, ‖f_t‖ / (μ f_n): 1 where it slides.

    Raises:
        ConfigurationError: a motion without contacts.
    """
    if motion.contacts is None:
        raise ConfigurationError("the motion has no contacts; expected them for their friction")
    ax = _axes(ax, "friction used / friction [-]")
    for color, (name, used) in zip(SERIES, motion.friction_used.items(), strict=False):
        ax.plot(motion.t, used, color=color, lw=1, label=name)
    ax.axhline(1.0, color="#dc2626", lw=1, ls="--")
    ax.legend(loc="upper right", fontsize=8)
    return ax


def plot_energy(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw kinetic energy, potential energy from the first sample on, and their sum [J]."""
    return dynamics_plots.plot_energy(motion.robot, motion.t, motion.q, motion.v, ax=ax)


def plot_margins(
    motion: ClosedLoop,
    every: float = 0.05,
    torque_limits: bool = False,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the margin of `contact_forces` along the motion [N]; grey where nothing touches.

    With `torque_limits` also, as a second line, what is left when the motors' limits count.
    """
    times, margins = motion.margins(every)
    ax = _axes(ax, "margin at every contact [N]")
    shown = np.where(np.isfinite(margins), margins, np.nan)
    ax.plot(times, shown, color=SERIES[0], lw=1.2, label="contacts")
    ax.fill_between(times, 0.0, shown, color=SERIES[0], alpha=0.15)
    if torque_limits:
        _, less = motion.margins(every, torque_limits=True)
        less = np.where(np.isfinite(less), less, np.nan)
        ax.plot(times, less, color=SERIES[2], lw=1, ls="--", label="contacts and motors")
        ax.legend(loc="upper right", fontsize=8)
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
