"""The answers of one chunk, wherever it runs: in this process, another one, another machine."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics import State
from ...errors import FootworkError
from ..batch import Verdicts, decide
from ..equilibrium.balances import Balances
from ..equilibrium.solving import SOLVER
from ..hold import Hold
from ..scenario.scenario import Scenario
from .block import Block, Changes, Question
from .standing import Standing

Array = NDArray[np.float64]

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
        standing = _standing(question, changes)
        if isinstance(standing, Standing):
            rows[chosen] = _rows(standing, standing.balances(block, chosen))
        elif standing is None:
            rows[chosen, 0] = OUT_OF_REACH
        else:
            rows[chosen, 0] = NONE
            refused.append(standing)
    return Answers(rows, tuple(dict.fromkeys(refused)))


def _standing(question: Question, changes: Changes) -> Standing | str | None:
    """A posture, None if none touches, or why there is no such scenario."""
    roles, ends = tuple(question.roles.items()), tuple(question.ends.items())
    where = question.text, question.file, question.folder
    return _kept(*where, roles, ends, question.quantities, changes)


@lru_cache(maxsize=_POSTURES)
def _kept(
    text: str, file: str, folder: str, roles: Any, ends: Any, quantities: Any, changes: Changes
) -> Standing | str | None:
    question = Question(text, file, folder, dict(roles), dict(ends), quantities)
    try:
        return Standing.of(_scenario(text, file, folder), question, changes)
    except FootworkError as error:
        return str(error)


@lru_cache(maxsize=4)
def _scenario(text: str, file: str, folder: str) -> Scenario:
    """The scenario, read once a worker."""
    return Scenario.from_text(text, file, folder)


def _rows(standing: Standing, balances: Balances) -> Array:
    """[feasible, *quantities] of each balance."""
    verdicts, quantities = decide(balances), standing.question.quantities
    columns = [np.asarray(verdicts.feasible, dtype=float)]
    for name in quantities:
        if name == "margin":
            columns.append(verdicts.margin)
        else:
            columns.append(_one_by_one(standing, balances, verdicts, name))
    return np.column_stack([np.broadcast_to(c, len(verdicts)) for c in columns])


def _one_by_one(standing: Standing, balances: Balances, verdicts: Verdicts, name: str) -> Array:
    """A quantity that is no part of the verdicts."""
    return np.array(
        [
            _quantity(_hold(standing.scenario, balances, verdicts, i), name)
            for i in range(len(verdicts))
        ]
    )


def _hold(scenario: Scenario, balances: Balances, verdicts: Verdicts, i: int) -> Hold:
    """A verdict as `static_hold` gives it, without its forces."""
    feasible = {1: True, 0: False, -1: None}[int(verdicts.feasible[i])]
    found = feasible, str(verdicts.status[i]), float(verdicts.margin[i]), None, None
    state = State(scenario.machine, scenario.q)
    return Hold(*found, scenario.contact_set, state, {}, balances.at(i), SOLVER)


def _quantity(hold: Hold, name: str) -> float:
    value: Any = getattr(hold, name)
    return float(value() if callable(value) else value)
