"""Journal of a sweep: its answers chunk by chunk, kept in a file that survives any interruption."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import journal
from ..scenario.file import ScenarioError
from .plan import Plan
from .verdicts import Answers


class Journal(journal.Journal):
    """A sweep's answers, and its file.

    Attributes:
        rows: (count, 1 + quantities), nan where nothing is done.
        done: (chunks,), which are.
        refused: what was wrong with scenarios that cannot be.

    Raises:
        ScenarioError: the file is held by another process, or of another sweep.
        FootworkError: it cannot be read or written.
    """

    what, version, parts, error = "sweep", 3, "points", ScenarioError

    def __init__(self, path: str | os.PathLike[str] | None, plan: Plan) -> None:
        self.plan = plan
        self.rows = np.full((plan.count, 1 + len(plan.quantities)), np.nan)
        self.done: NDArray[np.bool_] = np.zeros(plan.chunks, dtype=bool)
        self.refused: dict[str, None] = {}
        super().__init__(path, plan.as_dict())

    @property
    def finished(self) -> int:
        """How many points."""
        return sum(self.plan.length(int(k)) for k in np.flatnonzero(self.done))

    def record(self, chunk: int, answers: Answers) -> None:
        """Keep a finished chunk."""
        entry = {"chunk": chunk, "rows": answers.rows.tolist()}
        self.write(entry | ({"refused": answers.refused} if answers.refused else {}))
        self._take(chunk, answers.rows, answers.refused)

    def keep(self, entry: Mapping[str, Any]) -> bool:
        """Take in the chunk of a line; return whether it is whole."""
        plan, chunk, rows = self.plan, entry.get("chunk", -1), entry.get("rows", ())
        known = isinstance(chunk, int) and 0 <= chunk < plan.chunks
        if not known or [len(row) for row in rows] != [self.rows.shape[1]] * plan.length(chunk):
            return False
        self._take(chunk, rows, entry.get("refused", ()))
        return True

    def _take(self, chunk: int, rows: Any, refused: Any) -> None:
        first = chunk * self.plan.size
        self.rows[first : first + self.plan.length(chunk)] = rows
        self.done[chunk] = True
        self.refused |= dict.fromkeys(refused)
