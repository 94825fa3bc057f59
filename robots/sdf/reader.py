"""SDF descriptions: their one model, written as the elements of a URDF, which are read then.

http://sdformat.org/spec: 1.4 to 1.11. What a URDF cannot say is named: warnings where the robot
moves otherwise without it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...errors import ModelError
from ..files.hardened_xml import Node
from ..findings import Finding, Level
from ..options import Options, Parts
from ..refusal import refuse_errors
from ..sources import Description
from ..urdf import edits
from ..urdf.closures import LOOP
from ..urdf.reader import from_urdf
from ..urdf.values import as_origin, link_of, numbers, plain
from .nested import flatten
from .poses import WORLD, Poses, placement, text_of

HINGES = {"revolute", "continuous"}
READ = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2")
ENDLESS = 1e16  # limits from which on a joint has none
FAR = 1e6  # range of a slide without limits [m]
_LEFT_OUT = ("plugin", "sensor", "gripper", "light", "particle_emitter", "audio_source")


def from_sdf(tree: Node, description: Description, options: Options) -> Parts:
    """Return the parts of the robot that an SDF describes.

    Raises:
        ModelError: the description cannot be loaded.
    """
    origin = description.origin
    model = _the_model(tree, origin)
    left_out = flatten(model, tree.get("version"), description.folders, origin)
    written = _Conversion(model, origin)
    written.findings += left_out
    written.run()
    if written.is_static and options.base is None:
        options = replace(options, base="fixed")
    written.place_base(options.base)
    for world in tree.all("world"):
        for node in (*world.all("include"), *world.all("joint")):
            what = repr(node.get("name") or text_of(node, "uri"))
            level: Level = "info" if node.tag == "include" else "warning"
            message = f"<{node.tag}> {what} of the world is left out"
            written.findings.append(Finding(level, "left out", message, line=node.line))
        g = text_of(world, "gravity", "0 0 -9.8")
        if not np.allclose(numbers(g, 3) or 0.0, (0, 0, -9.81), rtol=0, atol=0.02):
            message, hint = f"the gravity of the world, {g}, is left out", "load(…, gravity=…)"
            written.findings.append(Finding("warning", "gravity", message, hint, line=world.line))
    refuse_errors(written.findings, origin, options.strict)
    parts = from_urdf(written.robot, description, options)
    findings, passive = (*written.findings, *parts.findings), (*parts.passive, *written.passive)
    kept = dict(parts.kept)
    if lost := sum(finding.code == "closure" for finding in written.findings):
        some, many = kept.get("closures", (0, 0))
        kept["closures"] = some, many + lost
    return replace(parts, findings=findings, passive=passive, kept=kept)


def _the_model(tree: Node, origin: str) -> Node:
    """The one model of a file."""
    models = [m for parent in (tree, *tree.all("world")) for m in parent.all("model")]
    if len(models) != 1:
        names = ", ".join(model.get("name") for model in models) or "none"
        asked = [
            text_of(node, "uri") for world in tree.all("world") for node in world.all("include")
        ]
        files = f", which includes {', '.join(asked)}: load the robot's own file" if asked else ""
        raise ModelError(f"{origin}: got {len(models)} models ({names}), expected one robot{files}")
    return models[0]


class _Conversion:
    """A model that is written as a URDF.

    Attributes:
        robot: the URDF.
        findings: about what it does not say.
        passive: joints that have no motor.
        is_static: whether nothing of it moves.
    """

    def __init__(self, model: Node, origin: str) -> None:
        self.model = model
        self.is_static = text_of(model, "static", "0") in ("1", "true")
        self.poses = Poses(model, origin)
        self.robot = _node("robot", model, name=model.get("name"))
        self.findings: list[Finding] = []
        self.passive: list[str] = []

    def run(self) -> None:
        """Write all."""
        for link in self.model.all("link"):
            self._link(link)
        tree, loops = self._sorted()
        if WORLD in (self.poses.link_of(text_of(joint, "parent"), joint) for joint in tree):
            self.robot.children.append(_node("link", self.model, name=WORLD))
        for joint in tree:
            self._joint(joint)
        for joint in loops:
            self._loop(joint)
        for frame in self.model.all("frame"):
            self._frame(frame)
        others = sorted({n.tag for n in self.model.walk() if n.tag in _LEFT_OUT or ":" in n.tag})
        if others:
            words = ", ".join(f"<{tag}>" for tag in others)
            message = f"no parts of the robot, left out: {words}"
            self._report("info", "left out", message, self.model)
        pose = self.model.find("pose")
        if pose is not None and pose.get("relative_to") not in ("", WORLD):
            message = (
                f"the model's pose is relative to {pose.get('relative_to')!r}, not read: it is "
            )
            self._report("warning", "base", f"{message}taken as one in the world", pose)
        if self.is_static and any(joint.get("type") != "fixed" for joint in tree):
            message = "the model is static in its file, and its joints move here"
            self._report("warning", "base", message, self.model, "lock=[…]")

    def place_base(self, base: str | None) -> None:
        """Weld the root of a robot with a fixed base to the world, at T_world_root of the file.

        A URDF has its root at the origin. One that a joint connects to the world has its place.
        """
        carried = {link_of(joint, "child") for joint in self.robot.all("joint")}
        roots = [n for link in self.robot.all("link") if (n := link.get("name")) not in carried]
        if len(roots) != 1 or roots[0] == WORLD:
            return
        T = self._between(WORLD, roots[0], self.model)
        fixed = base == "fixed" or (base is None and edits.stands_on_the_world(self.robot))
        if fixed and not T.isApprox(pin.SE3.Identity(), 1e-12):
            self.robot.children.append(_node("link", self.model, name=WORLD))
            self._weld(f"{WORLD}::frame", WORLD, roots[0], T, self.model)

    def _weld(self, name: str, parent: str, child: str, T: pin.SE3, at: Node) -> None:
        joint = _node("joint", at, name=name, type="fixed")
        joint.children = [
            _node("parent", at, link=parent), _node("child", at, link=child), _origin(T, at)
        ]  # fmt: skip
        self.robot.children.append(joint)

    def _report(self, level: str, code: str, message: str, node: Node, hint: str = "") -> None:
        where = {node.tag: node.get("name")} if node.tag in ("link", "joint") else {}
        found = Finding(level, code, message, hint, line=node.line, **where)  # type: ignore[arg-type]
        self.findings.append(found)

    # --- links -----------------------------------------------------------------------------

    def _link(self, link: Node) -> None:
        found = _node("link", link, name=link.get("name"))
        if text_of(link, "gravity", "1") in ("0", "false"):
            self._report("warning", "gravity", "it has weight here, and none in the file", link)
        found.children.append(self._inertial(link))
        for tag in ("visual", "collision"):
            for shape in link.all(tag):
                if (written := self._shape(shape, link)) is not None:
                    found.children.append(written)
        self.robot.children.append(found)

    def _inertial(self, link: Node) -> Node:
        """The inertia; without one it is that of the format: 1 kg and 1 kg m² about each axis."""
        inertial = link.find("inertial")
        if inertial is None or inertial.get("auto") in ("true", "1"):
            what = "no <inertial>" if inertial is None else "an inertia by its shapes' density"
            message = f"{what}: it has 1 kg and 1 kg m² about each axis, the format's default"
            self._report("warning", "inertial", message, link, "give its mass and inertia")
            inertial = _node("inertial", link)
        elif inertial.find("inertia") is None:
            message = "no <inertia>: 1 kg m² about each axis, the format's default"
            self._report("warning", "inertial", message, link, "give its inertia")
        inertia, found = inertial.find("inertia"), _node("inertial", inertial)
        values = {
            f"i{k}": text_of(inertia, f"i{k}", "1" if k[0] == k[1] else "0")
            for k in ("xx", "xy", "xz", "yy", "yz", "zz")
        }
        found.children = [
            _origin(self._own_pose(inertial, link), inertial),
            _node("mass", inertial, value=text_of(inertial, "mass", "1")),
            _node("inertia", inertia or inertial, **values),
        ]
        return found

    def _own_pose(self, node: Node, link: Node) -> pin.SE3:
        """T_link_x of an element of a link."""
        pose = node.find("pose")
        T = placement(pose, self.poses.origin)
        other = "" if pose is None else pose.get("relative_to")
        if other:
            return self._between(link.get("name"), other, node) * T
        return T

    def _between(self, a: str, b: str, asked_by: Node) -> pin.SE3:
        return self.poses.of(a, asked_by).actInv(self.poses.of(b, asked_by))

    def _shape(self, shape: Node, link: Node) -> Node | None:
        geometry = shape.find("geometry")
        kind = geometry.children[0] if geometry is not None and geometry.children else None
        written = None if kind is None else _geometry(kind)
        if written is None:
            what = "empty" if kind is None else f"<{kind.tag}>"
            message = f"a {shape.tag} shape ({what}) is left out"
            self._report("info", "shape", message, link)
            return None
        if kind is not None and kind.find("submesh") is not None:
            message = f"a {shape.tag} shape is a <submesh> of its file, and all of it here"
            self._report("info", "shape", message, link)
        found = _node(shape.tag, shape, name=shape.get("name"))
        holder = _node("geometry", shape)
        holder.children = [written]
        found.children = [_origin(self._own_pose(shape, link), shape), holder]
        material = shape.find("material")
        colour = text_of(material, "diffuse") or text_of(material, "ambient")
        if shape.tag == "visual" and colour:
            paint = _node("material", shape, name=f"{link.get('name')}_{len(self.robot.children)}")
            rgba = " ".join([*colour.split(), "1"][:4])
            paint.children = [_node("color", shape, rgba=rgba)]
            found.children.append(paint)
        return found

    # --- joints ----------------------------------------------------------------------------

    def _sorted(self) -> tuple[list[Node], list[Node]]:
        """The joints of the tree, and those that close loops: of links that have two.

        Balls close loops, where one of two joints is one.
        """
        joints = []
        for joint in self.model.all("joint"):
            kind = joint.get("type")
            if kind == "gearbox":
                message = "a gearbox: what it couples moves freely"
                hint = "lock what it drives, or write a mimic joint in a URDF"
                self._report("warning", "closure", message, joint, hint)
            elif kind not in READ:
                raise self.poses.error(joint, f"got the type {kind!r}, expected {', '.join(READ)}")
            elif lost := [key for key in ("parent", "child") if not text_of(joint, key)]:
                raise self.poses.error(joint, f"without <{'> and <'.join(lost)}>")
            else:
                joints.append(joint)
        joints.sort(key=lambda joint: joint.get("type") == "ball")
        carried, tree, loops = set[str](), list[Node](), list[Node]()
        for joint in joints:
            child = self.poses.link_of(text_of(joint, "child"), joint)
            if child == WORLD:
                raise self.poses.error(joint, "its <child> is the world; swap <parent> and <child>")
            (loops if child in carried else tree).append(joint)
            carried.add(child)
        return tree, loops

    def _joint(self, joint: Node) -> None:
        """Write a joint; its child's frame is the joint's in a URDF, so another one may follow."""
        name, kind = joint.get("name"), joint.get("type")
        parent, child = (self.poses.link_of(text_of(joint, k), joint) for k in ("parent", "child"))
        last = self._between(self.poses.key(joint), child, joint)
        at = self._between(parent, self.poses.key(joint), joint)
        axes = self._axes(joint)
        between = [f"{name}::link{k}" for k in range(1, len(axes))]
        if not last.isApprox(pin.SE3.Identity(), 1e-12):
            between.append(f"{name}::frame")
        for k, end in enumerate([*between, child]):
            if end != child:
                self.robot.children.append(_node("link", joint, name=end))
            moves, own = k < len(axes), name if k == 0 else f"{name}::{k}"
            written = _node("joint", joint, name=own, type="fixed")
            written.children = [
                _node("parent", joint, link=parent), _node("child", joint, link=end),
                _origin(at if k == 0 else pin.SE3.Identity() if moves else last, joint),
            ]  # fmt: skip
            if moves:
                self._motion(written, joint, axes[k], "prismatic" if kind == "prismatic" else "")
            if kind == "ball" and moves:
                self.passive.append(own)
            self.robot.children.append(written)
            parent = end

    def _axes(self, joint: Node) -> list[Node]:
        """The <axis> of each motion of a joint, one after the other: a ball's are x, y and z."""
        kind, name = joint.get("type"), joint.get("name")
        if kind == "fixed":
            return []
        if kind == "ball":
            message = f"a ball is three hinges without motors, {name!r} and those of its links"
            hint = "they are singular where the second has turned by 90°"
            self._report("info", "ball", message, joint, hint)
            return [_axis(joint, "1 0 0"), _axis(joint, "0 1 0"), _axis(joint, "0 0 1")]
        tags = ["axis", "axis2"] if kind in ("universal", "revolute2") else ["axis"]
        return [joint.find(tag) or _axis(joint, "0 0 1") for tag in tags]

    def _motion(self, written: Node, joint: Node, axis: Node, kind: str) -> None:
        """Give a joint its axis, its limits and its friction."""
        limit, dynamics = axis.find("limit"), axis.find("dynamics")
        low, high = (self._number(limit, k, s * np.inf) for k, s in (("lower", -1), ("upper", 1)))
        endless = low <= -ENDLESS and high >= ENDLESS
        written.attrib["type"] = kind or ("continuous" if endless else "revolute")
        direction = self._direction(joint, axis)
        written.children.append(_node("axis", axis, xyz=plain(direction)))
        bounds = {k: text_of(limit, k) for k in ("effort", "velocity")}
        bounds = {k: v for k, v in bounds.items() if v and self._number(limit, k, -1.0) >= 0}
        if not endless or kind:
            bounds |= {"lower": repr(max(low, -FAR)), "upper": repr(min(high, FAR))}
        written.children.append(_node("limit", limit or joint, **bounds))
        losses = {k: v for k in ("damping", "friction") if (v := text_of(dynamics, k))}
        if losses:
            written.children.append(_node("dynamics", dynamics or joint, **losses))
        if (mimic := axis.find("mimic")) is not None:
            written.children.append(self._mimic(mimic))
        if self._number(dynamics, "spring_stiffness", 0.0):
            hint = "dynamics.JointSprings has its torque"
            self._report("warning", "springs", "its spring is left out", joint, hint)

    def _mimic(self, mimic: Node) -> Node:
        """The law y = multiplier (x − reference) + offset of a joint that follows another."""
        parts = (("multiplier", 1.0), ("reference", 0.0), ("offset", 0.0))
        factor, reference, offset = (self._number(mimic, k, d) for k, d in parts)
        leader = mimic.get("joint") + ("::1" if mimic.get("axis") == "axis2" else "")
        law = {"multiplier": repr(factor), "offset": repr(offset - factor * reference)}
        return _node("mimic", mimic, joint=leader, **law)

    def _number(self, node: Node | None, tag: str, default: float) -> float:
        """A number of a joint, which may be infinite."""
        text = text_of(node, tag)
        if node is None or not text:
            return default
        if text.lower().lstrip("+-") in ("inf", "infinity"):
            return -np.inf if text.startswith("-") else np.inf
        found = numbers(text, 1, np.inf)
        if found is None:
            raise self.poses.error(node, f"<{tag}>: got {text!r}, expected a number")
        return found[0]

    def _direction(self, joint: Node, axis: Node) -> Array:
        """The axis in the joint's frame (3,)."""
        xyz, text = axis.find("xyz"), text_of(axis, "xyz", "0 0 1")
        found = numbers(text, 3)
        if found is None or not any(found):
            raise self.poses.error(joint, f"got the axis {text!r}, expected three numbers")
        other = "" if xyz is None else xyz.get("expressed_in")
        v: Array = np.array(found) / np.linalg.norm(found)
        if not other:
            return v
        R: Array = self._between(self.poses.key(joint), other, joint).rotation
        return np.asarray(R @ v, dtype=float)

    def _loop(self, joint: Node) -> None:
        """Write a joint that closes a loop, by its place in both links."""
        name, kind = joint.get("name"), joint.get("type")
        if kind in ("universal", "revolute2", "prismatic"):
            message = f"a {kind} joint that closes a loop is left out"
            self._report("warning", "closure", message, joint, "revolute, ball and fixed are kept")
            return
        written = _node(LOOP, joint, name=name, type="continuous" if kind in HINGES else kind)
        for end, key in (("link1", "parent"), ("link2", "child")):
            link = self.poses.link_of(text_of(joint, key), joint)
            place = _origin(self._between(link, self.poses.key(joint), joint), joint).attrib
            written.children.append(_node(end, joint, link=link, **place))
        if kind in HINGES:
            axis = self._direction(joint, *self._axes(joint))
            written.children.append(_node("axis", joint, xyz=plain(axis)))
        self.robot.children.append(written)

    def _frame(self, frame: Node) -> None:
        """Write a frame as a link without mass on the link that it is attached to."""
        name, link = frame.get("name"), self.poses.link_of(frame.get("name"), frame)
        if link == WORLD:  # no part of the robot
            return
        self.robot.children.append(_node("link", frame, name=name))
        self._weld(f"{name}::frame", link, name, self._between(link, name, frame), frame)


def _geometry(kind: Node) -> Node | None:
    """A shape of a URDF; None of one that it has not."""
    if kind.tag == "box":
        return _node("box", kind, size=text_of(kind, "size", "1 1 1"))
    if kind.tag == "sphere":
        return _node("sphere", kind, radius=text_of(kind, "radius", "1"))
    if kind.tag in ("cylinder", "capsule"):
        sizes = {k: text_of(kind, k, d) for k, d in (("radius", "1"), ("length", "1"))}
        return _node(kind.tag, kind, **sizes)
    if kind.tag == "mesh":
        where = text_of(kind, "uri").replace("model://", "package://")
        return _node("mesh", kind, filename=where, scale=text_of(kind, "scale", "1 1 1"))
    return None


def _axis(joint: Node, xyz: str) -> Node:
    return Node("axis", line=joint.line, children=[Node("xyz", line=joint.line, text=xyz)])


def _node(tag: str, at: Node, **attrib: str) -> Node:
    """An element that stands for one of the file."""
    return Node(tag, attrib, at.line)


def _origin(T: pin.SE3, at: Node) -> Node:
    return _node("origin", at, **as_origin(T))
