"""Plots of audits with Matplotlib: what touches, the margin, what is used, and the checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts.audits.audit import Audit
from ..colors import cause_color
from ..scenes.audits import causes_by_color, margin_span, touching_feet, used
from ..viewer.checks import css
from ..viewer.series import stretches
from .axes import SERIES, Axes, axes_for, axes_grid, edges, legend_above, plot_series

_PASSES, _REFUSES, _NOT_ASKED = "#bfe3cd", "#d62839", "#eef0f3"
_ROW = 0.2  # of a foot or a check [inches]


def plot_audit(audit: Audit) -> NDArray[Any]:
    """Return axes (4,): contacts, margin, shares of torque and friction limits, checks."""
    rows = [len(touching_feet(audit)), 7, 6, len(audit.checks)]
    heights = [_ROW * row + 0.15 for row in rows]
    size = (8.0, sum(heights) + 1.3)
    axes = axes_grid(4, 1, size, sharex=True, height_ratios=heights)[:, 0]
    plot_touching(audit, ax=axes[0])
    plot_margin(audit, ax=axes[1])
    plot_used(audit, ax=axes[2])
    plot_checks(audit, ax=axes[3])
    for ax in axes[:-1]:
        ax.set_xlabel("")
    axes[0].set_title(str(audit), fontsize="medium", loc="left")
    return axes


def plot_touching(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw when each foot touches, paler where only some of its corners do."""
    ax = axes_for(ax, "time [s]", "contacts")
    feet = touching_feet(audit)
    for row, share in enumerate(feet.values()):
        tone = SERIES[row % len(SERIES)]
        for value in np.unique(share[share > 0]).tolist():
            _bar(ax, row, audit.t, share == value, tone, 0.25 + 0.6 * value)
    return _rows(ax, list(feet), audit)


def plot_margin(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw the margin [N]; where a sample does not hold, the ground has its cause's colour."""
    ax = plot_series(audit.t, {"margin": audit.margin}, "margin [N]", ax=ax)
    tones = np.array([cause_color(cause) if cause else "" for cause in audit.causes])
    for color, words in causes_by_color(audit).items():
        tone, label = css(color), words
        for begin, end in stretches(audit.t, tones == color):
            ax.axvspan(begin, end, color=tone, alpha=0.22, lw=0, label=label)
            label = "_"
    edges(ax, 0.0)
    ax.set_ylim(margin_span(audit))
    return legend_above(ax)


def plot_used(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw the largest shares of torque limits and friction that the least forces use."""
    ax = plot_series(audit.t, used(audit), "used / limit [-]", ax=ax)
    edges(ax, 1.0)
    ax.set_ylim(0.0, 1.3)
    return ax


def plot_checks(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Draw a row for each check: passed, refused, not asked; and the share that it lets pass."""
    ax = axes_for(ax, "time [s]", "checks")
    for row, check in enumerate(audit.checks.values()):
        asked = ~np.isnan(check.values)
        cells = {_PASSES: asked & ~check.bad, _REFUSES: check.bad, _NOT_ASKED: ~asked}
        for tone, flags in cells.items():
            _bar(ax, row, audit.t, flags, tone, 1.0)
        at = ax.get_yaxis_transform()
        share = f"{100 * check.share:.3g} %"
        ax.text(1.01, row, share, transform=at, va="center", fontsize="small")
    ax.grid(visible=False)
    return _rows(ax, list(audit.checks), audit)


def _bar(ax: Axes, row: int, t: Array, flags: NDArray[np.bool_], tone: str, alpha: float) -> None:
    spans = [(begin, end - begin) for begin, end in stretches(t, flags)]
    ax.broken_barh(spans, (row - 0.4, 0.8), color=tone, alpha=alpha, lw=0)


def _rows(ax: Axes, names: list[str], audit: Audit) -> Axes:
    """Names of rows, the first on top, over the time of the motion."""
    ax.set_yticks(range(len(names)), names, fontsize="small")
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    if len(audit.t) > 1:
        ax.set_xlim(audit.t[0], audit.t[-1])
    return ax
