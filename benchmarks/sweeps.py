"""Cost of sweeps: verdicts with a shared posture, with a solved posture, and of a chunk.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/sweeps.py [--cluster]

CPU time of one process; journal and netCDF are written as
in a real sweep. The last table is arithmetic: these rates for a billion verdicts. `--cluster` also
measures what Dask takes to hand out a chunk.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from footwork import contacts
from footwork.contacts.sweeps import verdicts
from footwork.contacts.sweeps.plan import Plan

BILLION = 10**9
PUSHES = {
    "loads[0].force[0]": np.linspace(-40, 100, 500),
    "loads[0].force[1]": np.linspace(0, 90, 500),
}
SLOPES = {"friction": np.linspace(0.3, 0.9, 12), "terrain[0].rises": np.linspace(2, 28, 12)}


def one_by_one(scenario: contacts.Scenario, axes: dict, count: int) -> float:
    """Seconds a point, each variant built and decided by itself."""
    rng = np.random.default_rng(0)
    points = [
        {key: float(rng.choice(values)) for key, values in axes.items()} for _ in range(count)
    ]
    start = time.process_time()
    for point in points:
        one = contacts.sweeps.variants.variant(scenario, point)
        if one.solved.converged:
            one.check()
    return (time.process_time() - start) / count


def swept(name: str, axes: dict, folder: Path) -> tuple[float, float, float]:
    """Seconds, bytes of journal and bytes of netCDF a point."""
    scenario = contacts.Scenario.load(name)
    journal, saved = folder / f"{name}.journal", folder / f"{name}.nc"
    contacts.sweep(scenario, {key: values[:2] for key, values in axes.items()}, progress=False)
    start = time.process_time()
    found = contacts.sweep(scenario, axes, journal=journal, progress=False)
    found.save(saved)
    taken, count = time.process_time() - start, found.plan.count
    one = one_by_one(scenario, axes, 20)
    print(f"{name:8} {count:8} points, {(found.feasible == 1).mean():4.0%} hold: ", end="")
    print(f"{1e6 * taken / count:10.1f} µs each, one by one {1e6 * one:10.1f} µs", end="")
    print(f", ratio {one / (taken / count):6.1f}")
    return taken / count, journal.stat().st_size / count, saved.stat().st_size / count


def phases(name: str, axes: dict) -> None:
    """Where the time of a chunk goes: its points, its answers, its line of the journal."""
    scenario = contacts.Scenario.load(name)
    plan = Plan.of(scenario, axes, 0, 0, ("margin",), None)
    block = plan.block(plan.chunks // 2)
    answers = verdicts.answers(block)
    for what, work in {
        "points": lambda: plan.block(plan.chunks // 2),
        "answers": lambda: verdicts.answers(block),
        "line": lambda: repr(answers.rows.tolist()),
    }.items():
        times = []
        for _ in range(7):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
        print(f"  {what:8} {1e6 * np.median(times) / len(block):8.2f} µs a point")


def handed_out(chunks: int = 400) -> float:
    """Seconds that Dask takes for a chunk whose answers cost nothing."""
    import distributed

    plan = Plan.of(contacts.Scenario.load("push"), PUSHES, 0, 0, ("margin",), None)
    block, answers = plan.block(0), np.zeros((plan.size, 2))
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        executor = client.get_executor(pure=False)
        executor.submit(_nothing, block, answers).result()
        start = time.perf_counter()
        for future in [executor.submit(_nothing, block, answers) for _ in range(chunks)]:
            future.result()
        return (time.perf_counter() - start) / chunks


def _nothing(_: object, answers: np.ndarray) -> np.ndarray:
    return answers


def main() -> None:
    """Measure, and say what a billion costs."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as scratch:
        shared = swept("push", PUSHES, Path(scratch))
        phases("push", PUSHES)
        solved = swept("slope", SLOPES, Path(scratch))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"peak memory {peak:.0f} MB")
    if "--cluster" in sys.argv:
        print(f"Dask: {1e3 * handed_out():.2f} ms a chunk of 4,096 points (wall time)")
    print(f"\n{'a billion verdicts':34} {'core-hours':>12} {'on 64 cores':>12} {'on 1,024':>10}")
    for words, (seconds, _, _) in (
        ("postures shared", shared),
        ("a posture each", solved),
    ):
        hours = seconds * BILLION / 3600
        print(f"{words:34} {hours:12.1f} {hours / 64:10.2f} h {hours / 1024:8.3f} h")
    print(f"journal {shared[1]:.1f} bytes a point, netCDF {shared[2]:.1f}")


if __name__ == "__main__":
    main()
