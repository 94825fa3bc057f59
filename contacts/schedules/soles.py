"""Names of the corners of a foot: all, heel, toe, inner and outer edge, or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics import com, frame_placement
from ...errors import ContactError, unknown
from ...robots.robot import Robot
from ..contact import Contact
from ..contact_set import ContactSet

ALL = "all"
_MIDDLE = 0.01  # from the centre of mass, what is neither left nor right [m]


@dataclass(frozen=True, eq=False)
class Sole:
    """The corners of a foot, k of them, in the order of their numbers 1 … k.

    Attributes:
        name: of the foot.
        places: (k, 2), ahead and to the left of the foot's middle [m].
        side: 1 of a left foot, −1 of a right one, 0 of one in the middle or alone.
        points: (k, 3), the same in the axes of the frame [m].
    """

    name: str
    places: Array
    side: int
    points: tuple[tuple[float, ...], ...]

    def number(self, contact: Contact) -> int:
        """Return which of the corners a contact is, from 0."""
        return self.points.index(_place(contact))

    @cached_property
    def words(self) -> dict[str, NDArray[np.bool_]]:
        """{word: which corners (k,)}: before, behind and beside the middle of the foot."""
        found = {ALL: np.ones(len(self.places), dtype=bool)}
        if len(self.places) > 1:
            middle = 0.5 * (self.places.min(axis=0) + self.places.max(axis=0))
            x, y = (self.places - middle).T
            found |= {"heel": x < 0, "toe": x > 0}
            if self.side:
                found |= {"inner edge": self.side * y < 0, "outer edge": self.side * y > 0}
            found |= {"left edge": y > 0, "right edge": y < 0}
        return found

    def word(self, which: NDArray[np.bool_]) -> str:
        """Return the word for some corners (k,), or their numbers: "1 3"."""
        for word, those in self.words.items():
            if (those == which).all():
                return word
        return " ".join(str(k + 1) for k in np.flatnonzero(which))

    def corners(self, word: str) -> NDArray[np.bool_]:
        """Return which corners (k,) a word or numbers mean.

        Raises:
            ContactError: neither.
        """
        if word in self.words:
            return self.words[word]
        numbers = [part.strip() for part in word.replace(",", " ").split()]
        allowed = [str(k + 1) for k in range(len(self.places))]
        if not numbers or not set(numbers) <= set(allowed):
            numbers_of = f" (or numbers from 1 to {len(allowed)})"
            raise ContactError(unknown("corners", word, self.words) + numbers_of)
        return np.isin(allowed, numbers)


def soles_of(contacts: ContactSet) -> dict[str, Sole]:
    """Return {foot: Sole} of the corners in a set; contacts that are no parts are soles of one."""
    robot = contacts.robot
    own = {
        name: _distinct([contacts.contacts[k] for k in columns])
        for name, columns in contacts.wholes.items()
    }
    return {name: _sole(robot, name, corners) for name, corners in own.items()}


def _distinct(contacts: list[Contact]) -> list[Contact]:
    """The first contact at each point: a corner may have several, for several grounds."""
    return list({_place(contact): contact for contact in reversed(contacts)}.values())[::-1]


def _place(contact: Contact) -> tuple[float, ...]:
    return tuple(contact.centre_in_frame.tolist())


def _sole(robot: Robot, name: str, corners: list[Contact]) -> Sole:
    """The corners in the axes of the foot's sole, x ahead."""
    foot = robot.feet.get(name)
    axes = np.eye(3) if foot is None else np.array(foot.placement.rotation)
    points = np.array([corner.centre_in_frame for corner in corners])
    side = _side(robot, corners[0].frame)
    return Sole(name, (points @ axes)[:, :2], side, tuple(map(_place, corners)))


def _side(robot: Robot, frame: str) -> int:
    """Whether a frame is on the left (1) or the right (−1) of the robot as it stands."""
    q = robot.posture()
    across = frame_placement(robot, q, frame).translation[1] - com(robot, q)[1]
    return int(np.sign(across)) if abs(across) > _MIDDLE else 0
