"""Running a sweep: chunks to an executor, finished ones to the journal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from pathlib import Path
from typing import Any

from ...errors import FootworkError, SolverError
from ..scenario.scenario import Scenario
from . import verdicts
from .journal import Journal
from .plan import Plan
from .result import Sweep
from .variants import variant

_WAITING = 64  # chunks handed out at a time, so that a billion points need no billion futures


def sweep(
    scenario: Scenario | str | os.PathLike[str],
    axes: Mapping[str, Sequence[Any]],
    *,
    samples: int = 0,
    seed: int = 0,
    quantities: Sequence[str] = ("margin",),
    journal: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    chunk: int = 16,
    progress: bool | None = None,
) -> Sweep:
    """Ask a scenario's question at many points: feasibility, margins.

    A point's answer depends on the point alone, so the result is the same whichever executor runs
    it, in whatever order, and however often it was interrupted.

    Args:
        scenario: a `Scenario`, a file, or the name of one that comes with footwork.
        axes: {key of the scenario's file: values}, as in {"friction": [0.2, 0.4, 0.6],
            "loads[0].force[0]": range(0, 200, 10)}; `contacts[*].friction` is every contact's.
            All combinations are asked; with `samples`, values are (lowest, highest).
        samples: how many points of a Latin hypercube instead of a grid.
        seed: of the sample.
        quantities: besides `feasible`: of "margin" and "push_margin" [N], "torque_margin" and
            "friction_margin" [-].
        journal: a file that keeps what is done; the same call goes on from there.
        executor: any of `concurrent.futures` (its processes or threads, Dask's
            `client.get_executor()`, …); without it, this process.
        chunk: points that a worker gets at a time.
        progress: a progress bar on standard error; by default when that is a terminal.

    Raises:
        ScenarioError: a key or value that the scenario cannot have, a journal of another sweep.
        SolverError: workers died; what they had finished is in the journal.
    """
    if not isinstance(scenario, Scenario):
        scenario = Scenario.load(scenario)
    plan = Plan.of(scenario, axes, samples, seed, quantities, chunk)
    for point in _ends(plan):
        variant(scenario, point)  # what is wrong with a key or a value shows before the work
    with Journal(journal, plan) as kept, _bar(plan, progress) as bar:
        bar.update(sum(len(rows) for rows in kept.done.values()))
        missing = (k for k in range(plan.chunks) if k not in kept.done)
        for index, rows in _run(plan, missing, executor):
            kept.record(index, rows)
            bar.update(len(rows))
        rows = [row for index in range(plan.chunks) for row in kept.done[index]]
    return Sweep(plan, rows)


def _ends(plan: Plan) -> Iterator[dict[str, Any]]:
    """The first and the last point."""
    yield next(plan.points(0))
    yield list(plan.points(plan.chunks - 1))[-1]


def _run(
    plan: Plan, chunks: Iterable[int], executor: Executor | None
) -> Iterator[tuple[int, list[verdicts.Row]]]:
    """Yield (chunk, rows) as they are finished."""
    if executor is None:
        yield from ((k, verdicts.chunk(plan, k)) for k in chunks)
        return
    ahead = iter(chunks)
    running: dict[Future[list[verdicts.Row]], int] = {}
    try:
        while True:
            while len(running) < _WAITING and (k := next(ahead, None)) is not None:
                running[executor.submit(verdicts.chunk, plan, k)] = k
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield running.pop(future), _rows(future)
    finally:
        for future in running:
            future.cancel()


def _rows(future: Future[list[verdicts.Row]]) -> list[verdicts.Row]:
    try:
        return future.result()
    except FootworkError:
        raise
    except BrokenExecutor as error:
        raise SolverError(
            f"a worker died ({error}); what was finished is in the journal: ask again to go on"
        ) from error


def _bar(plan: Plan, progress: bool | None) -> Any:
    from tqdm import tqdm

    hidden = None if progress is None else not progress
    name = Path(plan.file).stem
    return tqdm(total=plan.count, desc=name, unit="verdict", disable=hidden, leave=False)
