# mypy: disable-error-code="no-untyped-def, no-untyped-call"
"""Choices between numbers that are lanes: each of the eight problems goes its own way.

Lanes run the same instructions, so that there is no `if` between them: both ways are reckoned, and
one of the results is taken. These are the NumPy reading; `choices_compiled` has the others.
"""

from __future__ import annotations

import numpy as np


def root(x):
    """√x, nan below zero."""
    return np.sqrt(x)


def choose(sign, positive, other):
    """`positive` where sign > 0, else `other` (also where sign is nan)."""
    return np.where(sign > 0, positive, other)


def larger(x, y):
    """The larger of two, y where x is nan."""
    return np.where(x > y, x, y)


def smaller(x, y):
    """The smaller of two, y where x is nan."""
    return np.where(x < y, x, y)


def size(x):
    """|x|."""
    return larger(x, -x)
