"""Linear inner approximations of the cone of one contact, with few rows, for controllers."""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...errors import ContactError
from ...robots.values import whole_number
from ..contact import Contact
from ..point_forces import PointForces
from .friction_cone import pyramid_faces
from .wrench_cone import rectangle_faces


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
    faces = forces.faces("inner", sides)[:, kept]
    return np.asarray(faces[np.abs(faces).max(axis=1) > 1e-9])


def _octahedron(*axes: float) -> Array:
    """Σ |w_i|/axes_i ≤ f_n (8, 4), w = (f_1, f_2, f_n, m)."""
    signs = np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).reshape(3, -1).T
    return np.asarray(np.insert(signs / np.array(axes), 2, -1.0, axis=1))
