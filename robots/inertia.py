"""Inertias that a rigid body can have: positive definite, with principal moments of a triangle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Array
from ..errors import ConfigurationError
from .findings import Finding
from .values import array

_SLACK = 1e-6  # of the largest principal moment: rounding of the numbers in a file
POINT = 1e-6  # radius of gyration of what counts as a point [m]
_HEAVY = 5_000.0  # [kg]
_WIDE = 20.0  # radius of gyration: beyond any legged robot, but usual when a file is in mm [m]


def impossible(mass: float, moments: NDArray[Any], **where: Any) -> Iterator[Finding]:
    """Yield warnings if no body has these principal moments (3,), ascending; `where`: whose."""
    text = ", ".join(f"{moment:.4g}" for moment in moments)
    tolerance = _SLACK * abs(moments).max() + POINT**2 * mass
    if moments[0] < -tolerance:
        message = f"the inertia is not positive definite: its principal moments are {text}"
        hint = "check the signs of its entries, and that the inertia is about the centre of mass"
        yield Finding("warning", "definite", message, hint, **where)
    elif moments[0] + moments[1] < moments[2] - tolerance:
        message = (
            f"principal moments of inertia {text}: the largest exceeds the sum of the others, "
            "which no body does"
        )
        hint = "export the inertia about the centre of mass, with more digits"
        yield Finding("warning", "triangle", message, hint, **where)
    if mass == 0 and moments.any():
        yield Finding("warning", "massless", "inertia without mass", "give the mass", **where)


def doubtful(mass: float, moments: NDArray[Any], **where: Any) -> Iterator[Finding]:
    """Yield the same of what is impossible, or as large as numbers in other units would be."""
    yield from impossible(mass, moments, **where)
    if mass > _HEAVY:
        message, hint = f"a mass of {mass:.4g} kg", "masses are in kg, not in g"
        yield Finding("warning", "units", message, hint, **where)
    if mass > 0 and moments[2] / mass > _WIDE**2:
        message = f"a radius of gyration of {np.sqrt(moments[2] / mass):.4g} m"
        hint = "lengths are in m: inertias in kg mm² are a million times too large"
        yield Finding("warning", "units", message, hint, **where)


def symmetric(inertia: ArrayLike, name: str = "inertia") -> Array:
    """Return an inertia (3, 3), symmetric to the last digit; ConfigurationError for another."""
    matrix = array(inertia, name, (3, 3), meaning="an inertia [kg m²]")
    if abs(matrix - matrix.T).max() > 1e-9 * abs(matrix).max():
        raise ConfigurationError(f"{name}: got {inertia!r}, expected a symmetric matrix (3, 3)")
    return np.asarray(0.5 * (matrix + matrix.T))


def of_body(inertia: ArrayLike, mass: float, name: str = "inertia") -> Array:
    """Return `symmetric(inertia)` of a body of a mass [kg]; ConfigurationError if none has it."""
    matrix = symmetric(inertia, name)
    for problem in impossible(mass, np.linalg.eigvalsh(matrix)):
        raise ConfigurationError(f"{name}: got {matrix.tolist()}; {problem.message}")
    return matrix
