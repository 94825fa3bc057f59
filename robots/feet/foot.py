"""Feet: soles and contact points of a robot, as pure geometry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ..values import array, length, placement, text
from .outlines import placed

_HANDS = ("hand", "arm", "gripper", "wrist", "tool", "finger", "tcp", "end_effector", "head")


@dataclass(frozen=True, eq=False, repr=False)
class Foot:
    """A foot: a sole (convex polygon) or a point, fixed to a frame of the robot.

    Attributes:
        name: of the end effector in the manufacturer's description.
        frame: the link (or other frame) that carries it.
        placement: T_frame_sole; +z of the sole points from the ground into the foot, x forward.
            For a point foot only the translation counts: the centre of its ball, or the contact
            point, in frame axes [m].
        vertices: (k, 2), vertices of the sole in its x-y plane, counter-clockwise about +z [m];
            k = 0 for a point foot. Read-only.
        radius: of the ball at a point foot's end [m], 0 when unknown; the ground lies `radius`
            below the point.
    """

    name: str
    frame: str
    placement: Any = field(default_factory=pin.SE3.Identity)
    vertices: Array = field(default_factory=lambda: np.zeros((0, 2)))
    radius: float = 0.0

    def __post_init__(self) -> None:
        text(self.name, "name")
        text(self.frame, "frame")
        length(self.radius, "radius", zero=True)
        vertices = array(self.vertices, "vertices", (0,), (None, 2), frozen=True).reshape(-1, 2)
        object.__setattr__(self, "vertices", vertices)
        T = placement(self.placement, f"placement of {self.name!r}", "T_frame_sole")
        object.__setattr__(self, "placement", T)

    def __repr__(self) -> str:
        size = f"radius={self.radius:.4g}"
        if not self.is_point:
            size = " × ".join(f"{x:.4g}" for x in np.ptp(self.vertices, axis=0)) + " m"
        return f"Foot({self.name!r}, frame={self.frame!r}, {size})"

    @property
    def is_point(self) -> bool:
        """Whether the foot is a point, without a sole."""
        return len(self.vertices) == 0

    @property
    def is_bare(self) -> bool:
        """Whether the foot is a point of whose shape, a ball or a sole, nothing is known."""
        return self.is_point and self.radius == 0

    def points(self, T_world_frame: Any) -> Array:
        """Return the corners of its sole, or its point, (k, 3) when its frame is at T_world_frame.

        World axes [m].
        """
        T_world_sole = placement(T_world_frame, "T_world_frame") * self.placement
        corners = np.zeros((max(1, len(self.vertices)), 3))
        corners[: len(self.vertices), :2] = self.vertices
        return np.asarray(corners @ T_world_sole.rotation.T + T_world_sole.translation)

    def lowest(self, T_world_frame: Any) -> float:
        """Return the height of the foot's lowest point [m] when its frame is at T_world_frame."""
        return float(self.points(T_world_frame)[:, 2].min()) - self.radius


def point_foot(
    name: str, frame: str, offset: ArrayLike = (0.0, 0.0, 0.0), radius: float = 0.0
) -> Foot:
    """Return a foot that ends in a ball centred at `offset` in the frame [m]."""
    return Foot(name, frame, pin.SE3(np.eye(3), np.asarray(offset, dtype=float)), radius=radius)


def sole_foot(name: str, frame: str, vertices: ArrayLike, placement: Any = None) -> Foot:
    """Return a foot with a sole; `vertices` (k, 2) counter-clockwise in the placed frame [m]."""
    return Foot(name, frame, placement or pin.SE3.Identity(), np.asarray(vertices, dtype=float))


def rectangle(x_min: float, x_max: float, y_min: float, y_max: float) -> Array:
    """Return the vertices (4, 2) of a rectangular sole, counter-clockwise [m]."""
    return np.array([[x_max, y_max], [x_min, y_max], [x_min, y_min], [x_max, y_min]])


def looks_like_a_foot(end_effector: str, link: str) -> bool:
    """Whether neither the name of an SRDF end effector nor that of its link says hand or tool."""
    words = f"{end_effector} {link}".lower()
    if any(word in words for word in ("foot", "feet", "sole", "toe", "leg", "ankle", "wheel")):
        return True
    return not any(word in words for word in _HANDS)


def feet_of_end_effectors(
    model: Any, collision: Any, end_effectors: Mapping[str, str]
) -> dict[str, Foot]:
    """Return the feet among SRDF end effectors, shaped by the primitive collision shapes there.

    A ball gives a point foot, a box with a horizontal bottom face a sole. A link without shapes
    takes those of its neighbours on the same joint; without any shape the foot is a point at the
    link's origin. The vertical is that of the neutral configuration.

    End effectors on links that the model lacks are ignored: an SRDF may serve several models.
    """
    known = {frame.name for frame in model.frames if frame.type == pin.FrameType.BODY}
    data = placed(model, pin.neutral(model))
    feet = {}
    for name, link in end_effectors.items():
        if link not in known or not looks_like_a_foot(name, link):
            continue
        frame_id = model.getFrameId(link, pin.FrameType.BODY)
        feet[name] = _shaped_foot(name, model.frames[frame_id], data.oMf[frame_id], collision)
    return feet


def _shaped_foot(name: str, frame: Any, T_world_frame: Any, collision: Any) -> Foot:
    shapes = [o for o in collision.geometryObjects if o.parentJoint == frame.parentJoint]
    own = [o for o in shapes if o.parentFrame == _index(frame, collision)] or shapes
    best: tuple[float, Foot] | None = None
    for shape in own:
        foot = _foot_of_shape(name, frame, shape, T_world_frame)
        if foot is not None and (best is None or foot.lowest(T_world_frame) < best[0]):
            best = foot.lowest(T_world_frame), foot
    return best[1] if best else point_foot(name, frame.name)


def _index(frame: Any, collision: Any) -> int:
    """Return the index of the frame that the shapes of `frame`'s link name as their parent."""
    return next(
        (
            o.parentFrame
            for o in collision.geometryObjects
            if o.parentJoint == frame.parentJoint and o.name.rsplit("_", 1)[0] == frame.name
        ),
        -1,
    )


def _foot_of_shape(name: str, frame: Any, shape: Any, T_world_frame: Any) -> Foot | None:
    T_frame_shape = frame.placement.inverse() * shape.placement
    geometry = shape.geometry
    if type(geometry).__name__ == "Sphere":
        return point_foot(name, frame.name, T_frame_shape.translation, float(geometry.radius))
    if type(geometry).__name__ != "Box":
        return None
    half = np.asarray(geometry.halfSide)
    up = (T_world_frame * T_frame_shape).rotation.T @ np.array([0.0, 0.0, 1.0])
    axis = int(np.abs(up).argmax())
    if abs(up[axis]) < 0.999:  # a box standing on its edge has no sole
        return None
    z = np.zeros(3)
    z[axis] = np.sign(up[axis])
    forward = (T_world_frame * T_frame_shape).rotation.T @ np.array([1.0, 0.0, 0.0])
    i = max((k for k in range(3) if k != axis), key=lambda k: abs(forward[k]))
    x = np.zeros(3)
    x[i] = np.sign(forward[i])
    rotation = np.column_stack([x, np.cross(z, x), z])
    hx, hy = half[i], half[3 - axis - i]
    T_shape_sole = pin.SE3(rotation, -z * half[axis])
    return sole_foot(name, frame.name, rectangle(-hx, hx, -hy, hy), T_frame_shape * T_shape_sole)
