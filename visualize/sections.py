"""Sections of wrench cones, for scenes and plots."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..contacts.cones.wrench_cone import WrenchCone
from ..contacts.contact import Contact
from ..contacts.geometry import polygon

SIDES = 16  # of the inner pyramids whose sections stand for exact cones


def force_section(contact: Contact | WrenchCone, normal_force: float, moment: Array) -> Array:
    """Return corners (k, 2) of the tangential forces that a contact can give [N].

    With that normal force [N] and moment (3,) about its centre [N·m]; all in contact axes. Exact
    cones by inner pyramids of `SIDES` sides.
    """
    cone = contact if isinstance(contact, WrenchCone) else WrenchCone(contact, "inner", SIDES)
    cone = with_faces(cone)
    pushing = cone.rays[cone.rays[:, 2] > 1e-12]
    steepest = np.linalg.norm(pushing[:, :2], axis=1) / pushing[:, 2]
    reach = 2.0 * (steepest.max(initial=0.0) + 1e-9) * normal_force
    corners = reach * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for face in cone.faces:
        offset = -(face[2] * normal_force + face[3:] @ moment)
        if np.linalg.norm(face[:2]) > 1e-9:
            corners = polygon.cut(corners, face[:2], offset)
        elif offset < -1e-9 * normal_force:  # whatever the tangential force
            return np.zeros((0, 2))
        if len(corners) == 0:
            return np.zeros((0, 2))
    return polygon.convex_hull(corners)


def with_faces(cone: WrenchCone) -> WrenchCone:
    """Return a cone itself if it is linear, of an exact one the inner pyramid of `SIDES` sides."""
    return cone if cone.kind != "exact" else WrenchCone.of(cone.generators, "inner", SIDES)
