"""Random numbers of a trial: one stream for each thing that is random.

What a seed draws of one does not depend on whether the others are drawn.
"""

from __future__ import annotations

from enum import Enum

import numpy as np


class Stream(Enum):
    """What is random in a trial."""

    MASSES = 0
    GROUND = 1
    NOISE = 2
    PUSH = 3

    def of(self, seed: int) -> np.random.Generator:
        """Return its random numbers in the trial of a seed."""
        return np.random.default_rng((seed, self.value))
