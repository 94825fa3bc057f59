"""Changes to a URDF before it is loaded: which base, which joints are frozen."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterable, Mapping

import numpy as np
import pinocchio as pin

from ..errors import ModelError, unknown
from .hardened_xml import Node

_MOVING = ("revolute", "continuous", "prismatic", "floating", "planar")


def root_link(tree: Node) -> str:
    """Return the link that is nobody's child."""
    children = {c.get("link") for j in tree.all("joint") if (c := j.find("child")) is not None}
    return next(n for link in tree.all("link") if (n := link.get("name")) not in children)


def use_base(tree: Node, floating: bool) -> str | None:
    """Weld the floating joint that a file has at its root if the base is fixed; else keep it.

    Returns the name of the file's own floating base, or None when one has to be added.
    """
    root = root_link(tree)
    at_root = [j for j in tree.all("joint") if _link_of(j, "parent") == root]
    own = [joint for joint in at_root if joint.get("type") == "floating"]
    if len(at_root) != 1 or not own:
        return None
    if floating:
        return own[0].get("name")
    _weld(own[0], 0.0)
    return None


def lock_joints(tree: Node, lock: Iterable[str] | Mapping[str, float]) -> tuple[str, ...]:
    """Make joints fixed, and return their names.

    Raises:
        ModelError: no such joint, or a position that is not finite.
    """
    joints = {j.get("name"): j for j in tree.all("joint") if j.get("type") in _MOVING}
    positions = _positions(lock, joints)
    for name, position in positions.items():
        joint = joints[name]
        if joint.get("type") in ("floating", "planar") and position:
            raise ModelError(f"lock: a {joint.get('type')} joint ({name!r}) locks at zero only")
        _weld(joint, position)
    return tuple(positions)


def _positions(
    lock: Iterable[str] | Mapping[str, float], joints: Mapping[str, Node]
) -> dict[str, float]:
    if isinstance(lock, str):
        lock = [lock]
    positions: dict[str, float] = {}
    for pattern in lock:
        matching = fnmatch.filter(joints, pattern)
        if not matching:
            raise ModelError("lock: " + unknown("joint", pattern, joints))
        for name in matching:
            given = lock[pattern] if isinstance(lock, Mapping) else _nearest_to_zero(joints[name])
            if not isinstance(given, int | float) or not math.isfinite(given):
                raise ModelError(f"lock: joint {name!r} at {given!r}, expected a finite number")
            positions[name] = float(given)
    return positions


def _nearest_to_zero(joint: Node) -> float:
    limit = joint.find("limit")
    if limit is None or joint.get("type") == "continuous":
        return 0.0
    lower, upper = float(limit.get("lower", "0")), float(limit.get("upper", "0"))
    return min(max(0.0, lower), upper) if lower <= upper else 0.0


def _weld(joint: Node, position: float) -> None:
    """Make a joint fixed where it is at `position`: its motion goes into its origin."""
    axis_node, origin = joint.find("axis"), joint.find("origin")
    axis = _vector(axis_node.get("xyz") if axis_node else "1 0 0")
    placement = pin.SE3.Identity()
    if origin is not None:
        rpy = pin.rpy.rpyToMatrix(_vector(origin.get("rpy", "0 0 0")))
        placement = pin.SE3(rpy, _vector(origin.get("xyz", "0 0 0")))
    if position:
        axis = axis / np.linalg.norm(axis)
        slides = joint.get("type") == "prismatic"
        moved = pin.SE3(np.eye(3), axis * position) if slides else pin.SE3(
            pin.AngleAxis(position, axis).toRotationMatrix(), np.zeros(3)
        )  # fmt: skip
        placement = placement * moved
        joint.children = [c for c in joint.children if c.tag != "origin"]
        joint.children.append(Node("origin", _origin(placement), joint.line))
    joint.attrib["type"] = "fixed"
    joint.children = [c for c in joint.children if c.tag in ("parent", "child", "origin")]


def _origin(placement: pin.SE3) -> dict[str, str]:
    def text(values: Iterable[float]) -> str:
        return " ".join(f"{float(x):.17g}" for x in values)

    rpy = pin.rpy.matrixToRpy(placement.rotation)
    return {"xyz": text(placement.translation), "rpy": text(rpy)}


def _vector(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def _link_of(joint: Node, end: str) -> str:
    node = joint.find(end)
    return node.get("link") if node is not None else ""
