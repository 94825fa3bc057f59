"""Regions and friction maps on the ground, and the accelerations of the centre of mass."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...contacts.regions.friction_map import FrictionMap
from ...contacts.regions.region import AccelerationCone, Region
from ...errors import ContactError
from ...robots import Robot
from ...robots.values import instance, number, vector
from ..colors import COLORS
from ..viewer import Viewer
from ..viewer.checks import check_viewer
from .motion import along_gravity


def view_region(region: Region, height: float = 0.0) -> Viewer:
    """Return a Viewer that shows a region of the plane at a height [m], on the ground.

    With its robot: `draw_region` into a Viewer of that robot.
    """
    viewer = Viewer(ground=height, title=f"{region.status} region")
    viewer.scale = float(np.ptp(region.vertices, axis=0).max(initial=0.0)) or 1.0
    draw_region(viewer, region, height)
    viewer.legend(f"{region.status}, {region.area:.4g} m²", {})
    return viewer


def draw_region(
    viewer: Viewer,
    region: Region,
    height: float = 0.0,
    *,
    name: str = "region",
    color: Any = COLORS["region"],
) -> None:
    """Draw a region of the plane at a height [m]: on the ground, or at the centre of mass.

    Nothing is drawn of a region that is empty or unbounded.
    """
    height = number(height, "height", unit="[m]", error=ContactError)
    check_viewer(viewer)
    instance(region, "region", Region, error=ContactError)
    if not has_outline(region):
        return
    lifted = height + 0.002 * viewer.scale  # just above a ground there, so that both are seen
    corners = np.column_stack([region.vertices, np.full(len(region.vertices), lifted)])
    viewer.polygon(name, corners, color=color, opacity=0.35)


def has_outline(region: Region) -> bool:
    """Whether there is something to draw."""
    return region.status in ("bounded", "flat")


def on_ground(region: Region, robot: Robot, com: Array, ground: float) -> Region:
    """Return where the weight points to at the height `ground` [m] for centres of mass in a region.

    That is the region itself but where gravity is tilted. `com` (3,): the robot's, for its height.
    """
    shift = (along_gravity(robot, com, ground) - com)[:2]
    return Region(region.vertices + shift, region.outer + shift, region.status)


def draw_acceleration_cone(
    viewer: Viewer, cone: AccelerationCone, com: ArrayLike, *, scale: float | None = None
) -> None:
    """Draw the accelerations c̈ that contacts can give, from its apex g up to those with c̈_z = 0.

    An acceleration c̈ is drawn at com + scale · c̈, so that the open base lies at the height of the
    centre of mass, around it if the robot can stand.

    Args:
        viewer: to draw into.
        cone: of `com_acceleration_cone`.
        com: centre of mass (3,) [m].
        scale: [m per m/s²]; by default the apex is 0.4 of the robot's height below.

    Raises:
        ContactError: no gravity, and so no apex below.
    """
    check_viewer(viewer)
    instance(cone, "cone", AccelerationCone, error=ContactError)
    gravity = float(np.linalg.norm(cone.apex))
    if not gravity > 0:
        raise ContactError("cone: got one without gravity, expected one with an apex below")
    metres = 0.4 * viewer.scale / gravity
    if scale is not None:
        metres = number(scale, "scale", above=0, unit="[s²]", error=ContactError)
    section, centre = cone.section(), vector(com, "com")
    if len(section.vertices) < 3 or section.status == "unbounded":
        return
    rim = metres * np.column_stack([section.vertices, np.zeros(len(section.vertices))])
    apex, color = centre + metres * cone.apex, COLORS["acceleration"]
    viewer.pyramid("acceleration cone", apex, centre + rim, color=color, opacity=0.22)


# from the least friction to the most
SHADES = (
    *("#440154", "#46327e", "#365c8d", "#277f8e"),
    *("#1fa187", "#4ac16d", "#a0da39", "#fde725"),
)


def view_friction_map(friction: FrictionMap, ground: float = 0.0) -> Viewer:
    """Return a Viewer that shows a friction map on the ground [m], and the centre of mass above."""
    viewer = Viewer(ground=ground, title="least friction")
    viewer.scale = float(max(np.ptp(friction.x), np.ptp(friction.y))) or 1.0
    draw_friction_map(viewer, friction, ground)
    viewer.point("com", friction.com, color=COLORS["com"])
    return viewer


def draw_friction_map(
    viewer: Viewer, friction: FrictionMap, ground: float = 0.0, legend: bool = True
) -> None:
    """Draw a friction map on the ground, in eight shades; places that nothing holds stay empty.

    Args:
        viewer: to draw into.
        friction: as `friction_map` returns it, of at least two places each way.
        ground: height of the ground [m].
        legend: whether the legend becomes that of the shades.

    Raises:
        ContactError: a map of a single row or column.
    """
    if min(friction.friction.shape) < 2:
        raise ContactError(f"friction: got {friction.friction.shape} places, expected two each way")
    edges, shades = _shades(friction)
    x, y = _borders(friction.x), _borders(friction.y)
    height = ground + 0.003 * viewer.scale
    for j, row in enumerate(shades):
        for shade, cells in _runs(row):
            x0, x1, (y0, y1) = x[cells[0]], x[cells[-1] + 1], y[j : j + 2]
            corners = [(x0, y0, height), (x1, y0, height), (x1, y1, height), (x0, y1, height)]
            viewer.polygon(
                f"friction map/{j}/{cells[0]}",
                corners,
                color=SHADES[shade],
                opacity=0.8,
                radius=2e-4 * viewer.scale,
            )
    if legend:
        viewer.legend(
            "least friction μ", {f"up to {edge:.3g}": SHADES[i] for i, edge in enumerate(edges)}
        )


def _runs(row: NDArray[np.intp]) -> list[tuple[int, list[int]]]:
    """[(shade, its neighbouring columns), …] along a row, without those that nothing holds."""
    columns = groupby(range(len(row)), key=row.tolist().__getitem__)
    return [(shade, list(run)) for shade, run in columns if shade >= 0]


def _shades(friction: FrictionMap) -> tuple[Array, NDArray[np.intp]]:
    """Upper edges of the shades, and the shade of every place, −1 where nothing holds."""
    held = np.isfinite(friction.friction)
    edges = np.linspace(*friction.range, len(SHADES) + 1)[1:]
    shades = np.searchsorted(edges, np.where(held, friction.friction, 0.0))
    return edges, np.where(held, np.minimum(shades, len(SHADES) - 1), -1)


def _borders(centres: Array) -> Array:
    """Borders (n + 1,) between places (n,), half-way, and as far beyond the ends."""
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
