"""Validation of the values that all contacts have."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ContactError
from .cones.friction_cone import check_length
from .moving_surface import MovingSurface


def check_whole(contact: Any) -> None:
    """Refuse names, torsional friction, bounds and surfaces that cannot be; numbers become floats.

    Raises:
        ContactError: negative or not finite; torsional friction of what has no friction limit;
            bounds in the wrong order, or below zero for what cannot pull.
    """
    for name, kind in (("frame", str), ("name", str), ("bilateral", bool | np.bool_)):
        if not isinstance(getattr(contact, name), kind):
            raise ContactError(
                f"{name}: got {getattr(contact, name)!r}, expected "
                + ("a string" if kind is str else "True or False")
            )
    if (gamma := contact.torsional_friction) is not None:
        gamma = check_length(gamma, "torsional_friction", zero=True)
        object.__setattr__(contact, "torsional_friction", gamma)
        if contact.bilateral:
            raise ContactError(
                "torsional_friction: got one for a bilateral contact, which has no friction limit; "
                "expected None"
            )
    least = -np.inf if contact.bilateral else 0.0
    for name in ("min_normal", "max_normal"):
        if (value := getattr(contact, name)) is not None:
            object.__setattr__(contact, name, _bound(value, name, least))
    low, high = contact.normal_bounds
    if low > high:
        raise ContactError(f"min_normal: got {low} N, expected at most max_normal = {high} N")
    if contact.surface is not None and not isinstance(contact.surface, MovingSurface):
        raise ContactError(f"surface: got {contact.surface!r}, expected a MovingSurface or None")


def _bound(value: Any, name: str, least: float) -> float:
    """A finite force of at least `least` [N]."""
    try:
        newtons = float(value)
    except (TypeError, ValueError):
        newtons = np.nan
    if not (np.isfinite(newtons) and newtons >= least):
        expected = "a finite force" if least < 0 else "a finite force of at least 0: it cannot pull"
        raise ContactError(f"{name}: got {value!r}, expected {expected} [N]")
    return newtons
