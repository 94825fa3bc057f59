"""Plot of a prediction: its motion, the normal forces of its contacts, and margins along it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...control.predictive.prediction import Prediction
from .axes import GRAY, SERIES, axes_for, axes_grid


def plot_prediction(prediction: Prediction) -> NDArray[Any]:
    """Return axes (1, 3): velocities of the centre of mass, normal forces, margins; over time.

    The first node whose bounds cannot be kept is marked.

    Args:
        prediction: to draw.

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
    margins = np.where(np.isfinite(prediction.margins), prediction.margins, np.nan)
    ax.stairs(margins, prediction.times, baseline=None, color=SERIES[0], label="margin")
    other, room = ax.twinx(), 100 * prediction.torque_margins
    room = np.where(np.isfinite(room), room, np.nan)
    other.stairs(room, prediction.times, baseline=None, color=GRAY)
    ax.plot([], [], color=GRAY, label="torques")
    ax.legend(fontsize="small")
    other.set_ylabel("torques: left of their limits [%]")
    other.set_ylim(0, 105)
