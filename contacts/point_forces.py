"""Contact points in the world, with their limits: contacts without a robot."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..dynamics import State
from ..dynamics.spatial import skew
from ..errors import ContactError, counted
from ..robots.configuration import check_reach
from ..robots.values import array, instance, number, one_of, vector, whole_number
from .cones.friction_cone import FrictionCone, unit_vector
from .contact import Contact
from .contact_set import ContactSet
from .geometry.hulls import cone_faces
from .limits import ContactLimits, Kind


@dataclass(frozen=True, eq=False, repr=False)
class PointForces:
    """Where forces act, K points of C contacts, and what limits them.

    Attributes:
        points: (K, 3), from the point about which moments are taken [m].
        axes: (K, 3, 3), columns: two tangents and the normal at each point.
        centres: (C, 3), of the contacts, from the same point [m].
        limits: of the forces, in these axes.
    """

    points: Array
    axes: Array
    centres: Array
    limits: ContactLimits

    def __repr__(self) -> str:
        """How many points, of how many contacts."""
        contacts = counted(len(self.centres), "contact")
        return f"PointForces({counted(len(self.points), 'point')} of {contacts})"

    @classmethod
    def of(
        cls, contacts: ContactSet, q: ArrayLike | State, point: ArrayLike | None = None
    ) -> PointForces:
        """Return the points of a set of contacts at q, seen from `point` (3,), in world axes.

        None: from the world's origin.
        """
        instance(contacts, "contacts", ContactSet, error=ContactError)
        state, limits = State.of(contacts.robot, q), contacts.limits
        check_reach(state.robot, state.q)
        centres = contacts.attachment.positions(state)
        if point is not None:
            centres = centres - vector(point, "point", error=ContactError)
        axes = contacts.attachment.rotations(state)[limits.owner]
        points = (axes @ contacts.attachment.points[:, :, None])[:, :, 0] + centres[limits.owner]
        return cls(points, axes, centres, limits)

    @classmethod
    def of_contact(cls, contact: Contact) -> PointForces:
        """Return the points of one contact, seen from its centre, in its own axes."""
        instance(contact, "contact", Contact, error=ContactError)  # type: ignore[type-abstract]
        limits, points = ContactLimits.of([contact]), np.array(contact.points)
        axes = np.repeat(np.eye(3)[None], len(points), axis=0)
        return cls(points, axes, np.zeros((1, 3)), limits)

    @classmethod
    def at(
        cls,
        points: ArrayLike,
        normals: ArrayLike,
        friction: ArrayLike,
        tangents: ArrayLike | None = None,
    ) -> PointForces:
        """Return points given in the world: (k, 3), unit normals (k, 3) or (3,), μ (k,) or one.

        With tangents (k, 3) or (3,) pairs of μ too, (k, 2), along them and across.

        Raises:
            ContactError: shapes that do not fit, values that are not finite, normals not of unit
                length, negative friction.
        """
        vectors = (3,), (None, 3)
        p = np.atleast_2d(array(points, "points", *vectors, error=ContactError))
        mu = array(friction, "friction", (), (None,), (None, 2), error=ContactError)
        given, pairs = array(normals, "normals", *vectors, error=ContactError), max(mu.ndim, 1)
        try:
            n = np.broadcast_to(given, p.shape)
            mu = np.broadcast_to(mu, (len(p), 2)[:pairs])
            t = [None] * len(p) if tangents is None else np.broadcast_to(tangents, p.shape)
        except ValueError as error:
            raise ContactError(
                f"normals, friction, tangents: {error}; expected one each for a point"
            ) from None
        checked = [unit_vector(row, f"normals[{i}]") for i, row in enumerate(n)]
        cones = [FrictionCone(*each) for each in zip(mu, checked, t, strict=True)]
        axes = np.array([cone.axes for cone in cones]).reshape(-1, 3, 3)
        both = np.array([cone.pair for cone in cones]).reshape(-1, 2)
        return cls(p, axes, p, ContactLimits.of_points(both))

    def about(self, point: ArrayLike) -> PointForces:
        """Return the same forces with moments about `point` (3,)."""
        origin = vector(point, "point", error=ContactError)
        return replace(self, points=self.points - origin, centres=self.centres - origin)

    def scaled(self, factor: float) -> PointForces:
        """Return the same forces with lengths `factor` times as long."""
        factor = number(factor, "factor", above=0, error=ContactError)
        points, centres = factor * self.points, factor * self.centres
        return replace(self, points=points, centres=centres, limits=self.limits.scaled(factor))

    def in_units(self, newtons: float) -> PointForces:
        """Return the same forces with the bounds of normal forces in another unit of force."""
        newtons = number(newtons, "newtons", above=0, unit="[N]", error=ContactError)
        if not self.limits.bounded:
            return self
        return replace(self, limits=self.limits.scaled(force=1.0 / newtons))

    def without_bounds(self) -> PointForces:
        """Return the same forces without bounds of normal forces."""
        return replace(self, limits=self.limits.without_bounds())

    def require_cone(self) -> None:
        """Raise `ContactError` if forces do not scale, so that their wrenches are no cone."""
        if self.limits.bounded:
            raise ContactError(
                "min_normal, max_normal: got bounds on normal forces; with them the wrenches of a "
                "contact are no cone. Expected contacts without (static_hold takes them)"
            )

    @property
    def normals(self) -> Array:
        """(K, 3), unit normals."""
        return self.axes[:, :, 2]

    @property
    def size(self) -> float:
        """The length that turns moments into forces: the farthest point, 1 m if all are at zero."""
        return float(np.linalg.norm(self.points, axis=1).max(initial=0.0)) or 1.0

    @property
    def centre_normals(self) -> Array:
        """(C, 3), the normal of each contact."""
        return self.normals[self.limits.first]

    @property
    def grasp(self) -> Array:
        """(6, 3K), wrenches of unit forces at the points along their tangents and normals."""
        return wrenches_of(self.points, self.axes)

    @property
    def central(self) -> Array:
        """(6, 3K), the same were the forces applied at their contacts' centres."""
        return wrenches_of(self.centres[self.limits.owner], self.axes)

    @property
    def columns(self) -> Array:
        """(6, n), wrenches of a newton of each unknown of x."""
        soft = self.limits.soft
        moments = self.centre_normals[soft] * self.limits.torsion[soft, None]
        return np.hstack([self.grasp, np.vstack([np.zeros((3, len(soft))), moments.T])])

    def rays(self, kind: Kind, sides: int) -> Array:
        """Return the wrenches (r, 6) of the rays of every contact's linear cone.

        Raises:
            ContactError: bounds on normal forces, with which the wrenches are no cone.
        """
        _check_cone(kind, sides)
        self.require_cone()
        limits = self.limits
        owner, rays = limits.rays(kind, sides)
        w = rays @ self.columns.T
        found = [w[~np.isin(owner, limits.yaw_limited)]]
        for i in limits.yaw_limited:
            about, patch = self.centres[i], w[owner == i]
            patch[:, 3:] -= np.cross(about, patch[:, :3])
            patch = with_yaw_limit(patch, self.centre_normals[i], float(limits.torsion[i]))
            patch[:, 3:] += np.cross(about, patch[:, :3])
            found.append(patch)
        return np.unique(np.round(np.vstack(found), 15), axis=0)

    def faces(self, kind: Kind, sides: int) -> Array:
        """Return F (m, 6), rows of unit norm, of the linear cone of all contacts {w : F w ≤ 0}.

        Of one patch, those of its points and of the torsional limit, if it has one.
        """
        _check_cone(kind, sides)
        limits = self.limits
        if len(limits.yaw_limited) == 0 or limits.contact_count > 1:
            return cone_faces(self.rays(kind, sides), self.size)
        self.require_cone()
        rays = limits.rays(kind, sides)[1] @ self.columns.T
        return np.vstack([cone_faces(rays, self.size), self.yaw_faces])

    @property
    def yaw_faces(self) -> Array:
        """F (2 k, 6), rows of unit norm: |n·m| ≤ γ n·f about the centre of each limited patch."""
        rows = [np.zeros((0, 6))]
        for i in self.limits.yaw_limited:
            limit = yaw_rows(self.centre_normals[i], float(self.limits.torsion[i]))
            limit[:, :3] += np.cross(self.centres[i], limit[:, 3:])
            rows.append(limit / np.linalg.norm(limit, axis=1, keepdims=True))
        return np.vstack(rows)


def _check_cone(kind: str, sides: int) -> None:
    one_of(kind, "kind", ("inner", "outer"), error=ContactError)
    whole_number(sides, "sides", at_least=3, error=ContactError)


def with_yaw_limit(rays: Array, normal: Array, torsion: float) -> Array:
    """Return rays of the wrenches in a cone whose moment about `normal` is at most γ n·f.

    By the polar cone: the rays of {w : F w ≤ 0} are the faces of the cone whose rays are F.
    """
    size = float(np.abs(rays[:, 3:]).max()) or 1.0
    rows = np.vstack([cone_faces(rays, size), yaw_rows(normal, torsion)])
    return cone_faces(rows, 1.0 / size)


def yaw_rows(normal: Array, torsion: float) -> Array:
    """Return F (2, 6) of |n·m| ≤ γ n·f."""
    return np.array([np.append(-torsion * normal, sign * normal) for sign in (1, -1)])


def wrenches_of(points: Array, axes: Array) -> Array:
    """Return [R; p × R] of all points, side by side (6, 3K)."""
    blocks = np.concatenate([axes, skew(points) @ axes], axis=1)
    return np.asarray(blocks.transpose(1, 0, 2).reshape(6, -1))
