"""Parts of feet: the bodies at the end of a leg that touch level ground."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...arrays import Array
from .limbs import Leg
from .outlines import Outline
from .sole_shapes import joint_axis, lowest_balls, sole_normal, wheel

_HEEL = 0.2  # of how far a sole reaches in front of its ankle: behind it


@dataclass
class Part:
    """A body that touches the ground.

    Attributes:
        leg: that it ends.
        chain: the joints from the base to its own, without the base.
        shapes: of the body.
        normal: (3,) of its sole, out of the foot, in the joint's axes; None where it has none.
        area: of the sole [m²].
        is_toe: whether a joint is between it and the foot.
        ball: centre (3,) and radius in which it ends, if known, in the joint's axes [m].
        point: (3,), where it touches, in the joint's axes; where it has no sole, the centre of the
            ball with which it does, of this radius [m].
    """

    leg: Leg
    chain: tuple[int, ...]
    shapes: list[Outline]
    normal: Array | None
    area: float
    is_toe: bool = False
    ball: tuple[Array, float] | None = None
    point: Array = field(default_factory=lambda: np.zeros(3))
    radius: float = 0.0

    @property
    def joint(self) -> int:
        """The joint that moves it."""
        return self.shapes[0].joint

    @property
    def touching(self) -> Array:
        """Points (k, 3) of its sole, or the middle of its ball, in the joint's axes [m]."""
        if self.normal is None:
            return self.point[None]
        return lowest_balls(self.shapes, self.normal)[0]

    def touch(self, down: Array) -> None:
        """Take the middle of what is lowest when `down` (3,) points down in the joint's axes."""
        if self.ball is not None:
            self.point, self.radius = self.ball
            return
        points, radius = lowest_balls(self.shapes, down if self.normal is None else self.normal)
        self.radius = radius if self.normal is None else 0.0
        self.point = points.mean(axis=0) - self.radius * down


def parts_of(
    model: Any, data: Any, shapes: list[Outline], leg: Leg, *, on_toes: bool = False
) -> list[Part]:
    """Return the parts of the foot of a leg: the body with the largest sole, then its toes.

    Where no body has a sole, or the robot walks on its toes, the foot is the last one; or a wheel.
    """
    bodies = [
        _part(model, data, [s for s in shapes if s.joint == joint], leg)
        for joint in leg.end
        if any(shape.joint == joint for shape in shapes)
    ]
    wheels = [part for part in bodies if wheel(model, data, part.shapes) is not None]
    if wheels:
        return [replace(wheels[0], normal=None, area=0.0)]
    foot = bodies[-1] if on_toes else max(reversed(bodies), key=lambda part: part.area)
    toes = [p for p in bodies if p is not foot and foot.joint in p.chain and foot.area > 0]
    for toe in toes:
        toe.is_toe = True
    return [foot, *toes]


def _part(model: Any, data: Any, own: list[Outline], leg: Leg) -> Part:
    """Return the body of some outlines as it ends a leg, with the largest sole below it."""
    before = leg.joints[-2] if len(leg.joints) > 1 else model.parents[leg.joints[-1]]
    ankle = data.oMi[leg.end[0]].translation
    shank = ankle - data.oMi[before].translation
    downs = [np.array([0.0, 0.0, -1.0])]
    if np.linalg.norm(shank) > 1e-3 and len(leg.joints) > 1:
        downs.append(shank / np.linalg.norm(shank))
    T, chain = data.oMi[own[0].joint], tuple(_chain(model, own[0].joint))
    inside = T.actInv(ankle)
    normal, area = sole_normal(own, [T.rotation.T @ d for d in downs], inside)
    if normal is None or not _is_distal(own, normal, inside, leg):
        return Part(leg, chain, own, None, 0.0)
    return Part(leg, chain, own, normal, area)


def _is_distal(shapes: list[Outline], normal: Array, inside: Array, leg: Leg) -> bool:
    """Whether a plane ends the leg: it is no side of a shank, which reaches beyond.

    A foot is short beside its leg, or its plane far below the ankle; or it is long along its plane
    and has a heel behind the ankle, where the side of a shank begins at the knee.
    """
    reach = max(float(np.linalg.norm(s.points - inside, axis=1).max()) + s.radius for s in shapes)
    distance = max(float(s.extents(normal).max()) for s in shapes) - float(inside @ normal)
    if reach < 0.3 * leg.length or distance > 0.8 * reach:
        return True
    sole = lowest_balls(shapes, normal, rough=True)[0] - inside
    sole -= np.outer(sole @ normal, normal)
    toe = max(sole, key=lambda point: float(point @ point))
    front = float(np.linalg.norm(toe))
    heel = -float((sole @ toe).min()) / max(front, 1e-9)
    return front > 0.5 * reach and heel > _HEEL * front


def pitches(model: Any, data: Any, part: Part) -> Iterator[tuple[int, float]]:
    """Yield the columns of a leg's joints about the lateral axis, and their sense about +y."""
    for j in part.chain:
        if model.nvs[j] == 1:
            lateral = float((data.oMi[j].rotation @ joint_axis(model, j))[1])
            if abs(lateral) > 0.8:
                yield model.idx_vs[j], float(np.sign(lateral))


def _chain(model: Any, joint: int) -> list[int]:
    chain = []
    while joint > 1:
        chain.append(joint)
        joint = model.parents[joint]
    return chain[::-1]
