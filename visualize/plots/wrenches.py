"""Plots of contact wrenches from logs: normal forces, friction used, margin, what is left."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ...contacts.equilibrium.balance import weight
from ...control.estimation.wrenches import ContactWrenches
from .audits import plot_touching
from .axes import GRAY, SERIES, Axes, axes_grid, edges, plot_series

SURE = 2.0  # standard deviations that are drawn about a force


def plot_wrenches(wrenches: ContactWrenches) -> NDArray[Any]:
    """Return axes (5,): contacts, normal forces, friction used, margin, and what is left."""
    heights = [0.25 * len(wrenches.contacts) + 0.3, 2.2, 1.6, 1.6, 1.4]
    size = (9.0, sum(heights) + 1.2)
    axes = axes_grid(5, 1, size, sharex=True, height_ratios=heights)[:, 0]
    plot_touching(wrenches.audit, ax=axes[0])
    plot_normals(wrenches, ax=axes[1])
    plot_friction_used(wrenches, ax=axes[2])
    plot_margin(wrenches, ax=axes[3])
    plot_unexplained(wrenches, ax=axes[4])
    for ax in axes[:-1]:
        ax.set_xlabel("")
    title = f"{wrenches.robot.name}: contact forces below {wrenches.cutoff:g} Hz"
    axes[0].set_title(title, fontsize="medium", loc="left")
    return axes


def plot_normals(wrenches: ContactWrenches, *, ax: Axes | None = None) -> Axes:
    """Draw each contact's normal force [N], with two standard deviations to both sides."""
    normals = {name: local[:, 2] for name, local in wrenches.local.items()}
    ax = plot_series(wrenches.t, normals, "normal force [N]", ax=ax)
    for i, (name, f) in enumerate(normals.items()):
        room = SURE * wrenches.normal_std[name]
        tone = SERIES[i % len(SERIES)]
        ax.fill_between(wrenches.t, f - room, f + room, color=tone, alpha=0.25, lw=0)
    return ax


def plot_friction_used(wrenches: ContactWrenches, *, ax: Axes | None = None) -> Axes:
    """Draw the share of its friction cone that each contact uses: 1 where it slides."""
    ax = plot_series(wrenches.t, wrenches.friction_used, "friction used [-]", ax=ax)
    edges(ax, 1.0)
    ax.set_ylim(0.0, 1.15)
    return ax


def plot_margin(wrenches: ContactWrenches, *, ax: Axes | None = None) -> Axes:
    """Draw the margin of the motion that took place: what every contact could lose [N]."""
    ax = plot_series(wrenches.t, {"margin": wrenches.audit.margin}, "margin [N]", ax=ax)
    edges(ax, 0.0)
    return ax


def plot_unexplained(wrenches: ContactWrenches, *, ax: Axes | None = None) -> Axes:
    """Draw the force on the robot that no contact explains, in shares of its weight."""
    left = 100 * wrenches.unexplained[:, :3] / weight(wrenches.robot)
    rows = {f"{axis} [% of weight]": left[:, i] for i, axis in enumerate("xyz")}
    ax = plot_series(wrenches.t, rows, "unexplained", ax=ax)
    ax.axhline(0.0, color=GRAY, linewidth=0.8)
    return ax
