"""Inertias that a rigid body can have: positive definite, with principal moments of a triangle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SLACK = 1e-6  # of the largest principal moment: rounding of the numbers in a file
POINT = 1e-6  # radius of gyration of what counts as a point [m]
_HEAVY = 5_000.0  # [kg]
_WIDE = 20.0  # radius of gyration: beyond any legged robot, but usual when a file is in mm [m]


def impossible(mass: float, moments: NDArray[Any]) -> Iterable[tuple[str, str, str]]:
    """Yield (code, message, suggestion) if no body has these principal moments (3,), ascending."""
    text = ", ".join(f"{moment:.4g}" for moment in moments)
    tolerance = _SLACK * abs(moments).max() + POINT**2 * mass
    if moments[0] < -tolerance:
        yield (
            "definite",
            f"the inertia is not positive definite: its principal moments are {text}",
            "check the signs of ixy, ixz, iyz, and that the inertia is about the centre of mass",
        )
    elif moments[0] + moments[1] < moments[2] - tolerance:
        yield (
            "triangle",
            f"principal moments of inertia {text}: the largest exceeds the sum of the others, "
            "which no body does",
            "export the inertia about the centre of mass, with more digits",
        )
    if mass == 0 and moments.any():
        yield "massless", "inertia without mass", "give the mass"


def doubtful(mass: float, moments: NDArray[Any]) -> Iterable[tuple[str, str, str]]:
    """Yield the same of what is impossible, or as large as numbers in other units would be."""
    yield from impossible(mass, moments)
    if mass > _HEAVY:
        yield "units", f"a mass of {mass:.4g} kg", "masses are in kg, not in g"
    if mass > 0 and moments[2] / mass > _WIDE**2:
        yield (
            "units",
            f"a radius of gyration of {np.sqrt(moments[2] / mass):.4g} m",
            "lengths are in m: inertias in kg mm² are a million times too large",
        )
