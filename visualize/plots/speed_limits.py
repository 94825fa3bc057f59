"""Plots of speed limits: utilisation by speed, or limits by direction, and bars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...control.speed.report import Direction, SpeedLimits
from ...control.speed.utilisation import (
    FRICTION,
    KINDS,
    OF_ROBOT,
    REACH,
    SPEED,
    SWING,
    TIMING,
    TORQUE,
)
from .axes import BAD, GRAY, SERIES, axes_for, axes_grid, polar

COLOURS = dict(zip(OF_ROBOT, SERIES, strict=False)) | {SWING: GRAY, TIMING: GRAY}
DASHES = {SWING: ":", TIMING: "--"}
AROUND = 4  # directions from which on there is a polar plot


def plot_speed_limits(limits: SpeedLimits) -> NDArray[Any]:
    """Return axes (1, 2): on the left limits by heading, polar, or utilisation by speed; bars.

    From four headings on the left plot is polar, forward upwards, with a curve of each kind of
    limit (none where there is no such limit) and what the robot can do filled; else it has the
    shares of joint speeds and torques that the first direction takes, by speed. The bars are those
    of the first direction, or of the turns.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    axes = axes_grid(1, 2, (10.5, 4.6))
    around = [one for one in limits.directions if any(one.velocity[:2])]
    turns = [one for one in limits.directions if not any(one.velocity[:2])]
    if len(around) >= AROUND:
        polar(axes, 0)
        _around(axes[0, 0], around)
    else:
        _utilisation(axes[0, 0], limits.directions[0])
    _bars(axes[0, 1], turns[0] if turns and len(around) >= AROUND else limits.directions[0])
    predicted = "predicted " if limits.predictive else ""
    axes[0, 0].figure.suptitle(
        f"{limits.robot}, {predicted}{limits.gait}, friction {limits.friction:g}", fontsize="medium"
    )
    return axes


def _around(ax: Any, around: list[Direction]) -> None:
    """Limits by heading, from above, forward upwards."""
    around = sorted(around, key=lambda one: one.heading % (2 * np.pi))
    closed = [*around, around[0]]
    angles = [one.heading for one in closed]
    robot = [min(one.of_robot.speed, one.most) for one in closed]
    ax.fill(angles, robot, color=GRAY, alpha=0.2, label="the robot")
    for kind in KINDS:
        speeds = np.array([one.limits[kind].speed for one in closed])
        if np.isfinite(speeds).any():
            speeds[~np.isfinite(speeds)] = np.nan
            style = "o" + DASHES.get(kind, "-")
            ax.plot(angles, speeds, style, color=COLOURS[kind], markersize=3, label=kind)
    ax.set_theta_zero_location("N")
    ax.set_title("largest speed by heading [m/s]", fontsize="medium")
    ax.set_rlim(0, 1.1 * max(robot))
    ax.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0.98, -0.14))


def _utilisation(ax: Any, one: Direction) -> None:
    """Shares of limits by speed."""
    axes_for(ax, f"speed {one.words} [{one.unit}]", "share of the limit [%]")
    reached = one.utilisation[REACH] <= 1
    for kind in (SPEED, TORQUE, SWING):
        shares = 100 * one.utilisation[kind][reached]
        if shares.any():
            style = DASHES.get(kind, "-")
            ax.plot(one.speeds[reached], shares, style, color=COLOURS[kind], label=kind)
    ax.axhline(100, color=BAD, linewidth=1)
    for kind in (REACH, FRICTION, TIMING):
        if math.isfinite(speed := one.limits[kind].speed) and speed <= one.most:
            ax.axvline(speed, color=COLOURS[kind], linestyle=DASHES.get(kind, "-"), label=kind)
    ax.set_ylim(0, 150)
    ax.set_xlim(0, one.most)
    ax.legend(fontsize="small", loc="upper left")


def _bars(ax: Any, one: Direction) -> None:
    """The limits of a direction; pale where there is none among the speeds looked at."""
    axes_for(ax, f"largest speed [{one.unit}]", "", one.words)
    reach = one.limits[REACH].speed
    for place, kind in enumerate(reversed(KINDS)):
        limit, end = one.limits[kind], min(one.most, reach)
        some = math.isfinite(limit.speed)
        told = f" {limit.speed:.2f}" if some else f" {limit.why}"
        ax.barh(place, min(limit.speed, end), color=COLOURS[kind], alpha=1 if some else 0.2)
        at = min(limit.speed, end) if some else 0.0
        ax.text(at, place, told, va="center", fontsize="small")
    ax.set_yticks(range(len(KINDS)), [*reversed(KINDS)])
    ax.set_xlim(0, 1.15 * one.most)
