"""Numeric values of a URDF: parsed strictly, checked, and rewritten in a canonical form.

Pinocchio's reader ignores what it cannot parse: an inertial with "1,5" in it becomes a link
without mass. So every number is parsed here first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

import numpy as np
import pinocchio as pin

from ..files.hardened_xml import Node
from ..findings import Finding, Level

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
_TINY = 1e-200  # smaller ones are set to zero: some readers fail on them
_HUGE = 1e15  # larger masses and lengths overflow in the equations of motion
_BLANKS = "blanks between the numbers, no commas"


def numbers(
    text: str, count: int | None = None, largest: float = _HUGE
) -> tuple[float, ...] | None:
    """Return the numbers in `text`, or None unless they are `count` finite numbers."""
    words = text.split()
    if not words or (count is not None and len(words) != count):
        return None
    if not all(_NUMBER.match(word) for word in words):
        return None
    values = tuple(float(word) for word in words)
    if not all(math.isfinite(value) and abs(value) <= largest for value in values):
        return None
    return tuple(0.0 if abs(value) < _TINY else value for value in values)


def has_commas(text: str, count: int | None = None) -> bool:
    """Whether `text` would be `count` numbers with blanks in place of its commas."""
    return "," in text and count != 1 and numbers(text.replace(",", " "), count) is not None


def number(node: Node | None, name: str, default: float = 0.0) -> float:
    """Return an attribute that was checked before."""
    values = numbers(node.get(name), 1, math.inf) if node is not None else None
    return values[0] if values else default


def vector(node: Node | None, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Return an attribute that was checked before."""
    values = numbers(node.get(name), len(default)) if node is not None else None
    return values or default


def mass_of(link: Node) -> float:
    """Return the mass of a link [kg]."""
    inertial = link.find("inertial")
    return 0.0 if inertial is None else number(inertial.find("mass"), "value")


def joints_of(tree: Node, *types: str) -> list[Node]:
    """Return the joints of some types."""
    return [joint for joint in tree.all("joint") if joint.get("type") in types]


def link_of(joint: Node, end: str) -> str:
    """Return the link that is the "parent" or "child" of a joint; "" where it names none."""
    node = joint.find(end)
    return node.get("link") if node is not None else ""


def pose(node: Node | None) -> pin.SE3:
    """Return the placement of attributes xyz and rpy that were checked before."""
    angles, place = (np.array(vector(node, key, (0.0, 0.0, 0.0))) for key in ("rpy", "xyz"))
    return pin.SE3(pin.rpy.rpyToMatrix(angles), place)


def as_origin(T: pin.SE3) -> dict[str, str]:
    """Return the attributes of a placement."""
    return {"xyz": plain(T.translation), "rpy": plain(pin.rpy.matrixToRpy(T.rotation))}


def check_values(tree: Node) -> Iterator[Finding]:
    """Yield findings about the numbers of links and joints; rewrite the valid ones.

    Numbers of inertials, joints and their origins that cannot be read are errors. A shape that
    cannot be read is taken out, with a warning; so are repetitions of what there is one of.
    """
    for owner in (*tree.all("link"), *tree.all("joint")):
        yield from _repeated(owner)
    for link in tree.all("link"):
        yield from _check_inertial(link, link=link.get("name"))
        for shape in [child for child in link.children if child.tag in ("visual", "collision")]:
            if problem := _shape_problem(shape):
                link.children.remove(shape)
                message = f"a {shape.tag} shape {problem}; it is left out"
                yield Finding("warning", "shape", message, link=link.get("name"), line=shape.line)
    for joint in tree.all("joint"):
        yield from _check_joint(joint, joint=joint.get("name"))
    for loop in tree.all("loop_joint"):
        yield from _check_loop(loop)


# elements that stand once in another: Pinocchio's reader and those of ROS take the first
_ONCE = {
    "joint": ("origin", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry"),
    "collision": ("origin", "geometry"),
}


def _repeated(owner: Node) -> Iterator[Finding]:
    """Take out what a link or a joint has again, and yield the warnings about it."""
    for node in owner.walk():
        for tag in _ONCE.get(node.tag, ()):
            if again := node.all(tag)[1:]:
                node.children = [child for child in node.children if child not in again]
                message = f"{len(again) + 1} × <{tag}> in its <{node.tag}>: the first one is read"
                where = {owner.tag: owner.get("name")}
                yield Finding(
                    "warning", "repeated", message, "keep one", line=again[0].line, **where
                )


# --- links -------------------------------------------------------------------------------------

_OFF_DIAGONAL = ("ixy", "ixz", "iyz")
_ENTRIES = ("ixx", "iyy", "izz", *_OFF_DIAGONAL)
TYPICAL = "give the moments of inertia, about m l²/12 for a body of length l"


def _check_inertial(owner: Node, **where: str) -> Iterator[Finding]:
    inertials = owner.all("inertial")
    if len(inertials) > 1:
        message = "two <inertial>: only one would be read"
        yield Finding("error", "inertial", message, "keep one", line=inertials[1].line, **where)
    for inertial in inertials[:1]:
        yield from _origin(inertial, **where)
        mass = inertial.find("mass")
        if mass is None:
            message, hint = "<inertial> without <mass>", "add <mass>, or remove <inertial>"
            yield Finding("error", "inertial", message, hint, line=inertial.line, **where)
        else:
            yield from _attributes(mass, ("value",), "error", **where)
            if number(mass, "value") < 0:
                message, hint = f"negative mass: {mass.get('value')}", "masses are positive"
                yield Finding("error", "inertial", message, hint, line=mass.line, **where)
        inertia = inertial.find("inertia")
        if inertia is None:
            inertial.children.append(Node("inertia", dict.fromkeys(_ENTRIES, "0"), inertial.line))
            message = "no <inertia>: a mass without rotational inertia"
            yield Finding("warning", "inertia", message, TYPICAL, line=inertial.line, **where)
        else:
            yield from _check_inertia(inertia, **where)


def _check_inertia(inertia: Node, **where: str) -> Iterator[Finding]:
    missing = [key for key in _OFF_DIAGONAL if key not in inertia.attrib]
    inertia.attrib.update(dict.fromkeys(missing, "0"))
    if missing:
        message, hint = f"<inertia> without {', '.join(missing)}; taken as 0", "write them out"
        yield Finding("warning", "inertia", message, hint, line=inertia.line, **where)
    yield from _attributes(inertia, _ENTRIES, "error", **where)


# --- shapes ------------------------------------------------------------------------------------

_SIZES = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
}


def _shape_problem(shape: Node) -> str:
    """Return why a visual or collision cannot be used, or "". Numbers are rewritten."""
    bad = list(_origin(shape))
    geometry = shape.find("geometry")
    shapes = geometry.children if geometry is not None else []
    shape.children = [c for c in shape.children if c.tag in ("origin", "geometry", "material")]
    if bad:
        why = ": ".join(filter(None, (bad[0].message, bad[0].suggestion)))
        return f"has an invalid origin ({why})"
    if len(shapes) != 1:
        return f"has {len(shapes)} geometries, expected one"
    kind = shapes[0]
    if kind.tag == "mesh":
        return _mesh_problem(kind)
    if kind.tag not in _SIZES:
        return f"is a <{kind.tag}>, expected a mesh or one of {', '.join(_SIZES)}"
    for key in _SIZES[kind.tag]:
        values = numbers(kind.get(key), 3 if key == "size" else 1)
        if values is None or min(values) <= 0 or max(values) > 1e6:
            return f"has {key}={kind.get(key)!r}, expected positive numbers{_blanks(kind, key)}"
        kind.attrib[key] = plain(values)
    return ""


def _blanks(node: Node, key: str) -> str:
    return f": {_BLANKS}" if has_commas(node.get(key), 3) else ""


def _mesh_problem(mesh: Node) -> str:
    if "scale" in mesh.attrib:
        scale = numbers(mesh.get("scale"), 3)
        if scale is None or 0 in scale:
            got = f"scale={mesh.get('scale')!r}"
            return f"has {got}, expected three numbers other than 0{_blanks(mesh, 'scale')}"
        mesh.attrib["scale"] = plain(scale)
    return "" if mesh.get("filename").strip() else "is a mesh without a file name"


def check_materials(tree: Node) -> None:
    """Remove invalid colours and textures, which only affect the appearance."""
    visuals = [shape for link in tree.all("link") for shape in link.all("visual")]
    owners = [tree, *visuals]
    for material in [material for owner in owners for material in owner.all("material")]:
        if not material.get("name").strip():
            material.attrib["name"] = f"material_of_line_{material.line}"
        material.children = [c for c in material.children if _is_colour(c)][:1]
    coloured = {m.get("name") for o in owners for m in o.all("material") if m.children}
    for owner in owners:
        bare = [m for m in owner.all("material") if not m.children]
        lost = {id(m) for m in bare if owner is tree or m.get("name") not in coloured}
        owner.children = [child for child in owner.children if id(child) not in lost]
    _define_first(tree, visuals)


def _define_first(tree: Node, visuals: list[Node]) -> None:
    """Declare at the top every material that links refer to by name only."""
    used = [m for visual in visuals for m in visual.all("material") if m.children]
    first = {material.get("name"): material for material in reversed(used)}
    for material in tree.all("material"):
        first.pop(material.get("name"), None)
    tree.children[:0] = first.values()


def _is_colour(node: Node) -> bool:
    values = numbers(node.get("rgba"), 4) if node.tag == "color" else None
    if values is None:
        return False
    node.attrib["rgba"] = plain(min(max(value, 0.0), 1.0) for value in values)
    return True


# --- joints ------------------------------------------------------------------------------------

# some exporters write these for "no limit"
_WITHOUT_END = {"inf": "1e300", "+inf": "1e300", "-inf": "-1e300", "infinity": "1e300"}
_JOINT_NUMBERS = {
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction", "armature"),
    "mimic": ("multiplier", "offset"),
}


def _check_loop(loop: Node) -> Iterator[Finding]:
    for node in loop.children:
        yield from _attributes(node, [key for key in ("xyz", "rpy") if key in node.attrib], "error")
        if node.tag == "axis" and not any(numbers(node.get("xyz"), 3) or (1.0,)):
            message = f"<loop_joint> {loop.get('name')!r}: its axis has no length"
            yield Finding("error", "axis", message, line=node.line)


def _check_joint(owner: Node, **where: str) -> Iterator[Finding]:
    yield from _origin(owner, **where)
    if (axis := owner.find("axis")) is not None:
        yield from _attributes(axis, ("xyz",), "error", **where)
    for tag, keys in _JOINT_NUMBERS.items():
        for node in owner.all(tag):
            present = [key for key in keys if key in node.attrib]
            level: Level = "warning" if tag == "dynamics" else "error"
            yield from _attributes(node, present, level, **where)
            if tag == "dynamics":
                yield from _check_dynamics(node, **where)


def _check_dynamics(node: Node, **where: str) -> Iterator[Finding]:
    for key in _JOINT_NUMBERS["dynamics"]:
        if number(node, key) < 0:
            message = f"negative {key}: {node.attrib.pop(key)}; left out"
            yield Finding("warning", "dynamics", message, line=node.line, **where)
    node.attrib.setdefault("damping", "0.0")  # readers refuse one without damping and friction


_COUNTS = {"xyz": 3, "rpy": 3, "quat_xyzw": 4}


def _origin(owner: Node, **where: str) -> Iterator[Finding]:
    origin = owner.find("origin")
    if origin is not None:
        for key in _COUNTS:
            if key in origin.attrib and not origin.get(key).strip():
                del origin.attrib[key]  # some exporters leave it empty, for the default
        present = [key for key in _COUNTS if key in origin.attrib]
        yield from _attributes(origin, present, "error", **where)
        if "quat_xyzw" in origin.attrib:
            yield from _use_quaternion(origin, **where)


def _use_quaternion(origin: Node, **where: str) -> Iterator[Finding]:
    """Write a rotation as angles, which all that reads a URDF knows."""
    text = origin.attrib.pop("quat_xyzw")
    x = np.array(numbers(text, 4) or (0.0, 0.0, 0.0, 1.0))
    if "rpy" in origin.attrib or not abs(x @ x - 1) < 1e-3:
        wrong = "beside rpy" if "rpy" in origin.attrib else "expected a unit quaternion"
        message = f"<origin quat_xyzw={text!r}>: {wrong}"
        yield Finding("error", "number", message, line=origin.line, **where)
        return
    rotation = pin.Quaternion(x / np.linalg.norm(x)).matrix()
    origin.attrib["rpy"] = plain(pin.rpy.matrixToRpy(rotation))


def _attributes(node: Node, keys: Iterable[str], level: Level, **where: str) -> Iterator[Finding]:
    """Check that attributes are finite numbers of the expected count; rewrite them."""
    for key in keys:
        count = _COUNTS.get(key, 1)
        text = node.get(key)
        if node.tag == "limit":
            text = _WITHOUT_END.get(text.strip().lower(), text)
        values = numbers(text, count, math.inf if node.tag == "limit" else _HUGE)
        if values is not None:
            node.attrib[key] = plain(values)
            continue
        if level != "error":
            del node.attrib[key]
        many = "a finite number" if count == 1 else f"{count} finite numbers"
        message = f"<{node.tag} {key}={text!r}>: expected {many}"
        hint = _BLANKS if has_commas(text, count) else "a decimal point, no unit, no ${…}"
        yield Finding(level, "number", message, hint, line=node.line, **where)


def plain(values: Iterable[float]) -> str:
    """Return numbers as text that every reader parses alike."""
    return " ".join(repr(float(value)) for value in values)
