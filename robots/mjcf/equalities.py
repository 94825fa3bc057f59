"""Equality constraints of MJCF as closures of the robot.

MuJoCo's are soft; here they hold exactly. Where the file says nothing else, ends are those that
meet in the configuration in which it is drawn (qpos0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from ...errors import unknown
from ..closures import Closure, JointCoupling, LoopClosure, coupling_law
from ..files.hardened_xml import Node
from ..findings import Finding
from .joints import Joint
from .tree import Attributes, Mjcf, quaternion, values

_WORLD = "universe"
_LOOPS = {"connect": "point", "weld": "weld"}


class Equalities:
    """The <equality> section of a file, for a model built of it.

    Args:
        file: the file.
        model: `pin.Model`.
        joints: of the file, the model's or held ones.
        places: {body: placement in the world}, as the file draws them.
        sites: {site: placement in the world} likewise.
        held: {joint: position} of those that do not move [rad or m].
    """

    def __init__(
        self,
        file: Mjcf,
        model: Any,
        joints: Mapping[str, Joint],
        places: Mapping[str, pin.SE3],
        sites: Mapping[str, pin.SE3],
        held: Mapping[str, float],
    ) -> None:
        self.file, self.model, self.joints = file, model, joints
        self.places, self.sites = {"world": pin.SE3.Identity(), **places}, sites
        self.held = held
        self.findings: list[Finding] = []

    def closures(self) -> Iterator[Closure]:
        """Yield the closures; what becomes none goes to the findings."""
        for k, node in enumerate(self.file.sections.get("equality", ())):
            known = self.file.attributes(node)
            name = node.get("name") or f"{node.tag}_{k}"
            if known.get("active") == "false":
                self._leave(node, name, "it is not active", "info")
            elif node.tag in _LOOPS:
                yield from self._loop(node, known, name)
            elif node.tag == "joint":
                yield from self._coupling(node, known, name)
            else:
                self._leave(node, name, "it is neither of bodies nor of joints")

    def _leave(self, node: Node, name: str, why: str, level: Any = "warning") -> None:
        message = f"<{node.tag}> {name!r}: the constraint is left out: {why}"
        self.findings.append(Finding(level, "closure", message, line=node.line))

    # --- between bodies ------------------------------------------------------------------------

    def _loop(self, node: Node, known: Attributes, name: str) -> Iterator[LoopClosure]:
        sites = "site1" in known or "site2" in known
        ends = self._sites(node, known) if sites else self._bodies(node, known)
        (frame_1, T_1), (frame_2, T_2) = ends
        if self._joint_of(frame_1) == self._joint_of(frame_2):
            self._leave(node, name, "both ends are on one body", "info")
        else:
            free = values(known, "torquescale", (1.0,))[0] == 0  # angles are free
            kind = "point" if free else _LOOPS[node.tag]
            yield LoopClosure(name, frame_1, frame_2, kind, T_1, T_2)  # type: ignore[arg-type]

    def _sites(self, node: Node, known: Attributes) -> list[tuple[str, pin.SE3]]:
        """Return the sites as places on their bodies, whose names no other frame can take.

        Those of the world and of scenery, which are no frames of the model, are on the world.
        """
        sites = {f.name: f for f in self.model.frames if f.type == pin.FrameType.OP_FRAME}
        ends = []
        for name in (known.get(key, "") for key in ("site1", "site2")):
            if name not in self.sites:
                raise self.file.error(node, unknown("site", name, self.sites))
            if name not in sites:
                ends.append((_WORLD, self.sites[name]))
                continue
            body = self.model.frames[sites[name].parentFrame]
            ends.append((body.name, body.placement.actInv(sites[name].placement)))
        return ends

    def _bodies(self, node: Node, known: Attributes) -> list[tuple[str, pin.SE3]]:
        one, two = known.get("body1", ""), known.get("body2", "world")
        for name in (one, two):
            if name not in self.places:
                raise self.file.error(node, unknown("body", name, self.places))
        relative = self.places[one].actInv(self.places[two])  # T_1_2, as drawn
        if node.tag == "connect":
            if "anchor" not in known:
                raise self.file.error(node, "an anchor, or two sites, are missing")
            anchor = pin.SE3(np.eye(3), values(known, "anchor"))
            T_1, T_2 = anchor, relative.actInv(anchor)
        else:
            T_2 = pin.SE3(np.eye(3), values(known, "anchor", (0.0,) * 3))
            given = values(known, "relpose", (0.0,) * 7)
            stated = pin.SE3(quaternion(given[3:]), given[:3]) if given[3:].any() else None
            T_1 = stated or relative * T_2  # a stated pose puts the anchor itself, not body 2
        return [self._on_frame(one, T_1), self._on_frame(two, T_2)]

    def _on_frame(self, body: str, T: pin.SE3) -> tuple[str, pin.SE3]:
        """Return a frame of the model and a placement on it; scenery is the world."""
        if self.model.existBodyName(body):
            return body, T
        return _WORLD, self.places[body] * T

    def _joint_of(self, frame: str) -> int:
        if frame == _WORLD:
            return 0
        body = self.model.getFrameId(frame, pin.FrameType.BODY)
        return int(self.model.frames[body].parentJoint)

    # --- between joints ------------------------------------------------------------------------

    def _coupling(self, node: Node, known: Attributes, name: str) -> Iterator[JointCoupling]:
        joint, leader = known.get("joint1", ""), known.get("joint2")
        for other in (joint, leader):
            if other is not None and other not in self.joints:
                raise self.file.error(node, unknown("joint", other, self.joints))
            if other is not None and not self.joints[other].has_axis:
                raise self.file.error(node, f"joint {other!r} is neither a hinge nor a slider")
        given = values(known, "polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
        at, leader_at = (self.joints[j].drawn(self.file) if j else 0.0 for j in (joint, leader))
        found = JointCoupling(name, joint, leader, tuple(given), at, leader_at)
        if leader is None or leader in self.held:  # MuJoCo takes x = x_0 where there is none
            x = leader_at if leader is None else self.held[leader]
            found = JointCoupling(name, joint, None, coupling_law(found, x)[:1], at)
        if joint not in self.held:
            yield found
        elif found.leader is None:
            self._leave(node, name, "its joints are locked", "info")
        else:
            self._leave(node, name, f"{joint!r} is locked, {leader!r} is not")
