"""The mesh files that a description names: found, kept in bounds, or left out."""

from __future__ import annotations

from ..errors import ModelError
from .hardened_xml import Node
from .packages import Folders


def resolve(tree: Node, folders: Folders) -> None:
    """Replace the mesh names in a URDF by paths.

    Raises:
        ModelError: a mesh is missing (with where it was looked for) or may not be read.
    """
    missing: list[str] = []
    for mesh in _meshes(tree):
        name = mesh.get("filename")
        found = folders.find(name)
        if found.path is not None:
            mesh.attrib["filename"] = str(found.path)
        elif found.refused:
            raise ModelError(
                f"line {mesh.line}: mesh {name!r} {found.refused}; package_dirs=[…] allows more "
                "folders, meshes=False loads the dynamics without shapes"
            )
        else:
            missing.append(f"line {mesh.line}: {name!r} (tried {', '.join(found.tried)})")
    if missing:
        raise ModelError(
            f"{len(missing)} meshes not found: {'; '.join(missing[:5])}"
            f"{'; …' if len(missing) > 5 else ''}. Give package_dirs=[…], the folders of the "
            "packages, or meshes=False to load the dynamics without shapes"
        )


def without(tree: Node) -> Node:
    """Take the shapes that are meshes out of a URDF, and return it."""
    for link in tree.all("link"):
        link.children = [child for child in link.children if _mesh(child) is None]
    return tree


def _meshes(tree: Node) -> list[Node]:
    shapes = (shape for link in tree.all("link") for shape in link.children)
    return [mesh for shape in shapes if (mesh := _mesh(shape)) is not None]


def _mesh(shape: Node) -> Node | None:
    geometry = shape.find("geometry") if shape.tag in ("visual", "collision") else None
    return geometry.find("mesh") if geometry is not None else None
