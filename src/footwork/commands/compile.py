"""`footwork compile`: compile every kernel now, so that no call waits for it later.

A container's recipe or a cluster's first task runs it once: kernels lie on disk then. They fit
every robot, so the calls for one robot compile them all.
"""

from __future__ import annotations

import argparse
import inspect
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from . import flags
from .output import answer

if TYPE_CHECKING:
    from ..robots import Robot

_ROBOT = "quadruped"
Step = tuple[str, Callable[[], object]]


def add(commands: Any) -> None:
    """Declare the flags of `footwork compile`."""
    words = "compile every kernel now, not when it is first used"
    flags.json_flag(flags.command(commands, "compile", run, words))


def run(options: argparse.Namespace) -> int:
    """Call what is compiled once; print how long each took."""
    from tqdm import tqdm

    from .. import robots

    if find_spec("numba") is None:
        words = "nothing to compile: Numba is missing; type: pip install 'footwork[fast]'"
        answer(options, {"compiled": False, "seconds": {}}, words)
        return flags.NO
    robot = robots.load(_ROBOT)
    steps, seconds = [*_batches(robot), *_others(robot)], {}
    for name, call in tqdm(steps, unit="kernel", leave=False, disable=options.quiet or None):
        began = time.perf_counter()
        call()
        seconds[name] = round(time.perf_counter() - began, 3)
    lines = [f"{took:6.1f} s  {name}" for name, took in seconds.items()]
    lines.append(f"{sum(seconds.values()):6.1f} s  in all; what is on disk already takes no time")
    answer(options, {"compiled": True, "seconds": seconds}, "\n".join(lines))
    return flags.OK


def _batches(robot: Robot) -> Iterator[Step]:
    """Every function of `dynamics.batch`: many states and one are compiled apart."""
    import numpy as np

    from ..dynamics import batch

    for count in (batch.LANES + 1, 1):
        Q = np.tile(robot.posture(), (count, 1))
        V, tau = np.zeros((count, robot.nv)), np.zeros((count, robot.na))
        values = {"Q": Q, "V": V, "A": V, "tau": tau, "frame": robot.frame_names[-1]}
        for name in batch.__all__:
            function = getattr(batch, name)
            taken = inspect.signature(function).parameters if inspect.isfunction(function) else {}
            if "Q" in taken:
                given = {key: value for key, value in values.items() if key in taken}
                states = "states" if count > 1 else "state"
                yield f"dynamics.batch.{name}, {count} {states}", partial(function, robot, **given)


def _others(robot: Robot) -> Iterator[Step]:
    """What else is compiled."""
    from .. import contacts, control, dynamics

    q, feet = robot.posture(), contacts.at_feet(robot, 0.7)
    points, tasks = contacts.PointForces.of(feet, q), [control.PostureTask(q)]
    polygon = contacts.equilibrium_polygon
    yield "dynamics.coriolis_tensor", partial(dynamics.coriolis_tensor, robot, q)
    yield "contacts.batch", partial(contacts.batch.static_hold, robot, q[None], feet)
    yield (
        "contacts.equilibrium_polygon",
        partial(polygon, points, kind="inner"),
    )
    yield "control.WholeBodyController", partial(control.WholeBodyController, robot, feet, tasks)
