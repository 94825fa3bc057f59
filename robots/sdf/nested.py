"""Models in a model of an SDF, included ones too, written as elements of the model around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

import pinocchio as pin

from ...errors import ModelError
from ..files.hardened_xml import MAX_NODES, Node, parse
from ..files.meshes import PACKAGES
from ..files.packages import Folders
from ..files.reading import read_file
from ..findings import Finding
from ..urdf.values import plain
from .poses import MODEL, WORLD, Poses, placement, text_of

_DEEPEST = 5  # of files that include each other
_MOST_FILES = 50
_REFERENCES = ("relative_to", "attached_to", "expressed_in", "frame")


def flatten(model: Node, version: str, folders: Folders, origin: str) -> list[Finding]:
    """Make the links, joints and frames of models in a model its own; write out their defaults.

    Those of a model `m` are called `m::name`, and the frame of that model is called `m`; what is
    included with merge="true" keeps its names. What is not taken over is in the findings returned.

    Raises:
        ModelError: a file that cannot be read, or is no model.
    """
    model.attrib["canonical_link"] = _canonical(model)
    reading = _Reading(folders, origin)
    model.children = reading.elements(model, version, "", MODEL)
    if not model.get("canonical_link"):
        model.attrib["canonical_link"] = next((n.get("name") for n in model.all("link")), "")
    return reading.findings


@dataclass
class _Reading:
    """The state of reading: folder and depth of the file being read, the sizes of all so far."""

    folders: Folders
    origin: str
    folder: str = ""
    depth: int = 0
    sizes: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def elements(self, model: Node, version: str, prefix: str, frame: str) -> list[Node]:
        """Return the contents of a model, names behind `prefix`, its own frame called `frame`."""
        found = list[Node]()
        for child in model.children:
            if child.tag in ("model", "include"):
                found += self.inner(child, version, prefix, frame)
                continue
            if child.tag in ("link", "joint", "frame"):
                _write_out(child, version, prefix, frame)
            found.append(child)
        return found

    def inner(self, node: Node, version: str, prefix: str, frame: str) -> Iterator[Node]:
        """Yield the elements of a model in a model."""
        model, reading = node, self
        if node.tag == "include":
            model, version, reading = self.included(node)
        name, merged = text_of(node, "name") or model.get("name"), node.get("merge") == "true"
        if {text_of(node, "static"), text_of(model, "static")} & {"1", "true"}:
            message = f"{name!r} is static in its file, and moves here"
            self.findings.append(Finding("warning", "base", message, line=node.line))
        own = f"_merged__{name}__model__" if merged else name
        below = prefix if merged else f"{prefix}{name}::"
        canonical = _canonical(model)
        told = node.find("pose") or model.find("pose") or Node("pose", line=node.line)
        placed = text_of(node, "placement_frame") or model.get("placement_frame") or MODEL
        T = placement(told, self.origin)
        model.children = reading.elements(model, version, below, prefix + own)
        links = [child.get("name") for child in model.children if child.tag == "link"]
        if not links:
            raise ModelError(f"{self.origin}: line {node.line}: no <link> in {name!r}")
        attached = below + canonical if canonical else links[0]
        pose = Node("pose", {"relative_to": _named(told.get("relative_to"), prefix, frame)})
        itself = Node("frame", {"name": prefix + own, "attached_to": attached}, node.line, [pose])
        if placed != MODEL:
            placed = _named(placed, below, itself.get("name"))
            T = T * _within(model, itself, placed, self.origin).inverse()
        pose.text = plain([*T.translation, *pin.Quaternion(T.rotation).coeffs()])
        pose.attrib["rotation_format"] = "quat_xyzw"
        yield itself
        yield from (child for child in model.children if child.tag not in ("pose", "static"))

    def included(self, node: Node) -> tuple[Node, str, _Reading]:
        """Return the model that an <include> asks for, the version of its file, and its reading."""
        name = text_of(node, "uri")
        if not name:
            raise ModelError(f"{self.origin}: line {node.line}: <include> without <uri>")
        where = f"{self.origin}: line {node.line}: <include> of {name!r}"
        if self.depth >= _DEEPEST or len(self.sizes) >= _MOST_FILES:
            many = f"more than {_MOST_FILES} files, or deeper than {_DEEPEST} in each other"
            raise ModelError(f"{where}: {many}")
        name = self.file_of(_beside(self.folder, name))
        found = self.folders.find(name)
        if found.path is None:
            raise ModelError(f"{where}: {found.problem}; {PACKAGES}")
        tree = parse(read_file(found.path), str(found.path))
        self.sizes.append(sum(1 for _ in tree.walk()))
        if sum(self.sizes) > MAX_NODES:
            raise ModelError(f"{where}: more than {MAX_NODES} elements in all files")
        models = tree.all("model")
        if tree.tag != "sdf" or len(models) != 1:
            what = f"{len(models)} models" if tree.tag == "sdf" else f"<{tree.tag}>"
            raise ModelError(f"{where}: got {what}, expected an <sdf> with one model")
        folder = name.rpartition("/")[0]
        for part in models[0].walk():
            part.line = node.line
            if part.tag == "mesh" and (told := part.find("uri")) is not None:
                told.text = _beside(folder, told.text.strip())
        inside = replace(self, folder=folder, depth=self.depth + 1)  # sizes and findings are shared
        return models[0], tree.get("version"), inside

    def file_of(self, name: str) -> str:
        """Return the name of the file that a folder with a model.config stands for."""
        if PurePosixPath(name).suffix in (".sdf", ".world", ".xml", ".urdf"):
            return name
        config = self.folders.find(f"{name}/model.config").path
        if config is None:
            return f"{name}/model.sdf"
        told = parse(read_file(config), str(config)).all("sdf")
        newest = max(told, key=lambda n: _order(n.get("version")), default=None)
        return f"{name}/{newest.text.strip() if newest else 'model.sdf'}"


def _beside(folder: str, name: str) -> str:
    """Return the name of a file that is named beside the files of a folder."""
    alone = "://" in name or name.startswith("/") or not folder or not name
    return name if alone else f"{folder}/{name}"


def _canonical(model: Node) -> str:
    """Return the link that the frame of a model is fixed to; "" for one of a model in it."""
    own = model.find("link")
    return model.get("canonical_link") or ("" if own is None else own.get("name"))


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _named(name: str, prefix: str, frame: str) -> str:
    """Return the name outside its model of what has this name in it; "" is the model itself."""
    if name in ("", MODEL):
        return frame
    return name if name == WORLD else prefix + name.removesuffix(f"::{MODEL}")


def _write_out(node: Node, version: str, prefix: str, frame: str) -> None:
    """Write the names in a link, a joint or a frame as they are outside its model."""
    # until 1.4 axes were in the model's frame, from 1.5 on they are in the joint's
    of_model = "1" if _order(version) < (1, 5) and version else "0"
    for part in node.walk():
        for key in part.attrib.keys() & {*_REFERENCES}:
            if part.get(key):
                part.attrib[key] = _named(part.get(key), prefix, frame)
        if part.tag in ("parent", "child") and node.tag == "joint" and part.text.strip():
            part.text = _named(part.text.strip(), prefix, frame)
        if part.tag == "mimic":
            part.attrib["joint"] = prefix + part.get("joint")
        if part.tag in ("axis", "axis2") and node.tag == "joint":
            xyz, told = part.find("xyz"), text_of(part, "use_parent_model_frame", of_model)
            if xyz is not None and told in ("1", "true") and not xyz.get("expressed_in"):
                xyz.attrib["expressed_in"] = frame
    node.attrib["name"] = prefix + node.get("name")
    if node.tag == "frame":
        node.attrib["attached_to"] = node.get("attached_to") or frame
    pose = node.find("pose")
    if pose is None and node.tag == "link":
        pose = Node("pose", line=node.line)
        node.children.append(pose)
    if pose is not None and node.tag == "link" and not pose.get("frame"):
        pose.attrib["relative_to"] = pose.get("relative_to") or frame


def _within(model: Node, itself: Node, name: str, origin: str) -> pin.SE3:
    """T_model_x of an element of a model that is written out."""
    alone = Node("model", line=model.line)
    frame = Node("frame", {"name": itself.get("name"), "attached_to": MODEL}, itself.line)
    alone.children = [frame, *(c for c in model.children if c.tag in ("link", "joint", "frame"))]
    return Poses(alone, origin).of(name, itself)
