"""Normal form of trigonometric expressions: sums of sines and cosines of multiple angles.

Multibody dynamics produces products of sines and cosines of joint angles. With
2 cos x = e^{ix} + e^{−ix} and 2i sin x = e^{ix} − e^{−ix} each becomes a sum of
c x₁^{p₁} x₂^{p₂} … e^{i(n₁ α₁ + n₂ α₂ + …)}, whose coefficients c are unique where angles α and
factors x are independent. So equality is decidable, and sums of angles such as cos(θ₂ + θ₃) appear
without a search for identities as in `sympy.simplify`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Any

import sympy as sp
from sympy import QQ_I

from ...errors import ConfigurationError

# (n₁, n₂, … of the angles, p₁, p₂, … of the factors) -> c, a rational complex number
Terms = dict[tuple[Any, ...], Any]

_NOT_FINITE = (sp.nan, sp.oo, -sp.oo, sp.zoo)
_HALF, _HALF_I = QQ_I(1, 0) / 2, QQ_I(0, 1) / 2


def as_expression(value: Any, name: str = "expression") -> Any:
    """Return a number or an expression as a SymPy expression; strings are not parsed.

    Raises:
        ConfigurationError: something else, or a value that is not finite.
    """
    try:
        expression = sp.sympify(value, strict=True)
    except (sp.SympifyError, TypeError, ValueError):
        expression = None
    if not isinstance(expression, sp.Expr) or expression.has(*_NOT_FINITE):
        raise ConfigurationError(f"{name}: got {value!r}; expected a finite number or expression")
    return expression


def closed_form(expression: Any) -> Any:
    """Return an expression, or a matrix of them, as Σ a cos α + b sin α, multiplied out.

    Other subexpressions (roots, derivatives, unknown functions, quotients) are treated as
    independent factors. Decimals become fractions.

    Raises:
        ConfigurationError: not an expression, or one that is not finite.
    """
    if isinstance(expression, sp.MatrixBase):
        entries = [closed_form(entry) for entry in expression]
        return sp.ImmutableMatrix(*expression.shape, entries)
    expression = _without_decimals(as_expression(expression))
    if expression.is_Atom:
        return expression
    algebra = _Algebra(expression)
    return algebra.expression(algebra.terms(expression))


def is_zero(expression: Any) -> bool:
    """Whether the closed form of an expression, or of all entries of a matrix, is zero."""
    entries = expression if isinstance(expression, sp.MatrixBase) else [expression]
    return all(closed_form(entry) == 0 for entry in entries)


class _Algebra:
    """Sums and products of terms over the angles and factors of one expression."""

    def __init__(self, expression: Any) -> None:
        angles: set[Any] = set()
        factors: set[Any] = set()
        _collect(expression, angles, factors)
        self.angles = sorted(angles, key=sp.default_sort_key)
        self.factors = sorted(factors, key=sp.default_sort_key)
        self.one = (0,) * (len(angles) + len(factors))
        self.slot = {factor: len(angles) + k for k, factor in enumerate(self.factors)}

    def terms(self, expression: Any) -> Terms:
        """Return the terms of an expression that is made of these angles and factors."""
        if isinstance(expression, sp.cos | sp.sin):
            return self._wave(expression)
        if expression.is_Add:
            return _sum(self.terms(term) for term in expression.args)
        if expression.is_Mul:
            return reduce(_product, (self.terms(factor) for factor in expression.args))
        if _is_coefficient(expression):
            return {self.one: QQ_I.from_sympy(expression)}
        base, power = _base_and_power(expression)
        if base in self.slot:
            key = list(self.one)
            key[self.slot[base]] = power
            return {tuple(key): QQ_I.one}
        return reduce(_product, [self.terms(base)] * power)

    def _wave(self, function: Any) -> Terms:
        """cos α = (e^{iα} + e^{−iα})/2, sin α = (e^{iα} − e^{−iα})/2i."""
        multiples = sp.expand(function.args[0]).as_coefficients_dict()
        rest = (0,) * len(self.factors)
        forward = (*(multiples.get(angle, 0) for angle in self.angles), *rest)
        backward = (*(-multiples.get(angle, 0) for angle in self.angles), *rest)
        if isinstance(function, sp.cos):
            return {forward: _HALF, backward: _HALF}
        return {forward: -_HALF_I, backward: _HALF_I}

    def expression(self, terms: Terms) -> Any:
        """c e^{iα} + d e^{−iα} = (c + d) cos α + i (c − d) sin α."""
        n, found = len(self.angles), []
        for key, c in terms.items():
            wave = key[:n]
            factor = sp.Mul(*(x**p for x, p in zip(self.factors, key[n:], strict=True) if p))
            leading = next((x for x in wave if x), 0)
            if not leading:
                found.append(QQ_I.to_sympy(c) * factor)
            elif leading > 0:
                angle = sp.Add(*(k * x for k, x in zip(wave, self.angles, strict=True)))
                d = terms[(*(-x for x in wave), *key[n:])]  # both exponents occur
                found.append(QQ_I.to_sympy(c + d) * factor * sp.cos(angle))
                found.append(QQ_I.to_sympy(QQ_I(0, 1) * (c - d)) * factor * sp.sin(angle))
        return sp.Add(*found)


def _collect(expression: Any, angles: set[Any], factors: set[Any]) -> None:
    """Find the angles and the factors of an expression."""
    if isinstance(expression, sp.cos | sp.sin):
        angles.update(sp.expand(expression.args[0]).as_coefficients_dict())
    elif expression.is_Add or expression.is_Mul:
        for part in expression.args:
            _collect(part, angles, factors)
    elif not _is_coefficient(expression):
        base, _ = _base_and_power(expression)
        if base.is_Add or base.is_Mul or isinstance(base, sp.cos | sp.sin):
            _collect(base, angles, factors)
        else:
            factors.add(base)


def _base_and_power(expression: Any) -> tuple[Any, int]:
    """x^n as (x, n) where that multiplies out; what does not is its own base."""
    if not (expression.is_Pow and expression.exp.is_Integer):
        return expression, 1
    base, power = expression.base, int(expression.exp)
    compound = base.is_Add or base.is_Mul or isinstance(base, sp.cos | sp.sin)
    return (expression, 1) if compound and power < 0 else (base, power)


def _is_coefficient(expression: Any) -> bool:
    return bool(expression.is_Rational or expression is sp.I)


def _sum(parts: Iterable[Terms]) -> Terms:
    total: Terms = {}
    for part in parts:
        for key, c in part.items():
            total[key] = total[key] + c if key in total else c
    return total


def _product(a: Terms, b: Terms) -> Terms:
    """Exponents add, coefficients multiply."""
    total: Terms = {}
    for j, c in a.items():
        for k, d in b.items():
            key = tuple(map(add, j, k))
            total[key] = total[key] + c * d if key in total else c * d
    return total


def _without_decimals(expression: Any) -> Any:
    decimals = expression.atoms(sp.Float)
    return (
        expression.xreplace({x: sp.Rational(str(x)) for x in decimals}) if decimals else expression
    )
