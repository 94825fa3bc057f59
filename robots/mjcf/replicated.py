"""<replicate>: copies of elements in frames, and of what refers to them.

Source: MuJoCo's XML reference ("replicate").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pinocchio as pin

from ..files.hardened_xml import Node
from ..urdf.values import plain
from .tree import Mjcf, as_pose, check_size, values

_REFERRING = ("actuator", "equality", "contact", "tendon", "sensor")


def replicate(model: Mjcf) -> None:
    """Replace every <replicate> by its copies, and what refers to their elements by copies of it.

    Raises:
        ModelError: more elements than are read.
    """
    check_size(_repeat(model, model.world), model.origin)
    _repeat_what_refers(model)


def _repeat(model: Mjcf, node: Node, count: int = 0) -> int:
    """Replace every <replicate> by its copies in frames; return how many elements there are."""
    children = []
    for child in node.children:
        count = _repeat(model, child, count + 1)
        if child.tag != "replicate":
            children.append(child)
            continue
        times, size = int(values(child.attrib, "count", (0,))[0]), sum(1 for _ in child.walk())
        count += times * size
        check_size(count, model.origin)
        children.extend(_copies(model, child, times))
    node.children = children
    return count


def _copies(model: Mjcf, node: Node, times: int) -> Iterator[Node]:
    """Yield a frame with a copy of what a <replicate> holds, `times` times.

    The k-th is turned by k times its Euler angles, and stands where an offset in the axes of the
    one before it ends.
    """
    offset, angles = (values(node.attrib, key, (0.0,) * 3) for key in ("offset", "euler"))
    place, width = np.zeros(3), len(str(times))
    for k in range(times):
        R = model.pose({"euler": plain(k * angles)}).rotation
        frame = Node("frame", as_pose(pin.SE3(R, place)), node.line)
        suffix = f"{node.get('sep')}{k:0{width}d}"
        frame.children = [_copy(model, child, suffix) for child in node.children]
        yield frame
        place = place + R @ offset


def _copy(model: Mjcf, node: Node, suffix: str) -> Node:
    copied = Node(node.tag, dict(node.attrib), node.line)
    if node in model.compilers:
        model.compilers[copied] = model.compilers[node]
    if name := node.get("name"):
        copied.attrib["name"] = name + suffix
        model.copies[copied] = model.copies.get(node, name)
    copied.children = [_copy(model, child, suffix) for child in node.children]
    return copied


def _repeat_what_refers(model: Mjcf) -> None:
    """Replace actuators, equalities, … of elements that a <replicate> copied by copies of them."""
    copied: dict[str, dict[str, None]] = {}
    for node in model.world.walk():
        if name := model.copies.get(node):
            copied.setdefault(name, {})[node.get("name").removeprefix(name)] = None
    for section in _REFERRING:
        if section in model.sections:
            nodes = model.sections[section]
            model.sections[section] = [c for node in nodes for c in _referring(node, copied)]
            check_size(len(model.sections[section]), model.origin)


def _referring(node: Node, copied: Mapping[str, dict[str, None]]) -> Iterator[Node]:
    """Yield an element, or a copy for each copy of what it and its children refer to."""
    ends = [value for n in node.walk() for key, value in n.attrib.items() if key != "name"]
    suffixes = next((copied[name] for name in ends if name in copied), None)
    if suffixes is None:
        yield node
        return
    for suffix in suffixes:
        yield _with_suffix(node, suffix, copied)


def _with_suffix(node: Node, suffix: str, copied: Mapping[str, dict[str, None]]) -> Node:
    attributes = {
        key: value + suffix * (key == "name" or suffix in copied.get(value, ()))
        for key, value in node.attrib.items()
    }
    children = [_with_suffix(child, suffix, copied) for child in node.children]
    return Node(node.tag, attributes, node.line, children)
