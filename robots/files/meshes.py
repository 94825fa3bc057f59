"""Resolution of mesh file names in a URDF to paths within the allowed folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np

from ...arrays import Index
from ...errors import ModelError, counted
from ..findings import Finding, Level, listed, of_level
from ..values import FARTHEST
from .hardened_xml import Node
from .mesh_headers import is_stub, unit, why_unreadable
from .packages import OUTSIDE, Folders

PACKAGES = "package_dirs=[…] names folders of packages"
_NAMED = 3  # further missing meshes whose names are told
_LEVELS: tuple[Level, Level] = ("error", "warning")  # of one that is damaged, that is not there


def resolve(tree: Node, folders: Folders) -> list[Finding]:
    """Replace the mesh names in a URDF by paths; leave out those not to be had, and say so.

    Raises:
        ModelError: a file that is no mesh.
    """
    findings = examine(tree, folders, replace=True)
    errors = of_level(findings, "error")
    if errors:
        raise ModelError(
            f"{counted(len(errors), 'mesh', 'meshes')} cannot be used "
            f"(meshes=False does without):\n{listed(errors, limit=5)}"
        )
    missing = {
        mesh.get("filename"): mesh.get("missing") for _, mesh in _meshes(tree) if _lost(mesh)
    }
    _keep(tree, lambda mesh: not _lost(mesh))
    return left_out(missing)


def left_out(missing: Mapping[str, str]) -> list[Finding]:
    """Return the finding about meshes that are missing: {name: why}."""
    if not missing:
        return []
    outside = next((name for name, why in missing.items() if OUTSIDE in why), None)
    told = next(iter(missing)) if outside is None else outside
    others = [repr(name) for name in missing if name != told]
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    likewise = f"; likewise {', '.join(others[:_NAMED])}{more}" if others else ""
    meshes, is_ = counted(len(missing), "mesh", "meshes"), "is" if len(missing) == 1 else "are"
    what = "missing" if outside is None else "missing or may not be read,"
    message = f"{meshes} {is_} {what} and left out: {told!r}: {missing[told]}{likewise}"
    hint = f"{PACKAGES}, meshes=False does without"
    return [Finding("warning", "mesh", message, hint)]


def locate(name: str, folders: Folders) -> tuple[Path | None, str, bool]:
    """Return the path of a mesh, why it cannot be used or "", and whether that is no damage of it.

    One that is missing, or that may not be read, is left out; one that is damaged is an error.
    """
    found = folders.find(name)
    if found.path is None:
        return None, found.problem, True
    if is_stub(found.path):
        return None, f"is a pointer of Git LFS, {found.path}: `git lfs pull` fetches the file", True
    return found.path, why_unreadable(found.path), False


def examine(
    tree: Node, folders: Folders, replace: bool = False, whole: bool = False
) -> list[Finding]:
    """Return the meshes that are none (errors), are not to be had or not in metres (warnings).

    With `replace`, names are replaced by paths, and what is missing is marked; with `whole`, files
    are read to their end.
    """
    findings = []
    damage, place = cache(damaged), cache(lambda name: locate(name, folders))
    for link, mesh in _meshes(tree):
        name = mesh.get("filename")
        path, problem, missing = place(name)
        if replace and missing:
            mesh.attrib["missing"] = problem
        elif replace and path is not None:
            mesh.attrib["filename"] = str(path)
        if path is not None and not problem and (doubt := _unit(path, mesh)):
            message, hint = f"mesh {name!r}: {doubt[0]}", doubt[1]
            findings.append(Finding("warning", "units", message, hint, link, "", mesh.line))
        if whole and path is not None and not problem:
            problem = damage(path)
        if problem:
            message, level = f"mesh {name!r}: {problem}", _LEVELS[missing]
            hint = PACKAGES if missing and path is None else ""
            findings.append(Finding(level, "mesh", message, hint, link, "", mesh.line))
    return findings


def damaged(path: Path) -> str:
    """Return why the mesh library cannot read a file, or "" (its tree is the one made fastest)."""
    try:
        mesh = coal.MeshLoader(coal.BV_AABB).load(str(path), np.ones(3))
    except (ValueError, RuntimeError) as error:
        return f"cannot be read: {last_line(error)}"
    return misplaced(mesh)


def misplaced(mesh: Any) -> str:
    """Return what no vertices of a mesh may be, or ""."""
    farthest = np.abs(mesh.vertices()).max(initial=0.0)
    if not np.isfinite(farthest):
        return "vertices that are not finite"
    return "" if farthest <= FARTHEST else f"vertices {farthest:.3g} m away; at most {FARTHEST:g} m"


def triangles_of(mesh: coal.BVHModelBase) -> Index:
    """Return the faces (n, 3) of a mesh, as indices of its vertices."""
    corners = map(mesh.tri_indices, range(mesh.num_tris))
    return np.array([(c[0], c[1], c[2]) for c in corners], dtype=np.intp).reshape(-1, 3)


def last_line(error: Exception) -> str:
    """Return the reason in an error of the mesh library, which begins with its source file."""
    lines = [line for line in str(error).splitlines() if line.strip() and "Hint" not in line]
    return lines[-1].strip() if lines else type(error).__name__


def _unit(path: Path, mesh: Node) -> tuple[str, str] | None:
    """Return message and suggestion for an unscaled mesh whose unit is not the metre."""
    metres = unit(path)
    if metres == 1 or mesh.get("scale"):
        return None
    message = f"its <unit> is {metres:g} m; Pinocchio and this library read its numbers as metres"
    return message, f'write scale="{metres:g} {metres:g} {metres:g}", or export it in metres'


def without(tree: Node) -> Node:
    """Remove mesh shapes from a URDF, and return it."""
    _keep(tree, lambda _: False)
    return tree


def _keep(tree: Node, wanted: Callable[[Node], bool]) -> None:
    """Remove the shapes of other meshes from a URDF."""
    for link in tree.all("link"):
        link.children = [c for c in link.children if (m := _mesh(c)) is None or wanted(m)]


def _lost(mesh: Node) -> bool:
    return "missing" in mesh.attrib


def _meshes(tree: Node) -> list[tuple[str, Node]]:
    shapes = [(link.get("name"), shape) for link in tree.all("link") for shape in link.children]
    return [(name, mesh) for name, shape in shapes if (mesh := _mesh(shape)) is not None]


def _mesh(shape: Node) -> Node | None:
    geometry = shape.find("geometry") if shape.tag in ("visual", "collision") else None
    return geometry.find("mesh") if geometry is not None else None
