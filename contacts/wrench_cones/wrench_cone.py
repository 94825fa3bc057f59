"""Contact wrench cones: what a patch, or a whole set of contacts, can transmit.

A contact transmits the wrenches that forces inside the friction cones at its points add up to:

    w = Σ_k [f_k; p_k × f_k],    f_k ∈ K_k

(with torsional friction, of a soft point its moment too, and of a patch those with |m_n| ≤ γ f_n).
Exactly (a second-order cone program), or by pyramids in place of the cones K_k, inscribed for an
inner cone and circumscribed for an outer one. The faces F of these, F w ≤ 0, come from the convex
hull of their rays; inner means that no wrench is accepted that friction forbids, outer that none is
refused that friction allows, whatever the patch and the number of sides.

S. Caron, Q.-C. Pham, Y. Nakamura, "Stability of surface contacts for humanoid robots" (ICRA 2015).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from ... import registry
from ...arrays import Array
from ...errors import ContactError, SolverError
from ...options import names_checked
from ...robots import Robot
from ...robots.values import array, instance, number, one_of, whole_number
from ..cones.friction_cone import check_friction, circle, pyramid_faces, share, single
from ..contact import Contact
from ..contact_set import ContactSet
from ..equilibrium.certificate import falling_motion
from ..equilibrium.programs import Equilibrium
from ..geometry.hulls import cone_faces
from ..kernels.polar_projection import POLAR_PROJECTIONS, polar_parts
from ..limits import Kind
from ..point_forces import PointForces

_MANY = 4096  # from so many wrenches on, finding the faces of a linear cone pays off
_FLAT = 1e-9  # of unit wrenches, what counts as nothing where a cone has no volume
_ROUNDING = 1e-12  # distances of unit wrenches below which they are inside


@names_checked
class WrenchCone:
    """The wrenches w = [force; moment] (6,) that a contact can transmit, environment on robot.

    Args:
        contact: of any kind; w is at its centre, in contact axes (z the normal).
        kind: "exact" (second-order cones), "inner" or "outer" (pyramids with `sides` sides).
        sides: number of sides of the pyramids, at least 3; the exact cone has none.

    Raises:
        ContactError: an unknown kind, fewer than three sides, or a contact with bounds on its
            normal force: the wrenches of such a contact are no cone.
    """

    def __init__(self, contact: Contact, kind: Kind = "exact", sides: int = 8) -> None:
        if not isinstance(contact, Contact):
            raise ContactError(
                f"contact: got {contact!r}, expected a PointContact, SurfaceContact, …"
            )
        self._set(PointForces.of_contact(contact), kind, sides)

    @classmethod
    def of(cls, generators: PointForces, kind: Kind = "exact", sides: int = 8) -> WrenchCone:
        """Return the cone of given point forces, in their axes."""
        cone = cls.__new__(cls)
        cone._set(generators, kind, sides)
        return cone

    def _set(self, generators: PointForces, kind: Kind, sides: int) -> None:
        one_of(kind, "kind", ("exact", "inner", "outer"), error=ContactError)
        instance(generators, "generators", PointForces, error=ContactError)
        generators.require_cone()
        self.generators = generators
        self.kind: Kind = kind
        self.sides = whole_number(sides, "sides", at_least=3, error=ContactError)

    @cached_property
    def rays(self) -> Array:
        """(r, 6), wrenches whose non-negative combinations are the cone.

        Raises:
            ContactError: for the exact cone, which has infinitely many.
        """
        self._linear("rays")
        return self.generators.rays(self.kind, self.sides)

    @cached_property
    def faces(self) -> Array:
        """F (m, 6) with the cone = {w : F w ≤ 0}, rows of unit norm.

        A cone without volume (a point contact, no friction) has pairs of opposite rows for the
        wrenches it cannot transmit at all.

        Raises:
            ContactError: for the exact cone, which is round.
        """
        self._linear("faces")
        return self.generators.faces(self.kind, self.sides)

    def violation(self, wrench: ArrayLike) -> float:
        """Return the distance of w (6,) from the cone [N]; 0 inside.

        Moments count by the force that gives them at the patch's farthest point.

        Raises:
            SolverError: the exact distance was not found, which for cones that hold zero is a bug.
        """
        w = array(wrench, "wrench", (6,), error=ContactError) / self._units
        return float(self._distances(w[None])[0])

    def contains(self, wrench: ArrayLike, tolerance: float = 1e-7) -> bool | NDArray[np.bool_]:
        """Whether w (6,), or each of (n, 6), is inside, to `tolerance` times its norm.

        The linear cones ask their faces, all wrenches at once. The exact one asks `violation`; of
        many wrenches only for those that neither an inner nor an outer cone decides.
        """
        given = array(wrench, "wrench", (6,), (None, 6), error=ContactError)
        number(tolerance, "tolerance", at_least=0, error=ContactError)
        single, w = given.ndim == 1, np.atleast_2d(given)
        size = np.linalg.norm(w / self._units, axis=1)
        if self.kind == "exact":
            inside = self._exact_contains(w, tolerance * size)
        else:
            reach = (w / self._units) @ self._unit_faces.T
            inside = (reach <= tolerance * size[:, None]).all(axis=1)
        return bool(inside[0]) if single else inside

    def margin(self, wrench: ArrayLike) -> Any:
        """Return the largest ε with w − ε Σ_c [n_c; p_c × n_c] in the cone [N], see `Hold.margin`.

        As much normal force may be taken away at the centre of each contact until it slides, turns
        or tips; negative outside: as much is missing. Of a point that is f_n − ‖f_t‖/μ. +inf of
        what holds both ways, −inf of what no normal force makes possible, such as a moment on a
        point. By the cone's kind: an inner one gives less, an outer one more.

        Args:
            wrench: w (6,), or many (n, 6): of one a float, of many an array (n,).

        Raises:
            SolverError: the cone program was not solved.
        """
        given = array(wrench, "wrench", (6,), (None, 6), error=ContactError)
        w = np.atleast_2d(given) / self._units
        scale = np.linalg.norm(w, axis=1)
        unit = w / np.where(scale > 0, scale, 1.0)[:, None]
        if self.kind == "exact":
            found = np.array([self._exact_margin(row) for row in unit])
        else:
            found = self._linear_margins(unit)
        finite = np.isfinite(found)
        found[finite] *= scale[finite]
        return single(found[0] if given.ndim == 1 else found)

    def used(self, wrench: ArrayLike) -> Any:
        """Return 1 − margin/f_n of one contact: the share of its normal force that w needs.

        Of a point that is ‖f_t‖/(μ f_n), the friction used; of a patch also the share of its size,
        by the centre of pressure, and of its torsional friction: 1 where it slides, turns or tips.
        More than 1 outside, inf where nothing presses, 0 of what holds both ways, nan of no force.

        Args:
            wrench: as for `margin`.

        Raises:
            ContactError: a cone of several contacts, which have no common normal force.
        """
        if len(self.generators.centres) != 1:
            raise ContactError(
                f"used: got a cone of {len(self.generators.centres)} contacts, expected that of one"
            )
        given = array(wrench, "wrench", (6,), (None, 6), error=ContactError)
        normal = given[..., :3] @ self.generators.centre_normals[0]
        margin = self.margin(given)
        none = (given == 0).all(axis=-1)
        both = np.isposinf(margin) & ~none
        return share(np.where(both, 1.0, normal), np.where(none | both, 0.0, normal - margin))

    @cached_property
    def _body(self) -> Equilibrium:
        """The balance of no load by the generators, moments in units, see `_units`."""
        return Equilibrium.of_body(self.generators.scaled(1 / self.generators.size), np.zeros(6))

    def _linear_margins(self, w: Array) -> Array:
        """ε ≤ (F w)_i/(F N)_i of all faces, (n,)."""
        F = self._unit_faces
        reach, taken = w @ F.T, F @ self._body.pull
        limits = taken < -_ROUNDING
        lost = (reach[:, ~limits] > _FLAT).any(axis=1)
        ratios = reach[:, limits] / taken[limits]
        return np.where(lost, -np.inf, ratios.min(axis=1, initial=np.inf))

    def _exact_margin(self, w: Array) -> float:
        """max ε with A x + ε N = w over admissible x, in the units of `w`."""
        found = replace(self._body, load=-w).margin()
        if np.isnan(found.value):
            raise SolverError(f"margin of {self!r}: the cone program ended {found.status!r}")
        return found.value

    def about(self, point: ArrayLike) -> WrenchCone:
        """Return the same cone for moments about `point` (3,), given in the cone's axes [m]."""
        return WrenchCone.of(self.generators.about(point), self.kind, self.sides)

    @cached_property
    def _units(self) -> Array:
        return np.repeat([1.0, self.generators.size], 3)

    @cached_property
    def _unit_faces(self) -> Array:
        """The faces (m, 6) for wrenches in units, rows of unit norm."""
        F = self.faces * self._units
        return np.asarray(F / np.linalg.norm(F, axis=1, keepdims=True))

    def _exact_contains(self, w: Array, tolerance: Array) -> NDArray[np.bool_]:
        if len(w) < _MANY:
            return np.asarray(self._distances(w / self._units) <= tolerance)
        inner, outer = self._brackets
        inside = np.asarray(inner.contains(w, 0.0))
        open_ = np.flatnonzero(~inside & np.asarray(outer.contains(w)))
        inside[open_] = self._distances(w[open_] / self._units) <= tolerance[open_]
        return inside

    @cached_property
    def _brackets(self) -> tuple[WrenchCone, WrenchCone]:
        """A linear cone inside the exact one, and one around it."""
        inner, outer = (WrenchCone.of(self.generators, kind, 16) for kind in ("inner", "outer"))
        return inner, outer

    def _distances(self, w: Array) -> Array:
        """How far wrenches (n, 6), moments in units of force, are from the cone (n,) [N]."""
        scale = np.linalg.norm(w, axis=1)
        unit, rows = w / np.where(scale > 0, scale, 1.0)[:, None], self._lorentz_rows
        if self.kind != "exact":
            rays = (self.rays / self._units).T
            distances = np.array([scipy.optimize.nnls(rays, row)[1] for row in unit])
        elif rows is None:
            distances = np.array([self._exact_distance(row) for row in unit])
        elif (kernel := POLAR_PROJECTIONS.select(len(unit))) is not None:
            distances = np.linalg.norm(polar_parts(kernel, *rows, unit), axis=1)
            for i in np.flatnonzero(np.isnan(distances)):
                distances[i] = self._exact_distance(unit[i])
            distances = np.where(distances > _ROUNDING, distances, 0.0)
        else:
            with POLAR_PROJECTIONS.uncompiled(len(unit)):
                distances = np.array([self._exact_distance(row) for row in unit])
        return np.asarray(scale * distances)

    @cached_property
    def _lorentz_rows(self) -> tuple[Array, tuple[int, int, int]] | None:
        """B (6, n) and the cones (D, K, 0) as `polar_parts` takes them, in units of wrenches.

        None where something limits a contact as a whole: torsional friction of a patch.
        """
        limits, body = self.generators.limits, self._body
        if len(limits.yaw_limited):
            return None
        cone, D = ~limits.bilateral, body.layout.D
        entries = body.layout.spread(body.columns * limits.scaling).reshape(6, D, -1)
        free = entries[:, [0, 1, D - 1]][:, :, ~cone].reshape(6, -1)
        return np.hstack([entries[:, :, cone].reshape(6, -1), free]), (D, int(cone.sum()), 0)

    def _exact_distance(self, w: Array) -> float:
        """min ‖w − A x‖ over admissible x, A their wrenches, in the units of `w`."""
        found = falling_motion(replace(self._body, load=-w))
        if np.isnan(found.value):
            raise SolverError(f"distance to {self!r}: the cone program ended {found.status!r}")
        return max(found.value, 0.0)

    def _linear(self, what: str) -> None:
        if self.kind == "exact":
            raise ContactError(
                f'an exact cone is round, it has no {what}: ask for "inner" or "outer"'
            )

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        sides = "" if self.kind == "exact" else f", sides={self.sides}"
        return f"WrenchCone({self.kind!r}{sides}, {len(self.generators.points)} points)"


@names_checked
def net_wrench_cone(
    contacts: ContactSet | Iterable[Contact],
    q: ArrayLike,
    point: ArrayLike = (0.0, 0.0, 0.0),
    kind: Kind = "exact",
    sides: int = 8,
    robot: Robot | None = None,
) -> WrenchCone:
    """Return what a set of contacts can transmit together, about `point` (3,), in world axes.

    Args:
        contacts: a ContactSet, or any contacts with `robot=`.
        robot: whose contacts they are.
        q: configuration (nq,).
        point: where moments are taken, in the world [m].
        kind, sides: as for `WrenchCone`.
    """
    if robot is not None:
        contacts = ContactSet.of(robot, contacts)
    if not isinstance(contacts, ContactSet):
        raise ContactError("contacts: got no ContactSet; expected one, or robot=")
    return WrenchCone.of(PointForces.of(contacts, q, point), kind, sides)


def rectangle_faces(half_length: float, half_width: float, friction: ArrayLike) -> Array:
    """Return F (16, 6), the closed form of the wrench cone of a rectangle with 4-sided pyramids.

    With X, Y the half sizes and μ, ν the friction of pyramids |f_x| ≤ μ f_z, |f_y| ≤ ν f_z:

        |f_x| ≤ μ f_z,   |f_y| ≤ ν f_z,   |τ_x| ≤ Y f_z,   |τ_y| ≤ X f_z,   τ_min ≤ τ_z ≤ τ_max
        τ_min = −(ν X + μ Y) f_z + |Y f_x − μ τ_x| + |X f_y − ν τ_y|
        τ_max = +(ν X + μ Y) f_z − |Y f_x + μ τ_x| − |X f_y + ν τ_y|

    This is an inner cone of Coulomb's when `friction`, one number for both or two, is μ/√2, an
    outer one when it is μ itself.

    Source: Caron, Pham, Nakamura (2015), proposition 3, with one μ.
    """
    X, Y = half_length, half_width
    mu, nu = np.broadcast_to(check_friction(friction), 2).tolist()
    fx, fy, fz, tx, ty, tz = np.eye(6)
    bounded = ((fx, mu), (fy, nu), (tx, Y), (ty, X))
    rows = [sign * row - bound * fz for row, bound in bounded for sign in (1, -1)]
    most = (nu * X + mu * Y) * fz
    for s1 in (1, -1):
        for s2 in (1, -1):
            rows.append(-tz - most + s1 * (Y * fx - mu * tx) + s2 * (X * fy - nu * ty))
            rows.append(tz - most + s1 * (Y * fx + mu * tx) + s2 * (X * fy + nu * ty))
    return np.array(rows)


def inner_faces(contact: Contact, sides: int) -> Array:
    """Return F (k, dim), an inner cone {w : F w ≤ 0} of what a contact can transmit.

    In contact axes, w being what of [force; moment] the contact transmits; none if it is bilateral.
    Bounds on the normal force are left out. Of a point a pyramid; of a soft one, which shares one
    cone, |f_1|/μ_1 + |f_2|/μ_2 + |m|/γ ≤ f_n; of a rectangle with four sides the closed form, half
    as many rows as by the convex hull.

    Raises:
        ContactError: fewer than three sides.
    """
    sides = whole_number(sides, "sides", at_least=3, error=ContactError)
    forces = PointForces.of_contact(contact).without_bounds()
    limits, mu = forces.limits, forces.limits.friction[0]
    kept = limits.components(0)
    if limits.bilateral[0]:
        return np.zeros((0, len(kept)))
    if (mu > 0).all() and limits.point_count == 1:
        soft = len(limits.soft) > 0
        return _octahedron(*mu, *limits.torsion) if soft else pyramid_faces(mu, sides, "inner")
    half = np.abs(limits.arms)
    if sides == 4 and len(half) == 4 and np.ptp(half, axis=0).max() < 1e-9:
        faces = rectangle_faces(half[0, 0], half[0, 1], mu / np.sqrt(2))
        return np.vstack([faces, forces.yaw_faces])
    if limits.point_count > 1 and mu[0] == mu[1] > 0:
        faces = np.vstack([_patch_faces(limits.arms, float(mu[0]), sides), forces.yaw_faces])
    else:
        faces = forces.faces("inner", sides)
    faces = faces[:, kept]
    return np.asarray(faces[np.abs(faces).max(axis=1) > 1e-9])


def _patch_faces(corners: Array, mu: float, sides: int) -> Array:
    """F (k, 6), rows of unit norm, of a patch with the same friction μ > 0 at its corners (x, y).

    Tangential forces and the moment about the normal are in proportion to μ, so that F is that of
    μ = 1 with these columns divided by it: what is believed of friction changes while feet stand.
    """
    faces = _unit_friction_faces(corners.tobytes(), sides) / np.array([mu, mu, 1.0, 1.0, 1.0, mu])
    return np.asarray(faces / np.linalg.norm(faces, axis=1, keepdims=True))


@lru_cache(maxsize=256)
def _unit_friction_faces(corners: bytes, sides: int) -> Array:
    """F (k, 6) of a patch with μ = 1 at its corners; a hull of its rays, which takes 6 ms."""
    arms = np.frombuffer(corners).reshape(-1, 2)
    force = np.column_stack([circle(sides), np.ones(sides)])
    arm = np.repeat(np.column_stack([arms, np.zeros(len(arms))]), sides, axis=0)
    force = np.tile(force, (len(arms), 1))
    rays = np.hstack([force, np.cross(arm, force)])
    return cone_faces(rays, float(np.linalg.norm(arms, axis=1).max()) or 1.0)


def _octahedron(*axes: float) -> Array:
    """Σ |w_i|/axes_i ≤ f_n (8, 4), w = (f_1, f_2, f_n, m)."""
    signs = np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, -1).T
    return np.asarray(np.insert(signs / np.array(axes), 2, -1.0, axis=1))
