"""Sections of a wrench cone as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...contacts.cones.wrench_cone import WrenchCone
from ..sections import force_section, with_faces
from .axes import SERIES, axes_for
from .contacts import closed, plane

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_wrench_cone(cone: WrenchCone, *, ax: Axes | None = None) -> Axes:
    """Draw the tangential forces that a wrench cone has per newton of normal force, contact axes.

    One outline without moment, others with a moment about the normal of a quarter, a half and three
    quarters of the largest. Exact cones by an inner pyramid.
    """
    ax = axes_for(ax, "f_x / f_n [-]", "f_y / f_n [-]", "Wrench cone")
    cone = with_faces(cone)
    largest = _largest_twist(cone)
    for k, share in enumerate((0.0, 0.25, 0.5, 0.75) if largest > 1e-9 else (0.0,)):
        corners = force_section(cone, 1.0, np.array([0.0, 0.0, share * largest]))
        if len(corners) >= 3:
            outline = closed(corners)
            label = f"m_n / f_n = {share * largest:.3g} m"
            ax.plot(*outline.T, color=SERIES[k], linewidth=1.4, label=label)
    plane(ax)
    return ax


def _largest_twist(cone: WrenchCone) -> float:
    """The largest moment about the normal per newton of normal force, without tilting [m]."""
    low, high = 0.0, float(2.0 * cone.generators.size)
    for _ in range(30):
        middle = (low + high) / 2
        inside = len(force_section(cone, 1.0, np.array([0.0, 0.0, middle]))) >= 3
        low, high = (middle, high) if inside else (low, middle)
    return low
