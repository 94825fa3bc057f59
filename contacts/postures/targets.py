"""Targets of contacts for inverse kinematics: placements, faces to lie on, or the ground below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ContactError
from ...robots.values import mapping, placement, vector
from ..contact import Contact, PointContact
from ..contact_set import ContactSet, as_pose
from ..geometry.directions import least_turn
from ..surface_contact import SurfaceContact
from ..terrain.faces import FACES_UP, Face
from .landing import check_face


def ground_targets(contacts: ContactSet, q: ArrayLike, ground: Any = None) -> dict[str, Any]:
    """Return {contact: T_world_target}: the places at q, brought to the ground straight up or down.

    A patch keeps its heading and is laid flat on the ground by the least turn. Contacts that face
    away from the ground by more than 80°, as a hand on a wall does, stay where they are.

    Args:
        contacts: whose places.
        q: configuration (nq,).
        ground: T_world_ground (`pin.SE3`), whose plane z = 0 is the ground; level when not given.

    Raises:
        ConfigurationError: a bad q.
        ContactError: a ground that is no pose, or a vertical one.
    """
    ground = pin.SE3.Identity() if ground is None else ground
    ground = placement(ground, "ground", "T_world_ground", error=ContactError)
    n, origin = ground.rotation[:, 2], ground.translation
    if n[2] < 1e-3:
        raise ContactError(f"ground: got the normal {n}, expected one that points up")
    targets = {}
    for name, T in contacts.placements(q).items():
        z = T.rotation[:, 2]
        if z @ n < FACES_UP:
            targets[name] = T
            continue
        p = T.translation - np.array([0.0, 0.0, n @ (T.translation - origin) / n[2]])
        targets[name] = pin.SE3(least_turn(z, n) @ T.rotation, p)
    return targets


def all_targets(
    contacts: ContactSet, q: Array, targets: Mapping[str, Any] | None, ground: Any
) -> dict[str, Any]:
    """Return {contact: `pin.SE3` or `Face`} for every contact, those not given on the ground.

    Raises:
        ContactError: an invalid target, or one of a contact that does not exist.
    """
    targets = mapping(targets or {}, "targets", contacts.names, kind="contact", error=ContactError)
    every = dict(targets)
    if len(every) < len(contacts):
        every = ground_targets(contacts, q, ground) | every
    faces = {name: face for name, face in every.items() if isinstance(face, Face)}
    for name, face in faces.items():
        check_face(contacts[name], face)
    # read-only copies: they are not checked again at every step
    return {
        name: T if isinstance(T, Face) else as_pose(T, contacts[name]) for name, T in every.items()
    }


def with_frames(
    touching: ContactSet, frames: Mapping[str, Any] | None
) -> tuple[ContactSet, dict[str, Any]]:
    """Return contacts together with frames, as patches to be placed and points to be somewhere, and
    {contact: T_world_target} of these.

    Raises:
        ContactError: a frame that does not exist, or an invalid place.
    """
    robot = touching.robot
    frames = mapping(frames or {}, "frames", robot.frame_names, kind="frame", error=ContactError)
    contacts: list[Contact] = []
    targets: dict[str, Any] = {}
    for frame, place in frames.items():
        name, where = f"frame {frame}", f"frames[{frame!r}]"
        if isinstance(place, pin.SE3):
            size: Any = {"half_length": 1e-3, "half_width": 1e-3, "friction": 0.0}  # any would do
            contacts.append(SurfaceContact(frame, **size, name=name))
            targets[name] = placement(place, where, "T_world_frame", error=ContactError)
        else:
            contacts.append(PointContact(frame, friction=0.0, name=name))
            p = vector(place, where, "or a pinocchio.SE3 [m]", error=ContactError)
            targets[name] = pin.SE3(np.eye(3), p)
    return ContactSet(robot, [*touching, *contacts]) if contacts else touching, targets
