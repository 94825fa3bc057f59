"""Representations of values with many fields at the Python prompt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

import numpy as np


def given_fields(value: Any) -> str:
    """Return "Kind('first', name=…)" of a dataclass: the fields that differ from their defaults."""
    words: list[str] = []
    for field in fields(value):
        if not field.repr:
            continue
        here = getattr(value, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if default is MISSING or not _equal(here, default):
            words.append(f"{field.name}={short(here)}" if words else short(here))
    return f"{type(value).__name__}({', '.join(words)})"


def shapes(value: Any) -> str:
    """Return "Kind(A (3, 4), …)" of a NamedTuple or dataclass: arrays by their shapes."""
    names = getattr(value, "_fields", None) or [field.name for field in fields(value)]
    words = [
        f"{name} {x.shape}"
        if isinstance(x := getattr(value, name), np.ndarray)
        else f"{name}={x!r}"
        for name in names
    ]
    return f"{type(value).__name__}({', '.join(words)})"


def short(value: Any) -> str:
    """Return numbers to six digits, arrays as lists, placements by their origin."""
    if isinstance(value, np.ndarray | list | tuple):
        items = [short(x) for x in np.asarray(value).tolist()]
        return f"({', '.join(items)})" if isinstance(value, tuple) else f"[{', '.join(items)}]"
    if isinstance(value, float):
        return f"{value:.6g}"
    if hasattr(value, "translation"):  # a `pin.SE3`
        return f"SE3(R, {short(value.translation)})"
    return repr(value)


def components(vector: Iterable[float], scale: float) -> str:
    """Return components in columns, without −0.00: two decimals, or four digits of the scale.

    >>> components([0.0, 1.234, 9.81], 300.0)
    '    0.00     1.23     9.81'
    >>> components([0.0, 0.001234, 0.0294], 0.118)
    '  0.0000   0.0012   0.0294'
    """
    decimals = max(2, 3 - math.floor(math.log10(scale)))
    return " ".join(f"{x:z8.{decimals}f}" for x in vector)


def _equal(value: Any, default: Any) -> bool:
    same = np.array_equal(value, default) if np.ndim(value) else value == default
    return bool(same)
