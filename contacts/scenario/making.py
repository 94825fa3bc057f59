"""Scenarios made of a robot, contacts and wrenches that a program has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...dynamics import State, Wrench, compare, frame_placement
from ...errors import ContactError, counted, warn
from ...robots import Robot, catalogue
from ...robots.ranges import ranges
from ...robots.sources import describe
from ..contact import Contact, PointContact
from ..contact_set import at_feet
from ..postures.self_collision import self_collisions
from ..surface_contact import DiscContact, LineContact, SurfaceContact
from ..terrain.solids import Box, Plane
from ..terrain.terrain import Part
from .file import ScenarioError
from .loads import Push
from .parts import ScenarioContact

_THICK = 0.04  # [m], of what is put under a contact that is not on the level
_LEVEL = 1e-6  # [m], by which contacts on the level may differ in height
_BEYOND = 1e-3  # [rad or m], by which a joint is beyond its range, as in audits
_STANDS = 5e-3  # [m], how far above the others' a foot's points may be that stands


def robot_keys(robot: Robot) -> dict[str, Any]:
    """Return the attributes of a scenario by which its file names a robot."""
    driven = {robot.joint_of_row[row] for row in robot.actuated_rows}
    moved = [name for name in robot.joint_names if robot._model.joints[robot.joint_id(name)].nv]
    passive = [n for n in moved if n not in driven and n != robot.joint_of_row[0]]
    if not robot.is_floating:
        passive = [n for n in moved if n not in driven]
    return {"robot": _named(robot), "passive": tuple(passive), "lock": robot.locked}


def _named(robot: Robot) -> str:
    """The name in the catalogue of what it was read from, or its file."""
    for name in catalogue.names():
        alike = name == robot.name or Path(robot.source).stem.startswith(name)
        if alike and describe(name).origin == robot.source:
            return name
    return robot.source or robot.name


def check_described(given: Robot, described: Robot) -> None:
    """Check that a robot is as its description has it, as nothing else of it is in a file.

    Raises:
        ScenarioError: it is not, as with a payload of its own; how it differs.
    """
    apart = [
        f"{d.quantity} of {d.joint or d.link}: {d.words[0]} {d.unit}, described as {d.words[1]}"
        for d in compare(given, described).differences
    ]
    if given.motors.data != described.motors.data:
        apart.append("motors: not those of the description")
    if apart:
        more = f", and {counted(len(apart) - 1, 'more difference')}" * (len(apart) > 1)
        raise ScenarioError(
            f"robot: not as {described.source!r} describes it, and a file of the scenario has no "
            f"more of it: {apart[0]}{more}; expected payloads as loads, motors as a file"
        )


def warn_beyond_ranges(robot: Robot, q: Array) -> None:
    """Warn of joints beyond their ranges, which the posture of a scenario keeps."""
    low, high = ranges(robot._model)
    beyond = np.maximum(low - q, q - high) > _BEYOND
    joints = {name: robot._model.joints[robot.joint_id(name)] for name in robot.joint_names}
    names = [name for name, j in joints.items() if beyond[j.idx_q : j.idx_q + j.nq].any()]
    if names:
        which = ", ".join(names[:5]) + f" and {len(names) - 5} more" * (len(names) > 5)
        warn(f"q is beyond the ranges of {which}: a scenario's posture keeps them, and is another")


def warn_overlapping(robot: Robot, q: Array) -> None:
    """Warn of links that the posture of a scenario moves apart."""
    near = self_collisions(robot, q) if robot.has_collision_shapes else ()
    if near:
        more = f" and {counted(len(near) - 1, 'more pair')}" * (len(near) > 1)
        warn(
            f"in q {near[0]}{more}: a scenario's posture keeps links apart, and is another; "
            "scenario.replaced(self_collision=False) leaves them"
        )


def standing_feet(robot: Robot, q: Array, friction: Any) -> list[Contact]:
    """Return contacts at the feet that stand on one level: the lowest ones.

    A robot whose base is fixed and that has no feet has none.
    """
    if not robot.is_floating and not robot.feet:
        return []
    feet = at_feet(robot, friction)
    heights = {foot.name: foot.world_points(robot, q)[:, 2] for foot in feet}
    lowest = min((float(h.min()) for h in heights.values()), default=0.0)
    return [foot for foot in feet if heights[foot.name].max() < lowest + _STANDS]


def touching(
    contacts: Iterable[Contact], robot: Robot, q: Array
) -> tuple[tuple[ScenarioContact, ...], tuple[Part, ...]]:
    """Return contacts as a scenario has them, and a terrain under them: level ground at the height
    of the lowest level one, boxes under the others."""
    listed, state = list(contacts), State.of(robot, q)
    poses = [contact.pose(robot, state) for contact in listed]
    level = [T.translation[2] for T in poses if T.rotation[2, 2] > 1 - 1e-9]
    height = float(min(level, default=0.0))
    terrain: list[Part] = [Plane(at=(0.0, 0.0, height))] * bool(level or not listed)
    parts = []
    for contact, T in zip(listed, poses, strict=True):
        on_ground = T.rotation[2, 2] > 1 - 1e-9 and T.translation[2] < height + _LEVEL
        if not on_ground:
            terrain.append(_under(contact, T))
        surface = "ground" if on_ground else f"under {contact.name}"
        parts.append(scenario_contact(contact, T, surface))
    return tuple(parts), tuple(terrain)


def scenario_contact(contact: Contact, T: Any, surface: str = "") -> ScenarioContact:
    """Return a contact as a scenario has it, at T_world_contact.

    Raises:
        ContactError: it has what scenarios have no key for.
    """
    _refuse_unwritten(contact)
    values: dict[str, Any] = {"frame": contact.frame, "surface": surface}
    values |= {"name": contact.name, "friction": contact.friction, "bilateral": contact.bilateral}
    values["at"] = tuple(T.translation.tolist())
    if isinstance(contact, PointContact):
        values |= {"kind": "point", "offset": contact.offset, "radius": contact.radius or None}
        return ScenarioContact(**values, tangent=contact.tangent)  # type: ignore[arg-type]
    placement = contact.placement  # type: ignore[attr-defined]
    values["heading"] = tuple(T.rotation[:, 0].tolist())
    values["offset"] = placement.translation
    values["turn"] = np.degrees(pin.rpy.matrixToRpy(placement.rotation))
    if isinstance(contact, DiscContact):
        return ScenarioContact(kind="disc", radius=contact.radius, **values)
    if isinstance(contact, LineContact):
        return ScenarioContact(kind="line", half_length=contact.half_length, **values)
    corners = contact.corners  # type: ignore[attr-defined]
    return ScenarioContact(kind="polygon", vertices=tuple(map(tuple, corners.tolist())), **values)


def _refuse_unwritten(contact: Contact) -> None:
    kinds = (PointContact, SurfaceContact, DiscContact, LineContact)
    if not isinstance(contact, kinds):
        got = type(contact).__name__
        names = ", ".join(kind.__name__ for kind in kinds)
        raise ContactError(f"contact: got a {got}, expected one of {names}, as a scenario has them")
    usual = {field.name: field.default for field in fields(contact)}
    for key in ("torsional_friction", "min_normal", "max_normal", "part_of", "kind", "sides"):
        if key in usual and getattr(contact, key) != usual[key]:
            got = f"{contact.name}: {key}: got {getattr(contact, key)!r}"
            raise ContactError(f"{got}, for which scenarios have no key")
    if contact.surface is not None:
        raise ContactError(f"{contact.name}: surface: got one that moves, expected one at rest")


def _under(contact: Contact, T: Any) -> Box:
    """A flat box whose upper side lies under the contact."""
    n = T.rotation[:, 2]
    reach = float(np.linalg.norm(contact.points, axis=1).max())
    side = max(0.3, 3 * reach)
    tilted = np.hypot(n[0], n[1]) > 1e-9
    heading = np.degrees(np.arctan2(-n[1], -n[0])) if tilted else 0.0
    rises = np.degrees(np.arctan2(np.hypot(n[0], n[1]), n[2]))
    at = T.translation - _THICK * n
    return Box(f"under {contact.name}", (side, side, _THICK), tuple(at), heading, rises)


def pushes_of(wrenches: Mapping[str, Wrench], robot: Robot, q: Array) -> tuple[Push, ...]:
    """Return the pushes, of fixed direction in the world, that wrenches on links are at q."""
    state, pushes = State.of(robot, q), []
    for frame, wrench in wrenches.items():
        here = frame_placement(robot, state, frame)
        axes = pin.SE3.Identity()
        if wrench.axes != "world":
            axes = here if wrench.axes == "local" else frame_placement(robot, state, wrench.axes)
        point = here.translation if wrench.point is None else axes.act(np.asarray(wrench.point))
        force, moment = axes.rotation @ wrench.force, axes.rotation @ wrench.moment
        at = here.actInv(np.asarray(point))
        pushes.append(Push(frame, *(tuple(np.asarray(x).tolist()) for x in (force, moment, at))))
    return tuple(pushes)


def gravity_of(robot: Robot) -> tuple[float, ...]:
    """Return the gravity of a robot, as a scenario has it: nothing where it is usual."""
    gravity = robot._model.gravity.linear
    return () if np.array_equal(gravity, [0.0, 0.0, -9.81]) else tuple(gravity.tolist())
