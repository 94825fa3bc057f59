"""Checks of weights, gains, levels and times, where they enter and at each tick."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ConfigurationError


def check_not_negative(value: Any, name: str) -> None:
    """Refuse what is not finite or below zero, a number or an array.

    Raises:
        ConfigurationError: such a value.
    """
    try:
        good = np.isfinite(value).all() and np.all(np.asarray(value) >= 0)
    except TypeError:
        good = False
    if not good:
        raise ConfigurationError(f"{name}: got {value!r}; expected finite, at least 0")


def check_level(level: Any) -> None:
    """Refuse what is no level of a hierarchy.

    Raises:
        ConfigurationError: neither 0 nor a positive integer.
    """
    if isinstance(level, bool) or level != int(level) or level < 0:
        raise ConfigurationError(f"level: got {level!r}; expected 0, 1, 2, …")
