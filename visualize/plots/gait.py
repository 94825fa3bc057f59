"""Plots of a gait analysis: forces, moments and powers over time, and the walker itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...biomechanics.axes import up_vector
from ...biomechanics.gait import Gait
from ...biomechanics.robot_gait import RobotGait
from ...dynamics.motions.runs import spans
from ...errors import ConfigurationError, unknown
from ..scenes.gait import leg_sticks
from .axes import SERIES, Axes, axes_for, axes_grid, legend_above

_GROUND = "#d9641e"
_FORCE_SCALE = 1 / 2000  # a metre of arrow for 2000 N


def plot_gait(gait: Gait, side: str | None = None, per_mass: bool = False) -> NDArray[Any]:
    """Return axes (joints, 3): a joint's force, moment and power, with their components.

    Forces are in the axes of the segment below, moments in joint coordinates. Stance is grey;
    frames that the plates do not explain are blank.

    Args:
        gait: the analysis.
        side: "right" or "left"; None: the one with more frames on plates.
        per_mass: divided by the mass.

    Raises:
        FootworkError: matplotlib is not installed.
        ConfigurationError: there is no such side.
    """
    side = _side(gait, side)
    joints = [joint for joint in gait.joints if joint.startswith(side)]
    axes = axes_grid(len(joints), 3, (12, 0.6 + 2.7 * len(joints)))
    per = "/kg" if per_mass else ""
    columns = (
        (f"force [N{per}]", ("x forwards", "y along", "z to the right")),
        (f"moment [N·m{per}]", ("flexion", "adduction", "rotation")),
        (f"power [W{per}]", ("",)),
    )
    ok = gait.explained
    for row, joint in zip(axes, joints, strict=True):
        series = (
            gait.force(joint, per_mass=per_mass),
            gait.moment(joint, per_mass=per_mass),
            gait.power(joint, per_mass=per_mass)[:, None],
        )
        for ax, (title, labels), values in zip(row, columns, series, strict=True):
            _shade(ax, gait, side)
            shown = np.where(ok[:, None], values, np.nan)
            axes_for(ax, "time [s]" if joint == joints[-1] else "", "", f"{joint}: {title}")
            for y, label, colour in zip(shown.T, labels, SERIES, strict=False):
                ax.plot(gait.t, y, color=colour, label=label, linewidth=1.5)
            ax.set_xlim(gait.t[0], gait.t[-1])
            ax.axhline(0, color="#444444", linewidth=0.8)
            if labels[0]:
                ax.legend(fontsize="x-small", loc="best", framealpha=0.6)
    name = Path(gait.trial.source).name
    words = f"{name}, {gait.mass:g} kg: of the segment above on the one below"
    axes[0, 0].figure.suptitle(words)
    return axes


def plot_robot_gait(found: RobotGait, side: str | None = None) -> NDArray[Any]:
    """Return axes (joints, 1): a robot's joint moments beside those of the segments [N·m].

    The components are those of the laboratory's axes; a side is chosen as by `plot_gait`.

    Raises:
        FootworkError: matplotlib is not installed.
        ConfigurationError: there is no such side.
    """
    gait = found.gait
    side = _side(gait, side)
    joints = [joint for joint in gait.joints if joint.startswith(side)]
    axes = axes_grid(len(joints), 1, (8, 0.6 + 2.4 * len(joints)))
    for ax, joint in zip(axes[:, 0], joints, strict=True):
        axes_for(ax, "time [s]" if joint == joints[-1] else "", "moment [N·m]", joint)
        _shade(ax, gait, side)
        ours, theirs = found.moment(joint), gait.moment(joint, "world")
        for k, axis in enumerate("xyz"):
            robot = np.where(gait.explained, ours[:, k], np.nan)
            segments = np.where(gait.explained, theirs[:, k], np.nan)
            ax.plot(gait.t, robot, color=SERIES[k], label=f"{axis}, robot", linewidth=1.5)
            ax.plot(gait.t, segments, "--", color=SERIES[k], label=f"{axis}, segments")
        ax.legend(fontsize="x-small", ncols=3)
    return axes


def plot_walk(gait: Gait, every: float = 0.1, *, ax: Axes | None = None) -> Axes:
    """Draw the walker from the side, with the forces of the ground.

    Args:
        gait: the analysis.
        every: how often to draw it [s].
        ax: to draw into.

    Raises:
        FootworkError: matplotlib is not installed.
    """
    if ax is None:
        ax = axes_grid(1, 1, (11, 3.8))[0, 0]
    up = up_vector(gait.trial.markers.up)
    axes_for(ax, "forwards [m]", "up [m]", f"{Path(gait.trial.source).name}, every {every:g} s")
    frames = np.arange(0, len(gait.t), max(1, round(every * gait.trial.markers.rate)))
    forwards = _heading(gait, up)
    for side, colour in (("right", SERIES[4]), ("left", SERIES[1])):
        if side in gait.names.legs:
            limb = leg_sticks(gait, side)[frames]
            for line in limb:
                ax.plot(line @ forwards, line @ up, color=colour, linewidth=1, alpha=0.7)
            ax.plot([], [], color=colour, label=f"{side} leg")
    for plate in gait.trial.plates:
        for i in frames[plate.loaded[frames]]:
            foot = plate.centre_of_pressure[i]
            tip = foot + _FORCE_SCALE * plate.force[i]
            ax.annotate(
                "",
                (tip @ forwards, tip @ up),
                (foot @ forwards, foot @ up),
                arrowprops={"arrowstyle": "-|>", "color": _GROUND, "linewidth": 1},
            )
    ax.plot([], [], color=_GROUND, label="force of the ground")
    ax.axhline(0, color="#444444", linewidth=0.8)
    ax.set_aspect("equal")
    return legend_above(ax)


def _side(gait: Gait, side: str | None) -> str:
    """The side given; without one, that with more frames on plates."""
    side = side or max(gait.names.legs, key=lambda s: int(gait.stance(s).sum()))
    if side not in gait.names.legs:
        raise ConfigurationError(unknown("side", side, gait.names.legs))
    return side


def _shade(ax: Any, gait: Gait, side: str) -> None:
    for begin, end in spans(gait.stance(side)):
        ax.axvspan(gait.t[begin], gait.t[end - 1], color="#888888", alpha=0.12, linewidth=0)


def _heading(gait: Gait, up: Array) -> Array:
    """The horizontal way the walker went (3,)."""
    path = gait.forces.motion.origin[:, 0]
    way = path[-1] - path[0]
    way = way - (way @ up) * up
    length = np.linalg.norm(way)
    return way / length if length > 0.05 else np.array([1.0, 0.0, 0.0])
