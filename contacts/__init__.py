"""What the robot stands on: contacts, cones, and whether they hold."""

from __future__ import annotations

from .contact import Contact, PointContact, SurfaceContact
from .contact_set import ContactSet, at_feet
from .forces import contact_forces, static_hold
from .friction_cone import FrictionCone
from .hold import Hold
from .regions import Region, static_equilibrium_polygon
from .scene import draw_hold, view

__all__ = [
    "Contact",
    "PointContact",
    "SurfaceContact",
    "ContactSet",
    "at_feet",
    "FrictionCone",
    "static_hold",
    "contact_forces",
    "Hold",
    "Region",
    "static_equilibrium_polygon",
    "draw_hold",
    "view",
]
