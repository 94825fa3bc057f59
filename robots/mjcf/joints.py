"""Joints of an MJCF file: their kinds, sizes, and places in MuJoCo's qpos."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..files.hardened_xml import Node
from .tree import Attributes, Mjcf, quaternion, turn, values

DOFS = {"free": 6, "ball": 3, "hinge": 1, "slide": 1}
SIZES = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}  # in qpos


@dataclass
class Joint:
    """A joint of the file: its element, attributes and frame, and where it is in q, if anywhere."""

    node: Node
    kind: str
    attributes: Attributes
    T: pin.SE3
    body: pin.SE3  # placement of its body, which is the qpos0 of a free joint
    index: int = 0

    @property
    def name(self) -> str:
        """Its name, or the one that it was given."""
        return self.node.get("name")

    @property
    def has_axis(self) -> bool:
        """Whether it is a hinge or a slider."""
        return self.kind in ("hinge", "slide")

    def drawn(self, file: Mjcf) -> float:
        """Return where a hinge or slider is as the file draws it [rad or m]."""
        return self.scaled(file, float(values(self.attributes, "ref", (0.0,))[0]))

    def scaled(self, file: Mjcf, position: float) -> float:
        """Return a position that the file gives [rad or m]."""
        return file.angle(position) if self.kind == "hinge" else position

    def qpos0(self, file: Mjcf) -> Array:
        """Return its part of MuJoCo's configuration in which the file is drawn."""
        if self.kind == "free":
            x, y, z, w = pin.Quaternion(self.body.rotation).coeffs()
            return np.array([*self.body.translation, w, x, y, z])
        if self.kind == "ball":
            return np.array([1.0, 0.0, 0.0, 0.0])
        return np.array([self.drawn(file)])

    def put(self, q: Array, at: int, qpos: Array) -> None:
        """Put MuJoCo's values of it into q, from `at` on."""
        if self.has_axis:
            q[at] = qpos[0]
            return
        turned = quaternion(qpos[-4:]) if qpos[-4:].any() else pin.Quaternion.Identity()
        q[at : at + len(qpos)] = [*qpos[:-4], *turned.coeffs()]


def moved(kind: str, axis: Array, by: float) -> pin.SE3:
    """Return the motion of a hinge or slider."""
    if kind == "slide":
        return pin.SE3(np.eye(3), by * axis)
    return pin.SE3(turn(axis, by) if by else np.eye(3), np.zeros(3))


def one_axis(kind: str, axis: Array) -> Any:
    """Return the joint model of a hinge or slider, one along an axis of its frame where it is."""
    letter = next((k for k, e in zip("XYZ", np.eye(3), strict=True) if (axis == e).all()), "")
    what = "R" if kind == "hinge" else "P"
    if letter:
        return getattr(pin, f"JointModel{what}{letter}")()
    return (pin.JointModelRevoluteUnaligned if what == "R" else pin.JointModelPrismaticUnaligned)(
        axis
    )
