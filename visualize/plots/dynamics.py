"""Plots of a motion with Matplotlib: joints with their limits, energies.

Each function takes plain arrays of any robot (`plot_trajectory` a Trajectory), draws into `ax`, or
into new axes, and returns them; everything in SI units. Matplotlib is the extra `plots`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...contacts.torque_limits import TorqueBounds
from ...dynamics.equations import kinetic_energy, potential_energy
from ...dynamics.motions.joint_order import single_joints
from ...dynamics.motions.motion import Motion
from ...dynamics.trajectory import Trajectory
from ...errors import ConfigurationError, unknown
from ...robots import Robot
from ...robots.ranges import ranges, velocity_limits
from .axes import BAD, SERIES, Axes, axes_grid, plot_series

SHOWN = 6  # joints, when none are named


def plot_configuration(
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    joints: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw joint positions over time with their limits, and what lies beyond them in red.

    Beyond the limits the plane is shaded, unless three or more different ranges are shown.

    Args:
        robot: who moves.
        t: times (n,) [s].
        q: configurations (n, nq).
        joints: by name, of one degree of freedom; by default the six that come nearest to their
            limits.
        ax: to draw into.

    Raises:
        ConfigurationError: arrays that do not fit, a joint that there is not.
    """
    rows = single_joints(robot)
    values = np.asarray(_series(t, q, robot.nq, "q")[1])
    angles = {name: _position(joint, values) for name, joint in rows.items()}
    low, high = ranges(robot._model)
    limits = {name: (low[j.idx_q], high[j.idx_q]) for name, j in rows.items() if j.nq == 1}
    label = "position [rad or m]"
    return _plot(t, angles, limits, joints, label, f"Joint positions of {robot.name}", ax)


def plot_velocity(
    robot: Robot,
    t: ArrayLike,
    v: ArrayLike,
    joints: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw joint velocities v (n, nv) over time with their limits, as `plot_configuration`."""
    values = _series(t, v, robot.nv, "v")[1]
    rows = {name: joint.idx_v for name, joint in single_joints(robot).items()}
    speeds = {name: values[:, row] for name, row in rows.items()}
    most = velocity_limits(robot._model)
    limits = {name: (-most[row], most[row]) for name, row in rows.items()}
    label = "velocity [rad/s or m/s]"
    return _plot(t, speeds, limits, joints, label, f"Joint velocities of {robot.name}", ax)


def plot_torque(
    robot: Robot,
    t: ArrayLike,
    tau: ArrayLike,
    joints: Sequence[str] | None = None,
    *,
    v: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw actuated torques tau (n, na) over time with their limits, as `plot_configuration`.

    With velocities v (n, nv) the limits are those of the motors at these.
    """
    times, values = _series(t, tau, robot.na, "tau")
    torques = dict(zip(robot.actuated, values.T, strict=True))
    limits = {n: (-most, most) for n, most in zip(robot.actuated, robot.torque_limits, strict=True)}
    label, title = "torque [N·m or N]", f"Joint torques of {robot.name}"
    if v is None or not robot.motors.by_speed:
        return _plot(t, torques, limits, joints, label, title, ax)
    bounds = TorqueBounds(*robot.motors.bounds(_series(t, v, robot.nv, "v")[1]))
    if joints is None:
        room = ((bounds.half - np.abs(values - bounds.middle)) / robot.torque_limits).min(axis=0)
        joints = [robot.actuated[row] for row in sorted(np.argsort(room)[:SHOWN])]
    ax = _plot(t, torques, {}, joints, label, title, ax)
    _draw_bounds(ax, times, {n: robot.actuated.index(n) for n in joints}, values, bounds)
    return ax


def _draw_bounds(
    ax: Any, t: Array, rows: dict[str, int], values: Array, bounds: TorqueBounds
) -> None:
    """Draw bounds that change along time, and what is beyond them."""
    for line in [line for line in ax.get_lines() if line.get_label() in rows]:
        row = rows[line.get_label()]
        for limit in bounds.lower[:, row], bounds.upper[:, row]:
            ax.plot(t, limit, "--", color=line.get_color(), linewidth=0.9, scaley=False)
        y = values[:, row]
        beyond = (y < bounds.lower[:, row]) | (y > bounds.upper[:, row])
        ax.plot(t[beyond], y[beyond], ".", color=BAD, markersize=4, zorder=5)
    ax.legend(title="dashed: limits; red: beyond", fontsize="small", title_fontsize="small")


def plot_energy(
    robot: Robot, t: ArrayLike, q: ArrayLike, v: ArrayLike, *, ax: Axes | None = None
) -> Axes:
    """Draw kinetic energy, potential energy from the first sample on, and their sum.

        T = ½ vᵀ M(q) v,      U(q) − U(q_0),      T + U(q) − U(q_0)      [J]

    q (n, nq) and v (n, nv) at times t (n,) [s].
    """
    times, configurations = _series(t, q, robot.nq, "q")
    _, velocities = _series(t, v, robot.nv, "v")
    kinetic = np.array(
        [kinetic_energy(robot, a, b) for a, b in zip(configurations, velocities, strict=True)]
    )
    potential = np.array([potential_energy(robot, a) for a in configurations])
    potential = potential - potential[0]
    series = {"kinetic": kinetic, "potential, from the first": potential}
    series["sum"] = kinetic + potential
    return plot_series(times, series, "energy [J]", f"Energy of {robot.name}", ax=ax)


def _position(joint: Any, q: Array) -> Array:
    """Of a continuous joint, which has (cos θ, sin θ) in q, the angle without jumps."""
    if joint.nq == 2:
        return np.unwrap(np.arctan2(q[:, joint.idx_q + 1], q[:, joint.idx_q]))
    return q[:, joint.idx_q]


def _series(t: ArrayLike, values: ArrayLike, width: int, name: str) -> tuple[Array, Array]:
    times, array = np.asarray(t, dtype=float), np.asarray(values, dtype=float)
    if times.ndim != 1 or len(times) == 0 or array.shape != (len(times), width):
        raise ConfigurationError(
            f"{name}: got shape {array.shape} at {times.shape} times; expected (n, {width}) at (n,)"
        )
    return times, array


def _plot(
    t: ArrayLike,
    values: dict[str, Array],
    limits: dict[str, tuple[float, float]],
    joints: Sequence[str] | None,
    label: str,
    title: str,
    ax: Axes | None,
) -> Axes:
    """Lines {joint: (n,)} over time; beyond limits {joint: (low, high)} the plane is shaded."""
    for name in joints or ():
        if name not in values:
            raise ConfigurationError(unknown("joint", name, values))
    bounds = {name: limits.get(name, (-np.inf, np.inf)) for name in values}
    names = nearest(values, bounds) if joints is None else list(joints)
    times, shown = np.asarray(t, dtype=float), {name: values[name] for name in names}
    ax = plot_series(times, shown, label, title, ax=ax)
    low, high = _frame([values[n] for n in names], [bounds[n] for n in names])
    shaded = len({bounds[name] for name in names}) <= 2  # more would hide each other
    for i, name in enumerate(names):
        tone = SERIES[i % len(SERIES)]
        _draw_limits(ax, times, values[name], bounds[name], tone, (low, high), shaded)
    ax.set_ylim(low, high)
    limited = any(low < limit < high for name in names for limit in bounds[name])
    marks = "dashed: limits; red: beyond" if limited else None
    if names:
        ax.legend(title=marks, fontsize="small", title_fontsize="small")
    return ax


def nearest(values: dict[str, Array], bounds: dict[str, tuple[float, float]]) -> list[str]:
    """Return the `SHOWN` series that come nearest to a bound, as a share of the range; those
    without bounds, by how much they vary, last."""

    def key(name: str) -> tuple[float, float]:
        (low, high), y = bounds[name], values[name]
        if np.isfinite(high - low):
            return float(np.min(np.minimum(y - low, high - y)) / max(high - low, 1e-12)), 0.0
        return np.inf, -float(np.ptp(y))

    chosen = sorted(values, key=key)[:SHOWN]
    return [name for name in values if name in chosen]


def _frame(values: list[Array], bounds: list[tuple[float, float]]) -> tuple[float, float]:
    """What of the axis is shown: all values, and the limits that are not far from them."""
    inside = np.concatenate(values) if values else np.zeros(1)
    low, high = float(inside.min()), float(inside.max())
    reach = max(high - low, 1e-3)
    near = [x for pair in bounds for x in pair if low - reach < x < high + reach]
    low, high = min([low, *near]), max([high, *near])
    margin = 0.08 * max(high - low, 1e-3)
    return low - margin, high + margin


def _draw_limits(
    ax: Any,
    t: Array,
    y: Array,
    bounds: tuple[float, float],
    color: str,
    frame: tuple[float, float],
    shaded: bool,
) -> None:
    for limit, end in zip(bounds, frame, strict=True):
        if frame[0] < limit < frame[1]:
            ax.axhline(limit, color=color, linestyle="--", linewidth=0.9)
            if shaded:
                ax.axhspan(limit, end, color=color, alpha=0.08, linewidth=0)
    beyond = (y < bounds[0]) | (y > bounds[1])
    if beyond.any():
        ax.plot(t[beyond], y[beyond], ".", color=BAD, markersize=4, zorder=5)


def plot_motion(motion: Motion) -> NDArray[Any]:
    """Return axes (2,): joint positions and velocities with their limits."""
    axes = axes_grid(1, 2, (10, 3.4)).ravel()
    plot_configuration(motion.robot, motion.t, motion.q, ax=axes[0])
    plot_velocity(motion.robot, motion.t, motion.v, ax=axes[1])
    return axes


def plot_trajectory(motion: Trajectory) -> NDArray[Any]:
    """Return axes (4,): joint positions, velocities and torques with their limits, and energy."""
    axes = axes_grid(2, 2, (10, 6.4)).ravel()
    robot, t = motion.robot, motion.t
    plot_configuration(robot, t, motion.q, ax=axes[0])
    plot_velocity(robot, t, motion.v, ax=axes[1])
    plot_torque(robot, t, motion.tau, v=motion.v, ax=axes[2])
    title = f"Energy of {robot.name}"
    plot_series(t, {"kinetic + potential": motion.energy}, "energy [J]", title, ax=axes[3])
    return axes
