"""Dragging: the stance after a movement of a handle.

What is held follows the pointer without a jump: it moves by what the pointer's place on the plane
or line of the movement has moved since it took hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts.scenario.loads import Payload, Push
from ...contacts.scenario.parts import ScenarioContact
from ...contacts.terrain.faces import Face
from ...contacts.terrain.terrain import Terrain, forward_on
from . import pointer as rays
from .actions import Mode, Pointer
from .handles import load_of, place_of, with_load
from .laying import put_on
from .stance import OutOfReach, Stance
from .written import UP

OPENED = 0.03  # [m], how high a contact is lifted by "open"
_NOTHING = 5e-3  # of the weight: smaller pushes are removed


@dataclass(frozen=True, eq=False)
class Held:
    """What a pointer holds.

    Attributes:
        handle: its id.
        stance: when it was taken hold of.
        place: T_world_handle (`pin.SE3`) then.
        pointer: then.
        last: the pointer's last place.
        mode: in which it is dragged; None before the first movement.
        turned: by how much, in mode "turn" [rad].
    """

    handle: str
    stance: Stance
    place: Any
    pointer: Pointer
    last: Pointer
    mode: Mode | None = None
    turned: float = 0.0

    @classmethod
    def of(cls, stance: Stance, handle: str, pointer: Pointer, mode: Mode | None = None) -> Held:
        """Return what a pointer begins to hold.

        Raises:
            OutOfReach: no such handle.
        """
        return cls(handle, stance, place_of(stance, handle), pointer, pointer, mode)

    @property
    def name(self) -> str:
        """Of the contact or frame."""
        return self.handle.partition("/")[2]

    @property
    def has_moved(self) -> bool:
        """Whether the pointer is elsewhere than where it took hold."""
        then, now = self.pointer, self.last
        return not all(
            np.array_equal(getattr(then, name), getattr(now, name)) for name in vars(then)
        )

    def moved_to(self, stance: Stance, mode: Mode, pointer: Pointer) -> Held:
        """Return what the pointer holds after a movement from `stance` on; in another mode it
        takes hold anew, so that nothing jumps."""
        held = self if self.mode in (None, mode) else Held.of(stance, self.handle, self.last)
        z = held.place.rotation[:, 2] if self.handle.startswith("contact/") else UP
        angle = rays.turned(pointer, held.last, held.place.translation, z)
        return replace(held, mode=mode, last=pointer, turned=held.turned + angle)


def dragged(now: Stance, held: Held) -> Stance:
    """Return the stance after a movement of what is held; `now` itself where it leads nowhere.

    Raises:
        OutOfReach, ContactError: it cannot go there.
    """
    if now is held.stance and not held.has_moved:
        return now
    kind = held.handle.partition("/")[0]
    drag = _DRAGS.get((kind, held.mode))
    if drag is None:
        raise OutOfReach(f"{held.handle}: got the mode {held.mode!r}, which it does not have")
    leaning = replace(now, before=held.stance.q)
    there = drag(leaning, held)
    return now if there is leaning else there


# --- contacts ----------------------------------------------------------------------------------


def _move_contact(now: Stance, held: Held) -> Stance:
    ray = rays.through(held.last, held.pointer, held.place.translation)
    hit = _met(now, held, ray)
    if hit is None:
        return now
    face, point = hit
    return put_on(now, now.part(held.name), face, point, forward_on(held.place, face.normal))


def _met(now: Stance, held: Held, ray: Pointer) -> tuple[Face, Array] | None:
    """The face under the pointer, and where; beside the terrain the contact stays on its face."""
    ground = now.scenario.ground
    hit = None if _is_hidden(held) else ground.cast(ray.origin, ray.direction)
    if hit is not None or held.name in now.lifted:
        return hit
    face = face_of(now.part(held.name), ground)
    point = rays.on_plane(ray, face.placement.translation, face.normal)
    return None if point is None else (face, point)


def _is_hidden(held: Held) -> bool:
    """Whether the contact lay behind something when it was taken hold of, such as a hand seen
    through its wall: it keeps to its face then."""
    if held.name in held.stance.lifted:
        return False
    ground, p = held.stance.scenario.ground, held.place.translation
    ray = rays.through(held.pointer, held.pointer, p)
    hit = ground.cast(ray.origin, ray.direction)
    return hit is None or float(np.linalg.norm(hit[1] - p)) > 1e-3


def face_of(part: ScenarioContact, ground: Terrain) -> Face:
    """Return the face that a contact of a stance lies on."""
    return part.face(ground, pin.SE3.Identity())[0]


def _turn_contact(now: Stance, held: Held) -> Stance:
    part, n = now.part(held.name), held.place.rotation[:, 2]
    T = held.place.copy()
    T.rotation = pin.AngleAxis(held.turned, n).toRotationMatrix() @ T.rotation
    if held.name in now.lifted:
        return now.with_lifted(part, T)
    return put_on(now, part, face_of(part, now.scenario.ground), T.translation, T.rotation[:, 0])


def _lift_contact(now: Stance, held: Held, moved: Array) -> Stance:
    return lifted_to(now, held.name, _by(held.place, moved))


def lifted_to(now: Stance, name: str, T: Any) -> Stance:
    """Return the stance with a contact in the air at T_world_contact, or where that is inside the
    terrain above it."""
    ground, p = now.scenario.ground, T.translation
    depth = min(float(ground.signed_distance(p)), 0.0)
    above = p - depth * ground.normal(p) if depth < 0 else p
    return now.with_lifted(now.part(name), pin.SE3(T.rotation, above))


# --- centre of mass and base -------------------------------------------------------------------


def _move_com(now: Stance, held: Held, moved: Array) -> Stance:
    x, y, _ = (held.place.translation + moved).tolist()
    com = now.scenario.com
    return now.posed(com=(x, y, *com[2:]) if isinstance(com, tuple) else (x, y))


def _lift_com(now: Stance, held: Held, moved: Array) -> Stance:
    return now.posed(com=tuple((held.place.translation + moved).tolist()))


def _move_base(now: Stance, held: Held, moved: Array) -> Stance:
    return _based(now, _by(held.place, moved))


def _turn_base(now: Stance, held: Held) -> Stance:
    R = pin.utils.rotate("z", held.turned) @ held.place.rotation
    return _based(now, pin.SE3(R, held.place.translation))


def _based(now: Stance, T: Any) -> Stance:
    """The stance with the base there; the centre of mass goes along, and is kept there if it was
    kept before."""
    com = now.scenario.com
    there = now.posed(frames={now.base: T}, com=None)
    if com is None:
        return there
    found, old = there.state.com.tolist(), com if isinstance(com, tuple) else (0.0, 0.0)
    kept = tuple(None if x is None else new for x, new in zip(old, found, strict=False))
    return there.resting(com=kept)


# --- loads -------------------------------------------------------------------------------------


def _move_push(now: Stance, held: Held, moved: Array) -> Stance:
    push = cast(Push, load_of(held.stance, held.handle))
    force = np.array(push.force) + moved / now.scale
    keep = bool(np.linalg.norm(force) > _NOTHING * now.weight or np.any(push.moment))
    return with_load(now, held.handle, replace(push, force=tuple(force.tolist())), keep)


def _move_payload(now: Stance, held: Held, moved: Array) -> Stance:
    payload = cast(Payload, load_of(now, held.handle))
    T = now.state.frame_placement(payload.frame)
    at = T.actInv(held.place.translation + moved)
    return with_load(now, held.handle, replace(payload, at=tuple(at.tolist())))


# --- movements ---------------------------------------------------------------------------------


def _by(T: Any, moved: Array) -> Any:
    return pin.SE3(T.rotation, T.translation + moved)


def _facing(last: Pointer, first: Pointer, point: Array) -> Array | None:
    return rays.moved_on_plane(last, first, point, first.forward)


def _along(
    moved: Callable[..., Array | None], take: Callable[[Stance, Held, Array], Stance]
) -> Callable[[Stance, Held], Stance]:
    """A drag by how much the pointer has moved since it took hold: in the plane through what it
    holds that faces the viewer, in the level one, or on the vertical."""

    def drag(now: Stance, held: Held) -> Stance:
        by = moved(held.last, held.pointer, held.place.translation)
        return now if by is None else take(now, held, by)

    return drag


_DRAGS: dict[tuple[str, Mode | None], Callable[[Stance, Held], Stance]] = {
    ("contact", "move"): _move_contact,
    ("contact", "turn"): _turn_contact,
    ("contact", "lift"): _along(_facing, _lift_contact),
    ("com", "move"): _along(rays.moved_level, _move_com),
    ("com", "lift"): _along(rays.moved_upright, _lift_com),
    ("base", "move"): _along(_facing, _move_base),
    ("base", "turn"): _turn_base,
    ("base", "lift"): _along(rays.moved_upright, _move_base),
    ("push", "move"): _along(_facing, _move_push),
    ("push", "lift"): _along(rays.moved_upright, _move_push),
    ("payload", "move"): _along(_facing, _move_payload),
    ("payload", "lift"): _along(rays.moved_upright, _move_payload),
}
