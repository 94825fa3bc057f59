"""Placement of contacts on faces, within their edges and clear of other solids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts.contact import Contact
from ...contacts.scenario.parts import ScenarioContact
from ...contacts.terrain.faces import Face, Solid
from ...contacts.terrain.terrain import Terrain, under_foot
from .stance import OutOfReach, Stance
from .written import contact_of, laid

_INSIDE = 1e-6  # [m], what contacts keep from edges, so that the face they lie on is no question
_ABOVE = 1e-3  # [m], how high over a face something begins to stand on it


def put_on(now: Stance, part: ScenarioContact, face: Face, point: Array, forward: Array) -> Stance:
    """Return the stance with a contact on a face, inside its edges, heading along `forward`."""
    contact = contact_of(part, now.robot, face.normal)
    ground, T = now.scenario.ground, face.frame(point, forward)
    face, point = under_foot(ground, face, T, contact.points)
    T = inside(contact, face, face.frame(point, forward), part.clip)
    T = beside(contact, face, T, ground)
    if not part.clip and face.overhang(contact.points @ T.rotation.T + T.translation) > _INSIDE:
        raise OutOfReach(f"{contact.name or contact.frame}: no room for it on {face.name!r} there")
    return now.with_contact(laid(part, contact, face, T, now.scenario))


def inside(contact: Contact, face: Face, T: Any, clip: bool = False) -> Any:
    """Return the nearest place T_world_contact on a face where the patch fits between its edges,
    or only its centre if the rest is clipped.

    Raises:
        OutOfReach: a patch that is too large.
    """
    axes, o = face.placement.rotation, face.placement.translation
    corners = np.zeros((1, 2)) if clip else contact.points @ T.rotation.T @ axes[:, :2]
    low = -face.half_size - corners.min(axis=0) + _INSIDE
    high = face.half_size - corners.max(axis=0) - _INSIDE
    lacks = np.maximum(low - high, 0.0)
    if (lacks > 3 * _INSIDE).any():
        raise OutOfReach(f"{contact.name or contact.frame}: {face.name!r} is too small for it")
    local = axes.T @ (T.translation - o)
    local[:2] = np.clip(local[:2], low - lacks / 2, high + lacks / 2)
    local[2] = 0.0
    return pin.SE3(T.rotation, o + axes @ local)


def beside(contact: Contact, face: Face, T: Any, ground: Terrain) -> Any:
    """Return the place T_world_contact moved along a face, the shortest way out of each solid that
    stands there, such as a sole whose toes would be inside the next step."""
    for solid in ground.solids:
        points = contact.points @ T.rotation.T + T.translation + _ABOVE * face.normal
        within = points[solid.signed_distance(points) < -_INSIDE]
        if len(within) and all(side.name != face.name for side in solid.faces):
            T = pin.SE3(T.rotation, T.translation + _way_out(within, solid, face.normal))
    return T


def _way_out(points: Array, solid: Solid, normal: Array) -> Array:
    """The least movement (3,) across `normal` that takes all points out of a solid, by one of its
    sides; none where all its sides lie along the normal."""
    ways = [np.full(3, np.inf)]
    for side in solid.faces:
        along = side.normal - (side.normal @ normal) * normal
        if (slope := float(np.linalg.norm(along))) > 0.3:
            depth = float((-side.height(points)).max())
            ways.append((depth + _INSIDE) / slope**2 * along)
    least = min(ways, key=lambda way: float(way @ way))
    return least if np.isfinite(least).all() else np.zeros(3)
