"""Judging of a controller: trials in the world as told and in the real one, and pushes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...contacts import ContactSet, Terrain
from ...errors import ConfigurationError, warn
from ...options import names_checked
from ...progress import progress_bar, with_progress
from ...robots.robot import Robot
from ...robots.values import array, number, whole_number
from ...workers import DeadWorker, check_executor, finished
from ..estimation import Sensors
from .controllers import MakeController, made
from .impulse import Impulse
from .judgement import Judgement
from .pushes import LargestPush, capture_limits, largest_push
from .streams import Stream
from .trials import Trial, Velocity, as_velocity, check_who, standing, trial
from .world import World

STANDS, WALKS = 0.5, 2.0  # earliest time of a push, standing and walking [s]
WITHIN = 1.0  # how much later, at most, as the seed has it: anywhere in a gait's cycle [s]
AFTER = 2.5  # how long a push has to be survived [s]


@names_checked
@with_progress
def judge(
    robot: Robot,
    make_controller: MakeController,
    velocities: ArrayLike = (0.0, 0.0, 0.0),
    *,
    duration: float = 10.0,
    seeds: int = 20,
    told: int = 5,
    directions: int = 8,
    shove: float = 0.0,
    headings: ArrayLike | None = None,
    joint_friction: float = 0.0,
    boards: float = 0.0,
    slope: float = 0.0,
    ramp: float = 0.0,
    terrain: Terrain | None = None,
    sensors: Sensors | None = None,
    q: ArrayLike | None = None,
    contacts: ContactSet | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Judgement:
    """Return what a controller survives in a closed loop that is independent of `control.simulate`.

    At each velocity it runs trials in the world as the controller is told it is, and in the real
    one (`World.real`: other masses, armature, half the friction), see `judging.trial`. Then, at the
    first velocity in the real world, it finds the largest push that is survived in each of several
    directions, by bisection. Ctrl-C, or the death of a worker, ends it with what is known by then.

    Args:
        robot: floating base.
        make_controller: called with robot, q (nq,) and velocity (3,) before each trial, and for
            each velocity before the first; it returns a controller as described for
            `judging.trial`; `judging.walker` is one such function.
        velocities: commanded velocities, (3,) or (n, 3): (v_x, v_y) [m/s], ω_z [rad/s].
        duration: of a trial [s].
        seeds: number of trials in the real world, at least 1.
        told: number of trials in the world as told.
        directions: number of directions of pushes, the first along x; 0: no pushes.
        shove: change of speed by which each trial is pushed once [m/s], between 2 and 3 s after its
            start (standing, 0.5 and 1.5 s), depending on its seed; 0: no push.
        headings: (n,), directions of these pushes, from x to y, which the seeds take in turn
            [degrees]; all around when not given.
        joint_friction: damping and dry friction of the joints that the controller does not know of,
            as a share of those in the robot's description.
        boards: height of boards on the ground that the controller does not know of [m].
        slope: of the ground [degrees].
        ramp: additional slope from 0.6 m ahead on, which the controller does not know of [degrees].
        terrain: the ground, which the controller knows; level when not given.
        sensors: the controller gets their readings instead of noisy states, see `Readings`.
        q: where it starts (nq,); where `control.stand` stands when not given.
        contacts: its soles and points; the robot's feet when not given.
        executor: of `concurrent.futures`, for several processes; `make_controller` is sent to them.
        progress: draw a bar on stderr; when not given, if that is a terminal.

    Raises:
        ConfigurationError: invalid values; an error of `make_controller`; work that cannot
            be sent to other processes; MuJoCo is not installed.
        ContactError: contacts that cannot be simulated, or no posture to stand in.
    """
    check_who(robot, make_controller)
    asked = array(velocities, "velocities", (3,), (None, 3), meaning="(v_x, v_y, ω_z)")
    counts = whole_number(told, "told", at_least=0), whole_number(seeds, "seeds", at_least=1)
    directions = whole_number(directions, "directions", at_least=0)
    duration = number(duration, "duration", above=0, unit="[s]")
    ways = [as_velocity(v) for v in np.atleast_2d(asked)]
    shove = number(shove, "shove", at_least=0, unit="[m/s]")
    if (pushed_along := _degrees(headings)) and shove == 0:
        raise ConfigurationError(f"headings: got {pushed_along}; expected them with a shove")
    pushes = partial(_push, shove, pushed_along)
    least = max(map(_begins, ways)) + WITHIN + AFTER
    if shove > 0 and duration < least:
        raise ConfigurationError(
            f"duration: got {duration:g} s; expected at least {least:g} s, of which pushed robots "
            f"have {AFTER:g} s to show that they keep their feet"
        )
    check_executor(executor)
    ground: dict[str, Any] = {
        "boards": boards, "slope": slope, "ramp": ramp, "terrain": terrain, "sensors": sensors,
        "joint_friction": joint_friction,
    }  # fmt: skip
    as_told, real = World(**ground), World.real(**ground)
    feet, start = standing(robot, contacts, q, as_told if counts[0] else real)
    for v in ways:  # errors come before the first trial
        made(make_controller, robot, start, np.array(v), sensors)
    one = partial(trial, robot, make_controller, q=start, contacts=feet)
    lasting = partial(one, duration=duration)
    jobs: dict[Any, Callable[[], Any]] = {
        (v, name, seed): partial(lasting, world, velocity=v, seed=seed, impulse=pushes(v, seed))
        for v in ways
        for name, world, count in zip(("as told", "real"), (as_told, real), counts, strict=True)
        for seed in range(count)
    }
    around = [360.0 * k / directions for k in range(directions)]
    for heading, limit in zip(
        around, capture_limits(robot, start, feet, around).tolist(), strict=True
    ):
        pushed = partial(one, real, velocity=ways[0])
        jobs[heading] = partial(_largest, pushed, heading, limit, _begins(ways[0]))
    found, interrupted = _done(jobs, executor)
    friction = {contact.name: contact.friction for contact in feet}
    what = robot.name, _name(make_controller), *_sorted(jobs, found)
    return Judgement(*what, interrupted, duration, friction)


def _begins(velocity: Velocity) -> float:
    """When pushes begin at first [s]."""
    return WALKS if any(velocity) else STANDS


def _degrees(headings: ArrayLike | None) -> list[float]:
    if headings is None:
        return []
    meaning = "directions [degrees]"
    found: list[float] = array(headings, "headings", (None,), meaning=meaning).tolist()
    return found


def _push(shove: float, headings: list[float], velocity: Velocity, seed: int) -> Impulse | None:
    """The push of a trial."""
    if shove == 0:
        return None
    later, around = Stream.PUSH.of(seed).uniform(size=2)
    heading = headings[seed % len(headings)] if headings else 360.0 * around
    return Impulse(shove, heading, _begins(velocity) + WITHIN * later)


def _sorted(
    jobs: Mapping[Any, Any], found: Mapping[Any, Any]
) -> tuple[dict[tuple[Velocity, str], tuple[Trial, ...]], tuple[LargestPush, ...]]:
    """Trials by velocity and world, and pushes, in the order of the jobs."""
    trials: dict[tuple[Velocity, str], tuple[Trial, ...]] = {}
    pushes: list[LargestPush] = []
    for key in jobs:
        if key in found and isinstance(key, tuple):
            trials[key[:2]] = (*trials.get(key[:2], ()), found[key])
        elif key in found:
            pushes.append(found[key])
    return trials, tuple(pushes)


def _done(
    jobs: Mapping[Any, Callable[[], Any]], executor: Executor | None
) -> tuple[dict[Any, Any], bool]:
    """What the jobs return, by their keys, and whether they were interrupted before the last."""
    found: dict[Any, Any] = {}
    with progress_bar(total=len(jobs), unit="trial") as bar:
        try:
            for key, answer in finished(executor, operator.call, jobs.items()):
                found[key] = answer
                bar.update()
        except (KeyboardInterrupt, DeadWorker) as error:
            if not found:
                raise
            if isinstance(error, DeadWorker):
                warn(f"{error}; {len(found)} of {len(jobs)} trials were done by then")
            return found, True
    return found, False


def _largest(
    pushed: Callable[..., Trial], heading: float, capture: float, at: float
) -> LargestPush:
    """The largest push that is survived in a direction."""

    def survives(change: float) -> bool:
        return pushed(impulse=Impulse(change, heading, at), duration=at + AFTER).survived

    return LargestPush(heading, *largest_push(survives, capture), capture)


def _name(make_controller: Any) -> str:
    """What the controller is called: the gait of a `walker`, else the function's name."""
    inner = getattr(make_controller, "func", make_controller)
    given = getattr(make_controller, "keywords", {})
    return str(given.get("gait") or getattr(inner, "__name__", type(inner).__name__))
