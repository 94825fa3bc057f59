"""Difference: a quantity that two descriptions of one robot give differently."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .bodies import Machine


class Change(NamedTuple):
    """A machine without and with one difference, in the same coordinates."""

    before: Machine
    after: Machine


@dataclass(frozen=True, eq=False)
class Difference:
    """A quantity that two descriptions of one robot give differently.

    Attributes:
        link: the body, by the name of its first link in A (in B where A lacks it); "robot" for
            what is of no body.
        joint: the joint that carries it, likewise; "" where it has none.
        quantity: "mass", "placement", "torque limit", …
        a, b: the two values, numbers or arrays, in the frame that A has for the body.
        unit: of the values.
        words: the two values for people.
        gap: by how much they differ, in words; "" where the values say it.
        change: what it does to the machine; None where M(q) and τ_g do not depend on it.
    """

    link: str
    joint: str
    quantity: str
    a: Any
    b: Any
    unit: str = ""
    words: tuple[str, str] = ("", "")
    gap: str = ""
    change: Change | None = field(default=None, repr=False)

    @classmethod
    def missing(cls, what: str, in_a: bool, link: str = "robot", joint: str = "") -> Difference:
        """Return that one of the descriptions has something, A or else B."""
        words = ("yes", "no") if in_a else ("no", "yes")
        return cls(link, joint, what, in_a, not in_a, words=words)
