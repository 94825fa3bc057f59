"""Solids of a terrain: boxes, slopes, height maps; a level plane is the viewer's own ground."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts.terrain.height_map import HeightMap
from ...contacts.terrain.solids import Box, Plane
from ...contacts.terrain.terrain import Terrain
from ...robots.values import instance, vector
from ..colors import COLORS
from ..viewer import Viewer
from ..viewer.checks import check_viewer

_THICK = 0.04  # of a drawn slope [robot's heights]
_AROUND = 1.7  # a drawn slope is so wide [robot's heights]
# from the scene to the eye
_VIEWS = tuple((x, y, 0.4) for x, y in ((1.0, -0.85), (1.0, 0.85), (-1.0, -0.85), (-1.0, 0.85)))


def view_terrain(terrain: Terrain, around: ArrayLike = (0.0, 0.0, 0.0)) -> Viewer:
    """Return a Viewer that shows a terrain; of a slope the piece around a point (3,) [m]."""
    viewer = Viewer(ground=ground_height(terrain), title="terrain")
    draw_terrain(viewer, terrain, around)
    return viewer


def draw_terrain(viewer: Viewer, terrain: Terrain, around: ArrayLike = (0.0, 0.0, 0.0)) -> None:
    """Draw the solids of a terrain; of a slope the piece around a point (3,) [m].

    A level plane is left to the viewer's own ground.
    """
    check_viewer(viewer)
    instance(terrain, "terrain", Terrain)
    middle = vector(around, "around", "[m]")
    for solid in terrain.solids:
        if isinstance(solid, Box):
            viewer.box(f"terrain/{solid.name}", solid.placement, solid.size, color=COLORS["solid"])
        elif isinstance(solid, HeightMap):
            _draw_map(viewer, solid)
        elif isinstance(solid, Plane) and not _is_level(solid):
            _draw_slope(viewer, solid, middle)


def ground_height(terrain: Terrain | None) -> float | None:
    """Return the height of the first level plane [m], None without one; 0 without a terrain."""
    if terrain is None:
        return 0.0
    levels = [s.at[2] for s in terrain.solids if isinstance(s, Plane) and _is_level(s)]
    return float(levels[0]) if levels else None


def clear_view(terrain: Terrain, points: Iterable[Array]) -> tuple[float, float, float]:
    """Return the direction from which the terrain hides least of these points (3,); from the front
    right where it hides none."""
    seen = list(points)

    def hidden(view: tuple[float, float, float]) -> int:
        return sum(terrain.cast(point, view) is not None for point in seen)

    return min(_VIEWS, key=hidden)


def look_past(viewer: Viewer, terrain: Terrain, points: Iterable[Array]) -> None:
    """Look from where the terrain hides least of these points (3,), if the usual view hides any."""
    if (view := clear_view(terrain, points)) != _VIEWS[0]:
        viewer.look_from(view)


def _draw_slope(viewer: Viewer, plane: Plane, around: Array) -> None:
    face = plane.faces[0]
    thick = _THICK * viewer.scale
    middle = around - (face.height(around) + thick / 2) * face.normal
    size = (_AROUND * viewer.scale, _AROUND * viewer.scale, thick)
    T = pin.SE3(face.placement.rotation, middle)
    viewer.box(f"terrain/{plane.name}", T, size, color=COLORS["plane"])


def _draw_map(viewer: Viewer, ground: HeightMap) -> None:
    """Its surface, and its upright sides down to a little below the lowest height."""
    rows, columns = ground.grid.shape
    index = np.arange(rows * columns).reshape(rows, columns)
    around = np.concatenate([index[:-1, 0], index[-1, :-1], index[:0:-1, -1], index[0, :0:-1]])
    feet = ground.vertices[around]
    feet[:, 2] = ground.vertices[:, 2].min() - _THICK * viewer.scale
    low = rows * columns + np.arange(len(around))
    after, low_after = np.roll(around, -1), np.roll(low, -1)
    sides = np.vstack(
        [np.column_stack([around, low, low_after]), np.column_stack([around, low_after, after])]
    )
    viewer.surface(
        f"terrain/{ground.name}", np.vstack([ground.vertices, feet]),
        np.vstack([ground.triangles, sides]), color=COLORS["solid"],
    )  # fmt: skip


def _is_level(plane: Plane) -> bool:
    return bool(abs(plane.faces[0].normal[2] - 1) < 1e-9)
