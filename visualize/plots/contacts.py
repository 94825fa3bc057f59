"""Plots of contacts and verdicts with Matplotlib: regions, friction maps, forces, margins.

Each function draws into `ax`, or into new axes, and returns them; everything in SI units.
Matplotlib is the extra `plots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import dynamics
from ...arrays import Array
from ...contacts.contact_set import ContactSet
from ...contacts.geometry.polygon import convex_hull
from ...contacts.hold import Hold
from ...contacts.limits import ContactLimits
from ...contacts.margin_words import margin_words
from ...contacts.regions.friction_map import FrictionMap
from ...contacts.regions.region import Region
from ...contacts.scenario.scenario import Scenario
from ...contacts.wrench_cones.wrench_cone import WrenchCone
from ...contacts.zmp import zero_moment_point
from ...dynamics.closures import ties
from ...errors import ContactError
from ...robots.values import instance
from ..colors import hex_of
from ..scenes.cones import force_section, with_faces
from ..scenes.hold import region_of
from .axes import BAD, SERIES, Axes, axes_for, axes_grid, draw_cells, edges, plot_series

MARKERS = "ox^+sv"  # of contacts whose forces may be the same
_POINT = 1e-6  # extent below which all that is drawn is a point


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
    if contacts is not None and q is not None:
        ax = plot_contacts(contacts, q, ax=ax)
    ax = axes_for(ax, "x [m]", "y [m]", "Regions, from above")
    named = {"region": regions} if isinstance(regions, Region) else dict(regions)
    for i, (name, region) in enumerate(named.items()):
        _draw_region(ax, name, region, SERIES[i % len(SERIES)])
    if contacts is not None and q is not None:
        _mark_com(ax, dynamics.com(contacts.robot, q))
    if zmp is not None:
        x, y = np.asarray(zmp, dtype=float)[:2]
        ax.plot([x], [y], "P", color=hex_of("zmp"), label="ZMP", zorder=5)
    plane(ax)
    return ax


def plot_contacts(contacts: ContactSet, q: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw the patches and points of contacts from above, with their names."""
    instance(contacts, "contacts", ContactSet, error=ContactError)
    ax = axes_for(ax, "x [m]", "y [m]", "Contacts, from above")
    for contact in contacts:
        points = contact.world_points(contacts.robot, q)[:, :2]
        style: dict[str, Any] = {"color": hex_of("patch"), "zorder": 3}
        if len(points) == 1:
            ax.plot(points[:, 0], points[:, 1], "s", **style)
        else:
            hull = closed(convex_hull(points))
            ax.plot(hull[:, 0], hull[:, 1], "-", linewidth=1.5, **style)
        ax.annotate(
            contact.name,
            points.mean(axis=0),
            xytext=(0, 4),
            textcoords="offset points",
            fontsize="x-small",
            ha="center",
            color=hex_of("patch"),
        )
    ax.margins(0.12)  # for the names
    plane(ax)
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
    labels = ("x of the centre of mass [m]", "y of the centre of mass [m]")
    ax = axes_for(ax, *labels)
    values = np.ma.masked_invalid(friction.friction)
    low, high = friction.range
    how = {"cmap": "viridis", "vmin": low, "vmax": high}
    image = draw_cells(ax, friction.x, friction.y, values, **how)
    ax.figure.colorbar(image, ax=ax, label="least friction μ [-]")
    if contacts is not None and q is not None:
        plot_contacts(contacts, q, ax=ax)
    _mark_com(ax, friction.com)
    plane(ax)
    axes_for(ax, *labels, "Least friction that holds")
    return ax


def plot_forces(hold: Hold, *, ax: Axes | None = None) -> Axes:
    """Draw every contact force as a point (‖f_t‖, f_n), with the cones ‖f_t‖ ≤ μ f_n.

    Where friction is a pair, f_t is (f_1 μ/μ_1, f_2 μ/μ_2) with μ = max(μ_1, μ_2). One colour a
    contact, one point a corner; what lies left of its contact's line is held.

    Raises:
        ContactError: the hold has no forces.
    """
    if hold.forces is None:
        raise ContactError(f"hold: got one that is {hold.status}, expected one with forces")
    once = {name: forces[None] for name, forces in hold.forces.items()}
    return plot_force_course(hold.contacts, hold.q[None], once, ax=ax)


def plot_force_course(
    contacts: ContactSet, q: ArrayLike, forces: Mapping[str, ArrayLike], *, ax: Axes | None = None
) -> Axes:
    """Draw the contact forces of a whole motion as `plot_forces` does those of one moment.

    Args:
        contacts: whose friction, and whose normals at each configuration.
        q: configurations (n, nq).
        forces: {contact: (n, k, 3)}, at its points, world axes [N], such as `ClosedLoop.forces`.
        ax: to draw into.

    Raises:
        ContactError: a contact that there is not, or forces of another shape.
    """
    labels = ("tangential force ‖f_t‖ [N]", "normal force f_n [N]")
    ax = axes_for(ax, *labels, "Contact forces and their cones")
    split = {name: _split(contacts, name, q, forces[name]) for name in forces}
    highest = max([float(normal.max(initial=0.0)) for _, normal in split.values()], default=1.0)
    for i, (name, (tangent, normal)) in enumerate(split.items()):
        colour, contact = SERIES[i % len(SERIES)], contacts[name]
        many = len(normal) > 60
        dots: dict[str, Any] = {"markersize": 3, "alpha": 0.5} if many else {"markersize": 5}
        ax.plot(tangent, normal, MARKERS[i % len(MARKERS)], color=colour, label=name, **dots)
        edge = 1.1 * (highest or 1.0) * np.array([0.0, 1.0])
        if not contact.bilateral:
            ax.plot(np.max(contact.friction) * edge, edge, "--", color=colour, linewidth=1.0)
    ax.set_xlim(left=0.0)
    if split:
        title = "contact; dashed: ‖f_t‖ = μ f_n"
        ax.legend(title=title, fontsize="small", title_fontsize="small", markerscale=2.0)
    return ax


def _split(contacts: ContactSet, name: str, q: ArrayLike, forces: ArrayLike) -> tuple[Array, Array]:
    """Tangential and normal parts of forces (n, k, 3) at configurations (n, nq), each (n k,)."""
    contact, rows = contacts[name], np.atleast_2d(np.asarray(q, dtype=float))
    f = np.asarray(forces, dtype=float)
    if f.shape != (len(rows), len(contact.points), 3):
        expected = f"({len(rows)}, {len(contact.points)}, 3)"
        raise ContactError(f"forces of {name!r}: got shape {f.shape}, expected {expected}")
    axes = np.array([contact.pose(contacts.robot, row).rotation for row in rows])
    f = np.einsum("nkj,nji->nki", f, axes).reshape(-1, 3)
    weights = ContactLimits.of([contact]).cone_weights[1][0]
    return np.linalg.norm(weights * f[:, :2], axis=1), f[:, 2]


def plot_margin_course(
    t: ArrayLike, margins: ArrayLike | Mapping[str, ArrayLike], *, ax: Axes | None = None
) -> Axes:
    """Draw margins over time; where one is below zero the contacts do not hold: shaded.

    Args:
        t: times (n,) [s].
        margins: (n,) [N], or several by name, such as {contact: …} of `hold.contact_margins` along
            a motion. Infinite ones leave a gap.
        ax: to draw into.

    Raises:
        ConfigurationError: not as many margins as times.
    """
    named = margins if isinstance(margins, Mapping) else {"all contacts": margins}
    ax = plot_series(t, named, "normal force that may go [N]", "Margins", ax=ax)
    for line in list(ax.lines):
        times, y = (np.asarray(values) for values in line.get_data())
        ax.fill_between(times, 0.0, y, where=y < 0, color=BAD, alpha=0.25)
    edges(ax, 0.0, label="the edge")
    ax.legend(fontsize="small")
    return ax


def plot_margins(hold: Hold, *, ax: Axes | None = None) -> Axes:
    """Draw a bar for every contact: the normal force that it alone could lose; and the margin.

    A margin that is infinite has no bar, and "∞" in its place.
    """
    ax = axes_for(ax, "contact", "normal force that may go [N]", "Margins")
    margins = hold.contact_margins
    finite = [value if np.isfinite(value) else 0.0 for value in margins.values()]
    colours = [hex_of("holds") if value >= 0 else BAD for value in margins.values()]
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


def _mark_com(ax: Any, com: Array) -> None:
    ax.plot(*com[:2, None], "o", color=hex_of("com"), label="centre of mass", zorder=5)


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
        around = closed(region.outer)
        ax.plot(around[:, 0], around[:, 1], "--", color=colour, linewidth=0.8)


def closed(corners: Array) -> Array:
    """Return corners (k, 2) with the first one again at the end."""
    return np.vstack([corners, corners[:1]])


def plane(ax: Any) -> None:
    """One scale for both axes, with room about a single point; a legend if anything has a name."""
    ax.set_aspect("equal", adjustable="datalim")
    low, high = ax.dataLim.min, ax.dataLim.max
    if 0 <= np.max(high - low) < _POINT:
        (x, y), half = (low + high) / 2, 0.1
        ax.set_xlim(x - half, x + half)
        ax.set_ylim(y - half, y + half)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(fontsize="small")


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


def plot_hold(hold: Hold) -> NDArray[Any]:
    """Return axes (3,): the contacts with their region from above, the forces, the margins.

    Without forces, of a Hold that is not feasible, its axes (2,): without those of the forces.
    """
    panels = 2 if hold.forces is None else 3
    axes = axes_grid(1, panels, (4.5 * panels, 4.2)).ravel()
    robot, zmp = hold.contacts.robot, zero_moment_point(hold.wrenches or {})
    # contacts alone do not hold what is tied to the world
    polygons: dict[str, Region] = {}
    if not ties(robot):
        polygons["region"] = region_of(hold)
    plot_regions(polygons, hold.contacts, hold.q, zmp=zmp, ax=axes[0])
    if hold.forces is not None:
        plot_forces(hold, ax=axes[1])
    plot_margins(hold, ax=axes[-1])
    verdict = hold.explain().splitlines()[0]
    axes[0].figure.suptitle(f"{verdict}\n{margin_words(hold.margin)}", fontsize="medium")
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
