"""Plots of predictions: motion, normal forces of contacts, margins; of many, what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...control.predictive.prediction import Prediction
from ...control.predictive.predictions import Predictions
from .axes import BAD, GRAY, SERIES, axes_for, axes_grid, finite


def plot_prediction(prediction: Prediction) -> NDArray[Any]:
    """Return axes (1, 3): velocities of the centre of mass, normal forces, margins; over time.

    The first node whose bounds cannot be kept is marked.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    axes = axes_grid(1, 3, (13.0, 3.8))
    _velocities(axes[0, 0], prediction)
    _forces(axes[0, 1], prediction)
    _margins(axes[0, 2], prediction)
    if prediction.node is not None:
        for ax in axes[0]:
            ax.axvline(prediction.times[prediction.node], color="red", linestyle=":")
    return axes


def _velocities(ax: Any, prediction: Prediction) -> None:
    axes_for(ax, "time [s]", "velocity [m/s]", "centre of mass")
    for i, colour in zip(range(3), SERIES, strict=False):
        ax.plot(prediction.times, prediction.velocity[:, i], color=colour, label="xyz"[i])
        ax.plot(prediction.times, prediction.reference.velocity[:, i], "--", color=colour)
    ax.plot([], [], "--", color=GRAY, label="reference")
    ax.legend(fontsize="small")


def _forces(ax: Any, prediction: Prediction) -> None:
    axes_for(ax, "time [s]", "normal force [N]", "contacts")
    every = [prediction.wrenches(k) for k in range(len(prediction.nodes.durations))]
    for name, colour in zip(prediction.contacts.names, SERIES, strict=False):
        normal = [
            float(stance.places[name].rotation[:, 2] @ wrenches[name].force)
            if name in wrenches
            else 0.0
            for stance, wrenches in zip(prediction.nodes.stances, every, strict=True)
        ]
        ax.stairs(normal, prediction.times, baseline=None, color=colour, label=name)
    ax.legend(fontsize="small")


def _margins(ax: Any, prediction: Prediction) -> None:
    axes_for(ax, "time [s]", "margin [N]", "what contacts could lose")
    margins = finite(prediction.margins)
    ax.stairs(margins, prediction.times, baseline=None, color=SERIES[0], label="margin")
    other, room = ax.twinx(), finite(100 * prediction.torque_margins)
    other.stairs(room, prediction.times, baseline=None, color=GRAY)
    ax.plot([], [], color=GRAY, label="torques")
    ax.legend(fontsize="small")
    other.set_ylabel("torques: left of their limits [%]")
    other.set_ylim(0, 105)


def plot_predictions(predictions: Predictions) -> NDArray[Any]:
    """Return axes (1, 2): paths of the centres of mass from above, margins over time.

    Left, motions that exceed their bounds of height or tilt are red, unsolved ones grey. Right,
    over time, margins of friction of those within them: the median, and the range from the 10th to
    the 90th percentile.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    axes = axes_grid(1, 2, (10.0, 4.2))
    _paths(axes[0, 0], predictions)
    _spread(axes[0, 1], predictions)
    return axes


def _paths(ax: Any, predictions: Predictions) -> None:
    axes_for(ax, "x [m]", "y [m]", "centres of mass, from above")
    for status, colour in (("exceeded", BAD), ("unsolved", GRAY), ("optimal", SERIES[0])):
        own = predictions.com[predictions.status == status]
        for com in own:
            ax.plot(com[:, 0], com[:, 1], color=colour, linewidth=0.7, alpha=0.6)
        if len(own):
            ax.plot([], [], color=colour, label=f"{len(own)} {status}")
    ax.set_aspect("equal", adjustable="datalim")
    if len(predictions):
        ax.legend(fontsize="small")


def _spread(ax: Any, predictions: Predictions) -> None:
    axes_for(ax, "time [s]", "margin [N]", "what contacts could lose, where bounds are kept")
    kept = predictions.status == "optimal"
    if not kept.any():
        return
    times = predictions.times[kept, :-1]
    margins = finite(predictions.margins)[kept]
    grid = np.linspace(0.0, float(times.max()), 60)
    pairs = zip(times, margins, strict=True)
    each = np.array([m[np.searchsorted(t, grid, side="right") - 1] for t, m in pairs])
    some = np.isfinite(each).any(axis=0)  # else the robot flies
    grid, each = grid[some], each[:, some]
    low, middle, high = np.nanquantile(each, (0.1, 0.5, 0.9), axis=0)
    ax.fill_between(grid, low, high, color=SERIES[0], alpha=0.25, step="post", linewidth=0)
    ax.step(grid, middle, where="post", color=SERIES[0])
