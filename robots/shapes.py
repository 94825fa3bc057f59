"""Visual and collision shapes of a robot, read at first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import coal  # type: ignore[import-untyped]
import pinocchio as pin

from ..errors import ModelError
from .files.meshes import last_line, misplaced

Kind = Literal["visual", "collision"]


class Shapes(Protocol):
    """Reader of the shapes of a robot."""

    def read(self, model: Any, kind: Kind) -> Any:
        """Return a `pin.GeometryModel`."""


def check_vertices(shapes: Any) -> None:
    """Raise ValueError for a mesh of a `pin.GeometryModel` whose vertices cannot be."""
    for item in shapes.geometryObjects:
        mesh = item.geometry if isinstance(item.geometry, coal.BVHModelBase) else None
        if mesh is not None and (problem := misplaced(mesh)):
            raise ValueError(f"{item.meshPath}: {problem}")


@dataclass(frozen=True)
class UrdfShapes:
    """The shapes of a URDF whose mesh names are paths.

    Meshes take a hundred times longer to read than the rest of a robot, and a hundred times more
    space in a pickle, and the dynamics do not need them: they are read at first use.
    """

    text: str

    def read(self, model: Any, kind: Kind) -> Any:
        """Return a new `pin.GeometryModel`.

        Raises:
            ModelError: a mesh file cannot be read.
        """
        type_ = pin.GeometryType.VISUAL if kind == "visual" else pin.GeometryType.COLLISION
        try:
            shapes = pin.buildGeomFromUrdfString(
                model, self.text, type_, package_dirs=[], mesh_loader=coal.CachedMeshLoader()
            )
            check_vertices(shapes)
            return shapes
        except (ValueError, RuntimeError) as error:
            raise ModelError(
                f"a {kind} shape cannot be read: {last_line(error)}; meshes=False leaves the "
                "meshes out"
            ) from None


@dataclass(frozen=True)
class NoShapes:
    """A robot without shapes."""

    def read(self, model: Any, kind: Kind) -> Any:
        """Return an empty `pin.GeometryModel`."""
        return pin.GeometryModel()
