"""Visual and collision shapes of a robot, read at first use."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import coal  # type: ignore[import-untyped]
import pinocchio as pin

from ..errors import ModelError
from .files.hardened_xml import parse, serialize
from .files.meshes import last_line, misplaced

Kind = Literal["visual", "collision"]

# what is drawn only gets the tree of boxes that is made fastest, of those that Python can read
READ_AS = {
    "visual": (pin.GeometryType.VISUAL, coal.BV_OBB),
    "collision": (pin.GeometryType.COLLISION, coal.BV_OBBRSS),
}


class Shapes(Protocol):
    """Reader of the shapes of a robot."""

    def read(self, model: Any, kind: Kind, links: Collection[str] | None = None) -> Any:
        """Return a `pin.GeometryModel`, of some links or of all."""


def check_vertices(shapes: Any) -> None:
    """Raise ValueError for a mesh of a `pin.GeometryModel` whose vertices cannot be."""
    for item in shapes.geometryObjects:
        mesh = item.geometry if isinstance(item.geometry, coal.BVHModelBase) else None
        if mesh is not None and (problem := misplaced(mesh)):
            raise ValueError(f"{item.meshPath}: {problem}")


@contextmanager
def reading(kind: Kind) -> Iterator[None]:
    """Raise ModelError for what the mesh library raises meanwhile."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        raise ModelError(
            f"a {kind} shape cannot be read: {last_line(error)}; meshes=False leaves the meshes out"
        ) from None


@dataclass(frozen=True)
class UrdfShapes:
    """The shapes of a URDF whose mesh names are paths.

    Meshes take a hundred times longer to read than the rest of a robot, and a hundred times more
    space in a pickle, and the dynamics do not need them: they are read at first use. Without a
    text there are none.
    """

    text: str = ""

    def read(self, model: Any, kind: Kind, links: Collection[str] | None = None) -> Any:
        """Return a new `pin.GeometryModel`, of some links or of all.

        Raises:
            ModelError: a mesh file cannot be read.
        """
        text = self.text if links is None else self._of(links, kind)
        if not text:
            return pin.GeometryModel()
        type_, boxes = READ_AS[kind]
        with reading(kind):
            shapes = pin.buildGeomFromUrdfString(
                model, text, type_, package_dirs=[], mesh_loader=coal.CachedMeshLoader(boxes)
            )
            check_vertices(shapes)
        return shapes

    def _of(self, links: Collection[str], kind: Kind) -> str:
        """Return the text without such shapes of all other links; "" where these have none."""
        tree, found = parse(self.text), False
        for link in tree.all("link"):
            if link.get("name") in links:
                found = found or link.find(kind) is not None
            else:
                link.children = [child for child in link.children if child.tag != kind]
        return serialize(tree) if found else ""
