"""Coulomb's friction cone of one contact point, exact and by linear inner and outer pyramids.

    ‖(f_1/μ_1, f_2/μ_2)‖ ≤ f_n

along two tangents: round where both coefficients are one, elliptic for anisotropic friction.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ContactError
from ...options import names_checked
from ...robots.values import array, number, one_of, vector, whole_number
from ..geometry.hulls import cone_faces

Friction = float | tuple[float, float]

_NOTHING = 1e-12  # of a force, as a share of it: rounding


class PointCone(ABC):
    """A cone ‖(x_i/s_i)‖ ≤ f_n of what a point transmits, in the axes of two tangents and a normal.

    Attributes:
        friction, normal, tangent: as for `FrictionCone`.
    """

    friction: Friction
    normal: Array
    tangent: ArrayLike | None
    _argument = "force"

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", check_friction(self.friction))
        object.__setattr__(self, "normal", unit_vector(self.normal, "normal"))
        check_tangent(self)

    @property
    def axes(self) -> Array:
        """(3, 3), columns t₁, t₂, n: two tangents and the normal, right-handed."""
        return axes_along(self.normal, self.tangent)

    @property
    def pair(self) -> Array:
        """(μ₁, μ₂) along the two tangents."""
        return np.broadcast_to(self.friction, 2)

    @property
    @abstractmethod
    def _rows(self) -> Array:
        """L (k + 1, k + 1) with L w = (x, f_n), all in newtons."""

    @property
    @abstractmethod
    def _half_axes(self) -> Array:
        """s (k,)."""

    def _local(self, given: ArrayLike) -> tuple[Array, Array]:
        """What is given, checked, and (x, f_n) of it."""
        L = self._rows
        w = array(given, self._argument, (len(L),), error=ContactError)
        return w, np.asarray(L @ w)

    def violation(self, force: ArrayLike) -> float:
        """Return the distance from `force` to the nearest one of the cone [N]; 0 inside."""
        _, local = self._local(force)
        return float(np.linalg.norm(local - nearest_in_cone(local, self._half_axes)))

    def margin(self, force: ArrayLike) -> Any:
        """Return f_n − ‖(x_i/s_i)‖ [N]: how much normal force may go until the contact slides.

        Negative outside: how much is missing; −inf of what no normal force holds, on ice. For a
        round cone f_n − ‖f_t‖/μ. Of one force a float, of many (n, k) an array (n,).
        """
        normal, needed = self._normal_forces(force)
        return single(normal - needed)

    def used(self, force: ArrayLike) -> Any:
        """Return ‖(x_i/s_i)‖/f_n, the share of the friction that a force uses: 1 where it slides.

        For a round cone ‖f_t‖/(μ f_n). More than 1 outside, inf where nothing presses, nan of no
        force. Of one force a float, of many (n, k) an array (n,).
        """
        return share(*self._normal_forces(force))

    def _normal_forces(self, force: ArrayLike) -> tuple[Array, Array]:
        """f_n, and the least one with which the rest is in the cone, of forces (..., k)."""
        L, s = self._rows, self._half_axes
        w = array(force, self._argument, (len(L),), (None, len(L)), error=ContactError) @ L.T
        x, rubs = w[..., :-1], s > 0
        needed = np.linalg.norm(x[..., rubs] / s[rubs], axis=-1)
        on_ice = (np.abs(x[..., ~rubs]) > _NOTHING * np.abs(w).max(axis=-1, keepdims=True)).any(-1)
        return w[..., -1], np.where(on_ice, np.inf, needed)

    def contains(self, force: ArrayLike, tolerance: float = 1e-9) -> bool:
        """Whether `force` is within `tolerance` [N] of the cone."""
        return self.violation(force) <= number(
            tolerance, "tolerance", at_least=0, error=ContactError
        )

    def project(self, force: ArrayLike) -> Array:
        """Return the nearest force of the cone: the Euclidean projection."""
        w, local = self._local(force)
        nearest = nearest_in_cone(local, self._half_axes)
        inside = (nearest == local).all()
        return w.copy() if inside else np.asarray(np.linalg.solve(self._rows, nearest))

    def constraints(self, f: Any) -> list[Any]:
        """Return the exact cone as cvxpy constraints on an expression f of that shape."""
        import cvxpy as cp

        local, s, top = self._rows @ f, self._half_axes, self._half_axes.max()
        x, normal_force, rubs = local[:-1], local[-1], s > 0
        weights = np.where(rubs, top / np.where(rubs, s, 1.0), 1.0)
        found = [cp.norm(cp.multiply(weights, x), 2) <= top * normal_force]
        found += [x[i] == 0 for i in np.flatnonzero(~rubs) if top > 0]
        return [*found, normal_force >= 0]


@names_checked
@dataclass(frozen=True, eq=False)
class FrictionCone(PointCone):
    """The forces that dry friction allows at a point: ‖f − (n·f) n‖ ≤ μ n·f and n·f ≥ 0.

    Attributes:
        friction: Coulomb coefficient μ ≥ 0; with 0 only forces along the normal are left. A pair
            (μ₁, μ₂) along `tangent` and across it: the cone is elliptic.
        normal: n, (3,), unit vector from the ground into the robot, in the axes of the forces.
        tangent: (3,), the direction of μ₁, of which the part along the normal is taken away; needed
            for a pair.

    Raises:
        ContactError: μ negative or not finite, a normal that is not a unit vector, a pair without a
            tangent, or one along the normal.
    """

    friction: Friction
    normal: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    tangent: ArrayLike | None = None

    @property
    def _rows(self) -> Array:
        return self.axes.T

    @property
    def _half_axes(self) -> Array:
        return self.pair

    def braking(self, velocity: ArrayLike) -> float:
        """Return the most power per newton of normal force that friction takes out of a slip [m/s].

        Of a point with that velocity (3,): ‖(μ₁ u₁, μ₂ u₂)‖.
        """
        u = self.axes.T @ vector(velocity, "velocity", error=ContactError)
        return float(np.linalg.norm(self.pair * u[:2]))

    def rays(self, n: int) -> Array:
        """Return n forces on the cone's surface, (n, 3), evenly around it, each of normal part 1.

        Their non-negative combinations are the inner pyramid of `faces(n, "inner")`.
        """
        n = whole_number(n, "sides", at_least=3, error=ContactError)
        local = self.pair * circle(n)
        return np.asarray(np.column_stack([local, np.ones(n)]) @ self.axes.T)

    def faces(self, n: int, kind: Literal["inner", "outer"] = "inner") -> Array:
        """Return F (n + 1, 3) of the pyramid {f : F f ≤ 0} with n sides; the last row is f_n ≥ 0.

        Where one of two coefficients is zero the pyramid is flat, and has fewer rows or more.

        "inner" is inscribed (its edges are `rays(n)`): it accepts only forces of the cone.
        "outer" is circumscribed (its faces touch the cone): it accepts every force of the cone.
        """
        one_of(kind, "kind", ("inner", "outer"), error=ContactError)
        n = whole_number(n, "sides", at_least=3, error=ContactError)
        sides = pyramid_faces(self.pair, n, kind)
        return np.asarray(np.vstack([sides, [0.0, 0.0, -1.0]]) @ self.axes.T)


def share(normal: Array, needed: Array) -> Any:
    """Return needed/normal of normal forces; inf where it presses too little or not, nan of 0/0."""
    presses = normal > 0
    found = np.where(presses, needed / np.where(presses, normal, 1.0), np.inf)
    return single(np.where((normal == 0) & (needed == 0), np.nan, found))


def single(x: Array) -> Any:
    """Return an array, or a float of none."""
    return float(x) if np.ndim(x) == 0 else np.asarray(x)


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
        friction: μ (2,); no force along a tangent where it is zero.
        n: number of sides.
        kind: "inner" or "outer".
    """
    if friction.max() > 0 == friction.min():
        rays = np.column_stack([friction * circle(n, kind), np.ones(n)])
        return cone_faces(rays)
    angles = 2 * np.pi * (np.arange(n) + 0.5) / n
    top = friction.max()
    weights = top / friction if top > 0 else np.ones(2)
    slope = top * (np.cos(np.pi / n) if kind == "inner" else 1.0)
    across = weights * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.column_stack([across, np.full(n, -slope)])


def nearest_in_cone(w: Array, axes: Array) -> Array:
    """Return the nearest x (k + 1,) with ‖(x_i/s_i)‖ ≤ x_k, s the half axes (k,), to w (k + 1,).

    Where w = (t, n) is outside the cone and its polar ‖(s_i t_i)‖ ≤ −n, the multiplier of the cone
    θ/(1 − θ), 0 < θ < 1, is the root of

        Σ (t_i s_i (1 − 2θ)/d_i)² = n²,     d_i = (1 − θ) s_i² + θ,     x_i = t_i (1 − θ) s_i²/d_i

    which for a round cone, s_i = μ, is (t μ + n)/(1 + μ²) (μ t_i/t, 1) with t = ‖(t_i)‖.
    """
    if (axes == 0).any():  # no force along these
        kept, x = np.append(axes > 0, True), np.zeros(len(w))
        x[kept] = nearest_in_cone(w[kept], axes[axes > 0])
        return x
    t, n, s = w[:-1], float(w[-1]), axes
    if np.linalg.norm(t / s) <= n:
        return w.copy()
    if np.linalg.norm(s * t) <= -n:  # in the polar cone: the apex is nearest
        return np.zeros(len(w))
    if (s == s[0]).all():
        length = float(np.linalg.norm(t))
        scale = (length * s[0] + n) / (1 + s[0] ** 2)
        return np.append(scale * s[0] * t / length, scale)

    def off(theta: float) -> float:
        d = (1 - theta) * s**2 + theta
        return float(np.linalg.norm(t * s * (1 - 2 * theta) / d) - abs(n))

    theta = 0.5
    if n != 0:
        low, high = (0.0, 0.5) if n > 0 else (0.5, 1.0)
        crosses = off(low) * off(high) < 0  # else w is on the boundary but for rounding
        theta = scipy.optimize.brentq(off, low, high, xtol=1e-16) if crosses else 2 * (high - 0.5)
    x = t * (1 - theta) * s**2 / ((1 - theta) * s**2 + theta)
    return np.append(x, np.linalg.norm(x / s))


def axes_along(normal: Array, tangent: ArrayLike | None = None) -> Array:
    """Return right-handed axes (3, 3) whose third column is `normal`.

    The first is near the world's x or y, or what of `tangent` is orthogonal to the normal.
    """
    if tangent is not None:
        t = np.asarray(tangent, dtype=float)
        t = t - (t @ normal) * normal
        t /= np.linalg.norm(t)
        return np.column_stack([t, np.cross(normal, t), normal])
    # in floats: asked for at every point of every posture, ten times faster than as arrays
    n = nx, ny, nz = float(normal[0]), float(normal[1]), float(normal[2])
    along = 0 if abs(nx) < 0.9 else 1
    x = [-n[along] * component for component in n]
    x[along] += 1.0
    length = math.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2)
    x0, x1, x2 = x[0] / length, x[1] / length, x[2] / length
    y0, y1, y2 = ny * x2 - nz * x1, nz * x0 - nx * x2, nx * x1 - ny * x0
    return np.array([[x0, y0, nx], [x1, y1, ny], [x2, y2, nz]])


def check_friction(friction: Any) -> Friction:
    """Return a friction coefficient as a float, two of them as a pair, or raise `ContactError`."""
    shapes = (), (2,)
    values = array(friction, "friction", *shapes, meaning="μ ≥ 0", at_least=0, error=ContactError)
    return float(values) if values.ndim == 0 else (float(values[0]), float(values[1]))


def check_tangent(part: Any) -> None:
    """Refuse a pair of frictions without `tangent`, and one along `normal`, of a cone or point.

    Raises:
        ContactError: as above, or an argument that is not a vector.
    """
    if part.tangent is None:
        if isinstance(part.friction, tuple):
            raise ContactError(
                f"tangent: got none with friction {part.friction}, expected the direction of the "
                "first of the two coefficients, such as (1, 0, 0)"
            )
        return
    t = vector(part.tangent, "tangent", error=ContactError, frozen=True)
    across = t - (t @ part.normal) * part.normal
    if np.linalg.norm(across) <= 1e-6 * np.linalg.norm(t):
        raise ContactError(
            f"tangent: got {t.tolist()}, expected one that is not along the normal "
            f"{np.asarray(part.normal).tolist()}"
        )
    object.__setattr__(part, "tangent", t)


def unit_vector(value: ArrayLike, name: str) -> Array:
    """Return a read-only unit vector (3,), or raise `ContactError`: nothing is normalised here."""
    n = vector(value, name, error=ContactError)
    norm = float(np.linalg.norm(n))
    if abs(norm - 1) > 1e-6:
        raise ContactError(
            f"{name}: got {n.tolist()} of norm {norm:.6g}, expected a unit vector; "
            f"divide it by its norm"
        )
    n = n / norm  # removes what is left of rounding
    n.setflags(write=False)
    return n
