"""Plots of repairs with Matplotlib: what held before and holds now, margins, changes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ...control.repairs.report import Repair
from ..scenes.audits import margin_span
from .audits import plot_checks
from .axes import GRAY, SERIES, Axes, axes_for, axes_grid, edges, finite, legend_above


def plot_repair(repair: Repair) -> NDArray[Any]:
    """Return axes (3,): both margins, and the checks as they were and as they are."""
    before, after = repair.before, repair.after
    heights = [1.6, *(0.2 * len(audit.checks) + 0.3 for audit in (before, after))]
    size = (8.0, sum(heights) + 1.3)
    axes = axes_grid(3, 1, size, sharex=repair.slowed == 1, height_ratios=heights)[:, 0]
    plot_margins(repair, ax=axes[0])
    plot_checks(before, ax=axes[1]).set_ylabel("checks, as wanted")
    plot_checks(after, ax=axes[2]).set_ylabel("checks, repaired")
    for ax in axes[:2]:
        ax.set_xlabel("")
    words = f"{100 * before.share:.3g} % hold as wanted, {100 * after.share:.3g} % repaired"
    axes[0].set_title(f"{before.motion.name}: {words}", fontsize="medium", loc="left")
    return axes


def plot_margins(repair: Repair, *, ax: Axes | None = None) -> Axes:
    """Draw the margins of the motion that was wanted and of the one that was found [N]."""
    ax = axes_for(ax, "time [s]", "margin [N]")
    for audit, words, tone in (
        (repair.before, "as wanted", GRAY),
        (repair.after, "repaired", SERIES[0]),
    ):
        ax.plot(audit.t, finite(audit.margin), color=tone, lw=1.2, label=words)
    edges(ax, 0.0)
    ax.margins(x=0)
    ax.set_ylim(margin_span(repair.before, repair.after))
    return legend_above(ax)
