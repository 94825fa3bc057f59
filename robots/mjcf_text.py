"""Preprocessing of MJCF trees: includes, numbers, meshes, actuators."""

from __future__ import annotations

import math

from ..errors import ModelError
from .hardened_xml import Node, parse
from .mesh_headers import why_unreadable
from .packages import Folders
from .sources import read_file
from .urdf_values import numbers, plain

_MAX_INCLUDES = 50
_KEPT = ("compiler", "option", "size", "default", "asset", "worldbody", "keyframe")
# attributes whose value is numeric
_POSE = ("pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "axis", "refpos", "refquat")
_BODY = ("mass", "diaginertia", "fullinertia", "density", "size", "fromto", "scale", "rgba")
_JOINT = ("range", "armature", "damping", "frictionloss", "stiffness", "ref", "springref", "qpos")
_MOTOR = ("gear", "ctrlrange", "forcerange", "actuatorfrcrange")
_DIRECTIONS = ("quat", "axis", "zaxis", "xyaxes")
_NUMERIC = frozenset((*_POSE, *_BODY, *_JOINT, *_MOTOR))
# counts are checked: Pinocchio leaves missing components of these uninitialised
_COUNTS = {"pos": 3, "quat": 4, "axisangle": 4, "xyaxes": 6, "zaxis": 3, "euler": 3, "axis": 3}
_COUNTS |= {"mass": 1, "diaginertia": 3, "fullinertia": 6, "fromto": 6, "range": 2, "scale": 3}
_COUNTS |= {"armature": 1, "ref": 1, "rgba": 4, "density": 1, "ctrlrange": 2, "forcerange": 2}


def include(tree: Node, folders: Folders) -> None:
    """Replace every <include file="…"/> by the contents of the file.

    Raises:
        ModelError: a file is missing, may not be read, or there are too many.
    """
    stack, count = [tree], 0
    while stack:
        node = stack.pop()
        children = []
        for child in node.children:
            if child.tag != "include":
                children.append(child)
                continue
            count += 1
            if count > _MAX_INCLUDES:
                raise ModelError(f"line {child.line}: more than {_MAX_INCLUDES} includes")
            children.extend(_included(child, folders).children)
        node.children = children
        # included files may include others
        if any(child.tag == "include" for child in children):
            stack.append(node)
        else:
            stack.extend(children)


def _included(node: Node, folders: Folders) -> Node:
    name = node.get("file")
    found = folders.find(name)
    if found.path is None:
        raise ModelError(f"line {node.line}: include {name!r}: {found.problem}")
    return parse(read_file(found.path), str(found.path))


def check_numbers(tree: Node, origin: str) -> None:
    """Rewrite numeric attributes in a canonical form.

    Raises:
        ModelError: a numeric attribute that does not parse, with its line.
    """
    for node in tree.walk():
        for key in _NUMERIC.intersection(node.attrib):
            largest = math.inf if "range" in key else 1e15
            values = numbers(node.get(key), _COUNTS.get(key), largest)
            if values is None or (key in _DIRECTIONS and not any(values)):
                raise ModelError(
                    f"{origin}, line {node.line}: <{node.tag} {key}={node.get(key)[:80]!r}>: "
                    f"expected {_COUNTS.get(key, 'some')} finite numbers"
                    f"{', not all zero' * (key in _DIRECTIONS)}"
                )
            if key in ("mass", "armature", "density") and min(values) < 0:
                raise ModelError(
                    f"{origin}, line {node.line}: <{node.tag} {key}={node.get(key)!r}> is negative"
                )
            node.attrib[key] = plain(values)


def check_names(tree: Node, origin: str) -> None:
    """Raise `ModelError` when two bodies, or two joints, have the same name."""
    for tags in (("body",), ("joint", "freejoint")):
        seen: set[str] = set()
        for node in (n for world in tree.all("worldbody") for n in world.walk()):
            name = node.get("name")
            if node.tag in tags and name in seen:
                raise ModelError(f"{origin}, line {node.line}: two <{node.tag}> called {name!r}")
            seen.update({name} if node.tag in tags and name else ())


def degrees_of_freedom(tree: Node) -> int:
    """Return how many there are at most; a joint without a type has the largest default one."""
    sizes = {"free": 6, "ball": 3}
    defaults = [j for d in tree.all("default") for j in d.walk() if j.tag == "joint"]
    usual = max((sizes.get(joint.get("type"), 1) for joint in defaults), default=1)
    nodes = [node for world in tree.all("worldbody") for node in world.walk()]
    joints = [node.get("type") for node in nodes if node.tag == "joint"]
    free = sum(node.tag == "freejoint" for node in nodes)
    return 6 * free + sum(sizes.get(kind, 1) if kind else usual for kind in joints)


def resolve_meshes(tree: Node, folders: Folders, read: bool) -> None:
    """Replace mesh file names by paths; without `read`, drop meshes that do not contribute mass.

    Raises:
        ModelError: a mesh is missing or may not be read.
    """
    if not read:
        _drop_mesh_shapes(tree)
    folder = ""
    for compiler in tree.all("compiler"):
        folder = compiler.attrib.pop("meshdir", "") or compiler.attrib.pop("assetdir", "") or folder
        compiler.attrib.pop("texturedir", None)
    for asset in tree.all("asset"):
        asset.children = [c for c in asset.children if c.tag in ("mesh", "material")]
        for material in asset.all("material"):
            material.attrib.pop("texture", None)
        for mesh in asset.all("mesh"):
            _resolve(mesh, folder, folders)


def _resolve(mesh: Node, folder: str, folders: Folders) -> None:
    name = mesh.get("file")
    found = folders.find(f"{folder.rstrip('/')}/{name}" if folder else name)
    problem = found.problem
    if found.path is not None:
        problem = why_unreadable(found.path)
        if not mesh.get("name"):
            mesh.attrib["name"] = found.path.stem
        mesh.attrib["file"] = str(found.path)
    if problem:
        raise ModelError(
            f"line {mesh.line}: mesh {name!r}: {problem}; package_dirs=[…] allows more folders, "
            "meshes=False loads the dynamics without shapes"
        )


def _drop_mesh_shapes(tree: Node) -> None:
    """Remove the mesh shapes of bodies with an explicit inertia, and unused meshes."""
    for body in [node for node in tree.walk() if node.tag in ("body", "worldbody")]:
        if body.find("inertial") is not None or body.tag == "worldbody":
            body.children = [c for c in body.children if not (c.tag == "geom" and c.get("mesh"))]
    used = {node.get("mesh") for node in tree.walk() if node.tag == "geom"}
    for asset in tree.all("asset"):
        asset.children = [
            c
            for c in asset.children
            if c.tag != "mesh" or (c.get("name") or c.get("file").rsplit(".", 1)[0]) in used
        ]


def actuators(tree: Node) -> dict[str, float]:
    """Return joint -> largest |torque| (0: no limit) of the actuated joints."""
    classes = _defaults(tree)
    limits: dict[str, float] = {}
    for section in tree.all("actuator"):
        for actuator in section.children:
            joint = actuator.get("joint") or actuator.get("jointinparent")
            if joint:
                limits[joint] = limits.get(joint, 0.0) + _largest_torque(actuator, classes)
    return limits


def _defaults(tree: Node) -> dict[str, dict[str, dict[str, str]]]:
    """Return class -> tag -> attributes, including inherited ones."""
    classes: dict[str, dict[str, dict[str, str]]] = {"main": {}}
    stack = [(node, "main") for node in tree.all("default")]
    while stack:
        node, parent = stack.pop()
        name = node.get("class") or parent
        known = {tag: dict(values) for tag, values in classes.get(parent, {}).items()}
        for child in node.children:
            if child.tag != "default":
                known.setdefault(child.tag, {}).update(child.attrib)
        classes[name] = known
        stack.extend((child, name) for child in node.all("default"))
    return classes


def _largest_torque(actuator: Node, classes: dict[str, dict[str, dict[str, str]]]) -> float:
    known = classes.get(actuator.get("class") or "main", {}).get(actuator.tag, {})
    attributes = {**known, **actuator.attrib}
    gear = abs((numbers(attributes.get("gear", "1")) or (1.0,))[0])
    keys = ("forcerange", "ctrlrange") if actuator.tag == "motor" else ("forcerange",)
    ranges = [numbers(attributes.get(key, ""), 2, math.inf) for key in keys]
    largest = [max(abs(low), abs(high)) for low, high in filter(None, ranges)]
    return min(largest) * gear if largest else 0.0


def add_base(tree: Node, name: str) -> None:
    """Give the root body a free joint if it is welded to the world; extend keyframes by its pose.

    Raises:
        ModelError: there is more than one such body.
    """
    bodies = [body for world in tree.all("worldbody") for body in world.all("body")]
    if len(bodies) != 1:
        raise ModelError(f"base='floating': {len(bodies)} bodies on the world, expected one")
    body = bodies[0]
    if body.find("freejoint") is not None or any(
        j.get("type") == "free" for j in body.all("joint")
    ):
        return
    body.children.insert(0, Node("freejoint", {"name": name}, body.line))
    pose = f"{body.get('pos', '0 0 0')} {body.get('quat', '1 0 0 0')}"
    for key in [key for section in tree.all("keyframe") for key in section.all("key")]:
        if "qpos" in key.attrib:
            key.attrib["qpos"] = f"{pose} {key.get('qpos')}"


def strip(tree: Node) -> None:
    """Remove sections that do not affect the robot: solvers, sensors, contacts, cameras, lights."""
    tree.children = [child for child in tree.children if child.tag in _KEPT]
    for node in tree.walk():
        node.children = [c for c in node.children if c.tag not in ("light", "camera", "plugin")]
