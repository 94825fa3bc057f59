"""Samples: the contents of a motion file, independent of a robot."""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Array


class Samples(NamedTuple):
    """What a file says, before a robot is asked.

    Attributes:
        layout: of the file.
        joints: (n, k) positions of joints [rad or m].
        place: (n, 3) of the base [m]; None without any.
        turn: (n, 4) quaternions of the base; None without any.
        order: of these quaternions, "xyzw" or "wxyz"; None: to be found.
        names: of the joints; None: the file has none.
        rate: samples a second [Hz]; None: the file has none.
        times: (n,) [s]; None likewise.
        bodies: (n, b, 3) places of links [m], to tell orders of joints by.
        notes: what was assumed or left out.
    """

    layout: str
    joints: Array
    place: Array | None = None
    turn: Array | None = None
    order: str | None = None
    names: tuple[str, ...] | None = None
    rate: float | None = None
    times: Array | None = None
    bodies: Array | None = None
    notes: tuple[str, ...] = ()
