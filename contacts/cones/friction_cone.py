"""Coulomb's friction cone of one contact point, exact and by linear inner and outer pyramids."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ContactError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FrictionCone:
    """The forces that dry friction allows at a point: ‖f − (n·f) n‖ ≤ μ n·f and n·f ≥ 0.

    Attributes:
        friction: Coulomb coefficient μ ≥ 0; with 0 only forces along the normal are left.
        normal: n, (3,), unit vector from the ground into the robot, in the axes of the forces.

    Raises:
        ContactError: μ negative or not finite, or a normal that is not a unit vector.
    """

    friction: float
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))

    @property
    def axes(self) -> Array:
        """(3, 3), columns t₁, t₂, n: two tangents and the normal, right-handed."""
        return axes_along(self.normal)

    def violation(self, force: ArrayLike) -> float:
        """Return the distance from `force` (3,) to the nearest force of the cone [N]; 0 inside."""
        f = finite_vector(force, "force")
        return float(np.linalg.norm(f - self.project(f)))

    def contains(self, force: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `force` (3,) is within `tolerance` [N] of the cone."""
        return self.violation(force) <= tolerance

    def project(self, force: ArrayLike) -> Array:
        """Return the nearest force of the cone, (3,).

        The Euclidean projection on a second-order cone: with t = ‖f_t‖ and n = f_n, a force outside
        the cone and its polar goes to (t μ + n)/(1 + μ²) (μ f_t/t, 1).
        """
        f = finite_vector(force, "force")
        n = float(self.normal @ f)
        tangent = f - n * self.normal
        t = float(np.linalg.norm(tangent))
        if t <= self.friction * n:
            return f.copy()
        if self.friction * t <= -n:  # in the polar cone: the apex is nearest
            return np.zeros(3)
        scale = (t * self.friction + n) / (1 + self.friction**2)
        return np.asarray(scale * (self.friction * tangent / t + self.normal))

    def braking(self, velocity: ArrayLike) -> float:
        """Return the most power per newton of normal force that friction takes out of a slip [m/s].

        Of a point with that velocity (3,): μ ‖u_t‖.
        """
        u = self.axes.T @ finite_vector(velocity, "velocity")
        return float(np.linalg.norm(self.friction * u[:2]))

    def rays(self, n: int) -> Array:
        """Return n forces on the cone's surface, (n, 3), evenly around it, each of normal part 1.

        Their non-negative combinations are the inner pyramid of `faces(n, "inner")`.
        """
        local = self.friction * circle(check_sides(n))
        return np.asarray(np.column_stack([local, np.ones(n)]) @ self.axes.T)

    def faces(self, n: int, kind: Literal["inner", "outer"] = "inner") -> Array:
        """Return F (n + 1, 3) of the pyramid {f : F f ≤ 0} with n sides; the last row is f_n ≥ 0.

        "inner" is inscribed (its edges are `rays(n)`): it accepts only forces of the cone.
        "outer" is circumscribed (its faces touch the cone): it accepts every force of the cone.
        """
        check_one_of(kind, "kind", "inner", "outer")
        sides = pyramid_faces(np.full(2, self.friction), check_sides(n), kind)
        return np.asarray(np.vstack([sides, [0.0, 0.0, -1.0]]) @ self.axes.T)

    def constraints(self, f: Any) -> list[Any]:
        """Return the exact cone as cvxpy constraints on an expression f of shape (3,)."""
        import cvxpy as cp

        normal_force = self.normal @ f
        tangents = self.axes[:, :2].T @ f
        return [cp.norm(tangents, 2) <= self.friction * normal_force, normal_force >= 0]


def circle(n: int, kind: str = "inner") -> Array:
    """Return corners (n, 2) of a regular polygon inside the unit circle, or "outer" around it."""
    angles = 2 * np.pi * np.arange(n) / n
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    return corners / np.cos(np.pi / n) if kind == "outer" else corners


def pyramid_faces(friction: Array, n: int, kind: str) -> Array:
    """Return F (n, 3), in contact axes, of a pyramid in place of ‖(f_1/μ_1, f_2/μ_2)‖ ≤ f_n.

    With n even sides in (f_1/μ_1, f_2/μ_2), inscribed or circumscribed; the first two entries of
    each row are of the size of one.

    Args:
        friction: μ (2,), both positive, or both zero: f_t = 0 then.
        n: number of sides.
        kind: "inner" or "outer".
    """
    angles = 2 * np.pi * (np.arange(n) + 0.5) / n
    top = friction.max()
    weights = top / friction if top > 0 else np.ones(2)
    slope = top * (np.cos(np.pi / n) if kind == "inner" else 1.0)
    across = weights * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.column_stack([across, np.full(n, -slope)])


def axes_along(normal: Array) -> Array:
    """Return right-handed axes (3, 3) whose third column is `normal`, x near the world's x or y."""
    # in floats: asked for at every point of every posture, ten times faster than as arrays
    n = nx, ny, nz = float(normal[0]), float(normal[1]), float(normal[2])
    along = 0 if abs(nx) < 0.9 else 1
    x = [-n[along] * component for component in n]
    x[along] += 1.0
    length = math.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2)
    x0, x1, x2 = x[0] / length, x[1] / length, x[2] / length
    y0, y1, y2 = ny * x2 - nz * x1, nz * x0 - nx * x2, nx * x1 - ny * x0
    return np.array([[x0, y0, nx], [x1, y1, ny], [x2, y2, nz]])


def check_friction(friction: float) -> float:
    """Return the friction coefficient as a float, or raise `ContactError`."""
    try:
        value = float(friction)
    except (TypeError, ValueError):
        raise ContactError(f"friction: got {friction!r}, expected a number") from None
    if not (np.isfinite(value) and value >= 0):
        raise ContactError(f"friction: got {value}, expected a finite value of at least 0")
    return value


def check_length(value: float | None, name: str, zero: bool = False) -> float:
    """Return a finite length above 0 (or at least 0 if `zero`) [m], or raise `ContactError`."""
    expected = "at least 0 [m]" if zero else "a positive length [m]"
    try:
        length = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ContactError(f"{name}: got {value!r}, expected {expected}") from None
    if not np.isfinite(length) or length < 0 or (length == 0 and not zero):
        raise ContactError(f"{name}: got {value}, expected {expected}")
    return length


def unit_vector(vector: ArrayLike, name: str) -> Array:
    """Return a read-only unit vector (3,), or raise `ContactError`: nothing is normalised here."""
    n = finite_vector(vector, name).copy()
    norm = float(np.linalg.norm(n))
    if abs(norm - 1) > 1e-6:
        raise ContactError(
            f"{name}: got {n.tolist()} of norm {norm:.6g}, expected a unit vector; "
            f"divide it by its norm"
        )
    n /= norm  # removes what is left of rounding
    n.setflags(write=False)
    return n


def finite_vector(value: ArrayLike, name: str) -> Array:
    """Return three finite numbers as an array (3,), or raise `ContactError`."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ContactError(f"{name}: got {value!r}, expected 3 numbers") from None
    if array.shape != (3,) or not np.isfinite(array).all():
        raise ContactError(f"{name}: got {value!r}, expected 3 finite numbers")
    return array


def check_sides(n: Any) -> int:
    """Return a number of sides of a polygon, an integer of at least 3, or raise `ContactError`."""
    try:
        whole = int(n)
    except (TypeError, ValueError, OverflowError):
        whole = 0
    if whole < 3 or whole != n:
        raise ContactError(f"sides: got {n!r}, expected an integer of at least 3")
    return whole


def check_one_of(value: Any, name: str, *options: str) -> None:
    """Raise `ContactError` unless `value` is one of these words."""
    if not (isinstance(value, str) and value in options):
        listed = f"{', '.join(map(repr, options[:-1]))} or {options[-1]!r}"
        raise ContactError(f"{name}: got {value!r}, expected {listed}")


def finite_rows(value: Any, name: str, size: int, most: int = 1) -> Array:
    """Return finite numbers (size,), or (n, size) if `most` is 2, or raise `ContactError`."""
    shape = f"({size},)" if most == 1 else f"({size},) or (n, {size})"
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ContactError(f"{name}: got {value!r}, expected {shape} of finite numbers") from None
    if array.ndim not in range(1, most + 1) or array.shape[-1] != size:
        raise ContactError(f"{name}: got shape {array.shape}, expected {shape} of finite numbers")
    if not np.isfinite(array).all():
        raise ContactError(f"{name}: got {value!r}, expected {shape} of finite numbers")
    return array
