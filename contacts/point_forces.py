"""Points of the world at which the ground may push: what is left of contacts without a robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ContactError
from .contact_set import ContactSet
from .friction_cone import FrictionCone, check_friction, finite_vector, unit_vector

Array = NDArray[np.float64]
Kind = Literal["exact", "inner", "outer"]


@dataclass(frozen=True, eq=False)
class PointForces:
    """Where forces act and what friction allows them.

    Attributes:
        points: (k, 3), from the point about which moments are taken [m].
        normals: (k, 3), unit normals.
        friction: (k,), Coulomb coefficients.
        bilateral: (k,), points that pull as well, in all directions.
    """

    points: Array
    normals: Array
    friction: Array
    bilateral: NDArray[np.bool_]

    @classmethod
    def of(
        cls, contacts: ContactSet, q: ArrayLike, about: ArrayLike = (0.0, 0.0, 0.0)
    ) -> PointForces:
        """Return the points of a set of contacts at q, seen from `about` (3,), in world axes."""
        origin = finite_vector(about, "point")
        points, normals, friction, bilateral = [np.zeros((0, 3))], [np.zeros((0, 3))], [], []
        for contact in contacts:
            where = contact.world_points(contacts.robot, q)
            normal = contact.pose(contacts.robot, q).rotation[:, 2]
            points.append(where - origin)
            normals.append(np.tile(normal, (len(where), 1)))
            friction += [float(contact.friction)] * len(where)
            bilateral += [bool(contact.bilateral)] * len(where)
        mu, pulls = np.array(friction, dtype=float), np.array(bilateral, dtype=bool)
        return cls(np.vstack(points), np.vstack(normals), mu, pulls)

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
        moved = self.points - finite_vector(point, "point")
        return PointForces(moved, self.normals, self.friction, self.bilateral)

    @property
    def size(self) -> float:
        """The length that turns moments into forces: the farthest point, 1 m if all are at zero."""
        return float(np.linalg.norm(self.points, axis=1).max(initial=0.0)) or 1.0

    def rays(self, kind: Kind, sides: int) -> Array:
        """Return the wrenches (r, 6) of the rays of every point's pyramid."""
        rays = [np.zeros((0, 6))]
        for p, n, mu, pulls in zip(
            self.points, self.normals, self.friction, self.bilateral, strict=True
        ):
            reach = mu if kind == "inner" else mu / np.cos(np.pi / sides)
            axes = np.vstack([np.eye(3), -np.eye(3)])
            forces = axes if pulls else FrictionCone(reach, n).rays(sides if mu > 0 else 3)
            rays.append(np.hstack([forces, np.cross(p, forces)]))
        return np.unique(np.round(np.vstack(rays), 15), axis=0)
