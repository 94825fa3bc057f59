"""The answers of one chunk, wherever it runs: in this process, another one, another machine."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..hold import Hold
from ..scenario.scenario import Scenario
from .plan import Plan
from .variants import variant

# what `feasible` says: yes, no, at the edge or unsolved, no posture whose contacts touch
YES, NO, EDGE, OUT_OF_REACH = 1, 0, -1, -2

Row = list[float]


def chunk(plan: Plan, index: int) -> list[Row]:
    """Return a row [feasible, *quantities] for each point of a chunk.

    A point's answer depends on the point alone: not on its chunk, nor on what ran before it.
    """
    base = _scenario(plan.text, plan.file, plan.folder)
    return [_row(variant(base, point), plan.quantities) for point in plan.points(index)]


@lru_cache(maxsize=4)
def _scenario(text: str, file: str, folder: str) -> Scenario:
    """The scenario, read once a worker."""
    return Scenario.from_text(text, file, folder)


def _row(scenario: Scenario, quantities: tuple[str, ...]) -> Row:
    if not scenario.solved.converged:
        return [OUT_OF_REACH, *(np.nan for _ in quantities)]
    hold = scenario.check()
    verdict = {True: YES, False: NO, None: EDGE}[hold.feasible]
    return [verdict, *(_quantity(hold, name) for name in quantities)]


def _quantity(hold: Hold, name: str) -> float:
    value: Any = getattr(hold, name)
    return float(value() if callable(value) else value)
