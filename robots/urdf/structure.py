"""Structure of a URDF: unique names, one root, every link reached once, no loop closures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...errors import unknown
from ..files.hardened_xml import Node
from ..findings import Finding, of_level
from .values import link_of

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MAX_LINKS = 5_000
MAX_DEPTH = 400  # joints between the root and a link
MAX_DOF = 200  # memory for the Coriolis tensor and Hessians grows with the cube: 0.6 GB at 200
_OPENSIM = (
    "models of OpenSim are not read; biomechanics.analyse_gait needs none, and make_subject scales "
    'load("human") to the markers of a trial'
)
_NEAREST = 20  # misnamed links that are told the nearest names: that takes time
_DOF = {"floating": 6, "planar": 3, "fixed": 0}


def check_structure(tree: Node) -> list[Finding]:
    """Return findings about names and tree; with errors, it cannot be loaded."""
    if tree.tag != "robot":
        message = f"the root element is <{tree.tag}>, expected <robot>, <mujoco> or <sdf>"
        return [_error("root", message, tree, _OPENSIM if tree.tag == "OpenSimDocument" else "")]
    links, joints = tree.all("link"), tree.all("joint")
    findings = [*_misplaced(tree), *_names(links, "link"), *_names(joints, "joint")]
    if not tree.get("name").strip():
        tree.attrib["name"] = "robot"
        message = 'the robot has no name: it is called "robot"'
        findings.append(Finding("info", "name", message, line=tree.line))
    if not links:
        findings.append(_error("root", "no <link> in it", tree, "a robot has at least one link"))
    dof = sum(_DOF.get(joint.get("type"), 1) for joint in joints)
    if len(links) > MAX_LINKS or dof > MAX_DOF:
        message = (
            f"{len(links)} links and {dof} degrees of freedom; at most {MAX_LINKS} and {MAX_DOF} "
            "are loaded"
        )
        findings.append(_error("size", message, tree, "make joints fixed that need not move"))
    if not of_level(findings, "error"):
        names, near = {link.get("name") for link in links}, iter(range(_NEAREST))
        findings += [f for joint in joints for f in _ends(joint, names, near)]
    if not of_level(findings, "error"):
        findings += _tree(links, joints)
    return findings


def _misplaced(tree: Node) -> list[Finding]:
    """Return the errors of a file that has macros, or a robot in a robot."""
    for macro in (node for node in tree.walk() if node.tag.startswith("xacro:")):
        message = f"<{macro.tag}>: a xacro file, to be expanded first"
        return [_error("xacro", message, macro, "call the file .xacro, or load(…, xacro=True)")]
    message = "a second <robot> inside the first"
    return [_error("lost", message, node, "remove it") for node in tree.all("robot")]


def _names(nodes: list[Node], kind: str) -> Iterator[Finding]:
    count = Counter(node.get("name") for node in nodes)
    seen: set[str] = set()
    for node in nodes:
        name = node.get("name")
        if not name.strip():
            yield _error("name", f"a <{kind}> without a name", node, "name it")
        elif name in seen:
            message = f"{count[name]} {kind}s of this name"
            yield _error("name", message, node, "names are unique", **{kind: name})
        elif name == "universe":
            message = f"a {kind} called 'universe', Pinocchio's name for the world"
            yield _error("name", message, node)
        seen.add(name)


def _ends(joint: Node, links: set[str], near: Iterator[int]) -> Iterator[Finding]:
    """Yield findings about a joint's type, parent and child; `near` ends with the suggestions."""
    name, kind = joint.get("name"), joint.get("type")
    if kind not in JOINT_TYPES:
        yield _error("type", unknown("joint type", kind, JOINT_TYPES), joint, joint=name)
    ends = []
    for end in ("parent", "child"):
        nodes = joint.all(end)
        if len(nodes) != 1:
            yield _error("ends", f"{len(nodes)} <{end}>, expected one", joint, joint=name)
        elif (link := nodes[0].get("link")) not in links:
            told = unknown("link", link, links) if next(near, None) is not None else ""
            message = f"<{end}>: {told or f'no link {link[:80]!r}'}"
            yield _error("ends", message, joint, joint=name)
        else:
            ends.append(link)
    if len(ends) == 2 and ends[0] == ends[1]:
        message, hint = f"joins link {ends[0]!r} to itself", "Pinocchio would drop it: remove it"
        yield _error("lost", message, joint, hint, joint=name)


def _tree(links: list[Node], joints: list[Node]) -> list[Finding]:
    parent_of: dict[str, str] = {}
    children_of: dict[str, list[str]] = {link.get("name"): [] for link in links}
    findings = []
    for joint in joints:
        parent, child = link_of(joint, "parent"), link_of(joint, "child")
        if child in parent_of:
            message = (
                f"link {child!r} has two parents, {parent_of[child]!r} and {parent!r}: a URDF is a "
                "tree without loop closures"
            )
            hint = "cut the closed loop at one joint"
            findings.append(_error("loop", message, joint, hint, joint=joint.get("name")))
        parent_of[child] = parent
        children_of[parent].append(child)
    roots = [link for link in links if link.get("name") not in parent_of]
    if len(roots) > 1:
        names = ", ".join(repr(link.get("name")) for link in roots[:8])
        message = f"{len(roots)} links without a parent joint: {names}"
        hint = "join them by fixed joints, or remove them"
        findings.append(_error("roots", message, roots[1], hint))
    return findings or _reached(links, children_of, roots)


def _reached(
    links: list[Node], children_of: dict[str, list[str]], roots: list[Node]
) -> list[Finding]:
    depth = {root.get("name"): 0 for root in roots}
    queue = list(depth)
    for link in queue:  # grows during the iteration
        for child in children_of[link]:
            depth[child] = depth[link] + 1
            queue.append(child)
    lost = [link for link in links if link.get("name") not in depth]
    if lost:
        names = ", ".join(repr(link.get("name")) for link in lost[:8])
        message = f"a cycle of joints holds {names}: it is not connected to a root"
        hint = "Pinocchio would drop them: connect them to the tree"
        return [_error("lost", message, lost[0], hint)]
    if (longest := max(depth.values())) > MAX_DEPTH:
        return [_error("size", f"a chain of {longest} joints; at most {MAX_DEPTH}", links[0])]
    return []


def _error(code: str, message: str, node: Node, suggestion: str = "", **where: str) -> Finding:
    return Finding("error", code, message, suggestion, line=node.line, **where)
