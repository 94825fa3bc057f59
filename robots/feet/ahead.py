"""Ahead: how a base is turned about the vertical such that its legs bend in planes along x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from .limbs import Leg
from .outlines import placed
from .sides import side
from .sole_shapes import joint_axis

_MORE = 1.2  # how much more each leg turns about one of x and y that is lateral


def facing_x(model: Any, q: Array, legs: Sequence[Leg]) -> Array:
    """Return q (nq,), its base turned about the vertical by quarters such that the robot faces x.

    Most joints of legs turn about the lateral axis; the names of legs tell which of its ends is to
    the left. Legs to all sides, as an insect's, leave the base as it is.
    """
    data = placed(model, q)
    x, y = np.array([_turns(model, data, leg) for leg in legs]).reshape(-1, 2).T
    if not (x > _MORE * y).all() and not (y > _MORE * x).all():
        return q
    quarters = -1 if (x > y).any() else 0
    left = sum(side(_name(model, leg)) * _turned(quarters, leg.hip)[1] for leg in legs)
    if left < 0:
        quarters += 2
    if not quarters:
        return q
    found = q.copy()
    turn = pin.Quaternion(pin.exp3(np.array([0.0, 0.0, 0.5 * np.pi * quarters])))
    found[3:7] = (turn * pin.Quaternion(*q[[6, 3, 4, 5]])).coeffs()
    return found


def _turns(model: Any, data: Any, leg: Leg) -> Array:
    """How much the joints of a leg turn about x and y: (2,), Σ |axis|."""
    axes = [data.oMi[j].rotation @ joint_axis(model, j) for j in (*leg.joints, *leg.end)]
    return np.asarray(np.abs(axes).sum(axis=0)[:2])


def _turned(quarters: int, place: Array) -> Array:
    """A place (3,) turned about the vertical."""
    return np.asarray(pin.exp3(np.array([0.0, 0.0, 0.5 * np.pi * quarters])) @ place)


def _name(model: Any, leg: Leg) -> str:
    """The link of a leg that is farthest out and whose name tells a side, "" where none does."""
    bodies = [f.name for f in model.frames if f.parentJoint in (*leg.joints, *leg.end)]
    return next((name for name in reversed(bodies) if side(name)), "")
