"""Plots of sweeps: a quantity along one axis, or a map over two, with the edge of "yes"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...contacts.scenario.file import ScenarioError
from ...contacts.sweeps.result import UNITS, Sweep
from ...contacts.sweeps.variants import unit_of
from ...contacts.sweeps.verdicts import EDGE, NO, YES
from ..colors import hex_of
from .axes import BAD, Axes, axes_for, draw_cells

_NOTHING = "0.85"  # the grey of points without an answer
_ENDS = {"friction_margin": 1.0}  # of a quantity, where yes turns to no; 0 of others


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
    label = _with_unit(quantity.replace("_", " "), UNITS[quantity])
    plane = len(keys) > 1
    x, *others = (_with_unit(key, unit_of(key)) for key in keys)
    ax = axes_for(ax, x, others[0] if plane else label, _title(sweep))
    end = _ENDS.get(quantity, 0.0)
    if not plane:
        _line(ax, sweep, values, end)
        return ax
    draw = _scatter if sweep.plan.samples else _map
    draw(ax, sweep, values, end, label)
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


def _with_unit(name: str, unit: str) -> str:
    return name if unit in ("", "1") else f"{name} [{unit}]"


_VERDICTS = (
    (YES, hex_of("holds"), "holds"),
    (NO, BAD, "does not"),
    (EDGE, hex_of("at the edge"), "at the edge"),
)


def _line(ax: Any, sweep: Sweep, values: Any, end: float) -> None:
    """Points by their verdict; infinite ones as triangles beyond the others."""
    key = next(iter(sweep.plan.axes))
    x = sweep.plan.sample[:, 0] if sweep.plan.samples else np.array(sweep.plan.axes[key])
    order = np.argsort(x)
    x, values, feasible = x[order].astype(float), values[order], sweep.feasible[order]
    finite = np.isfinite(values)
    places = np.clip(values, *_ends(values[finite], end))
    ax.plot(x, np.where(finite, values, np.nan), color="0.3")
    kinds = ("o", finite, ""), ("^", values == np.inf, ", ∞"), ("v", values == -np.inf, ", -∞")
    for verdict, color, name in _VERDICTS:
        for marker, which, more in kinds:
            at = which & (feasible == verdict)
            if at.any():
                ax.plot(x[at], places[at], marker, color=color, label=name + more)
    borders = np.concatenate([x[:1], (x[1:] + x[:-1]) / 2, x[-1:]])
    for k in np.flatnonzero(feasible < EDGE):
        ax.axvspan(*borders[k : k + 2], color=_NOTHING, zorder=0)
    ax.axhline(end, color="0.7", linewidth=0.8)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small")


def _ends(values: Any, end: float) -> tuple[float, float]:
    """Where infinite values are drawn, a tenth beyond finite ones (n,) and the end of yes."""
    low, high = values.min(initial=end), values.max(initial=end)
    beyond = 0.1 * (high - low) or 1.0
    return float(low - beyond), float(high + beyond)


def _map(ax: Any, sweep: Sweep, values: Any, end: float, label: str) -> None:
    along = [np.array(values, dtype=float) for values in sweep.plan.axes.values()]
    colours, limits = _coloured(values, end)
    mesh = draw_cells(ax, along[0], along[1], colours.T, cmap="RdYlGn", **limits)
    ax.figure.colorbar(mesh, ax=ax, label=label)
    (x, rows), (y, columns) = (np.unique(values, return_index=True) for values in along)
    holds = (sweep.feasible[np.ix_(rows, columns)] == YES).astype(float)
    if min(holds.shape) > 1 and np.ptp(holds) > 0:
        ax.contour(x, y, holds.T, levels=[0.5], colors="black", linewidths=1.2)


def _scatter(ax: Any, sweep: Sweep, values: Any, end: float, label: str) -> None:
    x, y = sweep.plan.sample[:, :2].T
    colours, limits = _coloured(values, end)
    dots = ax.scatter(x, y, c=colours, cmap="RdYlGn", edgecolors="0.3", **limits)
    ax.figure.colorbar(dots, ax=ax, label=label)


def _coloured(values: Any, end: float) -> tuple[Any, dict[str, float]]:
    """Values for the colours, infinite ones as the ends; yes turns to no in the middle."""
    largest = float(np.abs(values[np.isfinite(values)] - end).max(initial=1e-12))
    low, high = end - largest, end + largest
    return np.clip(values, low, high), {"vmin": low, "vmax": high}


def _title(sweep: Sweep) -> str:
    """The scenario's name, and how many points have no answer: they are grey."""
    name, blank = Path(sweep.plan.file).stem, int((sweep.feasible < EDGE).sum())
    return f"{name}; grey: {blank} without a posture" if blank else name
