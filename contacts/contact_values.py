"""Validation of the values that all contacts have."""

from __future__ import annotations

from typing import Any

from ..errors import ContactError
from ..robots.values import boolean, instance, length, number, text
from .moving_surface import MovingSurface


def check_whole(contact: Any) -> None:
    """Refuse names, torsional friction, bounds and surfaces that cannot be; numbers become floats.

    Raises:
        ContactError: negative or not finite; torsional friction of what has no friction limit;
            bounds in the wrong order, or below zero for what cannot pull.
    """
    text(contact.frame, "frame", error=ContactError)
    text(contact.name, "name", empty=True, error=ContactError)
    boolean(contact.bilateral, "bilateral", error=ContactError)
    if (gamma := contact.torsional_friction) is not None:
        gamma = length(gamma, "torsional_friction", zero=True, error=ContactError)
        object.__setattr__(contact, "torsional_friction", gamma)
        if contact.bilateral:
            raise ContactError(
                "torsional_friction: got one for a bilateral contact, which has no friction limit; "
                "expected None"
            )
    least, unit = (None, "[N]") if contact.bilateral else (0.0, "[N]: it cannot pull")
    for name in ("min_normal", "max_normal"):
        if (value := getattr(contact, name)) is not None:
            bound = number(value, name, at_least=least, unit=unit, error=ContactError)
            object.__setattr__(contact, name, bound)
    low, high = contact.normal_bounds
    if low > high:
        raise ContactError(f"min_normal: got {low} N, expected at most max_normal = {high} N")
    if contact.surface is not None:
        instance(contact.surface, "surface", MovingSurface, error=ContactError)
