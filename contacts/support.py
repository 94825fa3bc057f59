"""Partial support: the part of a sole under which there is ground.

Of a sole half over the edge of a step, or on a tread shorter than the foot, less than the whole
carries: the convex hull of what it shares with the ground, since a rigid sole presses where it
rests alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ContactError
from ..robots.values import instance, number, placement
from .geometry.polygon import area, convex_hull
from .surface_contact import PlacedContact, with_corners
from .terrain.edges import Outline, under
from .terrain.terrain import Terrain

_LEAST = 1e-6  # smaller areas count as zero [m²]
_CLOSE = 1e-9  # corners nearer to a line between others are left out [m]


def supported(
    contact: PlacedContact, T: Any, terrain: Terrain, tolerance: float = 1e-3
) -> PlacedContact | None:
    """Return the part of a sole that the terrain supports; itself where that is all, None without.

    Its contact wrench cone is that of the corners of the part: those of the sole with ground under
    them, and those where the terrain's edges cross it or end under it.

    Args:
        contact: a flat patch.
        T: T_world_contact, where it is or will be (`pin.SE3`).
        terrain: see `Terrain`.
        tolerance: how far from the sole the ground may be to count [m].

    Raises:
        ContactError: not a flat patch; an invalid placement, terrain or tolerance.
    """
    instance(contact, "contact", PlacedContact, error=ContactError)  # type: ignore[type-abstract]
    instance(terrain, "terrain", Terrain, error=ContactError)
    T = placement(T, "T", "T_world_contact", error=ContactError)
    within = number(tolerance, "tolerance", at_least=0, unit="[m]", error=ContactError)
    corners = contact.points
    on_ground = np.abs(terrain.signed_distance(corners @ T.rotation.T + T.translation)) <= within
    if on_ground.all():
        return contact
    outline = Outline.of(convex_hull(corners[:, :2]))
    places, _ = under(terrain.edges, T.homogeneous[:3], outline, within)
    places = places[np.abs(places[:, 2]) <= within]
    shared = convex_hull(np.vstack([corners[on_ground], places])[:, :2], _CLOSE)
    return with_corners(contact, shared) if area(shared) > _LEAST else None
