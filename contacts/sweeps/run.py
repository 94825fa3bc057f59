"""Running a sweep: chunks to an executor, finished ones to the journal."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FootworkError
from ...options import names_checked
from ...progress import progress_bar, with_progress
from ...workers import check_executor, finished
from ..scenario.file import ScenarioError
from ..scenario.scenario import Scenario
from . import verdicts
from .journal import Journal
from .plan import Plan
from .result import Sweep
from .variants import written


@names_checked
@with_progress
def sweep(
    scenario: Scenario | str | os.PathLike[str],
    axes: Mapping[str, Sequence[Any]],
    *,
    samples: int = 0,
    seed: int = 0,
    quantities: Sequence[str] = ("margin",),
    journal: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    chunk: int | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Decide a scenario at many values of its parameters: feasibility, margins.

    Parameters that leave the posture alone (friction, the loads' forces, moments, masses and
    tensions) are decided in batches, by `contacts.batch`; for all others the posture is solved,
    once for all points that share it. Each answer depends on its point alone, so the result depends
    neither on the executor, nor on the order, nor on interruptions.

    Args:
        scenario: a `Scenario`, a file, or the name of one that comes with footwork.
        axes: {key of the scenario's file: values}, as in {"friction": [0.2, 0.4, 0.6],
            "loads[0].force[0]": range(0, 200, 10)}; `contacts[*].friction` is every contact's.
            All combinations are computed; with `samples`, values are (lowest, highest).
        samples: how many points of a Latin hypercube instead of a grid.
        seed: of the sample.
        quantities: besides `feasible`: of "margin" and "push_margin" [N], "torque_margin" and
            "friction_margin" [-].
        journal: a file that records finished work; the same call resumes from it.
        executor: any of `concurrent.futures` (its processes or threads, Dask's
            `client.get_executor()`, …); without it, this process.
        chunk: points that a worker gets at a time; by default those of 16 postures.
        progress: a progress bar on standard error; by default when that is a terminal.

    Raises:
        ScenarioError: a key or value that the scenario cannot have, a journal of another sweep.
        SolverError: workers died; what they had finished is in the journal.
    """
    if not isinstance(scenario, Scenario):
        scenario = Scenario.load(scenario)
    check_executor(executor, ScenarioError)
    plan = Plan.of(scenario, axes, samples, seed, quantities, chunk)
    _check_ends(scenario, plan)
    bar = progress_bar(total=plan.count, desc=Path(plan.file).stem, unit="verdict")
    with Journal(journal, plan) as kept, bar:
        bar.update(kept.finished)
        missing = [int(k) for k in np.flatnonzero(~kept.done)]
        jobs = ((k, plan.block(k)) for k in missing)
        for index, answers in finished(executor, verdicts.answers, jobs):
            kept.record(index, answers)
            bar.update(len(answers.rows))
    return Sweep(plan, plan.in_order(kept.rows), tuple(kept.refused))


def _check_ends(scenario: Scenario, plan: Plan) -> None:
    """What is wrong with a key or a value shows before the work; a place may be wrong at one end.

    Raises:
        ScenarioError: what the file cannot say at either end; no scenario at both.
    """
    errors = []
    for end in (min, max):
        point = {
            key: float(end(values)) if isinstance(values, np.ndarray) else values[end(0, -1)]
            for key, values in plan.columns.items()
        }
        changed = written(scenario, point)
        try:
            _ = changed.touching, changed.wrenches_at(changed.q0)
        except FootworkError as error:
            errors.append(error)
    if len(errors) == 2:
        raise errors[0]
