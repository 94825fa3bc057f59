"""Load ramps of contacts, so that torques do not jump when contacts are made and broken.

A contact with the load fraction σ may carry at most `FULL` σ times the robot's weight, its lower
bound is σ times its own, and the nominal forces are distributed in proportion to σ. A contact is
unloaded to σ = 0 before it is removed, and a new one is loaded from there, as θ^1.25 with the share
θ of its time: of several feet each bears little of `FULL`, so that the torques change while σ is
small. What its forces cost is divided by σ, so that they go with its load, and tangential ones do
not stay until friction takes them within a few ticks; not on points whose forces are given. Its
constraint fades with its load,

    J a = k + (1 − σ) (J a° − k)

where a° are the accelerations without the contacts on a ramp: at σ = 0 it asks for what happens
without it. The solution of a strictly convex program depends continuously on its data, so the
torques do too, through contacts made and broken, and through one that is taken back half-way.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from ...contacts import Contact, ContactSet
from ...errors import ContactError, unknown
from ...robots.values import boolean, number

FULL = 1.5  # fraction of the robot's weight that a contact may carry at the end of its ramp
LEAST = 0.03  # σ below which the cost of forces does not rise any more
SLOW = 1.25  # power of the share of a ramp's time that σ goes as, from none on


@dataclass
class Ramp:
    """A load fraction from `start` to `goal` within `duration` [s], from the first tick on."""

    start: float
    goal: float
    duration: float
    fades: bool = True  # the contact's constraint too
    begin: float | None = None

    def at(self, t: float) -> float:
        """Return the load fraction at t; the ramp begins at the first t given."""
        if self.begin is None:
            self.begin = t
        if self.duration <= 0:
            return self.goal
        share = min(max((t - self.begin) / self.duration, 0.0), 1.0)
        s = share**SLOW if self.goal > self.start else 1 - (1 - share) ** SLOW
        return self.start + float(s) * (self.goal - self.start)

    def hasten(self, duration: float, t: float) -> None:
        """Reach the goal within `duration` from t on [s], if that is sooner."""
        if self.begin is None:
            self.duration = min(self.duration, duration)
        elif self.begin + self.duration > t + duration:
            self.start, self.begin, self.duration = self.at(t), t, duration

    def over(self, t: float) -> bool:
        """Return whether the goal is reached."""
        return self.begin is not None and t >= self.begin + self.duration


class SwitchedContacts:
    """Contacts that are made and broken, and the ramps that their loads are on.

    Attributes:
        there: {name: contact}, those there are, with those that are being removed.
        ramps: by contact.
        known: the names of all that there have been.
    """

    def __init__(self, contacts: ContactSet) -> None:
        self.robot = contacts.robot
        self.there = dict(zip(contacts.names, contacts, strict=True))
        self.known = set(contacts.names)
        self._set: ContactSet | None = contacts
        self.ramps: dict[str, Ramp] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy, which has ramps of its own."""
        own = {"ramps": deepcopy(self.ramps), "known": set(self.known), "there": dict(self.there)}
        return vars(self) | own

    @property
    def contacts(self) -> ContactSet:
        """The contacts as a set: another one after changes, made once for all of them."""
        if self._set is None:
            self._set = ContactSet._known(self.robot, self.there.values())
        return self._set

    @property
    def leaving(self) -> tuple[str, ...]:
        """The contacts that are being removed."""
        return tuple(name for name, ramp in self.ramps.items() if ramp.goal == 0.0)

    @property
    def loading(self) -> tuple[str, ...]:
        """The contacts whose loads go up."""
        return tuple(name for name, ramp in self.ramps.items() if ramp.goal == 1.0)

    @property
    def loaded(self) -> tuple[str, ...]:
        """The contacts whose load is not limited by a ramp."""
        return tuple(name for name in self.there if name not in self.ramps)

    def load(self, name: str, t: float) -> float:
        """Return the load fraction of a contact at t [s]."""
        ramp = self.ramps.get(name)
        return 1.0 if ramp is None else ramp.at(t)

    def loads(self, t: float) -> dict[str, float]:
        """Return the load fractions of contacts on a ramp; remove those that are unloaded."""
        if not self.ramps:
            return {}
        for name, ramp in list(self.ramps.items()):
            ramp.at(t)
            if ramp.over(t):
                if ramp.goal == 0.0:
                    self.drop(name)
                else:
                    del self.ramps[name]
        return {name: ramp.at(t) for name, ramp in self.ramps.items()}

    def fading(self, loads: Mapping[str, float]) -> dict[str, float]:
        """Return the load fractions of contacts whose constraint fades."""
        return {name: load for name, load in loads.items() if self.ramps[name].fades}

    def named(self, contact: Contact) -> Contact:
        """Return a contact as it is added: of a name of its own, or of that of one that leaves.

        Raises:
            ContactError: there is one of this name, which is not being removed.
        """
        name = _name(contact)
        if name in self.there and name not in self.leaving:  # it is numbered, or refused
            return ContactSet(self.robot, [*self.there.values(), contact]).contacts[-1]
        return self._alone(contact)

    def add(self, contact: Contact, ramp: float, fades: bool, t: float) -> None:
        """Take a contact that is `named`; the load goes up from what it is at t [s]."""
        load, name = 0.0, contact.name
        if name in self.leaving:
            load, fades = self.load(name, t), self.ramps[name].fades
        self.ramps[name] = Ramp(load, 1.0, ramp, fades)
        self.known.add(name)
        self.there[name], self._set = contact, None

    def replacing(self, contact: Contact) -> Contact:
        """Return a contact as it takes the place of that of its name.

        Raises:
            ContactError: there is none of this name.
        """
        self._require(_name(contact))
        return self._alone(contact)

    def _alone(self, contact: Contact) -> Contact:
        """The contact under its name in a set of its own."""
        if not contact.name:
            return ContactSet(self.robot, [contact]).contacts[0]
        self.robot.frame_id(contact.frame)
        return contact

    def replace(self, contact: Contact) -> None:
        """Take a contact that is `replacing` another one."""
        self.there[contact.name], self._set = contact, None

    def remove(self, name: str, ramp: float, fades: bool, t: float) -> None:
        """Remove a contact, its load ramped down first, from what it is at t [s].

        Raises:
            ContactError: there is none of this name.
            ConfigurationError: a ramp that is negative or not finite.
        """
        self._require(name)
        number(ramp, "ramp", at_least=0, unit="[s]")
        boolean(fades, "fades")
        if ramp > 0:
            self.ramps[name] = Ramp(self.load(name, t), 0.0, ramp, fades)
        else:
            self.drop(name)

    def hasten(self, ramp: float, t: float) -> None:
        """Let all loads that go up be full within `ramp` from t on [s]."""
        for name in self.loading:
            self.ramps[name].hasten(ramp, t)

    def drop(self, name: str) -> None:
        """Remove a contact at once."""
        self.ramps.pop(name, None)
        del self.there[name]
        self._set = None

    def end(self) -> None:
        """End all ramps."""
        for name in self.leaving:
            self.drop(name)
        self.ramps.clear()

    def _require(self, name: str) -> None:
        if name not in (names := tuple(self.there)):  # a tuple, for what has no hash
            raise ContactError(unknown("contact", name, names))


def _name(contact: Contact) -> str:
    """The contact's name in a set of its own."""
    if not isinstance(contact, Contact):
        raise ContactError(f"contact: got {contact!r:.80}, expected a PointContact or such")
    return contact.name or contact.frame
