"""Contact schedule: which contacts touch at which time of a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import ContactError
from ...robots.values import array
from ..contact_set import ContactSet
from .report import Finding


@dataclass(frozen=True, eq=False, repr=False)
class ContactSchedule:
    """Which contacts touch at each time of a motion.

    Attributes:
        contacts: all that touch at some time, C of them, the corners of a sole one by one.
        t: (n,) times [s], increasing.
        touching: (n, C), which touch.
        certainty: (n, C), from 0 (as likely as not) to 1, of `touching`; 1 where it was given.
        finding: how the contacts were found, and what is doubtful; None where they were given.
    """

    contacts: ContactSet
    t: Array
    touching: NDArray[np.bool_]
    certainty: Array
    finding: Finding | None = None

    def __post_init__(self) -> None:
        t = array(self.t, "t", (None,), error=ContactError)
        shape, touching = (len(t), len(self.contacts)), np.asarray(self.touching)
        if touching.dtype != bool or touching.shape != shape:
            raise ContactError(
                f"touching: got {touching.dtype} {touching.shape}, expected booleans {shape}"
            )
        certainty = array(self.certainty, "certainty", shape, error=ContactError)
        for name, value in (("t", t), ("touching", touching), ("certainty", certainty)):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.t)
