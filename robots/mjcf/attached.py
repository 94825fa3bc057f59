"""<attach>: parts of other MJCF models, read by their own settings and named with a prefix.

What is copied has the attributes of its classes, poses as quaternions, angles in the unit of the
main file and switches of limits written out, so that it means there what it means in its own file.

Source: MuJoCo's XML reference ("attach", "asset/model").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from ...errors import ModelError, unknown
from ..files.hardened_xml import Node, parse
from ..files.packages import Folders
from ..files.reading import read_file
from ..findings import Finding
from ..urdf.values import plain
from .elements import ACTUATORS
from .includes import within
from .replicated import replicate
from .tree import (
    ORIENTATIONS,
    OWN_CLASS,
    Attributes,
    Mjcf,
    as_pose,
    check_names,
    check_size,
    law_of,
    values,
)
from .tree import read as read_with_includes

_REFERENCES = (
    "joint", "jointinparent", "site", "body", "tendon", "geom", "mesh", "material", "hfield",
    "body1", "body2", "joint1", "joint2", "site1", "site2", "tendon1", "tendon2", "geom1", "geom2",
    "refsite", "cranksite", "slidersite", "sidesite",
)  # fmt: skip
_DEEPEST = 5  # of models in each other
_SECTIONS = ("tendon", "equality", "actuator", "contact", "sensor")  # tendons before their motors
_LIMITS = {"range": "limited", "actuatorfrcrange": "actuatorfrclimited"}
_LIMITS |= {f"{key}range": f"{key}limited" for key in ("ctrl", "force", "act")}
# of a whole model: those of the main file hold
_SETTINGS = ("settotalmass", "fitaabb")


def read(tree: Node, folders: Folders, origin: str, folder: str = "", depth: int = 0) -> Mjcf:
    """Return the model of a file, and of those that it includes or attaches.

    Raises:
        ModelError: a file is missing or may not be read, or is no model.
    """

    def other(name: str) -> Mjcf:
        found = folders.find(within(folder, name))
        if found.path is None:
            raise ModelError(f"{origin}: <model file={name!r}>: {found.problem}")
        if depth >= _DEEPEST:
            raise ModelError(f"{origin}: models attached in each other deeper than {_DEEPEST}")
        inner = parse(read_file(found.path), str(found.path))
        beside = str(PurePosixPath(within(folder, name)).parent)
        return read(inner, folders, str(found.path), "" if beside == "." else beside, depth + 1)

    model = read_with_includes(tree, folders, origin, folder)
    _attach(model, other)
    replicate(model)
    check_names(model)
    return model


def _attach(model: Mjcf, read: Callable[[str], Mjcf]) -> None:
    """Replace every <attach> by what it stands for; `read` reads the model in a file.

    Raises:
        ModelError: no such model, body or frame, or one that cannot be read.
    """
    asked = [n for n in model.world.walk() if any(c.tag == "attach" for c in n.children)]
    files = {
        node.get("name") or PurePosixPath(node.get("file")).stem: node.get("file")
        for node in model.sections.get("asset", ())
        if node.tag == "model"
    }
    others: dict[str, Mjcf] = {}
    size = sum(1 for _ in model.world.walk())
    for node in asked:
        children: list[Node] = []
        for child in node.children:
            if child.tag != "attach":
                children.append(child)
                continue
            name = child.get("model")
            if name not in files:
                raise model.error(child, unknown("model", name, files))
            if name not in others:
                others[name] = read(files[name])
            size += sum(1 for _ in others[name].world.walk())
            check_size(size, model.origin)
            children.extend(_Part(model, others[name], child).elements())
        node.children = children


class _Part:
    """The part of another model that an <attach> stands for."""

    def __init__(self, into: Mjcf, other: Mjcf, node: Node) -> None:
        self.into, self.other, self.node = into, other, node
        self.prefix = node.get("prefix")
        self.names: set[str] = set()

    def elements(self) -> Iterator[Node]:
        """Yield its elements; put the assets, actuators, … that they have into the main model."""
        placed = list(self._chosen())
        for element, _ in placed:
            self.names |= {node.get("name") for node in element.walk()} - {""}
        self._add_assets()
        for section in _SECTIONS:
            for node in self.other.sections.get(section, ()):
                if self._belongs(node):
                    self.names |= {node.get("name")} - {""}
                    copied = self._copy(node, "")
                    self.into.sections.setdefault(section, []).append(copied)
        self._note()
        yield from (self._copy(element, childclass) for element, childclass in placed)

    def _chosen(self) -> Iterator[tuple[Node, str]]:
        """Yield (element, class of defaults) of the body, of the frame, or of all."""
        world = self.other.world
        for tag in ("body", "frame"):
            if name := self.node.get(tag):
                found = next(_find(world, tag, name, ""), None)
                if found is None:
                    named = [n.get("name") for n in world.walk() if n.tag == tag and n.get("name")]
                    raise self.into.error(self.node, unknown(tag, name, named))
                yield found
                return
        yield from ((child, "") for child in world.children)

    def _add_assets(self) -> None:
        for node in self.other.sections.get("asset", ()):
            if node.tag in ("mesh", "material"):
                name = node.get("name") or PurePosixPath(node.get("file")).stem
                copied = self._copy(node, "")
                copied.attrib["name"] = self.prefix + name
                if node.tag == "mesh":
                    copied.attrib.setdefault("inertia", self.other.mesh_inertia)
                if "file" in node.attrib:
                    self.into.files[copied] = self.other.files_of(node)
                self.into.sections.setdefault("asset", []).append(copied)

    def _belongs(self, node: Node) -> bool:
        """Whether all that an element refers to is in the part."""
        ends = [v for n in node.walk() for k, v in n.attrib.items() if k in _REFERENCES]
        return bool(ends) and all(end in self.names or end == "world" for end in ends)

    def _note(self) -> None:
        """Say which settings and postures of the other model are not taken."""
        ours, theirs = self.into.compiler, self.other.compiler
        differ = [key for key in _SETTINGS if ours.get(key) != theirs.get(key)]
        if differ:
            message = f"<attach>: {', '.join(differ)}: the settings of the main file are taken"
            finding = Finding("warning", "attach", message, line=self.node.line)
            self.into.findings.append(finding)
        if self.other.sections.get("keyframe"):
            message = "<attach>: the keyframes of the other model are left out"
            self.into.findings.append(Finding("info", "keyframe", message, line=self.node.line))

    def _copy(self, node: Node, childclass: str) -> Node:
        other = self.other
        inner = node.get("childclass") or childclass
        if node.tag in ACTUATORS:
            known = law_of(node.tag, other.inherited(node), node.attrib)
        else:
            known = dict(other.attributes(node, childclass))
        known.pop("childclass", None)
        known["class"] = OWN_CLASS
        self._write_out(node.tag, known)
        for key in ("name", *_REFERENCES):
            if known.get(key) and known[key] != "world":
                known[key] = self.prefix + known[key]
        copied = Node(node.tag, known, node.line, [self._copy(c, inner) for c in node.children])
        if node.tag == "body":
            self.into.compilers[copied] = other.compiler_of(node)
        return copied

    def _write_out(self, tag: str, known: Attributes) -> None:
        """Write what depends on the settings of the other file as in the main one."""
        if known.keys() & {*ORIENTATIONS}:
            quat = as_pose(self.other.pose(known))["quat"]
            for key in ORIENTATIONS:
                known.pop(key, None)
            known["quat"] = quat
        if tag == "joint" and known.get("type", "hinge") in ("hinge", "ball"):
            for key in known.keys() & {"range", "ref", "springref"}:
                factor = self.other.angle(1.0) / self.into.angle(1.0)
                known[key] = plain(factor * values(known, key))
        for key in known.keys() & _LIMITS.keys():
            low, high = values(known, key)
            auto = self.other.compiler.get("autolimits", "true") == "true" and low < high
            if known.get(_LIMITS[key], "auto") == "auto":
                known[_LIMITS[key]] = "true" if auto else "false"


def _find(node: Node, tag: str, name: str, childclass: str) -> Iterator[tuple[Node, str]]:
    """Yield the element of a name, and its class of defaults."""
    for child in node.children:
        if child.tag == tag and child.get("name") == name:
            yield child, childclass
        if child.tag in ("body", "frame"):
            yield from _find(child, tag, name, child.get("childclass") or childclass)
