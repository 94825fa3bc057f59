"""Projection of a contact onto a face, and the directions that stay free.

A contact whose target is a `Face` has to lie on it, wholly inside: its height and tilt always
count, its place along the face only where it would stick out, its heading never. (That a patch
needs more room when it turns is seen by every step, but not by its derivatives.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...dynamics import State
from ...errors import ContactError
from ..contact import Contact
from ..geometry.directions import least_turn
from ..terrain.faces import Face


class Landing(NamedTuple):
    """Where a contact lands, T_world_target, and the projector (6, 6) onto what counts there."""

    target: Any
    counts: Array


def landing(state: State, contact: Contact, face: Face) -> Landing:
    """Return the nearest pose of a contact on a face, by the least turn and the shortest way."""
    T, n = contact.pose(state), face.normal
    R = least_turn(T.rotation[:, 2], n) @ T.rotation
    axes = face.placement.rotation
    corners = contact.points @ R.T @ axes[:, :2]
    margin = np.maximum(face.half_size - np.abs(corners).max(axis=0, initial=0.0), 0.0)
    local = axes.T @ (T.translation - face.placement.translation)
    inside = np.append(np.clip(local[:2], -margin, margin), 0.0)
    counts = np.zeros((6, 6))
    counts[:3, :3] = axes @ np.diag([*(np.abs(local[:2]) > margin), True]).astype(float) @ axes.T
    counts[3:, 3:] = np.eye(3) - np.outer(n, n)
    return Landing(pin.SE3(R, face.placement.act(inside)), counts)


def check_face(contact: Contact, face: Face) -> None:
    """Refuse faces that a contact cannot lie on.

    Raises:
        ContactError: a line, a patch larger than the face, a point with another normal.
    """
    name, ground = contact.name, contact.axes_in_world
    if contact.turning_axes:
        raise ContactError(f"targets[{name!r}]: got a face for a line, expected a pinocchio.SE3")
    if ground is not None and ground[:, 2] @ face.normal < 1 - 1e-6:
        raise ContactError(
            f"targets[{name!r}]: the face's normal is {np.round(face.normal, 3).tolist()}, the "
            f"contact's {np.round(ground[:, 2], 3).tolist()}; expected the same"
        )
    size = 2 * np.linalg.norm(face.half_size)
    width = max(float(np.ptp(contact.points @ d)) for d in np.eye(3))
    if width > size:
        raise ContactError(
            f"targets[{name!r}]: a patch of {width:.3g} m does not fit {face.name!r}, which is "
            f"{size:.3g} m across"
        )
