"""Contacts and initial posture of a scenario.

Plain values, as they stand in the file: lengths in metres, angles in degrees.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...dynamics.per_robot import per_robot
from ...errors import ContactError, unknown
from ...robots import Robot
from ...robots.configuration import check_configuration, check_robot
from ...robots.values import Shape, array, boolean, one_of, sequence, text, vector
from ..contact import Contact, PointContact
from ..contact_set import at_feet
from ..geometry.polygon import area, convex_hull
from ..surface_contact import DiscContact, LineContact, SurfaceContact, with_corners
from ..terrain.draping import within
from ..terrain.faces import Face
from ..terrain.part_values import (
    Numbers,
    check_angle,
    check_coefficients,
    check_lengths,
    make_hashable,
)
from ..terrain.terrain import Terrain, forward_on, under_foot

# the keys that say what touches, of a frame; a foot knows them
_KEYS_OF: dict[str, tuple[str, ...]] = {
    "point": ("offset", "radius", "tangent"),
    "rectangle": ("half_length", "half_width", "offset", "turn"),
    "polygon": ("vertices", "offset", "turn"),
    "disc": ("radius", "offset", "turn"),
    "line": ("half_length", "offset", "turn"),
}
KINDS = tuple(_KEYS_OF)
_OR_CLIP = ", or let `clip: true` leave out what hangs over"
_SHAPES: dict[str, tuple[Shape, ...]] = {
    "offset": ((3,),),
    "turn": ((3,),),
    "vertices": ((0,), (None, 2)),
    "at": ((2,), (3,)),
    "heading": ((), (3,)),
    "tangent": ((3,),),
}
_EDGE = 1e-6  # [m], a sole may reach so far beyond the edge of its surface


@dataclass(frozen=True)
class ScenarioContact:
    """A contact of a scenario: a foot of the robot, or any frame with a patch; and where.

    Attributes:
        foot: one of the robot's own feet; or
        frame: any frame of it, with what touches there:
        kind: "point", "rectangle", "polygon", "disc" or "line".
        half_length, half_width: of a rectangle; half_length of a line too [m].
        vertices: of a polygon, (x, y) each [m].
        radius: of a disc, or of a ball that touches as a point [m].
        offset, turn: of the patch in its frame: (x, y, z) [m]; roll, pitch, yaw [degrees].
        surface: the solid of the terrain that it touches; the one below or nearest when empty.
        at: where: (x, y), on what lies below or above, nearest to the start; or (x, y, z), on what
            is nearest [m]. Below or above where it is at the start when not given.
        heading: of the patch's x axis: seen from above [degrees from x to y], or a direction
            (x, y, z) of the world. That of the start when not given.
        friction: Coulomb coefficient; the surface's, or the scenario's, when not given. Two, for a
            patch along its x and y axes, for a point along `tangent` and across it.
        tangent: of a point with two coefficients, a direction (x, y, z) of the world.
        clip: whether what of a patch hangs over the edge of its surface is left out, as of a foot
            whose heel hangs over a step; it is refused otherwise.
        bilateral: whether it can pull, as a hand that grips.
        name: the foot's or frame's when empty.
    """

    foot: str = ""
    frame: str = ""
    kind: str = "point"
    half_length: float | None = None
    half_width: float | None = None
    vertices: tuple[Numbers, ...] = ()
    radius: float | None = None
    offset: Numbers = (0.0, 0.0, 0.0)
    turn: Numbers = (0.0, 0.0, 0.0)
    surface: str = ""
    at: Numbers | None = None
    heading: float | Numbers | None = None
    friction: float | Numbers | None = None
    tangent: Numbers | None = None
    clip: bool = False
    bilateral: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        make_hashable(self)
        if bool(self.foot) == bool(self.frame):
            raise ContactError(
                f"contact: got foot={self.foot!r} and frame={self.frame!r}, expected one of them"
            )
        one_of(self.kind, "kind", KINDS, error=ContactError)
        for name in ("foot", "frame", "surface", "name"):
            text(getattr(self, name), name, empty=True, error=ContactError)
        sizes = ("half_length", "half_width", "radius")
        check_lengths(self, *(name for name in sizes if getattr(self, name) is not None))
        for name in ("clip", "bilateral"):
            boolean(getattr(self, name), name, error=ContactError)
        for name, shapes in _SHAPES.items():
            if getattr(self, name) is not None:
                array(getattr(self, name), name, *shapes, error=ContactError)
        if self.friction is not None:
            check_coefficients(self.friction)
        self._refuse_unread()

    def _refuse_unread(self) -> None:
        """Refuse what would be ignored: the shape of a foot, sizes of another kind."""
        read = ("tangent",) if self.foot else _KEYS_OF[self.kind]  # a foot may be a point
        has = f"{self.kind!r}, which has {', '.join(read)}"
        owner = "a foot: its shape is the robot's" if self.foot else has
        usual = {field.name: field.default for field in fields(self)}
        for name in chain(("kind",) if self.foot else (), chain(*_KEYS_OF.values())):
            if name not in read and (value := getattr(self, name)) != usual[name]:
                raise ContactError(f"{name}: got {value!r}, expected none for {owner}")

    def placed(
        self, robot: Robot, q: Array, terrain: Terrain, friction: float | Numbers
    ) -> tuple[Contact, Any]:
        """Return the contact and T_world_target (`pin.SE3`), given where the robot starts.

        Raises:
            ConfigurationError, ContactError: a name that does not exist, nothing to touch there, a
                patch that hangs over the edge.
        """
        patch = self._patch(robot)
        start = patch.pose(robot, q)
        face, point = self.face(terrain, start)
        forward = self._forward(start, face.normal)
        face, point = under_foot(terrain, face, face.frame(point, forward), patch.points)
        given = [mu for mu in (self.friction, face.friction) if mu is not None]
        contact = self.contact(robot, [*given, friction][0], face.normal)
        target = face.frame(point, forward)
        over = face.overhang(contact.points @ target.rotation.T + target.translation)
        if over > _EDGE and self.clip and isinstance(contact, SurfaceContact | DiscContact):
            return _clipped(contact, target, face)
        if over > _EDGE:
            raise ContactError(
                f"{contact.name or contact.frame} hangs {over:.3g} m over the edge of "
                f"{face.name!r}; move it{_OR_CLIP if contact.dim == 6 else ''}"
            )
        return contact, target

    def _patch(self, robot: Robot) -> Contact:
        """What touches, whatever the ground."""
        sole = _foot(robot, self.foot) if self.foot else None
        level = np.array([0.0, 0.0, 1.0])
        return sole if sole and sole.dim > 3 else self.contact(robot, 0.0, level)

    def contact(self, robot: Robot, friction: Any, normal: Array) -> Contact:
        """Return the whole contact; a point has the normal (3,), whatever it lies on."""
        more: dict[str, Any] = {"friction": friction, "bilateral": self.bilateral}
        if self.foot:
            sole: Any = _foot(robot, self.foot)
            if self.tangent is not None and sole.dim > 3:
                raise ContactError(
                    f"tangent: got {self.tangent}, expected none for {self.foot!r}, a patch: the "
                    "first of two coefficients is along its x axis"
                )
            more |= {"normal": normal, "tangent": self.tangent} if sole.dim == 3 else {}
            return replace(sole, name=self.name or self.foot, **more)  # type: ignore[no-any-return]
        robot.frame_id(self.frame)
        more["name"] = self.name
        if self.kind == "point":
            offset, radius = np.array(self.offset), self.radius or 0.0
            more |= {"normal": normal, "tangent": self.tangent, "offset": offset}
            return PointContact(self.frame, radius=radius, **more)
        turn = pin.rpy.rpyToMatrix(*np.radians(self.turn))
        more["placement"] = pin.SE3(turn, np.array(self.offset))
        if self.kind == "disc":
            return DiscContact(self.frame, radius=self.radius, **more)  # type: ignore[arg-type]
        if self.kind == "line":
            half_length: Any = self.half_length
            return LineContact(self.frame, half_length=half_length, **more)
        more["half_length"], more["half_width"] = self.half_length, self.half_width
        vertices = np.array(self.vertices) if self.kind == "polygon" else None
        return SurfaceContact(self.frame, vertices=vertices, **more)

    def face(self, terrain: Terrain, start: Any) -> tuple[Face, Array]:
        """Return the side of the surface that is touched, and about where (3,)."""
        ground = terrain.among(self.surface) if self.surface else terrain
        if self.at is None:
            return ground.beneath(start)
        if len(self.at) == 3:
            return ground.face(self.at), np.array(self.at)
        hit = ground.ground(self.at[0], self.at[1], float(start.translation[2]))
        if hit is None:
            raise ContactError(
                f"at: nothing of {self.surface or 'the terrain'!r} lies below or above "
                f"({self.at[0]:g}, {self.at[1]:g})"
            )
        return hit

    def pose_on(self, face: Face, point: Array, start: Any) -> Any:
        """Return T_world_target (`pin.SE3`) at a point of a face, given where the patch starts."""
        return face.frame(point, self._forward(start, face.normal))

    def _forward(self, start: Any, normal: Array) -> Array:
        if self.heading is None:
            return forward_on(start, normal)
        if isinstance(self.heading, tuple):
            return np.array(self.heading)
        angle = np.radians(self.heading)
        return np.array([np.cos(angle), np.sin(angle), 0.0])


@per_robot
def _feet(robot: Robot) -> dict[str, Contact]:
    return {foot.name: foot for foot in at_feet(robot)}


def _foot(robot: Robot, name: str) -> Contact:
    feet = _feet(robot)
    if name not in feet:
        raise ContactError(unknown("foot", name, feet))
    return feet[name]


def _clipped(contact: SurfaceContact | DiscContact, target: Any, face: Face) -> tuple[Contact, Any]:
    """The part of a patch that lies on the face, and where its centre should be."""
    T = face.placement.inverse() * target  # in the plane of the face
    on_face = (contact.points @ T.rotation.T + T.translation)[:, :2]
    bounds = np.tile(face.half_size, 2)
    kept = within(convex_hull(on_face), np.vstack([np.eye(2), -np.eye(2)]), bounds)
    if area(kept) < 1e-6:
        raise ContactError(f"{contact.name or contact.frame} lies beside {face.name!r}")
    local = (np.column_stack([kept, np.zeros(len(kept))]) - T.translation) @ T.rotation
    patch = with_corners(contact, local[:, :2])
    moved = target.act(patch.centre - contact.centre)
    return patch, pin.SE3(target.rotation, moved)


@dataclass(frozen=True)
class Start:
    """Where the robot is before its contacts are made to touch; the answer stays near.

    Attributes:
        at: where the origin of its posture goes, (x, y, z) [m].
        heading: [degrees from x to y].
        joints: (name, value) of joints that differ from the posture [degrees, or m if they slide];
            of a joint whose q has several numbers, as the quaternion x y z w of a ball, these.
        tilt: (roll, pitch) about the axes x and y before it is turned by the heading [degrees].
    """

    at: Numbers = (0.0, 0.0, 0.0)
    heading: float = 0.0
    joints: tuple[tuple[str, float | Numbers], ...] = ()
    tilt: Numbers = (0.0, 0.0)

    def __post_init__(self) -> None:
        make_hashable(self)
        vector(self.at, "at", error=ContactError)
        check_angle(self.heading, "heading")
        for angle in array(self.tilt, "tilt", (2,), error=ContactError):
            check_angle(float(angle), "tilt")
        for pair in sequence(self.joints, "joints", tuple, error=ContactError):
            if len(pair) != 2:
                raise ContactError(f"joints: got {pair!r}, expected (name, value)")
            text(pair[0], "joints", error=ContactError)
            array(pair[1], f"joints: {pair[0]}", (), (None,), error=ContactError)

    @classmethod
    def of(cls, robot: Robot, q: ArrayLike, posture: str = "") -> Start:
        """Return the start whose `configuration(robot, posture)` is q (nq,), to rounding.

        Raises:
            ConfigurationError: a bad q, or no such posture.
        """
        q, usual = check_configuration(check_robot(robot), q), robot.posture(posture or None)
        at, angles = np.zeros(3), np.zeros(3)
        if robot.is_floating:
            T = pin.XYZQUATToSE3(q[:7]) * pin.XYZQUATToSE3(usual[:7]).inverse()
            at, angles = T.translation, np.degrees(pin.rpy.matrixToRpy(T.rotation))
        *tilt, heading = angles.tolist()
        joints = []
        for name in robot.joint_names:
            joint = robot._model.joints[robot.joint_id(name)]
            there = q[_entries(joint)]
            base = robot.is_floating and joint.idx_q == 0
            if not base and not np.array_equal(there, usual[_entries(joint)]):
                joints.append((name, _value(joint, there)))
        return cls(tuple(at.tolist()), heading, tuple(joints), tuple(tilt))

    def configuration(self, robot: Robot, posture: str | None) -> Array:
        """Return q (nq,).

        Raises:
            ConfigurationError: no such posture, or an invalid quaternion.
            ContactError: no such joint, or not as many numbers as its q has.
        """
        q = check_robot(robot).posture(posture)
        if robot.is_floating:
            R = pin.rpy.rpyToMatrix(*np.radians([*self.tilt, self.heading]))
            q[:7] = pin.SE3ToXYZQUAT(pin.SE3(R, np.array(self.at)) * pin.XYZQUATToSE3(q[:7]))
        for name, value in self.joints:
            if name not in robot.joint_names:
                raise ContactError(unknown("joint", name, robot.joint_names))
            joint = robot._model.joints[robot._model.getJointId(name)]
            q[_entries(joint)] = _numbers(name, joint, value)
        return check_configuration(robot, q, "start")


def _entries(joint: Any) -> slice:
    """Which of q are a joint's."""
    return slice(joint.idx_q, joint.idx_q + joint.nq)


def _value(joint: Any, q: Array) -> float | Numbers:
    """What a file says of a joint at q (nq,) of its own: a number where it has one freedom."""
    if joint.nv > 1:
        return tuple(q.tolist())
    value = np.arctan2(q[1], q[0]) if joint.nq == 2 else q[0]  # endless ones have cos, sin
    return float(np.degrees(value) if _turns(joint) else value)


def _numbers(name: str, joint: Any, value: Any) -> Array:
    """The inverse of `_value`."""
    if np.shape(value) != (() if joint.nv == 1 else (joint.nq,)):
        expected = "a number" if joint.nv == 1 else f"the {joint.nq} numbers of its q"
        raise ContactError(f"{name}: got {value!r:.80}, expected {expected}")
    if joint.nv > 1:
        return np.array(value)
    value = np.radians(value) if _turns(joint) else value
    return np.array([np.cos(value), np.sin(value)] if joint.nq == 2 else [value])


def _turns(joint: Any) -> bool:
    """Whether a joint of one number turns; else it slides."""
    return bool(np.abs(np.asarray(joint.createData().S)).reshape(6)[3:].any())
