"""Plot of motors: the torques of joints over their speed, in all four quadrants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ConfigurationError, unknown
from ...robots.motor import Motor
from ...robots.motors import Motors
from .axes import SERIES, Axes, axes_for

_POINTS = 801
_FAST = 10.0  # [rad/s or m/s], shown of joints whose torques do not depend on it


def plot_motors(
    motors: Motors, joints: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw between which torques joints can be driven at a speed, and which they can give for good.

    Joints with the same motor share a line.

    Args:
        motors: of a robot, `robot.motors`.
        joints: names; by default those with data, of the six strongest motors.
        ax: to draw into.

    Raises:
        ConfigurationError: no such joint.
    """
    for name in joints or ():
        if name not in motors.joints:
            raise ConfigurationError(unknown("actuated joint", name, motors.joints))
    known = [name for name in motors.joints if name in motors.data or not motors.data]
    shown = [motors.joints.index(name) for name in joints or known]
    alike: dict[Motor | float, list[int]] = {}
    for row in shown:
        motor = motors.data.get(motors.joints[row], float(motors.limits[row]))
        alike.setdefault(motor, []).append(row)
    kept = sorted(alike, key=lambda motor: -_peak(motor))
    kept = kept if joints else kept[: len(SERIES)]
    ax = axes_for(ax, "speed [rad/s or m/s]", "torque [N·m or N]")
    ends = [curve[-1][0] for m in kept if isinstance(m, Motor) for curve in (m.driving, m.braking)]
    speeds = np.linspace(-1.1, 1.1, _POINTS) * (max(ends, default=0.0) or _FAST)
    lower, upper = motors.at_speeds(np.repeat(speeds[:, None], len(motors.joints), axis=1))
    for i, motor in enumerate(kept):
        rows, color = alike[motor], SERIES[i % len(SERIES)]
        low, high = lower[:, rows[0]], upper[:, rows[0]]
        if not np.isfinite(high).all():
            continue
        ax.fill_between(speeds, low, high, color=color, alpha=0.08, linewidth=0)
        ax.plot(speeds, high, color=color, label=_names([motors.joints[row] for row in rows]))
        ax.plot(speeds, low, color=color)
        if isinstance(motor, Motor) and np.isfinite(motor.continuous):
            for side in (-1.0, 1.0):
                within = np.clip(side * motor.continuous, low, high)
                ax.plot(speeds, within, "--", color=color, linewidth=0.9)
    if ax.get_legend_handles_labels()[0]:
        # below: the curves take all of the plane
        below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.12)}
        marks = "dashed: for good" if any(line.get_linestyle() == "--" for line in ax.lines) else ""
        ax.legend(fontsize="small", title=marks or None, title_fontsize="small", **below)
    return ax


def _peak(motor: Motor | float) -> float:
    return motor.peak if isinstance(motor, Motor) else motor


def _names(joints: Sequence[str]) -> str:
    first = ", ".join(joints[:2])
    return first if len(joints) <= 2 else f"{first} and {len(joints) - 2} more"
