"""Plots of a verdict: its region, forces and margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...contacts.hold import Hold
from ...contacts.regions.region import static_equilibrium_polygon
from ...contacts.scenario.scenario import Scenario
from ...contacts.zmp import zero_moment_point
from .axes import axes_grid
from .contacts import plot_forces, plot_margin_course, plot_margins, plot_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_hold(hold: Hold) -> NDArray[Any]:
    """Return axes (3,): the contacts with their region from above, the forces, the margins.

    Without forces, of a Hold that is not feasible, its axes (2,): without those of the forces.
    """
    panels = 2 if hold.forces is None else 3
    axes = axes_grid(1, panels, (4.5 * panels, 4.2)).ravel()
    region = static_equilibrium_polygon(hold.contacts.robot, hold.q, hold.contacts)
    zmp = zero_moment_point(hold.wrenches or {})
    plot_regions(region, hold.contacts, hold.q, zmp=zmp, ax=axes[0])
    if hold.forces is not None:
        plot_forces(hold, ax=axes[1])
    plot_margins(hold, ax=axes[-1])
    axes[0].figure.suptitle(str(hold), fontsize="medium")
    return axes


def plot_holds(
    holds: Sequence[Hold], times: ArrayLike | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the margins of a sequence of Holds, over times (n,) [s], without them over 0, 0.1, …"""
    t = 0.1 * np.arange(len(holds)) if times is None else times
    return plot_margin_course(t, [hold.margin for hold in holds], ax=ax)


def plot_scenario(scenario: Scenario) -> NDArray[Any]:
    """Return the axes of `plot_hold` for the verdict of a scenario."""
    return plot_hold(scenario.check())
