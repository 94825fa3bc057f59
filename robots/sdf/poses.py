"""Poses of an SDF model: of links, joints and frames, each relative to another one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from ...errors import ModelError, unknown
from ..files.hardened_xml import Node
from ..urdf.values import numbers

MODEL = "__model__"
WORLD = "world"


def text_of(node: Node | None, tag: str, default: str = "") -> str:
    """Return the text of a child, or `default`."""
    child = None if node is None else node.find(tag)
    return default if child is None else child.text.strip() or default


def placement(pose: Node | None, origin: str) -> Any:
    """Return a <pose> as `pin.SE3`: x y z, then roll pitch yaw, or a quaternion x y z w.

    Raises:
        ModelError: its numbers cannot be read.
    """
    if pose is None or not pose.text.strip():
        return pin.SE3.Identity()
    form = pose.get("rotation_format", "euler_rpy")
    count = {"euler_rpy": 6, "quat_xyzw": 7}.get(form, 0)
    found = numbers(pose.text, count) if count else None
    if found is None:
        raise ModelError(
            f"{origin}: line {pose.line}: <pose>: got {pose.text.strip()!r} ({form}), expected "
            "x y z roll pitch yaw, or x y z and a quaternion with rotation_format='quat_xyzw'"
        )
    at, turn = np.array(found[:3]), np.array(found[3:])
    if form == "quat_xyzw":
        length = float(np.linalg.norm(turn))
        if abs(length - 1) > 1e-3:
            raise ModelError(
                f"{origin}: line {pose.line}: <pose>: got the quaternion {turn.tolist()} of length "
                f"{length:.4g}, expected length 1"
            )
        return pin.SE3(pin.Quaternion(turn / length).matrix(), at)
    if pose.get("degrees") in ("true", "1"):
        turn = np.radians(turn)
    return pin.SE3(pin.rpy.rpyToMatrix(turn), at)


class Poses:
    """The poses T_model_x of what has a name in a model.

    A pose is relative to what its `relative_to` names; without it that of a link to the model, of a
    joint to its child, of a frame to what it is attached to. The model's own frame is fixed to its
    canonical link, the first one where it names none.

    Attributes:
        T_world_model: where the file puts the model.

    Raises:
        ModelError: a name that is not there or is there twice, or poses relative to each other.
    """

    def __init__(self, model: Node, origin: str) -> None:
        self.origin = origin
        self._named: dict[str, tuple[Node, str]] = {}  # and what it is relative to
        self._attached: dict[str, str] = {}
        bodies = [node for node in model.children if node.tag in ("link", "frame")]
        self._bodies = {node.get("name") for node in bodies}
        for node in [*bodies, *model.all("joint")]:
            name, attached = self.key(node), node.get("attached_to") or MODEL
            if name == WORLD:
                raise self.error(node, f"{WORLD!r} is the world's name; rename it")
            if name in self._named:
                raise self.error(node, f"called {name!r}, of which there are two")
            relative = {"joint": text_of(node, "child"), "frame": attached}.get(node.tag, MODEL)
            pose = node.find("pose")
            if pose is not None:
                relative = pose.get("relative_to") or pose.get("frame") or relative
            self._named[name] = node, relative
            if node.tag != "link":
                self._attached[name] = text_of(node, "child") if node.tag == "joint" else attached
        self._attached[MODEL] = model.get("canonical_link")
        self._known: dict[str, Any] = {MODEL: pin.SE3.Identity()}
        self.T_world_model = placement(model.find("pose"), origin)
        if placed := model.get("placement_frame"):
            self.T_world_model = self.T_world_model * self.of(placed, model).inverse()
        self._known[WORLD] = self.T_world_model.inverse()
        for name, (node, _) in self._named.items():
            self.of(name, node)

    def key(self, node: Node) -> str:
        """Return the name of a link, joint or frame here: of joints, links may have the same."""
        name = node.get("name")
        return f"{name} (joint)" if node.tag == "joint" and name in self._bodies else name

    def error(self, node: Node, message: str) -> ModelError:
        """Return an error about an element of the file."""
        name = f" {node.get('name')!r}" if node.tag == "joint" else ""
        return ModelError(f"{self.origin}: line {node.line}: <{node.tag}>{name}: {message}")

    def of(self, name: str, asked_by: Node) -> Any:
        """Return T_model_x of what has this name."""
        chain: list[str] = []
        at = name
        while at not in self._known:
            if at not in self._named:
                raise self.error(asked_by, unknown("frame", at, [MODEL, *self._named]))
            if at in chain:
                raise self.error(asked_by, f"poses relative to each other: {' → '.join(chain)}")
            chain.append(at)
            asked_by, at = self._named[at]
        for each in reversed(chain):
            node, relative = self._named[each]
            own = placement(node.find("pose"), self.origin)
            self._known[each] = self._known[relative] * own
        return self._known[name]

    def link_of(self, name: str, asked_by: Node) -> str:
        """Return the link that this is, or is attached to; "world" for the world."""
        seen = [name]
        while name in self._attached:
            name = self._attached[name]
            if name in seen:
                raise self.error(asked_by, f"attached to each other: {' → '.join(seen)}")
            seen.append(name)
        if name != WORLD and name not in self._named:
            raise self.error(asked_by, unknown("link", name, self._named))
        return name
