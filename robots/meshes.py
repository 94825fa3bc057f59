"""Resolution of mesh file names in a URDF to paths within the allowed folders."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import coal  # type: ignore[import-untyped]
import numpy as np

from ..errors import ModelError
from .findings import Finding, listed
from .hardened_xml import Node
from .mesh_headers import unit, why_unreadable
from .packages import Folders


def resolve(tree: Node, folders: Folders) -> None:
    """Replace the mesh names in a URDF by paths.

    Raises:
        ModelError: a mesh is missing (with the folders searched) or may not be read.
    """
    findings = [f for f in examine(tree, folders, replace=True) if f.level == "error"]
    if findings:
        raise ModelError(
            f"{len(findings)} meshes cannot be used (package_dirs=[…] names the folders of their "
            f"packages, meshes=False does without):\n{listed(findings, limit=5)}"
        )


def examine(
    tree: Node, folders: Folders, replace: bool = False, whole: bool = False
) -> list[Finding]:
    """Return the meshes that are missing, may not be read, or are not in metres.

    With `replace`, names are replaced by paths; with `whole`, files are read to their end.
    """
    findings = []
    damage = cache(damaged)
    for link, mesh in _meshes(tree):
        name = mesh.get("filename")
        found = folders.find(name)
        problem = found.problem
        if found.path is not None:
            problem = why_unreadable(found.path)
            if replace:
                mesh.attrib["filename"] = str(found.path)
        if problem:
            message = f"mesh {name!r}: {problem}"
            findings.append(Finding("error", "mesh", message, "", link, "", mesh.line))
        elif found.path is not None and (doubt := _unit(found.path, mesh)):
            message, hint = f"mesh {name!r}: {doubt[0]}", doubt[1]
            findings.append(Finding("warning", "units", message, hint, link, "", mesh.line))
        if whole and found.path is not None and not problem and (why := damage(found.path)):
            message = f"mesh {name!r}: {why}"
            findings.append(Finding("error", "mesh", message, "", link, "", mesh.line))
    return findings


def damaged(path: Path) -> str:
    """Return why the mesh library cannot read a file, or ""."""
    try:
        mesh = coal.MeshLoader().load(str(path), np.ones(3))
    except (ValueError, RuntimeError) as error:
        lines = [line for line in str(error).splitlines() if line and "Hint" not in line]
        return f"cannot be read: {lines[-1].strip()}"
    return "" if np.isfinite(mesh.vertices()).all() else "vertices that are not finite"


def _unit(path: Path, mesh: Node) -> tuple[str, str] | None:
    """Return message and suggestion for an unscaled mesh whose unit is not the metre."""
    metres = unit(path)
    if metres == 1 or mesh.get("scale"):
        return None
    message = f"its <unit> is {metres:g} m; Pinocchio and this library read its numbers as metres"
    return message, f'write scale="{metres:g} {metres:g} {metres:g}", or export it in metres'


def without(tree: Node) -> Node:
    """Remove mesh shapes from a URDF, and return it."""
    for link in tree.all("link"):
        link.children = [child for child in link.children if _mesh(child) is None]
    return tree


def _meshes(tree: Node) -> list[tuple[str, Node]]:
    shapes = [(link.get("name"), shape) for link in tree.all("link") for shape in link.children]
    return [(name, mesh) for name, shape in shapes if (mesh := _mesh(shape)) is not None]


def _mesh(shape: Node) -> Node | None:
    geometry = shape.find("geometry") if shape.tag in ("visual", "collision") else None
    return geometry.find("mesh") if geometry is not None else None
