"""Placements (`pin.SE3`), checked wherever one enters: a rotation, and an origin within reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from ..errors import ConfigurationError, FootworkError
from .configuration import LARGEST

ORTHONORMAL = 1e-6  # largest entry of R Rᵀ − 1 of what counts as a rotation: single precision


def check_placement(
    placement: Any,
    name: str,
    meaning: str = "",
    error: type[FootworkError] = ConfigurationError,
) -> pin.SE3:
    """Return a copy of a placement, so that later changes of the caller's do not reach it.

    Args:
        placement: what was given.
        name: of the argument, for messages.
        meaning: what it places, such as "T_world_frame".
        error: the class of the exceptions.

    Raises:
        FootworkError: no `pin.SE3`, numbers that are not finite or beyond `LARGEST`, no rotation.
    """
    expected = f"a pinocchio.SE3{f' ({meaning})' if meaning else ''}"
    if not isinstance(placement, pin.SE3):
        raise error(f"{name}: got {placement!r}, expected {expected}")
    R, p = placement.rotation, placement.translation
    if not (np.isfinite(R).all() and np.abs(p).max() <= LARGEST):
        raise error(
            f"{name}: got the origin {p} and the rotation {R.tolist()}, expected finite numbers, "
            f"at most {LARGEST:g} m"
        )
    if np.abs(R @ R.T - np.eye(3)).max() > ORTHONORMAL or np.linalg.det(R) < 0:
        raise error(
            f"{name}: got a matrix of determinant {np.linalg.det(R):.3g} that is no rotation; "
            "expected R Rᵀ = 1 and det R = 1"
        )
    return pin.SE3(placement)
