"""Symbolic moving frames, each defined in its parent frame.

Vectors are columns (3, 1) of SymPy expressions of the time `t`. A frame has its placement in its
parent; its motion is the time derivative of that, expressed in its own axes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import sympy as sp

from ...errors import ConfigurationError
from ...robots.values import instance, text
from .closed_form import as_expression, closed_form, is_zero

Matrix = Any  # a sympy matrix

t = sp.Symbol("t", real=True)


def vector(value: Any, name: str = "vector") -> Matrix:
    """Return three expressions as a column (3, 1).

    Raises:
        ConfigurationError: not three of them.
    """
    try:
        entries = [] if isinstance(value, str) else list(value)
    except TypeError:
        entries = []
    if len(entries) != 3:
        raise ConfigurationError(f"{name}: got {value!r}; expected three expressions")
    return sp.ImmutableMatrix([as_expression(entry, name) for entry in entries])


def matrix(value: Any, name: str = "matrix") -> Matrix:
    """Return nine expressions as a matrix (3, 3).

    Raises:
        ConfigurationError: not three by three of them.
    """
    rows = value.tolist() if isinstance(value, sp.MatrixBase) else value
    try:
        entries = [as_expression(entry, name) for row in rows for entry in row]
    except TypeError:
        entries = []
    if len(entries) != 9 or len(rows) != 3:
        raise ConfigurationError(f"{name}: got {value!r}; expected three by three expressions")
    return sp.ImmutableMatrix(3, 3, entries)


def rotation(axis: Any, angle: Any) -> Matrix:
    """Return R (3, 3), the rotation by `angle` about the unit `axis` (Rodrigues' formula).

    R = cos φ 1 + sin φ [a×] + (1 − cos φ) a aᵀ

    Raises:
        ConfigurationError: an axis that is not a unit vector.
    """
    a = vector(axis, "axis")
    if not is_zero(a.dot(a) - 1):
        raise ConfigurationError(f"axis: got {list(a)}, of length² {a.dot(a)}; expected a unit one")
    return turn_about(a, as_expression(angle, "angle"))


def turn_about(a: Matrix, angle: Any) -> Matrix:
    """Return `rotation` about an axis (3, 1) that is not checked: decimals of unit length."""
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.ImmutableMatrix(c * sp.eye(3) + s * skew(a) + (1 - c) * a * a.T)


def skew(x: Matrix) -> Matrix:
    """Return [x×] (3, 3), with [x×] y = x × y."""
    return sp.ImmutableMatrix([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def rate(expression: Any) -> Any:
    """Return the derivative with respect to time."""
    return closed_form(expression.diff(t))


@dataclass(frozen=True, eq=False, repr=False)
class Frame:
    """A frame, given in its parent frame or in the inertial world.

    Attributes:
        name: of the frame.
        parent: the frame in which rotation and origin are given; None: the world.
        rotation: R_parent_frame (3, 3).
        origin: (3,), in the parent's axes [m].

    Raises:
        ConfigurationError: an origin that is not three expressions, no rotation matrix, a parent
            that is no frame.
    """

    name: str
    parent: Frame | None = None
    rotation: Matrix = field(default_factory=lambda: sp.eye(3))
    origin: Matrix = (0, 0, 0)

    def __post_init__(self) -> None:
        text(self.name, "name")
        if self.parent is not None:
            instance(self.parent, "parent", Frame)
        R = matrix(self.rotation, "rotation")
        if not is_zero(R.T * R - sp.eye(3)):
            raise ConfigurationError(f"{self.name}: got {R}; expected a rotation matrix (3, 3)")
        object.__setattr__(self, "rotation", R)
        object.__setattr__(self, "origin", vector(self.origin, "origin"))

    @cached_property
    def in_world(self) -> tuple[Matrix, Matrix]:
        """R_world_frame (3, 3) and the origin (3,) in the world, as functions of time."""
        if self.parent is None:
            return closed_form(self.rotation), closed_form(self.origin)
        R, p = self.parent.in_world
        return closed_form(R * self.rotation), closed_form(p + R * self.origin)

    def turn(self, other: Frame) -> Matrix:
        """Return R_self_other (3, 3): vectors in the axes of `other` to those of this frame.

        Raises:
            ConfigurationError: `other` is no frame.
        """
        instance(other, "frame", Frame)
        if other is self:
            return sp.ImmutableMatrix(sp.eye(3))
        if other.parent is self:
            return other.rotation
        if self.parent is other:
            return self.rotation.T
        return closed_form(self.in_world[0].T * other.in_world[0])

    def coordinates(self, point: Any, other: Frame) -> Matrix:
        """Return the coordinates (3,) in this frame of a point given in `other`."""
        (R, p), (R_other, p_other) = self.in_world, instance(other, "frame", Frame).in_world
        return closed_form(R.T * (p_other + R_other * vector(point, "point") - p))

    @cached_property
    def angular_velocity(self) -> Matrix:
        """ω (3,) against the world, in this frame's axes: [ω×] = Rᵀ dR/dt."""
        R = self.in_world[0]
        W = closed_form(R.T * R.diff(t))
        return sp.ImmutableMatrix([W[2, 1], W[0, 2], W[1, 0]])

    @cached_property
    def angular_acceleration(self) -> Matrix:
        """ω̇ (3,) against the world, in this frame's axes."""
        return rate(self.angular_velocity)

    def acceleration(self, point: Any = (0, 0, 0)) -> Matrix:
        """Return the acceleration (3,) against the world, in this frame's axes, of a point of it.

        The point may move in the frame: its coordinates (3,) are any functions of time.
        """
        R, p = self.in_world
        place = p + R * vector(point, "point")
        return closed_form(R.T * closed_form(place.diff(t, 2)))

    def __repr__(self) -> str:
        return f"Frame({self.name!r})"


WORLD = Frame("world")
