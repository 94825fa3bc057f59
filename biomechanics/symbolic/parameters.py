"""Parameters of symbolic equations: exact numbers, or symbols with their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from ...arrays import Array
from .exact import exact
from .frames import Matrix

_XYZ = "xyz"


class Parameters:
    """Factory of the parameters of an equation, which records the values of symbols.

    Attributes:
        symbols: whether numbers that are not zero become symbols.
        values: {symbol: number}.
    """

    def __init__(self, symbols: bool) -> None:
        self.symbols = symbols
        self.values: dict[Any, float] = {}

    def number(self, name: str, value: float) -> Any:
        """Return a number, or the symbol of that name; zero stays zero."""
        known = exact(float(value))
        if not self.symbols or known == 0:
            return known
        symbol = sp.Symbol(name, real=True)
        self.values[symbol] = float(value)
        return symbol

    def vector(self, name: str, values: Array) -> Matrix:
        """Return (3,), with the symbols name_x, name_y, name_z for nonzero components."""
        pairs = zip(_XYZ, values, strict=True)
        return sp.ImmutableMatrix([self.number(f"{name}{axis}", x) for axis, x in pairs])

    def inertia(self, name: str, values: Array) -> Matrix:
        """Return a symmetric (3, 3) with the symbols name_xx, name_xy, …"""

        def entry(i: int, j: int) -> Any:
            i, j = sorted((int(i), int(j)))
            return self.number(f"{name}{_XYZ[i]}{_XYZ[j]}", values[i, j])

        return sp.ImmutableMatrix(3, 3, entry)

    def gravity(self, values: Array) -> Matrix:
        """Return g times its direction (3,)."""
        size = float(np.linalg.norm(values))
        direction = [exact(float(x) / size) if size else sp.S.Zero for x in values]
        if not self.symbols:
            return sp.ImmutableMatrix([exact(float(x)) for x in values])
        return self.number("g", size) * sp.ImmutableMatrix(direction)
