"""Closures of a URDF: joints that mimic others, and the extension <loop_joint>."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np
import pinocchio as pin

from ..closures import Closure, JointCoupling, Kind, LoopClosure, coupling_law
from ..files.hardened_xml import Node
from ..findings import Finding
from .values import number, pose, vector

# types of <loop_joint>: as for joints, with one for what is free to turn
_KINDS: dict[str, Kind] = {"revolute": "hinge", "continuous": "hinge", "fixed": "weld"}
LOOP = "loop_joint"


def followed(followers: Iterable[Node]) -> list[JointCoupling]:
    """Return y = offset + multiplier x of each mimic joint."""
    laws = []
    for joint in followers:
        mimic, name = joint.find("mimic"), joint.get("name")
        law = number(mimic, "offset"), number(mimic, "multiplier", 1.0)
        leader = mimic.get("joint") if mimic is not None else ""
        laws.append(JointCoupling(name, name, leader or None, law))
    return laws


def held_back(laws: Iterable[JointCoupling], locked: Collection[str]) -> list[Finding]:
    """Return warnings about joints that were locked although their leaders move."""
    return [
        Finding(
            "warning",
            "closure",
            f"it is locked, but its leader {law.leader!r} is not: the coupling is left out",
            joint=law.joint,
        )
        for law in laws
        if law.leader and law.joint in locked and law.leader not in locked
    ]


def at_rest(laws: Iterable[JointCoupling], mode: str) -> dict[str, float]:
    """Return {joint: position} of what may be locked: leaders, or followers where coupled."""
    if mode == "lock":
        return {law.leader: 0.0 for law in laws if law.leader}
    return {law.joint: law.coefficients[0] for law in laws} if mode == "couple" else {}


def between(
    laws: Iterable[JointCoupling], rows: Iterable[str], held: Mapping[str, float]
) -> tuple[JointCoupling, ...]:
    """Return the couplings of joints that are rows of q; what follows a held joint stands still.

    Args:
        laws: of all followers.
        rows: joints that are rows of q.
        held: {joint: position} of those that were locked; other leaders do not move from zero.
    """
    moving, found = set(rows), []
    for law in laws:
        if law.leader not in moving:
            at = coupling_law(law, held.get(law.leader or "", 0.0))[0]
            law = replace(law, leader=None, coefficients=(at,))
        if law.joint in moving:
            found.append(law)
    return tuple(found)


def loops(tree: Node) -> tuple[tuple[Closure, ...], list[Finding]]:
    """Return the loop joints of a URDF, and findings about those that are none.

        <loop_joint name="rod" type="continuous"> <link1 link="a" xyz="…" rpy="…"/>
            <link2 link="b" xyz="…" rpy="…"/> <axis xyz="0 1 0"/> </loop_joint>

    A hinge about the axis, seen from either link; without an axis a ball joint; "fixed": a weld.
    """
    found: list[Closure] = []
    findings: list[Finding] = []
    links = {link.get("name") for link in tree.all("link")}
    for k, node in enumerate(tree.all(LOOP)):
        name, ends = node.get("name") or f"loop_{k}", [node.find("link1"), node.find("link2")]
        names = ["" if end is None else end.get("link") for end in ends]
        lost = [link for link in names if link not in links]
        if lost:
            message = f"<{LOOP}> {name!r}: the constraint is left out: {lost[0]!r} is no link"
            findings.append(Finding("warning", "closure", message, line=node.line))
            continue
        kind = _KINDS.get(node.get("type", "continuous"), "point")
        if kind == "hinge" and node.find("axis") is None:
            kind = "point"
        axis = np.array(vector(node.find("axis"), "xyz", (0.0, 0.0, 1.0)))
        turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), axis)
        places = [pose(end) * pin.SE3(turn, np.zeros(3)) for end in ends if end is not None]
        found.append(LoopClosure(name, names[0], names[1], kind, places[0], places[1]))
    return tuple(found), findings
