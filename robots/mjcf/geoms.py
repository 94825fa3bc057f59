"""Geoms of MJCF: shapes, mass and inertia, and whether they are visual or collision geometry.

A geom without a mass has its density (1000 kg/m³ by default) times its volume. Inertias are about
the centre of the geom, in its axes.

Source: MuJoCo's XML reference ("geom", "mesh"), and its compiler where that says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np
import pinocchio as pin
import scipy

from ...arrays import Array, Index
from ..files.hardened_xml import Node
from ..files.meshes import triangles_of
from .tree import Attributes, Mjcf, quaternion, values, z_to

_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
_GREY = (0.5, 0.5, 0.5, 1.0)
_TREES = {coal.BV_OBB: coal.BVHModelOBB, coal.BV_OBBRSS: coal.BVHModelOBBRSS}
_UNBOUNDED = ("plane", "hfield", "sdf")


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh: a file, or vertices in the description.

    Attributes:
        name: of the asset.
        path: of its file, or "".
        problem: why it cannot be used, or "".
        scale: (3,), applied last.
        reference: T_file_geom, from refpos and refquat.
        vertices, faces: (n, 3), where there is no file.
        inertia: "legacy", "exact", "convex" or "shell".
    """

    name: str
    path: str
    problem: str = ""
    scale: Array = field(default_factory=lambda: np.ones(3))
    reference: pin.SE3 = field(default_factory=pin.SE3.Identity)
    vertices: Array | None = None
    faces: Index | None = None
    inertia: str = "legacy"

    @property
    def mirrored(self) -> bool:
        """Whether its scale makes faces of the file that look outward look inward."""
        return bool(self.scale.prod() < 0)

    def geometry(self, boxes: Any = coal.BV_OBB) -> coal.BVHModelBase:
        """Return the mesh: the points of its file p become scale · T⁻¹ p.

        Args:
            boxes: its tree: `BV_OBB` is made soonest, `BV_OBBRSS` is for collisions.

        Raises:
            ValueError, RuntimeError: the file cannot be read.
        """
        points, faces = self.vertices, self.faces
        if self.path.lower().endswith(".msh"):
            points, faces = _read_msh(Path(self.path))
        elif points is None and self.reference.isIdentity(0.0):
            return coal.MeshLoader(boxes).load(self.path, self.scale)
        elif points is None:
            read = coal.MeshLoader(coal.BV_AABB).load(self.path, np.ones(3))
            points, faces = np.asarray(read.vertices(), dtype=float), triangles_of(read)
        if faces is None:
            faces = _hull(points)
        back = self.reference.inverse()
        points = (points @ back.rotation.T + back.translation) * self.scale
        mesh = _TREES[boxes]()
        mesh.beginModel(len(faces), len(points))
        mesh.addVertices(points)
        mesh.addTriangles(faces.astype(np.int64))
        mesh.endModel()
        return mesh


@dataclass(frozen=True, eq=False)
class Geom:
    """A geom of a body.

    Attributes:
        name: in the file, or "".
        kind: "sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh", or one without bounds.
        size: (3,), as MuJoCo has it: half lengths and radii [m].
        placement: T_body_geom.
        mesh: of kind "mesh".
        rgba: colour.
        group: 0–5; MuJoCo draws groups 0, 1 and 2.
        collides: whether contype or conaffinity is set, or a <pair> names it.
        line: in the file.
    """

    name: str
    kind: str
    size: Array
    placement: pin.SE3
    mesh: Mesh | None
    rgba: tuple[float, ...]
    group: int
    collides: bool
    line: int


def read_geom(
    model: Mjcf, node: Node, attributes: Attributes, T: pin.SE3, meshes: dict[str, Mesh]
) -> Geom:
    """Return the geom of an element whose frame is at T in its body.

    Raises:
        ModelError: no such type or mesh, or sizes that are missing or not positive.
    """
    kind = attributes.get("type", "mesh" if attributes.get("mesh") else "sphere")
    if kind not in (*_SIZES, *_UNBOUNDED, "mesh"):
        raise model.error(
            node, f"type {kind!r}; expected mesh, plane or one of {', '.join(_SIZES)}"
        )
    if kind in ("mesh", "sdf") and attributes.get("shellinertia") == "true":
        raise model.error(
            node, f"shellinertia of a geom of type {kind}, which MuJoCo refuses; expected "
            'inertia="shell" of the <mesh>',
        )  # fmt: skip
    mesh = None
    if kind == "mesh" or ("mesh" in attributes and kind in _SIZES):
        if attributes.get("mesh") not in meshes:
            raise model.error(node, f"mesh {attributes.get('mesh', '')!r} is no asset")
        mesh = meshes[attributes["mesh"]]
    placement = model.pose(attributes)
    size = values(attributes, "size", (0.0, 0.0, 0.0))
    size = np.append(size, np.zeros(3))[:3]
    if "fromto" in attributes and mesh is None:
        placement, size = between(values(attributes, "fromto"), size, kind)
    if mesh is not None and kind != "mesh":
        growth = float(values(attributes, "fitscale", (1.0,))[0])
        try:
            fitted, size = _fitted(model, kind, mesh, growth)
        except (ValueError, RuntimeError) as error:
            raise model.error(node, f"mesh {mesh.name!r}: {error}") from None
        placement = placement * fitted
    count = _SIZES.get(kind, 0)
    if count and not size[:count].min() > 0:
        raise model.error(node, f"{kind}: expected {count} positive sizes")
    group, name = int(values(attributes, "group", (0,))[0]), attributes.get("name", "")
    masks = (values(attributes, key, (1,))[0] for key in ("contype", "conaffinity"))
    collides = any(masks) or name in model.paired
    rgba = tuple(values(attributes, "rgba", _GREY).tolist())
    mesh = mesh if kind == "mesh" else None
    return Geom(name, kind, size, T * placement, mesh, rgba, group, collides, node.line)


def between(ends: Array, size: Array, kind: str = "capsule") -> tuple[pin.SE3, Array]:
    """Return placement and size of a geom between two points; its z goes to the first."""
    start, stop = ends.reshape(2, 3)
    half = 0.5 * float(np.linalg.norm(stop - start))
    T = pin.SE3(z_to(start - stop) if half > 0 else np.eye(3), 0.5 * (start + stop))
    if kind in ("box", "ellipsoid"):
        return T, np.array([size[0], size[0], half])
    return T, np.array([size[0], half, 0.0])


def _fitted(model: Mjcf, kind: str, mesh: Mesh, growth: float) -> tuple[pin.SE3, Array]:
    """Return placement and size of the primitive that a mesh is fitted by.

    The box (half sides) is that of the same inertia or, with fitaabb, the one around the mesh.
    """
    whole = mesh_inertia(mesh, 1000.0)
    moments, axes = np.linalg.eigh(whole.inertia)
    moments, axes = moments[::-1], axes[:, ::-1].copy()  # in descending order
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    T = pin.SE3(axes, whole.lever)
    around = model.compiler.get("fitaabb") == "true"
    if around:
        points = np.asarray(mesh.geometry().vertices(), dtype=float)
        points = (points - T.translation) @ T.rotation
        low, high = points.min(axis=0), points.max(axis=0)
        T, box = T * pin.SE3(np.eye(3), 0.5 * (low + high)), 0.5 * (high - low)
    else:
        box = np.sqrt(np.maximum(1.5 * (moments.sum() - 2 * moments) / whole.mass, 0))
    if kind == "sphere":
        box = np.full(3, box.max() if around else box.mean())
    elif kind in ("capsule", "cylinder"):
        radius = box[:2].max() if around else box[:2].mean()
        ends = (radius if around else radius / 2) if kind == "capsule" else 0.0
        box = np.array([radius, max(0.0, box[2] - ends), 0.0])
    return T, growth * box


def _read_msh(path: Path) -> tuple[Array, Index]:
    """Return vertices and faces (n, 3) of a file in MuJoCo's own format.

    Four counts (vertices, normals, texture coordinates, faces), then these arrays.
    """
    data = path.read_bytes()
    counts = np.frombuffer(data[:16], dtype="<i4").astype(np.int64)
    if len(counts) < 4 or counts.min() < 0 or len(data) != 16 + 4 * (counts @ [3, 3, 2, 3]):
        raise ValueError(f"{path.name}: not a mesh in MuJoCo's format")
    points = np.frombuffer(data, "<f4", 3 * counts[0], 16).reshape(-1, 3).astype(float)
    faces = np.frombuffer(data, "<i4", 3 * counts[3], len(data) - 12 * counts[3]).reshape(-1, 3)
    if len(points) < 4 or (faces.size and not 0 <= faces.min() <= faces.max() < len(points)):
        raise ValueError(f"{path.name}: indices of no vertex")
    return points, faces.astype(np.intp) if faces.size else _hull(points)


# --- mass and inertia ----------------------------------------------------------------------------


def inertia_of(geom: Geom, attributes: Attributes) -> pin.Inertia:
    """Return the inertia of a geom in the axes of its body.

    Raises:
        ValueError, RuntimeError: a mesh that cannot be read.
    """
    if geom.kind in _UNBOUNDED:
        return pin.Inertia.Zero()
    density = float(values(attributes, "density", (1000.0,))[0])
    if geom.mesh is not None:
        own = mesh_inertia(geom.mesh, density)
    else:
        shell = attributes.get("shellinertia") == "true"
        mass, moments = _shell(geom) if shell else _SOLIDS[geom.kind](geom.size)
        own = pin.Inertia(density * mass, np.zeros(3), np.diag(density * np.array(moments)))
    if "mass" in attributes and own.mass > 0:
        own = scaled(own, float(values(attributes, "mass")[0]) / own.mass)
    return geom.placement.act(own)


def scaled(inertia: pin.Inertia, factor: float) -> pin.Inertia:
    """Return an inertia times a factor."""
    return pin.Inertia(factor * inertia.mass, inertia.lever, factor * inertia.inertia)


def _shell(geom: Geom) -> tuple[Any, Any]:
    """Return area and moments (3,) of density 1, the rates at which the solid grows with its sizes.

    The area of an ellipsoid is MuJoCo's, by Thomsen's formula, and its moments are by MuJoCo's step
    of 1 µm; others are by a complex step, exact.
    """
    size = geom.size
    if geom.kind != "ellipsoid":
        volume, moments = _SOLIDS[geom.kind](size + 1e-30j)
        return 1e30 * volume.imag, 1e30 * moments.imag
    powers = size**1.6075
    area = 4 * np.pi * np.mean(powers.prod() / powers) ** (1 / 1.6075)
    (inner, of_inner), (outer, of_outer) = _ellipsoid(size), _ellipsoid(size + 1e-6)
    return area, area * (of_outer - of_inner) / (outer - inner)


def _ellipsoid(size: Any) -> tuple[Any, Any]:
    m, square = 4 * np.pi / 3 * size.prod(), size**2
    return m, m / 5 * (square.sum() - square)


def _sphere(size: Any) -> tuple[Any, Any]:
    return _ellipsoid(np.full(3, size[0]))


def _box(size: Any) -> tuple[Any, Any]:
    m, square = 8 * size.prod(), size**2
    return m, m / 3 * (square.sum() - square)


def _cylinder(size: Any) -> tuple[Any, Any]:
    r, half = size[:2]
    m = 2 * np.pi * r**2 * half
    across = m * (3 * r**2 + 4 * half**2) / 12
    return m, np.array([across, across, m * r**2 / 2])


def _capsule(size: Any) -> tuple[Any, Any]:
    r, half = size[0], size[1].real  # a shell grows its radius alone
    m, moments = _cylinder(np.array([r, half]))
    ends, of_ends = _sphere(size)
    shift = ends * half * (half + 0.75 * r)  # two half balls, centre of mass 3/8 r behind the face
    return m + ends, moments + of_ends + np.array([shift, shift, 0.0])


_SOLIDS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "sphere": _sphere,
    "box": _box,
    "capsule": _capsule,
    "cylinder": _cylinder,
    "ellipsoid": _ellipsoid,
}


def mesh_inertia(mesh: Mesh, density: float) -> pin.Inertia:
    """Return the inertia of a mesh in the axes of its file.

    Sums over the tetrahedra from one point to each triangle: with their signs ("exact", "convex"),
    or without, from the middle of the surface ("legacy"); or over the triangles ("shell").

    Raises:
        ValueError, RuntimeError: the file cannot be read, or encloses no volume.
    """
    geometry = mesh.geometry()
    points = np.asarray(geometry.vertices(), dtype=float)
    triangles = _hull(points) if mesh.inertia == "convex" else triangles_of(geometry)
    if mesh.mirrored and mesh.inertia != "convex":
        triangles = triangles[:, ::-1]
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = 0.5 * np.linalg.norm(normals, axis=1)
    middle = (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / max(areas.sum(), 1e-300)
    if mesh.inertia == "shell":
        second = _second_moments(corners, areas / 12)
        return _from_moments(density, areas, corners.mean(axis=1), second)
    legacy = mesh.inertia == "legacy"
    volumes, tips = _tetrahedra(corners - middle, legacy)
    if not volumes.sum() > 0:
        raise ValueError("a mesh that encloses no volume, or whose faces look inward")
    own = _from_moments(density, volumes, tips.sum(axis=1) / 4, _second_moments(tips, volumes / 20))
    lever = middle + own.lever
    if legacy:  # without their signs, the tetrahedra depend on where they meet
        volumes, tips = _tetrahedra(corners - lever, legacy)
        second = density * _second_moments(tips, volumes / 20)
        mass = density * volumes.sum()
        return pin.Inertia(mass, lever, np.trace(second) * np.eye(3) - second)
    return pin.Inertia(own.mass, lever, own.inertia)


def _tetrahedra(corners: Array, legacy: bool) -> tuple[Array, Array]:
    """Return volumes (n,) and corners of the tetrahedra from the origin to triangles (n, 3, 3)."""
    volumes = np.einsum("ni,ni->n", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    return np.abs(volumes) if legacy else volumes, corners


def _second_moments(corners: Array, weights: Array) -> Array:
    """Return Σ w (Σ_k p_k p_kᵀ + (Σ p_k) (Σ p_k)ᵀ) (3, 3) over simplices with corners (n, 3, 3)."""
    total = corners.sum(axis=1)
    own: Array = np.einsum("n,nki,nkj->ij", weights, corners, corners)
    own += np.einsum("n,ni,nj->ij", weights, total, total)
    return own


def _from_moments(density: float, sizes: Array, centres: Array, second: Array) -> pin.Inertia:
    mass = density * sizes.sum()
    lever = (sizes[:, None] * centres).sum(axis=0) / sizes.sum()
    central = density * second - mass * np.outer(lever, lever)
    return pin.Inertia(mass, lever, np.trace(central) * np.eye(3) - central)


def _hull(points: Array) -> Index:
    """Return the faces of the convex hull, counter-clockwise seen from outside."""
    try:
        hull = scipy.spatial.ConvexHull(points)
    except scipy.spatial.QhullError:
        raise ValueError("a flat mesh has no convex hull") from None
    faces: Index = hull.simplices.astype(np.intp)
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ni,ni->n", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return faces


# --- assets --------------------------------------------------------------------------------------


def read_mesh(
    model: Mjcf, node: Node, find: Callable[[list[str]], tuple[Path | None, str]]
) -> Mesh:
    """Return a mesh asset; `find` returns the path of the first file that is there, or a reason."""
    attributes = model.attributes(node)
    path, problem, vertices, faces = None, "", None, None
    if "file" in attributes:
        path, problem = find(model.files_of(node))
    elif "vertex" in attributes and len(values(attributes, "vertex")) % 3 == 0:
        vertices = values(attributes, "vertex").reshape(-1, 3)
        if "face" in attributes:
            faces = values(attributes, "face").astype(np.intp)
            faces = faces[: len(faces) // 3 * 3].reshape(-1, 3)
            if not (faces.size and faces.min() >= 0 and faces.max() < len(vertices)):
                raise model.error(node, "face: expected indices of vertices, three a face")
        if len(vertices) < 4:
            raise model.error(node, "vertex: expected at least four points")
    else:
        problem = "neither a file nor vertices"
    reference = pin.SE3(
        quaternion(values(attributes, "refquat", (1.0, 0.0, 0.0, 0.0))).matrix(),
        values(attributes, "refpos", (0.0, 0.0, 0.0)),
    )
    name = attributes.get("name") or Path(attributes.get("file", "").replace("\\", "/")).stem
    return Mesh(
        name,
        str(path or ""),
        problem,
        values(attributes, "scale", (1.0, 1.0, 1.0)),
        reference,
        vertices,
        faces,
        attributes.get("inertia", model.mesh_inertia),
    )
