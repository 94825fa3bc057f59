"""Commands of a live scene's buttons on one handle: open and close."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pinocchio as pin

from ...contacts.terrain.terrain import forward_on
from .dragging import OPENED, lifted_to
from .handles import place_of
from .laying import put_on
from .stance import OutOfReach, Stance


def opened(stance: Stance, handle: str) -> Stance:
    """Return the stance with a contact lifted a little, or with a free centre of mass.

    Raises:
        OutOfReach: no such handle, a contact that is open, or one that cannot be lifted there.
    """
    if handle == "com":
        return stance.resting(com=None)
    name = _contact(stance, handle, "open")
    if name in stance.lifted:
        raise OutOfReach(f"{name} is open")
    T = stance.place(name)
    return lifted_to(stance, name, pin.SE3(T.rotation, T.translation + OPENED * T.rotation[:, 2]))


def closed(stance: Stance, handle: str) -> Stance:
    """Return the stance with a lifted contact put down on what is below or nearest, or with the
    centre of mass kept where it is, seen from above.

    Raises:
        OutOfReach: no such handle, a contact that is closed, or one that cannot be put down there.
    """
    if handle == "com":
        return stance.resting(com=tuple(stance.state.com[:2].tolist()))
    name = _contact(stance, handle, "close")
    if name not in stance.lifted:
        raise OutOfReach(f"{name} is closed")
    part, T = stance.lifted[name]
    face, point = stance.scenario.ground.beneath(T)
    return put_on(stance, part, face, point, forward_on(T, face.normal))


def _contact(stance: Stance, handle: str, what: str) -> str:
    kind, _, name = handle.partition("/")
    if kind != "contact":
        place_of(stance, handle)  # refuses what does not exist
        raise OutOfReach(f"{what}: got {handle!r}, expected a contact or com")
    stance.part(name)
    return name


COMMANDS: Mapping[str, Callable[[Stance, str], Stance]] = {"open": opened, "close": closed}
