"""Visual geometry of a robot as objects of the page.

Meshes are taken as Pinocchio loaded them (with their scale), so that every format it reads is
shown; Collada files are read once more for their colours and textures.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics.per_robot import per_robot
from ...dynamics.state import State
from ...errors import ModelError, warn
from ...robots.files.meshes import triangles_of
from ...robots.robot import Robot
from . import collada, geometry, three
from .checks import color
from .errors import MeshWarning
from .sticks import sticks
from .triangles import coarser, smooth
from .upright import Y_TO_Z, box_of, upright

_Look = tuple[three.Part, collada.Surface | None]  # None: the description's colour


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
    object: three.Object
    matrix: Array


def read(robot: Robot) -> Any:
    """Return what a robot looks like, a `pin.GeometryModel`; balls and sticks if it has no shapes.

    A `MeshWarning` says so when it has some, but they cannot be read.
    """
    try:
        model = robot._visual
    except ModelError as error:
        message = f"{robot.name!r} is drawn as balls and sticks: {error}"
        warn(message, MeshWarning)
        return sticks(robot)
    return upright(robot, model) if model.ngeoms else sticks(robot)


def visuals(robot: Robot, model: Any, opacity: float = 1.0, detail: float = 0.0) -> list[Visual]:
    """Return the objects of a robot's geometry model. What cannot be drawn is in a `MeshWarning`.

    A mesh's own materials win over the description's colour, as in RViz.
    """
    shown, missing = [], []
    items = list(model.geometryObjects)
    for item in items:
        objects = _objects(robot, item, opacity, detail)
        joint, name = joint_name(robot, item.parentJoint), item.name.replace("/", "_")
        for k, thing in enumerate(objects):
            matrix = np.array(item.placement.homogeneous)
            if thing["geometries"][0]["type"] == "CylinderGeometry":  # about y, coal's about z
                matrix = matrix @ Y_TO_Z.homogeneous
            part = name if len(objects) == 1 else f"{name}/{k}"
            shown.append(Visual(joint, part, thing, matrix))
        if not objects:
            missing.append(f"{item.name} ({type(item.geometry).__name__} {item.meshPath})")
    if missing:
        warn(
            f"{len(missing)} of {len(items)} visual objects of {robot.name!r} cannot be drawn: "
            + ", ".join(missing),
            MeshWarning,
        )
    return shown


def placements(robot: Robot, model: Any, q: ArrayLike | State) -> dict[str, Array]:
    """Return T_world_joint (4, 4) of each joint that carries a visual object."""
    poses = State.of(robot, q).joint_placements
    joints = sorted({item.parentJoint for item in model.geometryObjects})
    return {joint_name(robot, j): np.vstack([poses[j], [0.0, 0.0, 0.0, 1.0]]) for j in joints}


def joint_name(robot: Robot, joint: int) -> str:
    """Return the name of a joint as the page's tree has it."""
    return str(robot._model.names[joint]).replace("/", "_")


def boxes(robot: Robot, model: Any) -> dict[str, Array]:
    """Return corners (8 n, 3) of boxes around the visual objects of each joint, in its axes."""
    found: dict[str, list[Array]] = {}
    for item in model.geometryObjects:
        low, high = box_of(item)
        if np.any(low > high):  # an empty mesh
            continue
        corners = geometry.placed(item.placement.homogeneous, geometry.box_corners(low, high))
        found.setdefault(joint_name(robot, item.parentJoint), []).append(corners)
    return {name: np.vstack(parts) for name, parts in found.items()}


def corners_in_world(boxes: dict[str, Array], where: dict[str, Array]) -> Array:
    """Return the corners (8 n, 3) of the boxes around a robot's objects, in world axes [m]."""
    corners = [geometry.placed(where[j], points) for j, points in boxes.items()]
    return np.vstack([np.zeros((0, 3)), *corners])


# --- one geometry object ----------------------------------------------------------------------


def _objects(robot: Robot, item: Any, opacity: float, detail: float) -> list[three.Object]:
    """Return the objects that show a geometry object; none when it cannot be drawn."""
    rgba = np.clip(np.array(item.meshColor, dtype=float), 0, 1)
    red, green, blue = rgba[:3].tolist()
    own = collada.Surface(color=(red, green, blue))
    alpha = float(rgba[3] or 1.0) * opacity
    return [
        three.object3d(part, _material(own if surface is None else surface, own, alpha))
        for part, surface in _looks(robot, item, detail)
    ]


def _looks(robot: Robot, item: Any, detail: float) -> list[_Look]:
    if not hasattr(item.geometry, "num_vertices"):
        part = _primitive(item.geometry)
        return [] if part is None else [(part, None)]
    known, key = _mesh_looks(robot), (item.meshPath, tuple(item.meshScale), detail)
    if key not in known:
        known[key] = _mesh_look(item, detail)
    return known[key]


@per_robot
def _mesh_looks(robot: Robot) -> dict[object, list[_Look]]:
    """{(path, scale, detail): parts}: reading the meshes of a robot takes up to seconds."""
    return {}


def _mesh_look(item: Any, detail: float) -> list[_Look]:
    if item.meshPath.lower().endswith(".dae"):
        try:
            return _collada_looks(item)
        except collada.Unsupported:  # its shape alone, then
            pass
    arrays = _mesh_arrays(item.geometry)
    if arrays is None:
        return []
    if detail > 0:
        arrays = coarser(*arrays, detail)
    vertices, triangles, normals = smooth(*arrays)
    return [(three.mesh(vertices, triangles, normals=normals), None)]


def _collada_looks(item: Any) -> list[_Look]:
    """Return the parts of a Collada file, if they fill the same box as the mesh that was loaded."""
    parts = collada.read(Path(item.meshPath), item.meshScale)
    points = np.vstack([np.zeros((0, 3)), *(part.vertices for part in parts)])
    box = box_of(item)
    if len(points) == 0 or np.abs([points.min(0), points.max(0)] - box).max() > 0.01 * np.ptp(box):
        raise collada.Unsupported(f"{item.meshPath}: not the shape that was loaded")
    return [
        (
            three.mesh(p.vertices, p.triangles, normals=p.normals, uv=p.uv),
            p.surface if p.surface.color or p.surface.image else None,
        )
        for p in parts
    ]


def _material(surface: collada.Surface, own: collada.Surface, alpha: float) -> three.Part:
    if surface.image is not None:
        return three.textured(surface.image, alpha)
    return three.material(color(surface.color or own.color or (0.7, 0.7, 0.7)), alpha)


def _mesh_arrays(shape: Any) -> tuple[Array, NDArray[np.int64]] | None:
    """Return vertices and triangles of coal's mesh, repeated vertices and empty faces removed."""
    if not hasattr(shape, "tri_indices") or shape.num_tris == 0:
        return None
    vertices = np.array(shape.vertices(), dtype=float).reshape(-1, 3)
    vertices, index = np.unique(vertices, axis=0, return_inverse=True)
    triangles = index.ravel()[triangles_of(shape)]
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
