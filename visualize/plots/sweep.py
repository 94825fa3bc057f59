"""Plots of sweeps: a quantity along one axis, or a map over two, with the edge of "yes"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...contacts.scenario.file import ScenarioError
from ...contacts.sweeps.result import UNITS, Sweep
from ...contacts.sweeps.verdicts import EDGE
from ..colors import hex_of
from .axes import BAD, Axes, axes_for

_NOTHING = "0.85"  # the grey of points without an answer


def plot_sweep(sweep: Sweep, quantity: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a quantity over one or two axes of a grid, or over the first two of a sample.

    Args:
        sweep: the answers.
        quantity: by default the first of the plan.
        ax: to draw into.

    Raises:
        FootworkError: matplotlib is not installed.
        ScenarioError: the sweep has another number of axes, axes of texts, or no such quantity.
    """
    check_axes(sweep.plan.axes, sweep.plan.samples)
    quantity = quantity or sweep.plan.quantities[0]
    values, keys = sweep[quantity], list(sweep.plan.axes)
    unit = "" if UNITS[quantity] == "1" else f" [{UNITS[quantity]}]"
    label = quantity.replace("_", " ") + unit
    plane = len(keys) > 1
    ax = axes_for(ax, keys[0], keys[1] if plane else label, _title(sweep))
    if sweep.plan.samples and plane:
        _scatter(ax, sweep, values, label)
    elif plane:
        _map(ax, sweep, values, label)
    else:
        _line(ax, sweep, values)
    ax.set_facecolor(_NOTHING)
    return ax


def check_axes(axes: Mapping[str, Sequence[Any]], samples: int) -> None:
    """Refuse what has no picture; ask before the work, not after it.

    Raises:
        ScenarioError: see `plot_sweep`.
    """
    if any(isinstance(v, str) for values in axes.values() for v in values):
        raise ScenarioError("a picture needs axes of numbers; this sweep has one of texts")
    if not samples and len(axes) > 2:
        raise ScenarioError(f"a picture has one or two axes, this grid {len(axes)}: {list(axes)}")


def _line(ax: Any, sweep: Sweep, values: Any) -> None:
    key = next(iter(sweep.plan.axes))
    x = sweep.plan.sample[:, 0] if sweep.plan.samples else np.array(sweep.plan.axes[key])
    order = np.argsort(x)
    ax.plot(x[order], np.where(np.isfinite(values), values, np.nan)[order], color="0.3")
    for verdict, color, name in ((1, hex_of("holds"), "holds"), (0, BAD, "does not")):
        chosen = sweep.feasible == verdict
        ax.plot(x[chosen], values[chosen], "o", color=color, label=name)
    ax.axhline(0, color="0.7", linewidth=0.8)
    ax.legend(fontsize="small")


def _map(ax: Any, sweep: Sweep, values: Any, label: str) -> None:
    x, y = (np.array(values, dtype=float) for values in sweep.plan.axes.values())
    colours, limits = _coloured(values)
    mesh = ax.pcolormesh(x, y, colours.T, cmap="RdYlGn", shading="nearest", **limits)
    ax.figure.colorbar(mesh, ax=ax, label=label)
    holds = (sweep.feasible == 1).astype(float)
    if min(holds.shape) > 1 and np.ptp(holds) > 0:
        ax.contour(x, y, holds.T, levels=[0.5], colors="black", linewidths=1.2)


def _scatter(ax: Any, sweep: Sweep, values: Any, label: str) -> None:
    x, y = sweep.plan.sample[:, :2].T
    colours, limits = _coloured(values)
    dots = ax.scatter(x, y, c=colours, cmap="RdYlGn", edgecolors="0.3", **limits)
    ax.figure.colorbar(dots, ax=ax, label=label)


def _coloured(values: Any) -> tuple[Any, dict[str, float]]:
    """Values for the colours, infinite ones as the ends; zero, where yes turns to no, is amid."""
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=1e-12))
    return np.clip(values, -largest, largest), {"vmin": -largest, "vmax": largest}


def _title(sweep: Sweep) -> str:
    """The scenario's name, and how many points have no answer: they are grey."""
    name, blank = Path(sweep.plan.file).stem, int((sweep.feasible < EDGE).sum())
    return f"{name}; grey: {blank} without a posture" if blank else name
