"""Extensions of URDF files: elements of other programs, and names that are misspelt."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from ..files.hardened_xml import Node
from ..findings import Finding
from .rotors import ROTOR, left_out

_SHAPE = "origin geometry material"
_CHILDREN = {
    "robot": "link joint material loop_joint",
    "link": "inertial visual collision",
    "inertial": "origin mass inertia",
    "visual": _SHAPE,
    "collision": _SHAPE,
    "joint": "origin parent child axis limit dynamics mimic",
    "loop_joint": "link1 link2 axis",
    "link1": "",
    "link2": "",
}
_ATTRIBUTES = {
    "robot": "name version",
    "link": "name",
    "joint": "name type",
    "origin": "xyz rpy quat_xyzw",
    "mass": "value",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "parent": "link",
    "child": "link",
    "axis": "xyz",
    "limit": "lower upper effort velocity",
    "dynamics": "damping friction armature",
    "mimic": "joint multiplier offset",
    "loop_joint": "name type",
    "link1": "link xyz rpy",
    "link2": "link xyz rpy",
}
_ELEMENTS = {tag: tuple(names.split()) for tag, names in _CHILDREN.items()}
_NAMES = {tag: tuple(names.split()) for tag, names in _ATTRIBUTES.items()}
_WITH_CHILDREN = ("link", "joint", "loop_joint")
_ALIKE = 0.75  # of a misspelt name and the one meant
_MOST = 100  # names that are told, and compared with known ones: that takes time
_BETWEEN = ("drake:linear_bushing_rpy", "drake:ball_constraint", "drake:tendon_constraint")


def strip_extensions(tree: Node) -> None:
    """Remove elements that are not URDF, such as extensions of other programs."""
    tree.children = [child for child in tree.children if child.tag in _ELEMENTS["robot"]]
    for child in tree.children:
        if child.tag in ("link", "joint"):
            child.children = [c for c in child.children if c.tag in _ELEMENTS[child.tag]]


def check_extensions(tree: Node) -> list[Finding]:
    """Return findings about all that is no URDF; warnings where it may move the robot."""
    found: dict[str, list[_Stranger]] = {}
    for stranger in _strangers(tree):
        found.setdefault(stranger.name, []).append(stranger)
    findings, others = [*_physics(tree)], []
    for name, some in list(found.items())[:_MOST]:
        meant = some[0].meant()
        if meant:
            message = f"{name} is not read; did you mean {meant}?"
            line = some[0].node.line
            findings.append(Finding("warning", "unknown", message, "correct it", line=line))
        else:
            others.append(f"{len(some)} × {name}")
    if others:
        names = ", ".join(sorted(others)) + ", …" * (len(found) > _MOST)
        message = f"no parts of the robot, left out: {names}"
        findings.append(Finding("info", "unknown", message))
    return findings


@dataclass(frozen=True)
class _Stranger:
    """An element or attribute that URDF does not have: its name, and those there and known."""

    node: Node
    name: str
    own: str
    present: frozenset[str]
    known: tuple[str, ...]

    def meant(self) -> str:
        """Return the name that it resembles, and that is not there beside it, or ""."""
        own = self.own[:80].lower()
        near = [name for name in self.known if sorted(name) == sorted(own)]
        near += difflib.get_close_matches(own, self.known, n=1, cutoff=_ALIKE)
        return near[0] if near and near[0] not in self.present else ""


def _strangers(tree: Node) -> Iterator[_Stranger]:
    for inside, node in _all(tree):
        known = _ELEMENTS[inside.tag]
        if node.tag not in (*known, *_BETWEEN):
            top = inside is tree
            name = f"<{node.tag}>" if top else f"<{inside.tag}/{node.tag}>"
            # a robot has many links and joints, a joint one origin
            present = frozenset[str]() if top else frozenset(c.tag for c in inside.children)
            yield _Stranger(node, name, node.tag, present, known)
            continue
        for key in node.attrib.keys() - _NAMES.get(node.tag, node.attrib.keys()):
            name, present = f"<{node.tag} {key}=…>", frozenset(node.attrib)
            yield _Stranger(node, name, key, present, _NAMES[node.tag])


def _all(tree: Node) -> Iterator[tuple[Node, Node]]:
    """Yield (element, child) of all elements of URDF."""
    for child in tree.children:
        yield tree, child
        for inner in child.children if child.tag in _WITH_CHILDREN else ():
            yield child, inner
            deep = inner.tag in _ELEMENTS and child.tag != "joint"
            for last in inner.children if deep else ():
                yield inner, last


def _physics(tree: Node) -> Iterator[Finding]:
    """Yield what extensions say of joints, inertia and gravity, which the robot does not have."""
    for node in tree.children:
        if node.tag in _BETWEEN:
            message = f"<{node.tag}> {node.get('name')!r}: its forces are left out"
            yield Finding("warning", "closure", message, line=node.line)
        if node.tag == "gazebo":
            yield from _gazebo(node)
    if rotors := left_out(tree):
        message = f"{len(rotors)} × <{ROTOR}>: the inertia of rotors is left out"
        yield Finding("warning", "inertia", message, line=rotors[0].line)
    weightless = [node.get("reference") for node in tree.all("gazebo") if _weightless(node)]
    if weightless:
        message = f"<gazebo> takes gravity off {', '.join(map(repr, weightless))}: it acts here"
        yield Finding("warning", "gravity", message)


def _gazebo(node: Node) -> Iterator[Finding]:
    """Yield the joints and links that stand in an extension of Gazebo."""
    for child in node.children:
        if child.tag in ("joint", "link") and child.get("name") and child.children:
            message = f"<gazebo> adds the {child.tag} {child.get('name')!r}: left out"
            yield Finding("warning", "closure", message, "write it as URDF", line=child.line)


def _weightless(node: Node) -> bool:
    """Whether a <gazebo> of a link switches its gravity off."""
    said = {c.tag: (c.get("value") or c.text).strip().lower() for c in node.children}
    return said.get("gravity") in ("0", "false") or said.get("turnGravityOff") in ("1", "true")
