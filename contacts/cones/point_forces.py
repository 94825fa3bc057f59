"""Points of the world at which the ground may push: what is left of contacts without a robot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ContactError
from ..contact import Contact
from ..contact_set import ContactSet
from ..geometry.hulls import cone_faces
from .friction_cone import FrictionCone, axes_along, check_friction, finite_vector, unit_vector
from .soft_finger import SoftFingerCone

Array = NDArray[np.float64]
Kind = Literal["exact", "inner", "outer"]


@dataclass(frozen=True, eq=False)
class PointForces:
    """Where forces act, and what limits them, point by point (k) and contact by contact (C).

    Attributes:
        points: (k, 3), from the point about which moments are taken [m].
        normals: (k, 3), unit normals.
        friction: (k,), Coulomb coefficients.
        bilateral: (k,), points that pull as well, in all directions.
        owner: (k,), index of the contact that each point belongs to, ascending.
        centres: (C, 3), of the contacts, from the same point [m].
        torsion: (C,), γ [m]: of a point, its own moment (0: none); of a patch, the limit of what
            its points make about its centre (inf: none).
        lower, upper: (C,), bounds of the contact's whole normal force [N], ∓inf for none.

    Without the fields of the contacts every point is one, and hard.
    """

    points: Array
    normals: Array
    friction: Array
    bilateral: NDArray[np.bool_]
    owner: NDArray[np.intp] = None  # type: ignore[assignment]
    centres: Array = None  # type: ignore[assignment]
    torsion: Array = None  # type: ignore[assignment]
    lower: Array = None  # type: ignore[assignment]
    upper: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.owner is not None:
            return
        k, endless = len(self.points), np.full(len(self.points), np.inf)
        each = {"owner": np.arange(k), "centres": self.points, "torsion": np.zeros(k)}
        for name, values in {**each, "lower": -endless, "upper": endless}.items():
            object.__setattr__(self, name, values)

    @classmethod
    def of(
        cls, contacts: ContactSet, q: ArrayLike, about: ArrayLike = (0.0, 0.0, 0.0)
    ) -> PointForces:
        """Return the points of a set of contacts at q, seen from `about` (3,), in world axes."""
        places = [contact.pose(contacts.robot, q) for contact in contacts]
        forces = cls._placed(
            list(contacts),
            np.array([T.translation for T in places]).reshape(-1, 3),
            np.array([T.rotation for T in places]).reshape(-1, 3, 3),
        )
        return forces.about(finite_vector(about, "point"))

    @classmethod
    def of_contact(cls, contact: Contact) -> PointForces:
        """Return the points of one contact, seen from its centre, in its own axes."""
        return cls._placed([contact], np.zeros((1, 3)), np.eye(3)[None])

    @classmethod
    def _placed(cls, contacts: list[Contact], centres: Array, axes: Array) -> PointForces:
        counts = [len(contact.points) for contact in contacts]
        points = [c.points @ R.T + p for c, p, R in zip(contacts, centres, axes, strict=True)]
        bounds = np.array([contact.normal_bounds for contact in contacts]).reshape(-1, 2)
        return cls(
            points=np.vstack([np.zeros((0, 3)), *points]),
            normals=np.repeat(axes[:, :, 2], counts, axis=0),
            friction=np.repeat([float(contact.friction) for contact in contacts], counts),
            bilateral=np.repeat([bool(c.bilateral) for c in contacts], counts).astype(bool),
            owner=np.repeat(np.arange(len(counts)), counts),
            centres=centres,
            torsion=np.array([contact.torsion for contact in contacts], dtype=float),
            lower=bounds[:, 0],
            upper=bounds[:, 1],
        )

    @classmethod
    def at(cls, points: ArrayLike, normals: ArrayLike, friction: ArrayLike) -> PointForces:
        """Return points given in the world: (k, 3), unit normals (k, 3) or (3,), μ (k,) or one.

        Raises:
            ContactError: shapes that do not fit, values that are not finite, normals not of unit
                length, negative friction.
        """
        p = np.atleast_2d(np.asarray(points, dtype=float))
        if p.ndim != 2 or p.shape[1] != 3 or not np.isfinite(p).all():
            raise ContactError(f"points: got shape {p.shape}, expected (k, 3) of finite numbers")
        try:
            n = np.broadcast_to(np.asarray(normals, dtype=float), p.shape)
            mu = np.broadcast_to(np.asarray(friction, dtype=float), (len(p),))
        except ValueError as error:
            raise ContactError(
                f"normals, friction: {error}; expected one each for a point"
            ) from None
        checked = np.array([unit_vector(row, f"normals[{i}]") for i, row in enumerate(n)])
        friction = np.array([check_friction(value) for value in mu])
        return cls(p, checked.reshape(p.shape), friction, np.zeros(len(p), dtype=bool))

    def about(self, point: ArrayLike) -> PointForces:
        """Return the same forces with moments about `point` (3,)."""
        origin = finite_vector(point, "point")
        return replace(self, points=self.points - origin, centres=self.centres - origin)

    def scaled(self, factor: float) -> PointForces:
        """Return the same forces with lengths `factor` times as long."""
        points, centres, torsion = (factor * x for x in (self.points, self.centres, self.torsion))
        return replace(self, points=points, centres=centres, torsion=torsion)

    def in_units(self, newtons: float) -> PointForces:
        """Return the same forces with the bounds of normal forces in another unit of force."""
        return replace(self, lower=self.lower / newtons, upper=self.upper / newtons)

    @property
    def bounded(self) -> bool:
        """Whether any contact has bounds on its normal force, so that forces do not scale."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def require_cone(self) -> None:
        """Raise `ContactError` if forces do not scale, so that their wrenches are no cone."""
        if self.bounded:
            raise ContactError(
                "min_normal, max_normal: got bounds on normal forces; with them the wrenches of a "
                "contact are no cone. Expected contacts without (static_hold takes them)"
            )

    @property
    def plain(self) -> bool:
        """Whether Coulomb's cones at the points are all that limits the forces."""
        if len(self.torsion) == len(self.points) and not self.torsion.any():
            return not self.bounded  # hard points, one by one
        held = ~self.bilateral[np.unique(self.owner, return_index=True)[1]]
        several = np.bincount(self.owner, minlength=len(self.torsion)) > 1
        free = np.where(several, np.isinf(self.torsion), self.torsion == 0)
        return not self.bounded and bool((free | ~held).all())

    @property
    def size(self) -> float:
        """The length that turns moments into forces: the farthest point, 1 m if all are at zero."""
        return float(np.linalg.norm(self.points, axis=1).max(initial=0.0)) or 1.0

    @property
    def centre_normals(self) -> Array:
        """(C, 3), the normal of each contact."""
        return self.normals[np.unique(self.owner, return_index=True)[1]]

    @property
    def arms(self) -> Array:
        """(k, 2), from the contact's centre, along the tangents `axes_along(normal)` [m]."""
        offsets = self.points - self.centres[self.owner]
        axes = [axes_along(n)[:, :2].T @ r for n, r in zip(self.normals, offsets, strict=True)]
        return np.array(axes).reshape(-1, 2)

    @property
    def grasp(self) -> Array:
        """(6, 3k), wrenches of unit forces at the points along their tangents and normals."""
        return _wrenches(self.points, self.normals)

    @property
    def central(self) -> Array:
        """(6, 3k), the same were the forces applied at their contacts' centres."""
        return _wrenches(self.centres[self.owner], self.normals)

    def rays(self, kind: Kind, sides: int) -> Array:
        """Return the wrenches (r, 6) of the rays of every contact's linear cone.

        Raises:
            ContactError: bounds on normal forces, with which the wrenches are no cone.
        """
        self.require_cone()
        rays = [np.zeros((0, 6))]
        for i in range(len(self.torsion)):
            own, normal = self.owner == i, self.normals[self.owner == i][0]
            soft = own.sum() == 1 and self.torsion[i] > 0 and not self.bilateral[own][0]
            limited = own.sum() > 1 and np.isfinite(self.torsion[i]) and not self.bilateral[own][0]
            if soft:
                cone = SoftFingerCone(float(self.friction[own][0]), float(self.torsion[i]), normal)
                w = cone.rays(sides) if kind == "inner" else cone.outer_rays(sides)
                moments = np.cross(self.points[own], w[:, :3]) + np.outer(w[:, 3], normal)
                rays.append(np.hstack([w[:, :3], moments]))
            elif limited:
                about = self.centres[i]
                patch = self._point_rays(own, about, kind, sides)
                patch = with_yaw_limit(patch, normal, float(self.torsion[i]))
                patch[:, 3:] += np.cross(about, patch[:, :3])
                rays.append(patch)
            else:
                rays.append(self._point_rays(own, np.zeros(3), kind, sides))
        return np.unique(np.round(np.vstack(rays), 15), axis=0)

    def faces(self, kind: Kind, sides: int) -> Array:
        """Return F (m, 6), rows of unit norm, of the linear cone of all contacts {w : F w ≤ 0}.

        Of one patch, those of its points and of the torsional limit, if it has one.
        """
        if self.plain or len(self.torsion) > 1 or len(self.points) == 1:
            return cone_faces(self.rays(kind, sides), self.size)
        every = np.ones(len(self.points), dtype=bool)
        rays = self._point_rays(every, np.zeros(3), kind, sides)
        limit = yaw_rows(self.normals[0], float(self.torsion[0]))
        limit[:, :3] += np.cross(self.centres[0], limit[:, 3:])
        limit /= np.linalg.norm(limit, axis=1, keepdims=True)
        return np.vstack([cone_faces(rays, self.size), limit])

    def _point_rays(self, own: NDArray[np.bool_], about: Array, kind: Kind, sides: int) -> Array:
        """Wrenches about a point of the rays of some points' pyramids."""
        rays = []
        for k in np.flatnonzero(own):
            mu = self.friction[k]
            reach = mu if kind == "inner" else mu / np.cos(np.pi / sides)
            cone = FrictionCone(reach, self.normals[k])
            both = np.vstack([np.eye(3), -np.eye(3)])
            forces = both if self.bilateral[k] else cone.rays(sides if mu > 0 else 3)
            rays.append(np.hstack([forces, np.cross(self.points[k] - about, forces)]))
        return np.vstack(rays)


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


def _wrenches(points: Array, normals: Array) -> Array:
    blocks = [np.zeros((6, 0))]
    for p, n in zip(points, normals, strict=True):
        axes = axes_along(n)
        blocks.append(np.vstack([axes, np.cross(p, axes.T).T]))
    return np.hstack(blocks)
