"""Support of a robot on level ground: the points of its feet in the plane, and their hull."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pinocchio as pin
import scipy

from ...arrays import Array
from .foot import Foot


def supports(model: Any, data: Any, feet: Collection[Foot]) -> Array:
    """Return the points (k, 2) of feet in the plane, their frames placed by `pin.Data` [m]."""
    places = (data.oMf[frame_of(model, f.frame)] for f in feet)
    return np.vstack([f.points(T)[:, :2] for f, T in zip(feet, places, strict=True)])


def frame_of(model: Any, name: str) -> int:
    """Return the index of the link of that name, else of the frame."""
    link = int(model.getFrameId(name, pin.FrameType.BODY))
    return link if link < model.nframes else int(model.getFrameId(name))


def com_of(model: Any, data: Any, q: Array) -> Array:
    """Return the centre of mass (3,) of a floating base with all that it carries [m].

    Bodies of the file that float beside it do not count.
    """
    pin.centerOfMass(model, data, q, True)
    return np.array(data.oMi[1].act(data.com[1]))


def beside(points: Array, x: Array) -> float:
    """Return how far x (2,) is outside of the convex hull of points (k, 2) [m]."""
    try:
        hull = scipy.spatial.ConvexHull(points)
    except (scipy.spatial.QhullError, ValueError):  # a point, or points on a line
        a, b = points[points[:, 0].argmin()], points[points[:, 0].argmax()]
        if np.ptp(points[:, 1]) > np.ptp(points[:, 0]):
            a, b = points[points[:, 1].argmin()], points[points[:, 1].argmax()]
        along = b - a
        s = np.clip((x - a) @ along / max(along @ along, 1e-12), 0, 1)
        return float(np.linalg.norm(x - a - s * along))
    return max(float((hull.equations[:, :2] @ x + hull.equations[:, 2]).max()), 0.0)
