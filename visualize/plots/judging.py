"""Plots of a judgement: trials that keep their feet by speed, and a polar plot of pushes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...control.judging.judgement import Judgement
from .axes import GRAY, SERIES, axes_for, axes_grid, polar


def plot_judgement(judgement: Judgement) -> NDArray[Any]:
    """Return axes (1, 2): the share of trials that last, by speed; the largest pushes, polar.

    Without pushes, axes (1, 1).

    Pushes are drawn by their direction seen from above, forward to the right, beside the capture
    limit of a linear inverted pendulum that stands.

    Raises:
        FootworkError: Matplotlib is not installed.
    """
    if not judgement.pushes:
        axes = axes_grid(1, 1, (5.2, 4.2))
        _shares(axes[0, 0], judgement)
        return axes
    axes = axes_grid(1, 2, (9.5, 4.2))
    _shares(axes[0, 0], judgement)
    polar(axes, 1)
    _pushes(axes[0, 1], judgement)
    return axes


def _shares(ax: Any, judgement: Judgement) -> None:
    title = f"{judgement.robot}, {judgement.controller}"
    axes_for(ax, "commanded speed [m/s]", "trials that last [%]", title)
    for i, world in enumerate(dict.fromkeys(row.world for row in judgement.rows)):
        rows = [row for row in judgement.rows if row.world == world]
        speeds = [float(np.linalg.norm(row.velocity[:2])) for row in rows]
        shares = [100 * (1 - row.failed / row.trials) for row in rows]
        counts = "/".join(dict.fromkeys(str(row.trials) for row in rows))
        trials = "1 trial" if counts == "1" else f"{counts} trials"
        size = 9 - 4 * min(i, 1)  # of two worlds at one point both are seen
        label = f"{world}, {trials}"
        ax.plot(speeds, shares, "o-", color=SERIES[i % len(SERIES)], markersize=size, label=label)
    ax.set_ylim(-5, 105)
    if judgement.rows:
        ax.legend(fontsize="small")


def _pushes(ax: Any, judgement: Judgement) -> None:
    ax.set_title("largest push survived [m/s]", fontsize="medium")
    closed = [*judgement.pushes, judgement.pushes[0]]
    angles = np.radians([push.heading for push in closed])
    survived = [push.survived for push in closed]
    ax.plot(angles, [push.capture for push in closed], "--", color=GRAY, label="capture limit")
    ax.plot(angles, survived, "o-", color=SERIES[0], label="survived")
    ax.fill(angles, survived, color=SERIES[0], alpha=0.15)
    ax.set_rlim(0)
    ax.set_rlabel_position(67.5)  # above one another, and between headings
    ax.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0.85, -0.1))
