"""Parameters of symbolic equations: exact numbers, or symbols with their values."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from ...arrays import Array
from .frames import Matrix

_TOLERANCE = 1e-12  # tolerance: files have twelve digits of 1/12 or of π/4
_LONG = 10**6  # fractions with larger denominators are printed as decimals


def exact(value: float) -> Any:
    """Return the number that a float stands for: 1/12 for 0.0833333333333, √2/2 for 0.7071…

    Small fractions and their square roots are used if they are within 1e-12 (relative, or absolute
    below 1); otherwise the fraction of its decimals.
    """
    tolerance = _TOLERANCE * max(1.0, abs(value))
    number, square = (Fraction(x).limit_denominator(d) for x, d in ((value, 1000), (value**2, 100)))
    if abs(float(number) - value) <= tolerance:
        return sp.Rational(number.numerator, number.denominator)
    if abs(math.sqrt(square) - abs(value)) <= tolerance:
        root = sp.sqrt(sp.Rational(square.numerator, square.denominator))
        return root if value > 0 else -root
    return sp.Rational(repr(float(value)))


def exact_matrix(values: Any) -> Matrix:
    """Return a matrix of `exact` numbers; a vector becomes a column."""
    array = np.asarray(values, dtype=float)
    rows, columns = array.shape[0], array.size // array.shape[0]
    return sp.ImmutableMatrix(rows, columns, [exact(float(x)) for x in array.ravel()])


def rounded(expression: Any) -> Any:
    """Return an expression with long fractions as decimals and without rounding residues."""
    if isinstance(expression, sp.MatrixBase):
        return sp.ImmutableMatrix(expression.applyfunc(rounded))
    terms = sp.Add.make_args(sp.expand(expression))
    kept = [term for term in terms if abs(term.as_coeff_Mul()[0]) > 1e-15]
    return sp.Add(*(_shortened(term) for term in kept))


def _shortened(term: Any) -> Any:
    number, rest = term.as_coeff_Mul()
    if number.is_Rational and number.q > _LONG:
        number = sp.Float(number, 17)
    return number * rest


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
