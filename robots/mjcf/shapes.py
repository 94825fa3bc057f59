"""Shapes of MJCF models: geoms that are drawn, and geoms that collide."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np
import pinocchio as pin

from ..shapes import READ_AS, Kind, check_vertices, reading
from .geoms import Geom, Mesh

_DRAWN = 2  # MuJoCo draws geoms of the groups 0, 1 and 2


@dataclass(frozen=True, eq=False)
class Placed:
    """A geom on a joint of the robot: its unique name, joint, frame of its body, T_joint_geom."""

    name: str
    geom: Geom
    joint: int
    frame: int
    placement: pin.SE3


@dataclass(frozen=True, eq=False)
class GeomShapes:
    """The shapes of geoms; meshes are read at first use.

    Attributes:
        geoms: of all bodies.
        skinned: whether a skin covers them, which is not drawn: then geoms of all groups are.
    """

    geoms: tuple[Placed, ...]
    skinned: bool = False

    def primitive(self) -> GeomShapes:
        """Return the shapes that need no mesh file."""
        return replace(self, geoms=tuple(g for g in self.geoms if g.geom.mesh is None))

    def read(self, model: Any, kind: Kind, links: Collection[str] | None = None) -> Any:
        """Return a new `pin.GeometryModel`, of some links or of all.

        Raises:
            ModelError: a mesh file cannot be read.
        """
        chosen = (
            _drawn(self.geoms, self.skinned)
            if kind == "visual"
            else [g for g in self.geoms if g.geom.collides]
        )
        if links is not None:
            chosen = [g for g in chosen if model.frames[g.frame].name in links]
        shapes, names = pin.GeometryModel(), set[str]()
        mesh = cache(lambda mesh: mesh.geometry(READ_AS[kind][1]))  # several geoms may have one
        with reading(kind):
            for item in chosen:
                if (shape := _shape(item, mesh)) is None:
                    continue
                while shape.name in names:
                    shape.name += "_"
                names.add(shape.name)
                shapes.addGeometryObject(shape)
            check_vertices(shapes)
        return shapes


def _drawn(geoms: tuple[Placed, ...], every_group: bool) -> list[Placed]:
    """Return the geoms to draw: of each body those that do not collide, if it has such."""
    seen = [g for g in geoms if g.geom.rgba[3] > 0]
    if not every_group:
        seen = [g for g in seen if g.geom.group <= _DRAWN] or seen
    dressed = {g.frame for g in seen if not g.geom.collides}
    return [g for g in seen if not (g.geom.collides and g.frame in dressed)]


def _shape(item: Placed, mesh: Callable[[Mesh], Any]) -> Any:
    """Return a `pin.GeometryObject`; None for what has no bounds, or no file."""
    geom = item.geom
    x, y, z = geom.size
    if geom.mesh is not None and geom.mesh.problem:
        return None
    if geom.mesh is not None:
        shape, path, scale = mesh(geom.mesh), geom.mesh.path, geom.mesh.scale
    elif geom.kind in _PRIMITIVES:
        shape, path, scale = _PRIMITIVES[geom.kind](x, y, z), geom.kind.upper(), np.ones(3)
    else:
        return None
    colour = np.array(geom.rgba)
    return pin.GeometryObject(
        item.name, item.joint, item.frame, item.placement, shape, path, scale, True, colour
    )


_PRIMITIVES = {
    "sphere": lambda x, y, z: coal.Sphere(x),
    "capsule": lambda x, y, z: coal.Capsule(x, 2 * y),
    "cylinder": lambda x, y, z: coal.Cylinder(x, 2 * y),
    "box": lambda x, y, z: coal.Box(2 * x, 2 * y, 2 * z),
    "ellipsoid": lambda x, y, z: coal.Ellipsoid(x, y, z),
}
