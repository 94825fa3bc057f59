"""Edits of a URDF before loading: type of base, frozen joints, mimic couplings."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pinocchio as pin

from ...errors import ModelError, unknown
from .. import values
from ..files.hardened_xml import Node
from .values import as_origin, joints_of, link_of, mass_of, number, pose, vector

MOVING = ("revolute", "continuous", "prismatic", "floating", "planar")


def root_link(tree: Node) -> str:
    """Return the root link: the one that is no joint's child."""
    children = {link_of(joint, "child") for joint in tree.all("joint")}
    return next(n for link in tree.all("link") if (n := link.get("name")) not in children)


def use_base(tree: Node, floating: bool) -> str | None:
    """Fix the floating joint at the root of a file if the base is fixed; else keep it.

    It is the base where it is the only joint of a root without mass, which stands for the world;
    a root with mass is a body of its own. Return its name, or None when a base has to be added.
    """
    root = root_link(tree)
    link = next(link for link in tree.all("link") if link.get("name") == root)
    at_root = [j for j in tree.all("joint") if link_of(j, "parent") == root]
    own = [joint for joint in at_root if joint.get("type") == "floating"]
    if len(at_root) != 1 or not own or mass_of(link) > 0:
        return None
    if floating:
        return own[0].get("name")
    _weld(own[0], 0.0)
    return None


def stands_on_the_world(tree: Node) -> bool:
    """Whether the root of a file, without a floating joint, is no body: "world", or without mass.

    What fixed joints weld to a root is part of it. Free, a root without mass has no acceleration.
    """
    links = {link.get("name"): link for link in tree.all("link")}
    below: dict[str, list[Node]] = {}
    for joint in tree.all("joint"):
        below.setdefault(link_of(joint, "parent"), []).append(joint)
    root, moving = [root_link(tree)], list[Node]()
    for link in root:  # grows by what is welded to it
        own = below.get(link, [])
        root += [link_of(joint, "child") for joint in own if joint.get("type") == "fixed"]
        moving += [joint for joint in own if joint.get("type") != "fixed"]
    if any(joint.get("type") == "floating" for joint in moving):
        return False
    heavy = [link for link in root if mass_of(links[link]) > 0]
    return root[0] not in heavy and (root[0] == "world" or bool(moving and not heavy))


def driven_joints(tree: Node) -> frozenset[str]:
    """Return the joints that a file gives motors, as transmissions or to ros2_control."""
    transmissions = tree.all("transmission") + tree.all("ros2_control")
    joints = (joint for node in transmissions for joint in node.all("joint"))
    return frozenset(
        joint.get("name")
        for joint in joints
        if joint.find("command_interface") is not None
        or joint.find("hardwareInterface") is not None
    )


def lock_joints(tree: Node, lock: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Make joints fixed, and return their positions.

    Raises:
        ModelError: no such joint, or a position that is not finite.
    """
    joints = {joint.get("name"): joint for joint in joints_of(tree, *MOVING)}
    positions = _positions(lock, joints)
    for name, position in positions.items():
        joint = joints[name]
        if joint.get("type") in ("floating", "planar") and position:
            raise ModelError(f"lock: a {joint.get('type')} joint ({name!r}) locks at zero only")
        _weld(joint, position)
    return positions


def mimics(tree: Node) -> list[Node]:
    """Return the moving mimic joints."""
    return [joint for joint in joints_of(tree, *MOVING) if joint.find("mimic") is not None]


def weld_at_rest(followers: Sequence[Node]) -> dict[str, float]:
    """Freeze mimic joints at rest, and return their positions.

    A mimic joint has no motor of its own: with a row in S it would get one, without it would swing
    freely. It is frozen at its position for a leader at zero, that is at its offset.
    """
    rest = {joint.get("name"): number(joint.find("mimic"), "offset") for joint in followers}
    for joint in followers:
        _weld(joint, rest[joint.get("name")])
    return rest


def drop_couplings(tree: Node) -> None:
    """Remove mimic couplings."""
    for joint in tree.all("joint"):
        joint.children = [child for child in joint.children if child.tag != "mimic"]


def _positions(
    lock: Iterable[str] | Mapping[str, float], joints: Mapping[str, Node]
) -> dict[str, float]:
    positions: dict[str, float] = {}
    for pattern in lock:
        matching = fnmatch.filter(joints, pattern)
        if not matching:
            raise ModelError("lock: " + unknown("joint", pattern, joints))
        for name in matching:
            given = lock[pattern] if isinstance(lock, Mapping) else _nearest_to_zero(joints[name])
            positions[name] = values.number(given, f"lock: joint {name!r}", error=ModelError)
    return positions


def _nearest_to_zero(joint: Node) -> float:
    limit = joint.find("limit")
    if limit is None or joint.get("type") == "continuous":
        return 0.0
    lower, upper = number(limit, "lower"), number(limit, "upper")
    return min(max(0.0, lower), upper) if lower <= upper else 0.0


def _weld(joint: Node, position: float) -> None:
    """Fix a joint at `position`: its displacement becomes part of its origin."""
    if position:
        axis = np.array(vector(joint.find("axis"), "xyz", (1.0, 0.0, 0.0)))
        axis /= np.linalg.norm(axis)
        T = pose(joint.find("origin"))
        if joint.get("type") == "prismatic":
            T.translation = T.translation + T.rotation @ axis * position
        else:
            T.rotation = T.rotation @ pin.AngleAxis(position, axis).toRotationMatrix()
        joint.children = [c for c in joint.children if c.tag != "origin"]
        joint.children.append(Node("origin", as_origin(T), joint.line))
    joint.attrib["type"] = "fixed"
    joint.children = [c for c in joint.children if c.tag in ("parent", "child", "origin")]
