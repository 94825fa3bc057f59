"""MJCF as one tree: included files in place, sections merged, classes of defaults resolved.

Sources: MuJoCo's XML reference ("include", "default", "frame", "compiler").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...errors import ModelError, unknown
from ..files.hardened_xml import MAX_NODES, Node
from ..files.packages import Folders
from ..findings import Finding
from ..urdf.values import plain
from .attributes import COUNTS, check_keywords, check_numbers
from .elements import ACTUATORS, unknown_names
from .includes import include, within

Attributes = dict[str, str]

_OF_ANY_TAG = ("actuator", "sensor", "tendon", "equality")  # whose names are of one kind
_TENDONS = ("fixed", "spatial")
_SHORTEST = 1e-14  # of an axis
OWN_CLASS = "without defaults"  # of elements that have all their attributes
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")
_LAW = ("gaintype", "gainprm", "biastype", "biasprm", "dyntype", "kp", "kv", "area", "diameter",
        "bias")  # fmt: skip


@dataclass
class Mjcf:
    """A model whose elements stand in the sections that MuJoCo reads.

    Attributes:
        origin: its name in messages.
        name: of the model.
        compiler, option, flags: settings; the last one of several holds.
        world: the children of every <worldbody>.
        sections: tag -> children of all other sections of this tag.
        copies: copy that a <replicate> made -> name of what it is a copy of.
        findings: about names that MJCF does not have.
        folder: of the file, as seen from the main one.
        included: element with a file, of an included file -> folder of that one.
        files: mesh of an attached model -> where its file may be.
        compilers: body of an attached model -> the settings that hold for its inertia.
    """

    origin: str
    name: str = "robot"
    compiler: Attributes = field(default_factory=dict)
    option: Attributes = field(default_factory=dict)
    flags: Attributes = field(default_factory=dict)
    world: Node = field(default_factory=lambda: Node("worldbody"))
    sections: dict[str, list[Node]] = field(default_factory=dict)
    copies: dict[Node, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    folder: str = ""
    included: dict[Node, str] = field(default_factory=dict)
    files: dict[Node, list[str]] = field(default_factory=dict)
    compilers: dict[Node, Attributes] = field(default_factory=dict)
    _classes: dict[str, dict[str, Attributes]] = field(default_factory=dict)

    def attributes(self, node: Node, childclass: str = "") -> Attributes:
        """Return the attributes of an element with those of its class where it has none."""
        return _over(self.inherited(node, childclass), node.attrib)

    def inherited(self, node: Node, childclass: str = "") -> Attributes:
        """Return the attributes that the class of an element gives to it."""
        name = node.get("class") or childclass or "main"
        if name not in self._classes:
            raise self.error(node, unknown("class of defaults", name, self._classes))
        return self._classes[name].get(node.tag, {})

    def compiler_of(self, body: Node) -> Attributes:
        """Return the settings that hold for the inertia of a body: those of its own file."""
        return self.compilers.get(body, self.compiler)

    @property
    def mesh_inertia(self) -> str:
        """How meshes that say nothing get their inertia; <compiler> told it before MuJoCo 3.3."""
        return "exact" if self.compiler.get("exactmeshinertia") == "true" else "legacy"

    @cached_property
    def paired(self) -> frozenset[str]:
        """The geoms that a <pair> makes collide, whatever their contype and conaffinity."""
        pairs = (node for node in self.sections.get("contact", ()) if node.tag == "pair")
        return frozenset(node.get(key) for node in pairs for key in ("geom1", "geom2")) - {""}

    def error(self, node: Node, message: str) -> ModelError:
        """Return the error for an element."""
        return ModelError(f"{self.origin}, line {node.line}: <{node.tag}>: {message}")

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return value if self.compiler.get("angle") == "radian" else math.radians(value)

    def pose(self, attributes: Attributes) -> pin.SE3:
        """Return the placement given by pos and one of quat, axisangle, euler, xyaxes, zaxis."""
        return pin.SE3(self._rotation(attributes), values(attributes, "pos", (0.0, 0.0, 0.0)))

    def _rotation(self, attributes: Attributes) -> Array:
        if "axisangle" in attributes:
            *axis, angle = values(attributes, "axisangle")
            return turn(self._unit(np.array(axis), "axisangle", attributes), self.angle(angle))
        if "euler" in attributes:
            return self._euler(values(attributes, "euler"))
        if "xyaxes" in attributes:
            x, y = values(attributes, "xyaxes").reshape(2, 3)
            x = self._unit(x, "xyaxes", attributes)
            y = self._unit(y - (x @ y) * x, "xyaxes", attributes)
            return np.column_stack([x, y, np.cross(x, y)])
        if "zaxis" in attributes:
            return z_to(values(attributes, "zaxis"))
        R: Array = quaternion(values(attributes, "quat", (1.0, 0.0, 0.0, 0.0))).matrix()
        return R

    def _unit(self, direction: Array, key: str, attributes: Attributes) -> Array:
        """Return a vector of length one; an axis of none gives no rotation."""
        size = np.linalg.norm(direction)
        if size < _SHORTEST:
            raise ModelError(f"{self.origin}: {key}={attributes[key]!r} gives no rotation")
        return direction / size

    def _euler(self, angles: Array) -> Array:
        """Lower-case axes turn with the body, upper-case ones do not."""
        R = np.eye(3)
        for letter, angle in zip(self.compiler.get("eulerseq", "xyz"), angles, strict=True):
            step = turn(np.eye(3)["xyz".index(letter.lower())], self.angle(angle))
            R = R @ step if letter.islower() else step @ R
        return R

    def files_of(self, node: Node) -> list[str]:
        """Return where the file of a mesh may be, relative to the folder of the main file."""
        if node in self.files:
            return self.files[node]
        name = node.get("file").replace("\\", "/")
        if self.compiler.get("strippath") == "true":
            name = PurePosixPath(name).name
        if name.startswith(("/", "package://", "file://", "model://")):
            return [name]
        meshes = self.compiler.get("meshdir") or self.compiler.get("assetdir", "")
        places = [within(self.folder, within(meshes, name))]
        if node in self.included:
            # where MuJoCo looks next depends on whether the main file was named by an absolute path
            beside = within(self.included[node], name)
            places += [within(meshes, beside), beside]
        return places


def values(
    attributes: Mapping[str, str], key: str, default: tuple[float, ...] | None = None
) -> Array:
    """Return the numbers of an attribute, which were checked when the file was read."""
    text = attributes.get(key)
    return np.array(default if text is None else [float(word) for word in text.split()])


def quaternion(wxyz: Array) -> pin.Quaternion:
    """Return the unit quaternion along MuJoCo's (4,), whose real part comes first."""
    w, x, y, z = wxyz / np.linalg.norm(wxyz)
    return pin.Quaternion(w, x, y, z)


def turn(axis: Array, angle: float) -> Array:
    """Return the rotation (3, 3) about an axis (3,) by an angle [rad]."""
    R: Array = pin.AngleAxis(angle, axis / np.linalg.norm(axis)).toRotationMatrix()
    return R


def z_to(direction: Array) -> Array:
    """Return the smallest rotation (3, 3) of z to a direction (3,)."""
    z = np.array([0.0, 0.0, 1.0])
    R: Array = pin.Quaternion.FromTwoVectors(z, direction / np.linalg.norm(direction)).matrix()
    return R


def read(tree: Node, folders: Folders, origin: str, folder: str) -> Mjcf:
    """Return the model of a file and of those that it includes.

    Its <attach> and <replicate> are there still, and its names unchecked: see `attached.read`.

    Args:
        tree: its elements.
        folders: those of the main file.
        origin: its name in messages.
        folder: its folder as seen from the main file, "" for that one itself.

    Raises:
        ModelError: a file is missing or may not be read, an invalid number, a class defined twice.
    """
    included = include(tree, folders, folder)
    model = Mjcf(origin, tree.get("model").strip() or "robot", folder=folder, included=included)
    model.findings = unknown_names(tree)
    defaults = tree.all("default")
    for section in tree.children:
        if section.tag == "compiler":
            model.compiler.update(section.attrib)
        elif section.tag == "option":
            model.option.update(section.attrib)
            for flag in section.all("flag"):
                model.flags.update(flag.attrib)
        elif section.tag == "worldbody":
            model.world.children.extend(section.children)
        elif section.tag != "default":
            model.sections.setdefault(section.tag, []).extend(section.children)
    _check_settings(model, tree)
    for node in _with_numbers(model, defaults):
        check_numbers(node, origin)
    model._classes = {OWN_CLASS: {}, **_classes(defaults, origin)}
    return model


def _check_settings(model: Mjcf, tree: Node) -> None:
    for tag, attributes in (("compiler", model.compiler), ("option", model.option)):
        node = next((n for n in tree.all(tag)), tree)
        settings = Node(tag, attributes, node.line)
        check_numbers(settings, model.origin)
    check_keywords(Node("flag", model.flags, tree.line), model.origin)
    if model.compiler.get("coordinate", "local") != "local":
        raise ModelError(
            f"{model.origin}: coordinate='global' was removed from MuJoCo in 2.3.4; MuJoCo up to "
            "2.3.3 converts the file: load it there, and save it by mujoco.mj_saveLastXML"
        )
    sequence = model.compiler.get("eulerseq", "xyz")
    if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
        raise ModelError(f"{model.origin}: eulerseq: got {sequence!r}, expected as in 'xyz'")


def _with_numbers(model: Mjcf, defaults: list[Node]) -> Iterator[Node]:
    for section in defaults:
        yield from section.walk()
    yield from model.world.walk()
    for tag in ("asset", "actuator", "keyframe", "tendon", "equality"):
        yield from model.sections.get(tag, ())


# --- names, sizes --------------------------------------------------------------------------------


def check_names(model: Mjcf) -> None:
    """Raise `ModelError` when two elements of one kind have the same name, as MuJoCo does."""
    # names of the world, in MuJoCo and in Pinocchio
    taken = {"body": {"world", "universe"}, "joint": {"universe"}}
    seen = {kind: set(names) for kind, names in taken.items()}
    for kind, node in _named(model):
        names, name = seen.setdefault(kind, set()), node.get("name")
        if name in names:
            of_world = name in taken.get(kind, ())
            what = "the name of the world" if of_world else "of which there are two"
            raise model.error(node, f"called {name!r}, {what}")
        names.add(name)


def _named(model: Mjcf) -> Iterator[tuple[str, Node]]:
    """Yield the elements that have a name, with their kind: other kinds may have the same."""
    for section, nodes in (("", model.world.walk()), *model.sections.items()):
        for node in nodes:
            if node.get("name"):
                yield section if section in _OF_ANY_TAG else node.tag.removeprefix("free"), node


def check_size(elements: int, origin: str) -> None:
    """Raise `ModelError` for more elements than are read."""
    if elements > MAX_NODES:
        raise ModelError(f"{origin}: more than {MAX_NODES} elements")


def as_pose(T: pin.SE3) -> Attributes:
    """Return the attributes of a placement."""
    x, y, z, w = pin.Quaternion(T.rotation).coeffs()
    return {"pos": plain(T.translation), "quat": plain((w, x, y, z))}


# --- classes of defaults -------------------------------------------------------------------------


def _classes(sections: list[Node], origin: str) -> dict[str, dict[str, Attributes]]:
    """Return class -> tag -> attributes, those of the classes around it included.

    A class starts from what the one around it has by then: a section that comes later changes
    "main" alone. All actuators share one set of defaults, in which a type of actuator sets what it
    stands for.
    """
    classes: dict[str, dict[str, Attributes]] = {"main": {}}
    for section in sections:
        _set_defaults(classes["main"], section)
        classes.setdefault(section.get("class") or "main", classes["main"])
        stack = [(child, classes["main"]) for child in section.all("default")]
        while stack:
            node, around = stack.pop()
            name = node.get("class")
            if not name or name in classes:
                what = f"two classes of defaults called {name!r}" if name else "a class has a name"
                raise ModelError(f"{origin}, line {node.line}: <default>: {what}")
            classes[name] = dict(around)  # the attributes are copied where they change
            _set_defaults(classes[name], node)
            stack.extend((child, classes[name]) for child in node.all("default"))
    return classes


def _set_defaults(known: dict[str, Attributes], node: Node) -> None:
    """Put the attributes of the elements of a class into what it has."""
    for child in node.children:
        if child.tag in ACTUATORS:
            shared = law_of(child.tag, known.get("general", {}), child.attrib)
            known.update(dict.fromkeys(ACTUATORS, shared))
        elif child.tag in COUNTS:
            for tag in _TENDONS if child.tag == "tendon" else (child.tag,):
                known[tag] = _over(known.get(tag, {}), child.attrib)


def _over(known: Attributes, own: Attributes) -> Attributes:
    """Return attributes with others over them; an orientation is replaced whole."""
    if any(key in own for key in ORIENTATIONS):
        known = {key: value for key, value in known.items() if key not in ORIENTATIONS}
    return {**known, **own}


def law_of(tag: str, known: Attributes, own: Attributes) -> Attributes:
    """Return the attributes of an actuator over those it inherits, with what its tag stands for.

    The gain and bias of another kind of actuator are not inherited, those of <general> are. A
    motor's force is its control; that of the others depends on the motion too.
    """
    if tag == "general":
        return {**known, **own}
    if known.get("kind", tag) != tag:
        known = {key: value for key, value in known.items() if key not in _LAW}
    given = {**known, **own}
    law = {"kind": tag, "gaintype": "fixed", "biastype": "affine", "dyntype": "none"}
    gain = given.get("gainprm", "1")
    if tag == "motor":
        law |= {"gainprm": "1", "biastype": "none"}
    elif tag == "cylinder":
        if "diameter" in given:
            gain = plain([math.pi / 4 * values(given, "diameter")[0] ** 2])
        law |= {"gainprm": given.get("area", gain), "dyntype": "filter"}
        law["biasprm"] = given.get("bias", given.get("biasprm", "0"))
    elif tag == "dcmotor":
        most = values(given, "saturation", (0.0,))[0]
        law |= {"gaintype": "dcmotor", "forcerange": plain([-most, most])}
    elif tag == "muscle":
        law |= dict.fromkeys(("gaintype", "biastype", "dyntype"), "muscle")
    else:  # what a position or velocity asks for, times kp or kv
        law["gainprm"] = given.get("kv" if tag == "velocity" else "kp", gain)
        law |= {"biasprm": "0 1 1", "dyntype": "integrator" if tag == "intvelocity" else "none"}
    return {**given, **law}
