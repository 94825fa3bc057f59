"""Wrenches and twists that know where and in which axes they are given.

A wrench is a force and a moment about a point; a twist is an angular velocity and the velocity of
the body's point there. Moving to another point P' (r = P' − P), in one and the same axes:

    f' = f      m' = m − r × f            ω' = ω      v' = v + ω × r

and the power f·v + m·ω is the same at every point and in all axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigurationError
from ..robots.configuration import as_vector

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Screw:
    """What wrenches and twists share: a point (or None: not said yet) and named axes."""

    def _check(self, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if name == "point" and value is None:
                continue
            meaning = f"the {name} of a {type(self).__name__.lower()}"
            vector = as_vector(value, 3, name, meaning).copy()
            vector.setflags(write=False)
            object.__setattr__(self, name, vector)
        axes = getattr(self, "axes")  # noqa: B009 (a field of the subclasses)
        if not isinstance(axes, str) or not axes:
            raise ConfigurationError(
                f'axes: got {axes!r}; expected "world" or the name of the frame'
            )


def _offset(screw: Wrench | Twist, point: ArrayLike) -> tuple[Array, Array]:
    """Return (point, r from the screw's own point to it)."""
    if screw.point is None:
        raise ConfigurationError(
            f"this {type(screw).__name__.lower()} does not say where it acts (point=None): give it "
            "a point before moving it, adding to it or taking its power at another point"
        )
    target = as_vector(point, 3, "point", "a point in the axes " + repr(screw.axes))
    return target, target - screw.point


def _change_of_axes(screw: Wrench | Twist, rotation: Any) -> tuple[Array, Array | None]:
    """Return (R_new_old, the screw's point in the new axes)."""
    if isinstance(rotation, pin.SE3):
        R, origin = np.array(rotation.rotation), np.array(rotation.translation)
    else:
        R, origin = np.asarray(rotation, dtype=float), np.zeros(3)
    if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        raise ConfigurationError(
            f"rotation: got {rotation!r}; expected a rotation matrix (3, 3) or a pin.SE3"
        )
    return R, None if screw.point is None else R @ screw.point + origin


def _refuse_different(a: Wrench | Twist, b: Wrench | Twist) -> None:
    """Raise unless a and b are of one kind, in the same axes and at the same point."""
    if type(a) is not type(b):
        raise ConfigurationError(
            f"a {type(a).__name__} and a {type(b).__name__} have no sum; expected two of a kind"
        )
    if a.axes != b.axes:
        raise ConfigurationError(
            f"got axes {a.axes!r} and {b.axes!r}; bring one to the other's: .expressed_in(axes, R)"
        )
    same = a.point is b.point if a.point is None or b.point is None else _close(a.point, b.point)
    if not same:
        raise ConfigurationError(
            f"got points {a.point} and {b.point}; move one to the other's: .at(point)"
        )


def _close(a: Array, b: Array) -> bool:
    """Whether two points are one, but for rounding [m]."""
    return bool(np.abs(a - b).max() <= 1e-12 * (1 + np.abs(a).max()))


@dataclass(frozen=True, eq=False)
class Wrench(_Screw):
    """A force and a moment about `point`, in `axes`.

    Attributes:
        force: f (3,) [N].
        moment: m (3,) about `point` [N·m].
        point: (3,) where the moment is taken [m], in `axes`; None: not said. As an external wrench
            on a link, None is the link's origin.
        axes: "world", or the name of the frame in whose axes (and from whose origin) the three
            vectors are given.

    Wrenches add and subtract at the same point in the same axes only; `.at` and `.expressed_in`
    bring them there.

    Raises:
        ConfigurationError: vectors that are not three finite numbers.
    """

    force: Array
    moment: Array
    point: Array | None = None
    axes: str = "world"

    # what NumPy arrays may not do with wrenches by themselves: array + wrench, array * wrench
    __array_ufunc__ = None

    def __init__(
        self,
        force: ArrayLike,
        moment: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
        axes: str = "world",
    ) -> None:
        for name, value in (("force", force), ("moment", moment), ("point", point), ("axes", axes)):
            object.__setattr__(self, name, value)
        self._check("force", "moment", "point")

    @classmethod
    def from_vector(cls, w: ArrayLike, point: ArrayLike | None = None, axes: str = "world") -> Self:
        """Return the wrench [f; m] (6,) at `point`."""
        w = as_vector(w, 6, "w", "[force; moment]")
        return cls(w[:3], w[3:], point, axes)

    @property
    def vector(self) -> Array:
        """[f; m] (6,), linear first."""
        return np.concatenate([self.force, self.moment])

    def at(self, point: ArrayLike) -> Wrench:
        """Return the same wrench with its moment about `point` (3,): m' = m − r × f."""
        target, r = _offset(self, point)
        return Wrench(self.force, self.moment - np.cross(r, self.force), target, self.axes)

    def expressed_in(self, axes: str, rotation: Any) -> Wrench:
        """Return the same wrench in the axes named `axes`.

        `rotation` is R_new_old (3, 3): a vector x in the present axes is R x in the new ones. The
        point turns about the common origin; give a `pin.SE3` T_new_old if the origin moves too.
        """
        R, point = _change_of_axes(self, rotation)
        return Wrench(R @ self.force, R @ self.moment, point, axes)

    def power(self, twist: Twist | ArrayLike) -> float:
        """Return f·v + m·ω [W]; a twist (6,) is [v; ω] at this wrench's point, in its axes."""
        if not isinstance(twist, Twist):
            return float(self.vector @ as_vector(twist, 6, "twist", "[linear; angular]"))
        if twist.axes == self.axes and self.point is not None and twist.point is not None:
            twist = twist.at(self.point)
        _refuse_different(self, Wrench(twist.linear, twist.angular, twist.point, twist.axes))
        return float(self.vector @ twist.vector)

    def __add__(self, other: Wrench) -> Wrench:
        if not isinstance(other, _Screw):
            return NotImplemented
        _refuse_different(self, other)
        return replace(self, force=self.force + other.force, moment=self.moment + other.moment)

    def __sub__(self, other: Wrench) -> Wrench:
        return self + (-other)

    def __neg__(self) -> Wrench:
        return self * -1.0

    def __mul__(self, factor: float) -> Wrench:
        return replace(self, force=factor * self.force, moment=factor * self.moment)

    __rmul__ = __mul__


@dataclass(frozen=True, eq=False)
class Twist(_Screw):
    """The motion of a body: angular velocity and the velocity of its point at `point`, in `axes`.

    Attributes:
        linear: v (3,) of the body's point that is at `point` [m/s].
        angular: ω (3,) [rad/s].
        point: (3,) [m], in `axes`; None: not said.
        axes: as for `Wrench`.

    Raises:
        ConfigurationError: vectors that are not three finite numbers.
    """

    linear: Array
    angular: Array
    point: Array | None = None
    axes: str = "world"

    __array_ufunc__ = None

    def __init__(
        self,
        linear: ArrayLike,
        angular: ArrayLike,
        point: ArrayLike | None = None,
        axes: str = "world",
    ) -> None:
        for name, value in (
            ("linear", linear),
            ("angular", angular),
            ("point", point),
            ("axes", axes),
        ):
            object.__setattr__(self, name, value)
        self._check("linear", "angular", "point")

    @property
    def vector(self) -> Array:
        """[v; ω] (6,), linear first."""
        return np.concatenate([self.linear, self.angular])

    def at(self, point: ArrayLike) -> Twist:
        """Return the same motion with the velocity at `point` (3,): v' = v + ω × r."""
        target, r = _offset(self, point)
        return Twist(self.linear + np.cross(self.angular, r), self.angular, target, self.axes)

    def expressed_in(self, axes: str, rotation: Any) -> Twist:
        """Return the same motion in the axes named `axes`; `rotation` as for `Wrench`."""
        R, point = _change_of_axes(self, rotation)
        return Twist(R @ self.linear, R @ self.angular, point, axes)

    def __add__(self, other: Twist) -> Twist:
        if not isinstance(other, _Screw):
            return NotImplemented
        _refuse_different(self, other)
        return replace(
            self, linear=self.linear + other.linear, angular=self.angular + other.angular
        )

    def __sub__(self, other: Twist) -> Twist:
        return self + (-other)

    def __neg__(self) -> Twist:
        return self * -1.0

    def __mul__(self, factor: float) -> Twist:
        return replace(self, linear=factor * self.linear, angular=factor * self.angular)

    __rmul__ = __mul__
