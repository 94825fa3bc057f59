"""Physical plausibility of URDFs: inertias, joint axes and limits, units of length and mass.

Such descriptions load, and their equations of motion can be evaluated, but no real body has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from ...errors import counted
from ..files.hardened_xml import Node
from ..findings import Finding, Level
from ..inertia import POINT, doubtful
from .values import joints_of, link_of, mass_of, number, numbers, vector

# between two joints: beyond any legged robot, but usual when a file is in mm [m]
_FAR = 20.0
_CHAIN = 50  # joints that follow each other


def check_physics(tree: Node) -> Iterator[Finding]:
    """Yield findings about unphysical links and joints; `check_values` must have run before."""
    for link in tree.all("link"):
        yield from _check_link(link)
    for joint in tree.all("joint"):
        yield from _check_joint(joint, joint.get("type"))
    for check in (_free_bodies, _unlimited, _endless, _mimic):
        yield from check(tree)


# --- links -------------------------------------------------------------------------------------


def _check_link(link: Node) -> Iterator[Finding]:
    if (inertial := link.find("inertial")) is None:
        return
    node, mass = inertial.find("inertia"), mass_of(link)
    xx, xy, xz, yy, yz, zz = (number(node, f"i{k}") for k in ("xx", "xy", "xz", "yy", "yz", "zz"))
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    yield from doubtful(mass, moments, link=link.get("name"), line=inertial.line)
    if mass > 0 and abs(moments).max() <= POINT**2 * mass:
        message = "a point mass: no rotational inertia"
        yield Finding("info", "inertia", message, link=link.get("name"), line=inertial.line)


# --- joints ------------------------------------------------------------------------------------


def _check_joint(joint: Node, kind: str) -> Iterator[Finding]:
    def found(of: Node | None, level: Level, code: str, message: str, hint: str) -> Finding:
        return Finding(level, code, message, hint, "", joint.get("name"), (of or joint).line)

    origin = vector(joint.find("origin"), "xyz", (0.0, 0.0, 0.0))
    if np.linalg.norm(origin) > _FAR:
        message = f"lies {np.linalg.norm(origin):.4g} m from its parent"
        yield found(joint, "warning", "units", message, "lengths are in m, not in mm")
    if kind in ("revolute", "continuous", "prismatic", "planar"):
        for level, message, hint in _axis(joint, kind):
            yield found(joint.find("axis"), level, "axis", message, hint)
    if kind in ("revolute", "prismatic"):
        for level, message, hint in _limits(joint):
            yield found(joint.find("limit"), level, "limits", message, hint)


def _axis(joint: Node, kind: str) -> Iterator[tuple[Level, str, str]]:
    axis = np.array(vector(joint.find("axis"), "xyz", (1.0, 0.0, 0.0)))
    norm = float(np.linalg.norm(axis))
    if norm < 1e-6:
        yield "error", "the axis is zero", "give the direction that the joint moves in"
    elif abs(norm - 1) > 1e-3:
        message = f"the axis has length {norm:.6g}; its direction is used"
        yield "warning", message, "write a unit vector"
    if kind == "planar" and joint.find("axis") is not None and abs(axis[2]) < (1 - 1e-6) * norm:
        message = "a planar joint moves in x-y: its axis would be ignored"
        yield "error", message, "turn the joint's origin so that the axis is 0 0 1"


def _limits(joint: Node) -> Iterator[tuple[Level, str, str]]:
    limit = joint.find("limit")
    if limit is None:
        yield "error", "no <limit>", 'add one, or make the joint "continuous"'
        return
    lower, upper = number(limit, "lower"), number(limit, "upper")
    if lower > upper:
        yield "warning", f"reversed: lower={lower:g} is above upper={upper:g}", "swap them"
    elif lower == upper:
        between = f"nothing between lower={lower:g} and upper={upper:g}: loaded without a range"
        yield "warning", between, "give it one, or make it fixed"
    elif joint.get("type") == "revolute" and upper - lower > 50:
        yield "warning", f"{upper - lower:.4g} rad from lower to upper", "radians, not degrees"
    for key in ("effort", "velocity"):
        if number(limit, key) < 0:
            yield "warning", f"{key}={limit.get(key)} is negative", "give its absolute value"


def _free_bodies(tree: Node) -> Iterator[Finding]:
    """Yield the floating joints below links with mass: both bodies move freely."""
    masses = {link.get("name"): mass_of(link) for link in tree.all("link")}
    for joint in joints_of(tree, "floating"):
        if masses.get(link := link_of(joint, "parent"), 0.0) > 0:
            message = f"floats below link {link!r}, which has mass: two bodies, each free to move"
            hint = "only a root without mass stands for the world; make it fixed if they are one"
            yield Finding("warning", "floating", message, hint, "", joint.get("name"), joint.line)


def _unlimited(tree: Node) -> Iterator[Finding]:
    names = [
        joint.get("name")
        for joint in joints_of(tree, "revolute", "continuous", "prismatic")
        if number(joint.find("limit"), "effort") == 0
    ]
    if names:
        joints, count = counted(len(names), "joint"), "counts" if len(names) == 1 else "count"
        message = f"{joints} with zero or no effort {count} as unlimited: {', '.join(names)}"
        yield Finding("info", "unlimited", message, "give the torque limits of the motors")


def _endless(tree: Node) -> Iterator[Finding]:
    """Yield what is said of ranges of joints that have none."""
    names = [
        joint.get("name")
        for joint in joints_of(tree, "continuous", "planar", "floating")
        if any(number(joint.find("limit"), key) for key in ("lower", "upper"))
    ]
    if names:
        message = f"ranges of joints that have none by their type are left out: {', '.join(names)}"
        yield Finding("info", "limits", message, 'a joint with a range is "revolute"')


def _mimic(tree: Node) -> Iterator[Finding]:
    joints = {joint.get("name"): joint for joint in tree.all("joint")}
    followers = {n: m for n, j in joints.items() if (m := j.find("mimic")) is not None}
    for name, mimic in followers.items():
        leader, message = mimic.get("joint"), ""
        if leader not in joints or leader == name:
            message, hint = f"follows {leader!r}, which is not another joint", "name its leader"
        elif name in (chain := _leaders(name, followers)):
            message = f"follows itself: {' → '.join([name, *chain])}"
            hint = "name a leader that follows no other joint"
        if message:
            yield Finding("warning", "mimic", message, hint, "", name, mimic.line)
    if followers:
        follow = f"{counted(len(followers), 'joint')} follow{'s' * (len(followers) == 1)}"
        message = f"{follow} another: {', '.join(followers)}"
        hint = "load(mimic=…): 'couple' keeps that as a closure, 'lock' freezes them at rest"
        yield Finding("info", "mimic", message, hint)


def _leaders(name: str, followers: Mapping[str, Node]) -> list[str]:
    """Return the leader of a joint, its leader, and so on; at most until one comes again."""
    chain: list[str] = []
    while name in followers and (name := followers[name].get("joint")) not in chain[:_CHAIN]:
        chain.append(name)
        if len(chain) >= _CHAIN:
            break
    return chain


# --- the whole model ---------------------------------------------------------------------------


def check_inertia_of_motion(model: Any) -> list[Finding]:
    """Return the joints of a `pin.Model` that move no mass, and whether M > 0 in neutral."""
    if model.nv == 0:
        return []
    data = model.createData()
    M = pin.crba(model, data, pin.neutral(model))
    M = np.triu(M) + np.triu(M, 1).T
    diagonal = np.diag(M).copy()
    findings = []
    for joint, name in zip(list(model.joints)[1:], list(model.names)[1:], strict=True):
        if (abs(diagonal[joint.idx_v : joint.idx_v + joint.nv]) <= 1e-14).any():
            message = "moves no mass: the mass matrix is singular"
            hint = "give the links behind it their mass, or make it fixed"
            findings.append(Finding("warning", "massless", message, hint, joint=name))
    scale = np.sqrt(np.where(abs(diagonal) > 1e-14, abs(diagonal), 1))
    smallest = np.linalg.eigvalsh(M / np.outer(scale, scale))[0]
    if not findings and smallest < 1e-12:
        what, hint = "singular", "some links lack inertia"
        if smallest < -1e-12:
            what, hint = "not positive definite", "some links have inertias that no body has"
        message = f"the mass matrix is {what} in the neutral configuration"
        findings.append(Finding("warning", "singular", message, hint))
    return findings


def repaired_limits(tree: Node) -> None:
    """Add missing effort and velocity attributes to <limit>: zero, which means unlimited."""
    for joint in tree.all("joint"):
        for limit in joint.all("limit"):
            for key in ("effort", "velocity"):
                if numbers(limit.get(key), 1) is None or number(limit, key) < 0:
                    limit.attrib[key] = "0.0"
