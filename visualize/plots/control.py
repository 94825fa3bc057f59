"""Plots of closed loops with Matplotlib: joints within their limits, forces, margins, balance.

Each function draws into `ax`, or into new axes, and returns them. Matplotlib is the extra `plots`.
`plots.dynamics` draws the joints of any motion in their own units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts.equilibrium.balance import weight
from ...contacts.torque_limits import TorqueBounds
from ...control.simulation.closed_loop import ClosedLoop
from ...errors import ConfigurationError, unknown
from ...robots.ranges import ranges, velocity_limits
from ..colors import hex_of
from . import dynamics as dynamics_plots
from .axes import GRAY, SERIES, Axes, axes_for, axes_grid, edges, finite, plot_series

_FAST = 1e3  # larger speed limits count as none [rad/s or m/s]


def plot_closed_loop(motion: ClosedLoop) -> NDArray[Any]:
    """Return axes (3,): torques in their limits, forces of the contacts, and margins.

    (4,) with what the estimator was wrong by, where there was one.
    """
    count = 3 if motion.estimated_q is None else 4
    axes = axes_grid(count, 1, (8, 8 * count / 3), sharex=True)[:, 0]
    plot_torques(motion, ax=axes[0])
    plot_forces(motion, ax=axes[1])
    plot_margins(motion, ax=axes[2])
    if count == 4:
        plot_estimate(motion, ax=axes[3])
    for ax in axes:
        ax.label_outer()
    return axes


def plot_estimate(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw what the estimator was wrong by: position [cm], roll, pitch and yaw [degrees].

    Raises:
        ConfigurationError: nothing was estimated.
    """
    errors = motion.estimate_errors
    place, turn = 100 * errors["position"], np.degrees(errors["orientation"])
    rows = {f"{axis} [cm]": place[:, i] for i, axis in enumerate("xyz")}
    rows |= {f"{name} [°]": turn[:, i] for i, name in enumerate(("roll", "pitch", "yaw"))}
    ax = plot_series(motion.t, rows, "error of the estimate", ax=ax)
    edges(ax, 0.0)
    return ax


def plot_torques(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw torques as fractions of their limits, and these; the six most loaded if none named.

    Where the motors give less at speed, −1 and 1 are the bounds at the velocity of that moment.
    """
    bounds = TorqueBounds(*motion.robot.motors.bounds(motion.v))
    half = np.where(np.isfinite(bounds.half), bounds.half, np.abs(motion.tau).max())
    off = motion.tau - bounds.middle
    fractions = np.divide(off, half, out=np.sign(off), where=half > 0)
    return _fractions(motion, fractions, joints, "torque / limit [-]", ax)


def plot_positions(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw where joints are in their ranges, −1 and 1 the ends; the six nearest if none named.

    A joint without a range has half a turn [rad] or a metre to both sides.
    """
    model = motion.robot._model
    places = [model.joints[motion.robot.joint_id(name)].idx_q for name in motion.robot.actuated]
    low, high = (ends[places] for ends in ranges(model))
    endless = ~np.isfinite(high - low)
    low, high = np.where(endless, -np.pi, low), np.where(endless, np.pi, high)
    middle, half = (low + high) / 2, (high - low) / 2
    fractions = (motion.q[:, places] - middle) / half
    return _fractions(motion, fractions, joints, "place in range [-]", ax)


def plot_velocities(
    motion: ClosedLoop, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw speeds of joints as fractions of their limits; the six fastest if none named."""
    rows = motion.robot.actuated_rows
    speeds, limits = motion.v[:, rows], velocity_limits(motion.robot._model)[rows]
    most = np.where(limits < _FAST, limits, max(float(np.abs(speeds).max()), 1e-9))
    return _fractions(motion, speeds / most, joints, "speed / limit [-]", ax)


def _fractions(
    motion: ClosedLoop, fractions: Array, joints: Sequence[str] | None, label: str, ax: Axes | None
) -> Axes:
    """The rows of named actuated joints, or the six largest, between −1 and 1."""
    names = motion.robot.actuated
    if joints is None:
        joints = [names[row] for row in np.argsort(-np.abs(fractions).max(axis=0))[:6]]
    for name in joints:
        if name not in names:
            raise ConfigurationError(unknown("joint", name, names))
    rows = {name: fractions[:, names.index(name)] for name in joints}
    ax = plot_series(motion.t, rows, label, ax=ax)
    edges(ax, -1.0, 1.0)
    return ax


def plot_forces(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw each contact's vertical force in units of the robot's weight."""
    unit = weight(motion.robot)
    fractions = {name: f.sum(axis=1)[:, 2] / unit for name, f in motion.forces.items()}
    return plot_series(motion.t, fractions, "vertical force / weight [-]", ax=ax)


def plot_friction(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw how much of its friction cone each contact uses, ‖f_t‖ / (μ f_n): 1 where it slides.

    Raises:
        ConfigurationError: a motion without contacts.
    """
    if motion.contacts is None:
        raise ConfigurationError("the motion has no contacts; expected them for their friction")
    ax = plot_series(motion.t, motion.friction_used, "friction used / friction [-]", ax=ax)
    edges(ax, 1.0)
    return ax


def plot_energy(motion: ClosedLoop, *, ax: Axes | None = None) -> Axes:
    """Draw kinetic energy, potential energy from the first sample on, and their sum [J]."""
    return dynamics_plots.plot_energy(motion.robot, motion.t, motion.q, motion.v, ax=ax)


def plot_margins(
    motion: ClosedLoop, every: float = 0.05, torque_limits: bool = False, *, ax: Axes | None = None
) -> Axes:
    """Draw the margin of `contact_forces` along the motion [N]; grey where nothing touches.

    With `torque_limits` also, as a second line, what is left when the motors' limits count.
    """
    times, margins = motion.margins(every)
    series = {"contacts": margins}
    if torque_limits:
        series["contacts and motors"] = motion.margins(every, torque_limits=True)[1]
    ax = plot_series(times, series, "margin at every contact [N]", ax=ax)
    ax.fill_between(times, 0.0, finite(margins), color=SERIES[0], alpha=0.15)
    for t in times[~np.isfinite(margins)]:
        ax.axvspan(t - every / 2, t + every / 2, color=GRAY, alpha=0.3, lw=0)
    edges(ax, 0.0)
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
    ax = axes_for(ax, "time [s]", f"{'xy'[axis]} [m]")
    ax.plot(motion.t, motion.com[:, axis], color=hex_of("com"), lw=1.5, label="centre of mass")
    ax.plot(motion.t, pressure, color=hex_of("zmp"), lw=0.8, label="centre of pressure")
    ax.legend(fontsize="small")
    return ax
