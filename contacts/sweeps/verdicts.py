"""Verdicts of one chunk of a sweep, in this process, another one or another machine."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...errors import FootworkError
from ..batch import Verdicts, decide
from ..equilibrium.balances import Balances
from ..equilibrium.solving import SOLVER
from ..hold import Hold
from ..scenario.scenario import Scenario
from .plan import Block, Changes, Question
from .posture_problem import PostureProblem

# what `feasible` says: yes, no, at the edge or unsolved, no posture whose contacts touch, no such
# scenario
YES, NO, EDGE, OUT_OF_REACH, NONE = 1, 0, -1, -2, -3

_POSTURES = 64  # kept by a worker


class Answers(NamedTuple):
    """Of one chunk.

    Attributes:
        rows: (points, 1 + quantities), [feasible, *quantities] of each.
        refused: what is wrong with scenarios that cannot be.
    """

    rows: Array
    refused: tuple[str, ...]


def answers(block: Block) -> Answers:
    """Return the answers of a block.

    Whatever a point's neighbours are, its own values alone decide: a posture is solved from the
    scenario's start, and each verdict by itself.
    """
    question, refused = block.question, []
    rows = np.full((len(block), 1 + len(question.quantities)), np.nan)
    for changes, chosen in block.postures():
        problem = _posture_problem(question, changes)
        if isinstance(problem, PostureProblem):
            rows[chosen] = _rows(problem, problem.balances(block, chosen))
        elif problem is None:
            rows[chosen, 0] = OUT_OF_REACH
        else:
            rows[chosen, 0] = NONE
            refused.append(problem)
    return Answers(rows, tuple(dict.fromkeys(refused)))


@lru_cache(maxsize=_POSTURES)
def _posture_problem(question: Question, changes: Changes) -> PostureProblem | str | None:
    """A posture, None if none touches, or why there is no such scenario."""
    try:
        return PostureProblem.of(_scenario(*question.source), question, changes)
    except FootworkError as error:
        return str(error)


@lru_cache(maxsize=4)
def _scenario(text: str, file: str, folder: str) -> Scenario:
    """The scenario, read once a worker."""
    return Scenario.from_text(text, file, folder)


def _rows(problem: PostureProblem, balances: Balances) -> Array:
    """[feasible, *quantities] of each balance."""
    verdicts, quantities = decide(balances), problem.question.quantities
    every = range(len(verdicts))
    columns = [np.asarray(verdicts.feasible, dtype=float)]
    for name in quantities:
        columns.append(
            verdicts.margin
            if name == "margin"
            else np.array([_quantity(problem, balances, verdicts, i, name) for i in every])
        )
    return np.column_stack([np.broadcast_to(c, len(verdicts)) for c in columns])


def _quantity(
    problem: PostureProblem, balances: Balances, verdicts: Verdicts, i: int, name: str
) -> float:
    """A quantity that is no part of the verdicts: of the Hold of the i-th, without its forces."""
    feasible = {1: True, 0: False, -1: None}[int(verdicts.feasible[i])]
    found = feasible, str(verdicts.status[i]), float(verdicts.margin[i]), None, None
    contacts, state = problem.scenario.contact_set, problem.scenario.state
    value: Any = getattr(Hold(*found, contacts, state, {}, balances.at(i), SOLVER), name)
    return float(value() if callable(value) else value)
