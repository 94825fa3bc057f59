"""The model of an MJCF file, built body by body as MuJoCo's compiler reads it.

q has MuJoCo's values, with quaternions as here (x y z w): a hinge at q = ref is where the file
draws it. Bodies and geoms of the world, from which no joint leads to the robot, are scenery.

Source: MuJoCo's XML reference, and its compiler where that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import filter as matching
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...errors import ModelError, unknown
from ..closures import Closure
from ..configuration import rows_v
from ..files.hardened_xml import Node
from ..files.meshes import left_out, locate
from ..files.packages import Folders
from ..findings import Finding
from ..options import Options
from ..robot import BASE_JOINT
from ..urdf.structure import MAX_DOF, MAX_LINKS
from ..values import number
from .actuators import UNLIMITED, Drive, cut, drives_of, of_limited
from .bodies import Bodies, Inside
from .equalities import Equalities
from .geoms import Mesh, between, read_mesh, scaled
from .joints import DOFS, Joint, moved, one_axis
from .keyframes import keyframes_of
from .shapes import Placed
from .tree import Mjcf, values

_GRAVITY = (0.0, 0.0, -9.81)
_MAX_GEOMS = 2_000
_NOTHING = pin.Inertia.Zero()
_EARTH = pin.SE3.Identity()


@dataclass
class Builder:
    """What grows while the bodies are walked through."""

    file: Mjcf
    folders: Folders
    options: Options
    model: Any = field(default_factory=pin.Model)
    geoms: list[Placed] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    joints: dict[str, Joint] = field(default_factory=dict)  # all of the file, in its order
    drives: dict[str, Drive] = field(default_factory=dict)
    locked: dict[str, float | None] = field(default_factory=dict)
    one_sided: list[str] = field(default_factory=list)  # joints whose torque limits differ by sign
    closures: tuple[Closure, ...] = ()
    meshes: dict[str, Mesh] = field(default_factory=dict)
    materials: dict[str, str] = field(default_factory=dict)
    bodies: Bodies = field(init=False)
    _mass: float = 0.0  # of all bodies, scenery included
    _base: Node | None = None  # the body of the floating base
    _added_base: bool = False

    def __post_init__(self) -> None:
        self.bodies = Bodies(self.file, self.meshes, self.materials, self.findings)

    def build(self) -> None:
        """Fill the model, the geoms and the findings.

        Raises:
            ModelError: the description cannot be loaded.
        """
        file, model = self.file, self.model
        model.gravity.linear = values(file.option, "gravity", _GRAVITY)
        if file.flags.get("gravity") == "disable":
            model.gravity.linear = np.zeros(3)
        self._name_everything()
        self._read_assets()
        trees = self._trees()
        kinds = {name: joint.kind for name, joint in self.joints.items()}
        self.drives = drives_of(file, kinds, self.findings)
        self.locked = self._locks()
        for body, childclass, T in trees:
            self._add(body, childclass, T, 0, 0)
        self._set_rows()
        self._close()
        total = float(values(file.compiler, "settotalmass", (-1.0,))[0])
        if total > 0 and self._mass > 0:
            for k in range(model.njoints):
                model.inertias[k] = scaled(model.inertias[k], total / self._mass)

    # --- names, assets, trees ------------------------------------------------------------------

    def _name_everything(self) -> None:
        """Give bodies and joints without a name one, by their number in the file."""
        nodes = list(self.file.world.walk())
        bodies = [node for node in nodes if node.tag == "body"]
        joints = [node for node in nodes if node.tag in ("joint", "freejoint")]
        if len(bodies) > MAX_LINKS:
            raise ModelError(f"{len(bodies)} bodies; at most {MAX_LINKS} are loaded")
        for what, some in (("body", bodies), ("joint", joints)):
            taken = {node.get("name") for node in some}
            for k, node in enumerate(some):
                if not node.get("name"):
                    name = BASE_JOINT if node.tag == "freejoint" else f"{what}_{k}"
                    while name in taken:
                        name += "_"
                    node.attrib["name"] = name
                    taken.add(name)

    def _read_assets(self) -> None:
        for node in self.file.sections.get("asset", ()):
            if node.tag == "material":
                rgba = self.file.attributes(node).get("rgba", "1 1 1 1")
                self.materials[node.get("name")] = rgba
            elif node.tag == "mesh":
                mesh = read_mesh(self.file, node, self._find)
                self.meshes[mesh.name] = mesh

        if self.options.meshes:
            lost = {mesh.name: mesh.problem for mesh in self.meshes.values() if mesh.problem}
            self.findings += left_out(lost)

    def _find(self, names: list[str]) -> tuple[Path | None, str]:
        """Return the path of a mesh in one of several places, or why there is none in the first.

        Raises:
            ModelError: it is no mesh.
        """
        places = [locate(name, self.folders) for name in names]
        path, problem, missing = next((p for p in places if p[0] or not p[2]), places[0])
        if problem and not missing and self.options.meshes:
            raise ModelError(
                f"mesh {names[0]!r}: {problem}; meshes=False loads the dynamics without shapes"
            )
        return (None if problem else path), problem and f"{names[0]!r} {problem}"

    def _trees(self) -> list[tuple[Node, str, pin.SE3]]:
        """Return the bodies on the world that move, or carry what moves; the robot's base first.

        The base is the free one that carries most joints, unless one without a free joint, an arm
        that throws a ball, carries more.
        """
        trees = []
        for node, childclass, T in _inside(self.file, self.file.world, "", _EARTH):
            if node.tag == "body":
                before = len(self.joints)
                self._read_joints(node, childclass, T, top=True)
                found = list(self.joints.values())[before:]
                trees.append((node, childclass, T, found))
        dofs = sum(DOFS[joint.kind] for joint in self.joints.values())
        if dofs > MAX_DOF:
            raise ModelError(f"{dofs} degrees of freedom; at most {MAX_DOF} are loaded")
        moving = [tree for tree in trees if tree[3]] or trees
        for node, childclass, *_ in trees:
            if not any(node is tree[0] for tree in moving):
                self._mass += self._weigh(node, childclass)
                message = "nothing moves this body of the world: scenery, left out"
                self._report("info", "scenery", message, node.line, link=node.get("name"))
        free = [tree for tree in moving if any(joint.kind == "free" for joint in tree[3])]
        if self.options.base == "floating" and not free:
            self._set_free(moving)
        elif free:
            among = free if self.options.base else moving
            base = max(among, key=lambda tree: len(tree[3]))
            if any(tree is base for tree in free):
                self._base = base[0]
                moving.sort(key=lambda tree: tree[0] is not base[0])
        if sum(bool(tree[3]) for tree in moving) > 1:
            names = ", ".join(f"{tree[0].get('name')!r} ({len(tree[3])})" for tree in moving)
            message = f"bodies on the world, with how many joints they have: {names}; all are in q"
            hint = "lock=[…] of their joints welds those that are no part of the robot"
            self._report("info", "bodies", message, moving[1][0].line, hint)
        return [tree[:3] for tree in moving]

    def _set_free(self, trees: list[Any]) -> None:
        """Give the one body on the world a free joint, before its own."""
        if len(trees) != 1:
            raise ModelError(f"base='floating': {len(trees)} bodies on the world, expected one")
        node, _, T, _ = trees[0]
        joint = Node("freejoint", {"name": BASE_JOINT}, node.line)
        while joint.attrib["name"] in self.joints:
            joint.attrib["name"] += "_"
        node.children.insert(0, joint)
        free = Joint(joint, "free", {}, _EARTH, T * self.file.pose(node.attrib))
        self.joints = {free.name: free, **self.joints}
        self._base, self._added_base = node, True

    def _read_joints(self, body: Node, childclass: str, T: pin.SE3, top: bool = False) -> None:
        """Put the joints of a body and of all below it into `joints`."""
        placement, before, below = T * self.file.pose(body.attrib), len(self.joints), []
        for node, inner, frame in _inside(self.file, body, childclass, _EARTH):
            if node.tag == "body":
                below.append((node, inner, frame))
            elif node.tag in ("joint", "freejoint"):
                known = self.file.attributes(node, inner) if node.tag == "joint" else {}
                kind = known.get("type", "hinge") if node.tag == "joint" else "free"
                if kind not in DOFS:
                    raise self.file.error(node, f"type {kind!r}; expected {', '.join(DOFS)}")
                joint = Joint(node, kind, known, frame, placement)
                alone = len(self.joints) == before
                if (kind == "free" and not (top and alone)) or (
                    not alone and next(reversed(self.joints.values())).kind == "free"
                ):
                    raise self.file.error(
                        node, "a free joint stands alone in a body on the world, without others"
                    )
                self.joints[joint.name] = joint
        for node, inner, frame in below:
            self._read_joints(node, inner, frame)

    def _locks(self) -> dict[str, float | None]:
        """Return the joints that do not move; None: at the place that the file gives."""
        locked: dict[str, float | None] = {}
        if self.options.base == "fixed" and self._base is not None:
            inside = {id(node) for node in self._base.walk()}
            free = next(j.name for j in self.joints.values() if id(j.node) in inside)
            locked[free] = None
        if self._added_base and self._base is not None:  # the body floats: it has no other joints
            beside = {id(node) for node in self._base.children if node.tag == "joint"}
            held = [name for name, joint in self.joints.items() if id(joint.node) in beside]
            locked.update(dict.fromkeys(held))
            if held:
                message = f"its base floats, so that {', '.join(held)} of its first body are locked"
                self._report("info", "base", message, self._base.line)
        lock = self.options.lock
        for pattern in lock:
            found = matching(self.joints, pattern)
            if not found:
                raise ModelError("lock: " + unknown("joint", pattern, self.joints))
            given = lock[pattern] if isinstance(lock, Mapping) else None
            if given is not None:
                given = number(given, f"lock: joint {pattern!r}", error=ModelError)
            locked.update(dict.fromkeys(found, given))
        return locked

    # --- bodies --------------------------------------------------------------------------------

    def _add(self, body: Node, childclass: str, T: pin.SE3, parent: int, frame: int) -> None:
        """Add a body and all below it; T: the frame that it stands in, on the joint `parent`."""
        model = self.model
        placement, below = T * self.file.pose(body.attrib), []
        parts = list(_inside(self.file, body, childclass, _EARTH))
        for node, _, _ in parts:
            if node.tag in ("joint", "freejoint"):
                joint = self.joints[node.get("name")]
                parent, frame, placement = self._add_joint(joint, placement, parent, frame)
        frame = model.addBodyFrame(body.get("name"), parent, placement, frame)
        inertia = self.bodies.inertia(body, parts)
        model.appendBodyToJoint(parent, inertia, placement)
        if parent or not self._fused:
            self._mass += inertia.mass
        count = 0
        for node, inner, inside in parts:
            if node.tag == "body":
                below.append((node, inner, placement * inside))
            elif node.tag == "site":
                self._add_site(node, inner, placement * inside, parent, frame)
            elif node.tag == "geom" and (geom := self.bodies.geom(node, inner, inside)) is not None:
                name = geom.name or f"{body.get('name')}_{count}"
                count += 1
                if len(self.geoms) >= _MAX_GEOMS:  # Pinocchio's work grows with their cube
                    raise ModelError(f"more than {_MAX_GEOMS} geoms")
                self.geoms.append(Placed(name, geom, parent, frame, placement * geom.placement))
        for node, inner, inside in below:
            self._add(node, inner, inside, parent, frame)

    def _add_site(self, node: Node, inner: str, T: pin.SE3, joint: int, frame: int) -> None:
        """Add the frame of a site."""
        if not node.get("name"):
            return
        place, kind = T * _of_site(self.file, node, inner), pin.FrameType.OP_FRAME
        self.model.addFrame(pin.Frame(node.get("name"), joint, frame, place, kind, _NOTHING))

    def _add_joint(
        self, joint: Joint, T: pin.SE3, parent: int, frame: int
    ) -> tuple[int, int, pin.SE3]:
        """Add a joint in a body at T; return it, its frame and where the body then is on it."""
        known, kind = joint.attributes, joint.kind
        anchor = pin.SE3(np.eye(3), joint.T.act(values(known, "pos", (0.0, 0.0, 0.0))))
        axis = joint.T.rotation @ values(known, "axis", (0.0, 0.0, 1.0))
        axis = axis / np.linalg.norm(axis)
        if joint.name in self.locked:
            if kind == "free":
                return parent, frame, joint.body
            motion = _EARTH
            if joint.has_axis:
                motion = moved(kind, axis, self._held(joint) - joint.drawn(self.file))
            return parent, frame, T * anchor * motion * anchor.inverse()
        if kind == "free":
            anchor, place, own = _EARTH, _EARTH, pin.JointModelFreeFlyer()
        elif kind == "ball":
            place, own = T * anchor, pin.JointModelSpherical()
        else:
            place, own = (
                T * anchor * moved(kind, axis, -joint.drawn(self.file)),
                one_axis(kind, axis),
            )
        joint.index = self.model.addJoint(parent, own, place, joint.name)
        return joint.index, self.model.addJointFrame(joint.index, frame), anchor.inverse()

    def _held(self, joint: Joint) -> float:
        """Return where a hinge or slider is locked: as asked, or nearest to zero in its range."""
        given = self.locked[joint.name]
        if given is not None:
            return float(given)
        low, high = self._range(joint)
        return min(max(0.0, low), high)

    def _range(self, joint: Joint) -> tuple[float, float]:
        low, high = of_limited(self.file, joint.attributes, "limited", "range")
        return joint.scaled(self.file, low), joint.scaled(self.file, high)

    # --- mass ---------------------------------------------------------------------------------

    @property
    def _fused(self) -> bool:
        """Whether bodies that nothing moves become parts of the world, which has no mass."""
        return self.file.compiler.get("fusestatic") == "true"

    def _weigh(self, body: Node, childclass: str) -> float:
        """Return the mass of a body of the world and of all below it [kg]."""
        parts = list(_inside(self.file, body, childclass, _EARTH))
        if "settotalmass" not in self.file.compiler or self._fused:
            return 0.0
        mass = float(self.bodies.inertia(body, parts).mass)
        return mass + sum(self._weigh(*part[:2]) for part in parts if part[0].tag == "body")

    # --- closures ------------------------------------------------------------------------------

    def _close(self) -> None:
        locked = (self.joints[name] for name in self.locked)
        held = {joint.name: self._held(joint) for joint in locked if joint.has_axis}
        drawn = list(_drawn(self.file, self.file.world, "", _EARTH))
        bodies, sites = (
            {name: T for node, T in drawn if node.tag == tag and (name := node.get("name"))}
            for tag in ("body", "site")
        )
        equalities = Equalities(self.file, self.model, self.joints, bodies, sites, held)
        self.closures = tuple(equalities.closures())
        self.findings += equalities.findings

    # --- rows of q and v -----------------------------------------------------------------------

    def _set_rows(self) -> None:
        """Set limits, armature, damping and friction of the joints in the model."""
        model = self.model
        zero, endless = np.zeros(model.nv), np.full(model.nv, np.inf)
        rows = {"armature": zero.copy(), "damping": zero.copy(), "friction": zero.copy()}
        efforts, low, high = zero.copy(), model.lowerPositionLimit, model.upperPositionLimit
        for joint in self.joints.values():
            if not joint.index:
                continue
            own, drive = model.joints[joint.index], self.drives.get(joint.name, Drive(joint.kind))
            v = rows_v(own)
            rows["armature"][v] = values(joint.attributes, "armature", (0.0,))[0] + drive.armature
            rows["damping"][v] = values(joint.attributes, "damping", (0.0,))[0] + drive.damping
            rows["friction"][v] = values(joint.attributes, "frictionloss", (0.0,))[0]
            efforts[v] = self._torques(joint, drive, own.nv)
            if joint.has_axis:
                low[own.idx_q], high[own.idx_q] = self._range(joint)
        model.lowerPositionLimit, model.upperPositionLimit = low, high
        model.upperVelocityLimit, model.lowerVelocityLimit = endless, -endless
        model.upperEffortLimit, model.lowerEffortLimit = efforts, -efforts
        model.armature, model.damping = rows["armature"], rows["damping"]
        model.upperDryFrictionLimit, model.lowerDryFrictionLimit = (
            rows["friction"],
            -rows["friction"],
        )

    def _torques(self, joint: Joint, drive: Drive, axes: int) -> list[float]:
        """Return the largest |τ| of each axis of a joint; 0: it has no limit."""
        limits = UNLIMITED
        if joint.has_axis:
            switch, key = "actuatorfrclimited", "actuatorfrcrange"
            limits = of_limited(self.file, joint.attributes, switch, key)
        ranges = [cut(drive.torques.get(axis, limits), limits) for axis in range(axes)]
        if any(abs(low + high) > 1e-9 * (high - low) for low, high in ranges if high < np.inf):
            self.one_sided.append(joint.name)
        largest = [max(abs(low), abs(high)) for low, high in ranges]
        return [most if np.isfinite(most) else 0.0 for most in largest]

    def kept(self) -> dict[str, tuple[int, int]]:
        """Return how many joints and motors are rows of q and S, and how many the file has."""
        own = list(self.joints.values())[self._added_base :]
        rows = [joint for joint in own if joint.index]
        drives = [self.drives[joint.name] for joint in rows if joint.name in self.drives]
        motors = sum(drive.count for drive in drives if drive.is_motor)
        actuators = len(self.file.sections.get("actuator", ()))
        kept = {"joints": (len(rows), len(own)), "motors": (motors, actuators)}
        if equalities := len(self.file.sections.get("equality", ())):
            kept["closures"] = len(self.closures), equalities
        return kept

    def keyframes(self) -> dict[str, Array]:
        """Return name -> q (nq,) of the file's keyframes."""
        joints = list(self.joints.values())
        return keyframes_of(self.file, self.model, joints, self._added_base, self.findings)

    def _report(
        self, level: Any, code: str, message: str, line: int, hint: str = "", **where: str
    ) -> None:
        self.findings.append(Finding(level, code, message, hint, line=line, **where))


def _inside(file: Mjcf, node: Node, childclass: str, T: pin.SE3) -> Iterator[Inside]:
    """Yield (element, class of defaults, frame) of what a body contains; frames are resolved."""
    childclass = node.get("childclass") or childclass
    for child in node.children:
        if child.tag == "frame":
            yield from _inside(file, child, childclass, T * file.pose(child.attrib))
        else:
            yield child, childclass, T


def _of_site(file: Mjcf, node: Node, childclass: str) -> pin.SE3:
    """Return the placement of a site in its body or frame."""
    known = file.attributes(node, childclass)
    if "fromto" in known:
        return between(values(known, "fromto"), np.zeros(3))[0]
    return file.pose(known)


def _drawn(file: Mjcf, node: Node, childclass: str, T: pin.SE3) -> Iterator[tuple[Node, pin.SE3]]:
    """Yield (body or site, placement in the world) below a node, as the file draws them."""
    for child, inner, inside in _inside(file, node, childclass, T):
        if child.tag == "body":
            placement = inside * file.pose(child.attrib)
            yield child, placement
            yield from _drawn(file, child, inner, placement)
        elif child.tag == "site":
            yield child, inside * _of_site(file, child, inner)
