"""Handles of a stance: the contacts, centre of mass, base and loads that can be dragged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts.contact import Contact
from ...contacts.scenario.loads import Load, Payload, Push
from ...errors import unknown
from .actions import Mode
from .stance import OutOfReach, Stance
from .written import UP, contact_of

_STUB = 0.12  # of the robot's height: how far before its point a push of nothing can be pulled out
_LOADS = {"push": Push, "payload": Payload}


@dataclass(frozen=True, eq=False)
class Handle:
    """What can be taken hold of.

    Attributes:
        id: "contact/NAME", "com", "base", "push/FRAME" or "payload/FRAME"; of several pushes or
            payloads on one frame the later ones are numbered ("push/torso#2").
        kind: "contact", "lifted" (a contact in the air), "com", "base", "push" or "payload".
        label: for people.
        position: (3,) [m].
        normal: (3,), unit: of a contact its normal, else up.
        modes: in which it can be dragged.
    """

    id: str
    kind: str
    label: str
    position: Array
    normal: Array
    modes: tuple[Mode, ...]


def handles_of(stance: Stance) -> tuple[Handle, ...]:
    """Return all handles of a stance."""
    contacts = stance.scenario.contact_set
    places = contacts.placements(stance.state)
    found = [_contact(contact, places[contact.name], "contact") for contact in contacts]
    for name, (part, T) in stance.lifted.items():
        whole = contact_of(part, stance.robot)
        found.append(_contact(replace(whole, name=name), T, "lifted"))
    found.append(Handle("com", "com", "centre of mass", stance.state.com, UP, ("move", "lift")))
    if stance.robot.is_floating:
        place = stance.state.frame_placement(stance.base).translation
        found.append(Handle("base", "base", "base", place, UP, ("move", "turn", "lift")))
    found += [_load(stance, handle, load) for handle, load in loads_of(stance).items()]
    return tuple(found)


def place_of(stance: Stance, handle: str) -> Any:
    """Return T_world_handle (`pin.SE3`) of what is taken hold of.

    Raises:
        OutOfReach: no such handle.
    """
    kind, _, name = handle.partition("/")
    if kind == "contact":
        return stance.place(name)
    if handle == "base" and stance.robot.is_floating:
        return stance.state.frame_placement(stance.base)
    if handle == "com":
        return pin.SE3(np.eye(3), stance.state.com)
    return pin.SE3(np.eye(3), _end(stance, load_of(stance, handle)))


def _contact(contact: Contact, T: Any, kind: str) -> Handle:
    modes: tuple[Mode, ...] = ("move", "turn", "lift") if contact.dim > 4 else ("move", "lift")
    name = contact.name
    return Handle(f"contact/{name}", kind, name, T.translation, T.rotation[:, 2], modes)


# --- pushes and payloads -----------------------------------------------------------------------


def loads_of(stance: Stance) -> dict[str, Load]:
    """Return {handle: push or payload}, a push of nothing at the centre of mass besides."""
    found: dict[str, Load] = {}
    for kind, cls in _LOADS.items():
        for load in stance.scenario.loads:
            if isinstance(load, cls):
                found[_numbered(f"{kind}/{load.frame}", found)] = load
    found.setdefault(f"push/{stance.base}", Push(stance.base, at="com"))
    return found


def load_of(stance: Stance, handle: str) -> Load:
    """Return the push or payload of a handle.

    Raises:
        OutOfReach: no such handle.
    """
    loads = loads_of(stance)
    if handle not in loads:
        raise OutOfReach(unknown("handle", handle, [h.id for h in handles_of(stance)]))
    return loads[handle]


def with_load(stance: Stance, handle: str, load: Load, keep: bool = True) -> Stance:
    """Return the stance with this push or payload at a handle, a new one or in place of the one
    there; without it unless `keep`."""
    loads, there = stance.scenario.loads, loads_of(stance).get(handle)
    others = [other for other in loads if other is not there]
    where = next((k for k, other in enumerate(loads) if other is there), len(others))
    others[where:where] = [load] * keep
    return stance.resting(loads=tuple(others))


def _numbered(name: str, taken: dict[str, Load]) -> str:
    k = 1
    while (handle := name if k == 1 else f"{name}#{k}") in taken:
        k += 1
    return handle


def _load(stance: Stance, handle: str, load: Load) -> Handle:
    kind, end = handle.partition("/")[0], _end(stance, load)
    if isinstance(load, Push):
        label = f"push on {load.frame}, {np.linalg.norm(load.force):.3g} N"
    else:
        label = f"payload on {load.frame}, {load.mass:.3g} kg"  # type: ignore[union-attr]
    return Handle(handle, kind, label, end, UP, ("move", "lift"))


def _end(stance: Stance, load: Load) -> Array:
    """Where a load is taken hold of, (3,): a payload at its middle, a push at its arrow's end."""
    wrench = load.wrench(stance.robot, stance.state)
    point = np.asarray(wrench.point)
    if not isinstance(load, Push):
        return point
    arrow = stance.scale * np.asarray(wrench.force)
    return point + (arrow if arrow.any() else [_STUB * stance.height, 0.0, 0.0])
