"""Values of the parts of a terrain or scenario: made hashable, and checked."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from ...errors import ContactError, FootworkError
from ...robots.values import array, number, text, vector

Numbers = tuple[float, ...]


def hashable(value: Any) -> Any:
    """Return lists and arrays as tuples, so that parts compare and hash by their values."""
    if isinstance(value, np.ndarray | np.generic) and not np.ma.is_masked(value):
        value = value.tolist()
    return tuple(map(hashable, value)) if isinstance(value, list | tuple) else value


def make_hashable(part: Any) -> None:
    """Make every field of a frozen dataclass hashable, see `hashable`."""
    for field in fields(part):
        object.__setattr__(part, field.name, hashable(getattr(part, field.name)))


def check_coefficients(friction: Any, error: type[FootworkError] = ContactError) -> None:
    """Refuse anything but a friction coefficient from 0 to 1000, or a pair of them."""
    mu = array(friction, "friction", (), (2,), error=error)
    if not ((mu >= 0) & (mu <= 1000)).all():
        raise error(f"friction: got {friction!r}, expected a number from 0 to 1000")


def check_angle(angle: Any, name: str) -> None:
    """Refuse anything but an angle [degrees]."""
    number(angle, name, at_least=-1e6, at_most=1e6, unit="[degrees]", error=ContactError)


def check_part(part: Any, *angles: str) -> None:
    """Refuse invalid names, places, angles and frictions of a part; make it hashable."""
    make_hashable(part)
    text(part.name, "name", error=ContactError)
    vector(part.at, "at", error=ContactError)
    for angle in angles:
        check_angle(getattr(part, angle), angle)
    if part.friction is not None:
        check_coefficients(part.friction)
        if np.ndim(part.friction):
            raise ContactError(
                f"friction: got {part.friction}, expected one number: a surface is equally rough "
                "in all directions; anisotropic friction belongs to a contact"
            )


def check_lengths(part: Any, *names: str) -> None:
    """Refuse lengths of a part that are not positive, or beyond a thousand kilometres [m]."""
    bounds: Any = {"at_least": 1e-9, "at_most": 1e6, "unit": "[m]"}
    for name in names:
        number(getattr(part, name), name, **bounds, error=ContactError)
