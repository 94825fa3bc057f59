"""Regions in a picture: polygons of the plane, and the accelerations of the centre of mass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...contacts.regions.region import AccelerationCone, Region
from ...errors import ContactError
from ...robots.values import number, vector
from ..colors import COLORS
from ..viewer import Viewer


def view_region(region: Region, height: float = 0.0) -> Viewer:
    """Return a Viewer that shows a region of the plane at a height [m], on the ground.

    With its robot: `draw_region` into a Viewer of that robot.
    """
    viewer = Viewer(ground=height, title=f"{region.status} region")
    viewer.scale = float(np.ptp(region.vertices, axis=0).max(initial=0.0)) or 1.0
    draw_region(viewer, region, height)
    viewer.legend(f"{region.status}, {1e4 * region.area:.0f} cm²", {})
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
    if len(region.vertices) == 0 or region.status == "unbounded":
        return
    lifted = height + 0.002 * viewer.scale  # just above a ground there, so that both are seen
    corners = np.column_stack([region.vertices, np.full(len(region.vertices), lifted)])
    viewer.polygon(name, corners, color=color, opacity=0.35)


def draw_acceleration_cone(
    viewer: Viewer,
    cone: AccelerationCone,
    com: ArrayLike,
    *,
    scale: float | None = None,
    name: str = "acceleration cone",
    color: Any = COLORS["acceleration"],
) -> None:
    """Draw the accelerations c̈ that contacts can give, from its apex g up to those with c̈_z = 0.

    An acceleration c̈ is drawn at com + scale · c̈, so that the open base lies at the height of the
    centre of mass, around it if the robot can stand.

    Args:
        viewer: to draw into.
        cone: of `com_acceleration_cone`.
        com: centre of mass (3,) [m].
        scale: [m per m/s²]; by default the apex is 0.4 of the robot's height below.
        name, color: of the drawing.

    Raises:
        ContactError: no gravity, and so no apex below.
    """
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
    viewer.pyramid(name, centre + metres * cone.apex, centre + rim, color=color, opacity=0.22)
