"""What a robot looks like: its visual geometry as objects of the page.

Meshes are taken as Pinocchio loaded them (with their scale), so that every format it reads is
shown.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..configuration import check_configuration
from ..robot import Robot
from . import geometry, three
from .commands import Object
from .errors import MeshWarning

Array = NDArray[np.float64]

CREASE_COSINE = 0.75  # faces that meet at a smaller cosine (41°) keep a sharp edge between them


@dataclass(frozen=True, eq=False)
class Visual:
    """One object of a robot.

    Attributes:
        joint: the name of the joint that carries it.
        name: unique within the robot.
        object: in three.js's JSON form.
        matrix: (4, 4), T_joint_object.
    """

    joint: str
    name: str
    object: Object
    matrix: Array


def visuals(robot: Robot, opacity: float = 1.0) -> list[Visual]:
    """Return what a robot looks like. What cannot be drawn is listed in one `MeshWarning`."""
    shown, missing = [], []
    cache: dict[object, three.Part] = {}
    for item in robot.visual.geometryObjects:
        part = _part(item, cache)
        if part is None:
            missing.append(f"{item.name} ({type(item.geometry).__name__} {item.meshPath})")
        else:
            shown.append(_visual(robot, item, part, opacity))
    if missing:
        warnings.warn(
            f"{len(missing)} of {len(missing) + len(shown)} visual objects of {robot.name!r} "
            f"cannot be drawn: {', '.join(missing)}",
            MeshWarning,
            stacklevel=3,
        )
    return shown


def placements(robot: Robot, q: ArrayLike) -> dict[str, Array]:
    """Return T_world_joint (4, 4) of each joint that carries a visual object."""
    q = check_configuration(robot, q)
    data = robot.workspace()
    pin.forwardKinematics(robot.model, data, q)
    joints = sorted({item.parentJoint for item in robot.visual.geometryObjects})
    return {joint_name(robot, j): np.array(data.oMi[j].homogeneous) for j in joints}


def joint_name(robot: Robot, joint: int) -> str:
    """Return the name of a joint as the page's tree has it."""
    return str(robot.model.names[joint]).replace("/", "_")


def boxes(robot: Robot) -> dict[str, Array]:
    """Return corners (8 n, 3) of boxes around the visual objects of each joint, in its axes."""
    found: dict[str, list[Array]] = {}
    for item in robot.visual.geometryObjects:
        item.geometry.computeLocalAABB()
        box = item.geometry.aabb_local
        ends = np.array([np.ravel(box.min_), np.ravel(box.max_)])
        corners = np.array([[x, y, z] for x in ends[:, 0] for y in ends[:, 1] for z in ends[:, 2]])
        matrix = np.array(item.placement.homogeneous)
        name = joint_name(robot, item.parentJoint)
        found.setdefault(name, []).append(corners @ matrix[:3, :3].T + matrix[:3, 3])
    return {name: np.vstack(parts) for name, parts in found.items()}


def corners_in_world(boxes: dict[str, Array], where: dict[str, Array]) -> Array:
    """Return the corners (8 n, 3) of the boxes around a robot's objects, in world axes [m]."""
    corners = [points @ where[j][:3, :3].T + where[j][:3, 3] for j, points in boxes.items()]
    return np.vstack([np.zeros((0, 3)), *corners])


def smooth(
    vertices: Array, triangles: NDArray[np.int64], crease: float = CREASE_COSINE
) -> tuple[Array, NDArray[np.int64], Array]:
    """Return vertices, triangles and unit normals with sharp edges kept and round ones smooth.

    Each corner of a triangle gets the mean normal, weighted by area, of the faces around its vertex
    that meet its own face at a cosine of at least `crease`; corners that agree share a vertex.
    """
    edges = vertices[triangles]
    weighted = np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0])
    area = np.linalg.norm(weighted, axis=1, keepdims=True)
    unit = weighted / np.where(area > 0, area, 1.0)
    first, second = _neighbours(triangles)
    near = np.einsum("ij,ij->i", unit[first // 3], unit[second // 3]) >= crease
    first, second = first[near], second[near]
    sums = np.column_stack(
        [np.bincount(first, weighted[second // 3, k], 3 * len(triangles)) for k in range(3)]
    )
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    normals = np.where(length > 0, sums / np.where(length > 0, length, 1.0), [0.0, 0.0, 1.0])
    return _share(vertices, triangles.ravel(), normals)


def _neighbours(triangles: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of corners (index 3 * face + k) that lie at the same vertex."""
    flat = triangles.ravel()
    order = np.argsort(flat, kind="stable")
    counts = np.bincount(flat)
    counts = counts[counts > 0]
    starts = np.cumsum(counts) - counts
    sizes = np.repeat(counts, counts)  # of the group of each corner, in order
    first = np.repeat(np.arange(len(flat)), sizes)
    within = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    second = np.repeat(np.repeat(starts, counts), sizes) + within
    return order[first], order[second]


def _share(
    vertices: Array, corners: NDArray[np.int64], normals: Array
) -> tuple[Array, NDArray[np.int64], Array]:
    steps = np.rint(normals * 500).astype(np.int64) + 512
    key = ((corners * 1024 + steps[:, 0]) * 1024 + steps[:, 1]) * 1024 + steps[:, 2]
    _, chosen, index = np.unique(key, return_index=True, return_inverse=True)
    return vertices[corners[chosen]], index.reshape(-1, 3), normals[chosen]


# --- one geometry object ----------------------------------------------------------------------


def _part(item: Any, cache: dict[object, three.Part]) -> three.Part | None:
    shape = item.geometry
    if not hasattr(shape, "num_vertices"):
        return _primitive(shape)
    key = (item.meshPath, tuple(item.meshScale), shape.num_vertices, shape.num_tris)
    if key not in cache:
        arrays = _mesh_arrays(shape)
        if arrays is None:
            return None
        vertices, triangles, normals = smooth(*arrays)
        cache[key] = three.mesh(vertices, triangles, normals=normals)
    return cache[key]


def _mesh_arrays(shape: Any) -> tuple[Array, NDArray[np.int64]] | None:
    """Return vertices and triangles of coal's mesh, repeated vertices and empty faces removed."""
    if not hasattr(shape, "tri_indices") or shape.num_tris == 0:
        return None
    vertices = np.array(shape.vertices(), dtype=float).reshape(-1, 3)
    corners = map(shape.tri_indices, range(shape.num_tris))
    triangles = np.array([(c[0], c[1], c[2]) for c in corners], dtype=np.int64)
    vertices, index = np.unique(vertices, axis=0, return_inverse=True)
    triangles = index.ravel()[triangles]
    a, b, c = triangles.T
    return vertices, triangles[(a != b) & (b != c) & (c != a)]


def _primitive(shape: Any) -> three.Part | None:
    match type(shape).__name__:
        case "Box":
            return three.box(*(2 * float(half) for half in shape.halfSide))
        case "Sphere":
            return three.sphere(float(shape.radius))
        case "Cylinder":
            return three.cylinder(shape.radius, shape.radius, 2 * shape.halfLength)
        case "Cone":
            return three.cylinder(0.0, shape.radius, 2 * shape.halfLength)
        case "Capsule":
            ends = np.array([[0, 0, -shape.halfLength], [0, 0, shape.halfLength]])
            return three.mesh(*geometry.tube(ends, shape.radius, sides=32))
        case "Ellipsoid":
            vertices, triangles = geometry.tube(np.zeros((1, 3)), 1.0, sides=32)
            return three.mesh(vertices * np.asarray(shape.radii), triangles)
    return None


# three.js's cylinders are about y, coal's about z
_Y_TO_Z = np.array([[1.0, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])


def _visual(robot: Robot, item: Any, part: three.Part, opacity: float) -> Visual:
    matrix = np.array(item.placement.homogeneous)
    if part["type"] == "CylinderGeometry":
        matrix = matrix @ _Y_TO_Z
    rgba = np.clip(np.array(item.meshColor, dtype=float), 0, 1)
    r, g, b = (round(255 * c) for c in rgba[:3])
    surface = three.material((r << 16) + (g << 8) + b, float(rgba[3] or 1.0) * opacity)
    name = item.name.replace("/", "_")
    return Visual(joint_name(robot, item.parentJoint), name, three.object3d(part, surface), matrix)
