"""Friction used: how much of its friction cone the force of a contact takes."""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .limits import ContactLimits


def friction_used(forces: Array, friction: Array, weight: float) -> Array:
    """Return ‖(f_1/μ_1, f_2/μ_2)‖ / f_n (...) of forces (..., 3) in contact axes.

    1 where one slides, nan where nothing presses; infinite on ice that holds
    all the same.

    Args:
        forces: as above [N].
        friction: (..., 2), μ along the two tangents.
        weight: of the robot [N]: a thousandth of it is nothing.
    """
    mu = np.broadcast_to(friction, (*forces.shape[:-1], 2)).reshape(-1, 2)
    top, weights = ContactLimits.of_points(mu).cone_weights
    f = forces.reshape(-1, 3)
    used, normal = np.linalg.norm(weights * f[:, :2], axis=1), f[:, 2]
    used[used < 1e-9 * weight] = 0.0  # rounding, on ice
    held = top * normal
    over = np.where(used > 0, np.inf, 0.0)
    ratios = np.where(held > 0, used / np.where(held > 0, held, 1.0), over)
    return np.where(normal > 1e-3 * weight, ratios, np.nan).reshape(forces.shape[:-1])
