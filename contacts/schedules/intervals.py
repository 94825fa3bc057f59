"""Intervals of a schedule: which corners of which foot touch, from when to when."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ..cones.friction_cone import Friction
from ..contact import Contact, PointContact
from ..contact_set import ContactSet
from .masks import Mask
from .soles import Sole, soles_of

Ground = tuple[Friction, tuple[float, ...]]


class Interval(NamedTuple):
    """A time during which the same corners of a foot touch.

    Attributes:
        foot: its name, or that of a contact that is no part of a foot.
        corners: "all", "heel", "toe", "inner edge", …, or their numbers: "1 3".
        start, end: times of the first and of the last sample [s].
        contacts: their names.
        friction: Coulomb coefficient μ.
        normal: (3,), of the ground, world axes; () of a sole, whose normal turns with it.
    """

    foot: str
    corners: str
    start: float
    end: float
    contacts: tuple[str, ...]
    friction: Friction
    normal: tuple[float, ...]

    def __str__(self) -> str:
        which = "" if self.corners == "all" else f" {self.corners}"
        return f"{self.foot}{which}: {self.start:.4g} to {self.end:.4g} s"


def ground_of(contact: Contact) -> Ground:
    """Return friction and normal of a contact, as what is the same for the corners of a foot."""
    mu = contact.friction
    normal = tuple(contact.normal.tolist()) if isinstance(contact, PointContact) else ()
    return mu if np.ndim(mu) == 0 else tuple(np.asarray(mu).tolist()), normal


def intervals_of(contacts: ContactSet, t: Array, touching: Mask) -> Iterator[Interval]:
    """Yield the intervals foot by foot, ground by ground, in the order of time."""
    soles = soles_of(contacts)
    for foot, columns in contacts.wholes.items():
        grounds: dict[Ground, list[int]] = {}
        for k in columns:
            grounds.setdefault(ground_of(contacts.contacts[k]), []).append(k)
        for ground, own in grounds.items():
            yield from _on_ground(contacts, t, touching, soles[foot], ground, own)


def _on_ground(
    contacts: ContactSet, t: Array, touching: Mask, sole: Sole, ground: Ground, own: list[int]
) -> Iterator[Interval]:
    """The intervals of those corners of a foot that touch one ground."""
    table, numbers = touching[:, own], [sole.number(contacts.contacts[k]) for k in own]
    changes = np.flatnonzero((table[1:] != table[:-1]).any(axis=1)) + 1
    edges = [0, *changes.tolist(), len(t)]
    for begin, end in pairwise(edges):
        on = table[begin]
        if on.any():
            which = np.isin(np.arange(len(sole.places)), np.array(numbers)[on])
            names = tuple(contacts.names[k] for k, touches in zip(own, on, strict=True) if touches)
            start, stop = float(t[begin]), float(t[end - 1])
            yield Interval(sole.name, sole.word(which), start, stop, names, *ground)
