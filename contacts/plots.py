"""Plots of contacts with Matplotlib: regions, friction maps, forces in their cones, margins.

Each function draws into `ax`, or into new axes, and returns them; everything in SI units.
Matplotlib is the extra `plots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import dynamics
from ..errors import ContactError, FootworkError
from .contact_set import ContactSet
from .geometry.polygon import convex_hull
from .hold import Hold
from .regions.friction_map import FrictionMap
from .regions.region import Region

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]

COLORS = {
    "patch": "#6b7280",
    "com": "#c026a3",
    "zmp": "#ea580c",
    "bad": "#dc2626",
    "good": "#15803d",
}
SERIES = ("#0f766e", "#1d4ed8", "#b45309", "#7c3aed", "#be123c", "#4d7c0f")


def plot_regions(
    regions: Region | Mapping[str, Region],
    contacts: ContactSet | None = None,
    q: ArrayLike | None = None,
    *,
    zmp: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw regions of the ground plane from above, with contact patches, CoM and ZMP.

    The inner polygon is filled, the outer one a dashed line. An unbounded region is not drawn.

    Args:
        regions: one, or {name: region} for a legend.
        contacts, q: whose patches and centre of mass are drawn too; both or none.
        zmp: (2,) or more, a point to mark [m].
        ax: to draw into.
    """
    if (contacts is None) != (q is None):
        raise ContactError("contacts, q: got one of them, expected both or none")
    ax = _axes(ax, "x [m]", "y [m]")
    if contacts is not None and q is not None:
        plot_contacts(contacts, q, ax=ax)
    named = {"region": regions} if isinstance(regions, Region) else dict(regions)
    for i, (name, region) in enumerate(named.items()):
        _draw_region(ax, name, region, SERIES[i % len(SERIES)])
    if contacts is not None and q is not None:
        x, y, _ = dynamics.com(contacts.robot, q)
        ax.plot([x], [y], "o", color=COLORS["com"], label="centre of mass", zorder=5)
    if zmp is not None:
        x, y = np.asarray(zmp, dtype=float)[:2]
        ax.plot([x], [y], "P", color=COLORS["zmp"], label="ZMP", zorder=5)
    _plane(ax)
    return ax


def plot_contacts(contacts: ContactSet, q: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw the patches and points of contacts from above, with their names."""
    ax = _axes(ax, "x [m]", "y [m]")
    for contact in contacts:
        points = contact.world_points(contacts.robot, q)[:, :2]
        style: dict[str, Any] = {"color": COLORS["patch"], "zorder": 3}
        if len(points) == 1:
            ax.plot(points[:, 0], points[:, 1], "s", **style)
        else:
            hull = _closed(convex_hull(points))
            ax.plot(hull[:, 0], hull[:, 1], "-", linewidth=1.5, **style)
        ax.annotate(
            contact.name,
            points.mean(axis=0),
            xytext=(0, 4),
            textcoords="offset points",
            fontsize="x-small",
            ha="center",
            color=COLORS["patch"],
        )
    _plane(ax)
    return ax


def plot_friction_map(
    friction: FrictionMap,
    contacts: ContactSet | None = None,
    q: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a friction map as colours with a colour bar; places that nothing holds stay empty.

    Args:
        friction: as `friction_map` returns it.
        contacts, q: whose patches are drawn too; both or none.
        ax: to draw into.
    """
    ax = _axes(ax, "x of the centre of mass [m]", "y of the centre of mass [m]")
    values = np.ma.masked_invalid(friction.friction)
    image = ax.pcolormesh(friction.x, friction.y, values, shading="nearest", cmap="viridis")
    ax.figure.colorbar(image, ax=ax, label="least friction μ [-]")
    if contacts is not None and q is not None:
        plot_contacts(contacts, q, ax=ax)
        ax.set_xlabel("x of the centre of mass [m]")
        ax.set_ylabel("y of the centre of mass [m]")
    x, y = friction.com[:2]
    ax.plot([x], [y], "o", color=COLORS["com"], label="centre of mass", zorder=5)
    _plane(ax)
    return ax


def plot_forces(hold: Hold, *, ax: Axes | None = None) -> Axes:
    """Draw every contact force as a point (‖f_t‖, f_n), with the cones ‖f_t‖ ≤ μ f_n.

    One colour a contact, one point a corner; what lies left of its contact's line is held.

    Raises:
        ContactError: the hold has no forces.
    """
    if hold.forces is None:
        raise ContactError(f"hold: got one that is {hold.status}, expected one with forces")
    ax = _axes(ax, "tangential force ‖f_t‖ [N]", "normal force f_n [N]")
    highest = max([float(np.abs(f).max(initial=0.0)) for f in hold.forces.values()], default=1.0)
    for i, contact in enumerate(hold.contacts):
        colour = SERIES[i % len(SERIES)]
        n = contact.pose(hold.contacts.robot, hold.q).rotation[:, 2]
        normal = hold.forces[contact.name] @ n
        tangent = np.linalg.norm(hold.forces[contact.name] - np.outer(normal, n), axis=1)
        ax.plot(tangent, normal, "o", color=colour, label=contact.name)
        if not contact.bilateral and np.isfinite(contact.friction):
            edge = 1.1 * highest * np.array([0.0, 1.0])
            ax.plot(contact.friction * edge, edge, "--", color=colour, linewidth=1.0)
    ax.set_xlim(left=0.0)
    ax.legend(title="contact; dashed: ‖f_t‖ = μ f_n", fontsize="small")
    return ax


def plot_margins(hold: Hold, *, ax: Axes | None = None) -> Axes:
    """Draw a bar for every contact: the normal force that it alone could lose; and the margin.

    A margin that is infinite has no bar, and "∞" in its place.
    """
    ax = _axes(ax, "", "normal force that may go [N]")
    margins = hold.contact_margins
    finite = [value if np.isfinite(value) else 0.0 for value in margins.values()]
    colours = [COLORS["good"] if value >= 0 else COLORS["bad"] for value in margins.values()]
    ax.bar(list(margins), finite, color=colours)
    for i, value in enumerate(margins.values()):
        text = f"{value:.3g}" if np.isfinite(value) else ("∞" if value > 0 else "−∞")
        ax.annotate(text, (i, finite[i]), xytext=(0, 2), textcoords="offset points", ha="center")
    if np.isfinite(hold.margin):
        ax.axhline(hold.margin, color="black", linestyle="--", label="all together: the margin")
        ax.legend(fontsize="small")
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.tick_params(axis="x", labelrotation=30 if len(margins) > 4 else 0)
    return ax


def _axes(ax: Axes | None, x: str, y: str) -> Any:
    """`ax`, or the only axes of a new figure, with labels and a title-free frame."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise FootworkError("plots need matplotlib: pip install 'footwork[plots]'") from error
        _, ax = pyplot.subplots(layout="constrained")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    return ax


def _draw_region(ax: Any, name: str, region: Region, colour: str) -> None:
    if len(region.vertices) == 0 or region.status == "unbounded":
        ax.plot([], [], color=colour, label=f"{name} ({region.status})")
        return
    x, y = region.vertices.T
    if len(region.vertices) >= 3:
        ax.fill(x, y, facecolor=colour, alpha=0.25, edgecolor=colour, label=name)
    else:
        ax.plot(x, y, "-o", color=colour, label=f"{name} ({region.status})")
    if len(region.outer) >= 3:
        around = _closed(region.outer)
        ax.plot(around[:, 0], around[:, 1], "--", color=colour, linewidth=0.8)


def _closed(corners: Array) -> Array:
    return np.vstack([corners, corners[:1]])


def _plane(ax: Any) -> None:
    """One scale for both axes, and a legend if anything has a name."""
    ax.set_aspect("equal", adjustable="datalim")
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small")
