"""Figures of a gait analysis: forces, moments and powers over time, and the walker itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...biomechanics.axes import up_vector
from ...biomechanics.filters import runs
from ...biomechanics.gait import Gait
from ...errors import ConfigurationError, DataError, FootworkError, unknown

Array = NDArray[np.float64]

COLOURS = ("#c0392b", "#2a8f4c", "#1f5fbf")
_GROUND = "#d9641e"
_FORCE_SCALE = 1 / 2000  # a metre of arrow for 2000 N


def plot_joints(gait: Gait, side: str | None = None, per_mass: bool = False) -> Any:
    """Return a matplotlib figure: a row a joint; force, moment and power; three components each.

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
    side = side or max(gait.names.legs, key=lambda s: int(gait.stance(s).sum()))
    if side not in gait.names.legs:
        raise ConfigurationError(unknown("side", side, gait.names.legs))
    joints = [joint for joint in gait.joints if joint.startswith(side)]
    figure, axes = _figure(len(joints))
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
            for y, label, colour in zip(shown.T, labels, COLOURS, strict=False):
                ax.plot(gait.t, y, color=colour, label=label, linewidth=1.5)
            ax.set_title(f"{joint}: {title}", fontsize=10)
            ax.set_xlim(gait.t[0], gait.t[-1])
            ax.grid(alpha=0.3)
            ax.axhline(0, color="#444444", linewidth=0.8)
            if labels[0]:
                ax.legend(fontsize=7, loc="best", framealpha=0.6)
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    name = Path(gait.trial.source).name
    figure.suptitle(f"{name}, {gait.mass:g} kg: what the segment above does to the one below")
    return figure


def plot_walk(gait: Gait, every: float = 0.1) -> Any:
    """Return a matplotlib figure: the walker from the side, with the forces of the ground.

    Args:
        gait: the analysis.
        every: how often to draw it [s].

    Raises:
        FootworkError: matplotlib is not installed.
    """
    figure, grid = _figure(1, columns=1, size=(11, 4.2))
    ax, up = grid[0][0], up_vector(gait.trial.markers.up)
    frames = np.arange(0, len(gait.t), max(1, round(every * gait.trial.markers.rate)))
    forwards = _heading(gait, up)
    for side, colour in (("right", COLOURS[0]), ("left", COLOURS[2])):
        if side in gait.names.legs:
            limb = _limb(gait, side)[frames]
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
    ax.set_xlabel("forwards [m]")
    ax.set_ylabel("up [m]")
    ax.legend(fontsize=8, loc="upper right")
    ax.set_title(f"{Path(gait.trial.source).name}, every {every:g} s")
    return figure


def save(figure: Any, path: str | Path) -> Path:
    """Write a figure as a picture; its ending says which kind. Return the path.

    Raises:
        DataError: an ending that is of no picture.
    """
    file = Path(path)
    kinds = [f".{kind}" for kind in figure.canvas.get_supported_filetypes()]
    if file.suffix.lower() not in kinds:
        raise DataError(f"{file}: got the ending {file.suffix!r}; expected one of {kinds}")
    figure.savefig(file, dpi=110)
    return file


def _figure(rows: int, columns: int = 3, size: tuple[float, float] | None = None) -> Any:
    """Return (figure, axes) of a figure that belongs to no window and no global list."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise FootworkError("figures need matplotlib: pip install 'footwork[plots]'") from None
    figure = Figure(figsize=size or (12, 0.6 + 2.7 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def _shade(ax: Any, gait: Gait, side: str) -> None:
    for first, last in runs(gait.stance(side)):
        ax.axvspan(gait.t[first], gait.t[last], color="#888888", alpha=0.12, linewidth=0)


def _limb(gait: Gait, side: str) -> Array:
    """(n, 5, 3): hip, knee, ankle, heel, toes, the way a stick figure is drawn."""
    motion, leg = gait.forces.motion, gait.names.legs[side]
    joints = [motion.origin[:, motion.index(f"{side} {s}")] for s in ("thigh", "shank", "foot")]
    markers = gait.trial.markers
    toes = (markers[leg["toe lateral"]] + markers[leg["toe medial"]]) / 2
    return np.stack([*joints, markers[leg["heel"]], toes, joints[-1]], axis=1)


def _heading(gait: Gait, up: Array) -> Array:
    """The horizontal way the walker went (3,)."""
    path = gait.forces.motion.origin[:, 0]
    way = path[-1] - path[0]
    way = way - (way @ up) * up
    length = np.linalg.norm(way)
    return way / length if length > 0.05 else np.array([1.0, 0.0, 0.0])
