"""Wrenches and twists with their reference point and axes.

A wrench is a force and a moment about a point; a twist is an angular velocity and the velocity of
the body's point there. Moving to another point P' (r = P' − P), in one and the same axes:

    f' = f      m' = m − r × f            ω' = ω      v' = v + ω × r

and the power f·v + m·ω is the same at every point and in all axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError
from ..reprs import short
from ..robots.configuration import as_vector
from ..robots.values import number, placement, rotation, text, vector
from .spatial import cross


@dataclass(frozen=True, eq=False, init=False, repr=False)
class _Screw:
    """Two vectors (3,), linear first, at a point (or None: not said yet) and in named axes."""

    _parts: ClassVar[tuple[str, str]]  # their names

    point: Array | None
    axes: str

    # NumPy may not add, subtract or multiply these by itself, entry by entry
    __array_ufunc__ = None

    def _hold(self, point: ArrayLike | None, axes: str, **vectors: ArrayLike) -> None:
        """Keep read-only copies of what was given."""
        object.__setattr__(self, "axes", text(axes, "axes"))
        object.__setattr__(self, "point", None)
        given = vectors if point is None else {**vectors, "point": point}
        for name, value in given.items():
            meaning = f"the {name} of a {type(self).__name__.lower()}"
            object.__setattr__(self, name, vector(value, name, meaning, frozen=True))

    def __repr__(self) -> str:
        words = [short(getattr(self, part)) for part in self._parts]
        words += [] if self.point is None else [f"point={short(self.point)}"]
        words += [] if self.axes == "world" else [f"axes={self.axes!r}"]
        return f"{type(self).__name__}({', '.join(words)})"

    @property
    def vector(self) -> Array:
        """Both vectors in one (6,), linear first: [f; m] or [v; ω]."""
        return np.concatenate([getattr(self, part) for part in self._parts])

    @classmethod
    def from_vector(
        cls, vector: ArrayLike, point: ArrayLike | None = None, axes: str = "world"
    ) -> Self:
        """Return the one with `vector` (6,), linear first, at `point` and in `axes`."""
        x = as_vector(vector, 6, "vector", "[{}; {}]".format(*cls._parts))
        return cls(x[:3], x[3:], point, axes)  # type: ignore[call-arg]

    def expressed_in(self, axes: str, rotation: Any) -> Self:
        """Return the same in the axes named `axes`.

        `rotation` is R_new_old (3, 3): a vector x in the present axes is R x in the new ones. The
        point turns about the common origin; give a `pin.SE3` T_new_old if the origin moves too.

        Raises:
            ConfigurationError: no rotation matrix.
        """
        R, origin = _rotation_and_origin(rotation)
        point = None if self.point is None else R @ self.point + origin
        turned = (R @ getattr(self, part) for part in self._parts)
        return type(self)(*turned, point, axes)  # type: ignore[call-arg]

    def _lever(self, point: ArrayLike) -> tuple[Array, Array]:
        """Return (point, r from this one's own point to it)."""
        if self.point is None:
            raise ConfigurationError(
                f"this {type(self).__name__.lower()} does not say where it acts (point=None): give "
                "it a point before moving it, adding to it or taking its power at another point"
            )
        target = as_vector(point, 3, "point", f"a point in the axes {self.axes!r}")
        return target, target - self.point

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, _Screw):
            return NotImplemented
        if type(self) is not type(other):
            raise ConfigurationError(
                f"a {type(self).__name__} and a {type(other).__name__} have no sum; expected two "
                "of a kind"
            )
        _refuse_different(self, other)
        return self.from_vector(self.vector + other.vector, self.point, self.axes)

    def __sub__(self, other: Self) -> Self:
        if not isinstance(other, _Screw):
            return NotImplemented
        return self + (-other)

    def __neg__(self) -> Self:
        return self * -1.0

    def __mul__(self, factor: float) -> Self:
        if np.ndim(factor) != 0:
            return NotImplemented
        factor = number(factor, "factor")
        return self.from_vector(factor * self.vector, self.point, self.axes)

    __rmul__ = __mul__


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Wrench(_Screw):
    """A force and a moment about `point`, in `axes`.

    Wrenches add and subtract at the same point in the same axes only; `.at` and `.expressed_in`
    bring them there.

    Attributes:
        force: f (3,) [N].
        moment: m (3,) about `point` [N·m].
        point: (3,) where the moment is taken [m], in `axes`; None: not said. As an external wrench
            on a link, None is the link's origin.
        axes: "world", or the name of the frame in whose axes (and from whose origin) the three
            vectors are given.

    Raises:
        ConfigurationError: vectors that are not three finite numbers.
    """

    _parts = "force", "moment"

    force: Array
    moment: Array

    def __init__(
        self,
        force: ArrayLike,
        moment: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
        axes: str = "world",
    ) -> None:
        self._hold(point, axes, force=force, moment=moment)

    def at(self, point: ArrayLike) -> Self:
        """Return the same wrench with its moment about `point` (3,): m' = m − r × f.

        Raises:
            ConfigurationError: this wrench has no point to start from.
        """
        target, r = self._lever(point)
        return type(self)(self.force, self.moment - cross(r, self.force), target, self.axes)

    def power(self, twist: Twist | ArrayLike) -> float:
        """Return f·v + m·ω [W]; a twist (6,) is [v; ω] at this wrench's point, in its axes.

        Raises:
            ConfigurationError: other axes, or a point that one of the two does not say.
        """
        if not isinstance(twist, Twist):
            return float(self.vector @ as_vector(twist, 6, "twist", "[linear; angular]"))
        if self.point is not None and twist.point is not None and twist.axes == self.axes:
            twist = twist.at(self.point)
        _refuse_different(self, twist)
        return float(self.vector @ twist.vector)


@dataclass(frozen=True, eq=False, init=False, repr=False)
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

    _parts = "linear", "angular"

    linear: Array
    angular: Array

    def __init__(
        self,
        linear: ArrayLike,
        angular: ArrayLike,
        point: ArrayLike | None = None,
        axes: str = "world",
    ) -> None:
        self._hold(point, axes, linear=linear, angular=angular)

    def at(self, point: ArrayLike) -> Self:
        """Return the same motion with the velocity at `point` (3,): v' = v + ω × r.

        Raises:
            ConfigurationError: this twist has no point to start from.
        """
        target, r = self._lever(point)
        return type(self)(self.linear + cross(self.angular, r), self.angular, target, self.axes)


def _rotation_and_origin(given: Any) -> tuple[Array, Array]:
    """Return (R, p) of a rotation matrix or of a `pin.SE3`."""
    if isinstance(given, pin.SE3):
        T = placement(given, "rotation")
        return np.array(T.rotation), np.array(T.translation)
    return rotation(given, "rotation"), np.zeros(3)


def _refuse_different(a: _Screw, b: _Screw) -> None:
    """Raise unless a and b are in the same axes and at the same point, rounding apart [m]."""
    if a.axes != b.axes:
        raise ConfigurationError(
            f"got axes {a.axes!r} and {b.axes!r}; bring one to the other's: .expressed_in(axes, R)"
        )
    if a.point is None or b.point is None:
        same = a.point is b.point
    else:
        same = bool(np.abs(a.point - b.point).max() <= 1e-12 * (1 + np.abs(a.point).max()))
    if not same:
        raise ConfigurationError(
            f"got points {a.point} and {b.point}; move one to the other's: .at(point)"
        )
