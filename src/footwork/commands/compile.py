"""`footwork compile`: compile every kernel now, so that no call takes the uncompiled way later.

A container's recipe or a cluster's first task runs it once: kernels lie on disk then. They fit
every robot, so calls for one robot say which there are.
"""

from __future__ import annotations

import argparse
import inspect
import io
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import as_completed
from contextlib import redirect_stderr
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..progress import progress_bar
from ..workers import workers
from . import flags
from .output import answer

if TYPE_CHECKING:
    from ..dynamics.kernels.toolchain import Kernel
    from ..robots import Robot

_ROBOT = "quadruped"
Step = Callable[[], object]


def add(commands: Any) -> None:
    """Declare the flags of `footwork compile`."""
    words = "compile all kernels ahead of time"
    flags.shared(flags.command(commands, "compile", run, words), "--json")


def run(options: argparse.Namespace) -> int:
    """Find out what is not on disk, compile it in a few processes; print how long each took."""
    from .. import robots
    from ..dynamics.kernels.toolchain import requests

    if find_spec("numba") is None:
        words = "nothing to compile: Numba is missing; type: pip install 'footwork[fast]'"
        answer(options, {"compiled": False, "seconds": {}}, words)
        return flags.NO
    robot = robots.load(_ROBOT)
    with requests() as wanted:
        for call in (*_batches(robot), *_others(robot)):
            call()
    seconds, began = {}, time.perf_counter()
    with progress_bar(total=len(wanted), unit="kernel") as bar:
        for name, took in _compile_all(wanted):
            seconds[name] = round(took, 3)
            bar.update()
    lines = [f"{took:6.1f} s  {name}" for name, took in seconds.items()]
    words = "compiled; what is on disk already takes no time"
    lines.append(f"{time.perf_counter() - began:6.1f} s  in all, {len(seconds)} kernels {words}")
    answer(options, {"compiled": True, "seconds": seconds}, "\n".join(lines))
    return flags.OK


def _compile_all(wanted: list[tuple[Kernel, Any]]) -> Iterator[tuple[str, float]]:
    """Compile kernels in a process for each processor; yield their names and seconds."""
    wanted = sorted(dict.fromkeys(wanted), key=lambda job: -job[0].seconds)  # none ends alone
    with workers(max(min(os.cpu_count() or 1, len(wanted)), 1), interruptible=True) as pool:
        jobs = [pool.submit(_compile, *job) for job in wanted]
        for job in as_completed(jobs):
            yield job.result()


def _compile(kernel: Kernel, types: Any) -> tuple[str, float]:
    """In a worker, which leaves the terminal to the process that waits."""
    began = time.perf_counter()
    with redirect_stderr(io.StringIO()):
        kernel.overload_of(types).compiled()
    numbers = f", {kernel.numbers} side by side" if kernel.numbers > 1 else ""
    return f"{kernel.name.removeprefix('footwork.')}{numbers}", time.perf_counter() - began


def _batches(robot: Robot) -> Iterator[Step]:
    """Every function of `dynamics.batch`: many states and one are compiled apart."""
    import numpy as np

    from ..dynamics import batch

    for count in (batch.LANES + 1, 1):
        Q = np.tile(robot.posture(), (count, 1))
        V, tau = np.zeros((count, robot.nv)), np.zeros((count, robot.na))
        values = {"Q": Q, "V": V, "A": V, "Y": V, "tau": tau, "frame": robot.frame_names[-1]}
        for name in batch.__all__:
            function = getattr(batch, name)
            taken = inspect.signature(function).parameters if inspect.isfunction(function) else {}
            if "Q" in taken:
                given = {key: value for key, value in values.items() if key in taken}
                yield partial(function, robot, **given)
        yield partial(batch.mass_matrix, robot, Q, layout="lanes")


def _others(robot: Robot) -> Iterator[Step]:
    """What else is compiled: declared kernels, terms of one state, and what a controller needs."""
    import numpy as np

    from .. import contacts, control, dynamics
    from ..dynamics import single
    from ..dynamics.kernels.toolchain import declared

    for kernel in declared():
        yield partial(kernel.select, 1)
    for term in single.TERMS:
        if (overload := term.of(robot).overload) is not None:
            yield partial(overload.select, 1)
    q, feet = robot.posture(), contacts.at_feet(robot, 0.7)
    for strict in (False, True):
        tasks = [control.ComTask(dynamics.com(robot, q)), control.PostureTask(q, level=1)]
        controller = control.WholeBodyController(robot, feet, tasks, strict=strict)
        yield partial(controller, q, np.zeros(robot.nv))
