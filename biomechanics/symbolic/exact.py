"""Conversion between decimals and exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

Matrix = Any  # a sympy matrix

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
