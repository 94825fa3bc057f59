"""Repair of a motion: the nearest one that a robot can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import Terrain
from ...contacts.audits.audit import Audit
from ...contacts.audits.run import audit
from ...contacts.schedules.schedule import ContactSchedule
from ...contacts.schedules.timed_loads import AppliedWrench, CarriedMass, Load
from ...contacts.terrain.terrain import LEVEL_GROUND
from ...contacts.torque_limits import TorqueLimits
from ...dynamics import State, Wrench
from ...dynamics.motions.motion import Motion, as_motion
from ...errors import ConfigurationError, ContactError
from ...options import names_checked
from ...progress import with_progress
from ...robots.values import boolean, instance, number, whole_number
from ..limbs import require_closures_apart
from .corners import Corners
from .differences import Differences
from .equations import carried
from .iterate import Bounds, Derived, Iterate, Loads, Problem
from .limits import Limits
from .objective import Objective, checked_weights
from .report import Repair, changes
from .stances import stand
from .windows import mended

SAMPLES = 3  # of a motion, at least


@names_checked
@with_progress
def repair(
    motion: Motion,
    schedule: ContactSchedule | None = None,
    *,
    terrain: Terrain | None = None,
    friction: float | None = None,
    wrenches: Mapping[str, Wrench] | ArrayLike | None = None,
    torque_limits: TorqueLimits = True,
    self_collision: bool = True,
    weights: Mapping[str, float] | None = None,
    margin: float = 10.0,
    slowest: float = 1.0,
    window: float = 12.0,
    steps: int = 12,
    progress: bool | None = None,
) -> Repair:
    """Return the nearest motion that holds: a local optimum, proven by `contacts.audit`.

    Over configurations q_k and forces f_k of the ground at all samples,

        minimise    Σ_k ‖hands, base, centre of mass, posture: q_k against those given‖²_W
        subject to  the equations of motion, forces in their cones, torques within their bounds,
                    feet at one place on the ground for as long as they touch, above it when they
                    do not, joints within ranges and speeds, links apart

    by a sequence of second-order cone programs, with v and a the derivatives of q as in
    `Motion.of`. Constraints that cannot be kept are penalised, so that everything else is repaired.
    Joints of closures, which only arms may have, move as before.

    Args:
        motion: the reference motion.
        schedule: which contacts touch when, and what is carried; without it `find_contacts` finds
            the contacts.
        terrain: the ground; without it the plane z = 0.
        friction: Coulomb coefficient of all contacts; without it the schedule's own, or 0.7.
        wrenches: of the environment besides the contacts, as for `contacts.audit`.
        torque_limits: as for `contacts.batch.contact_forces`.
        self_collision: whether links keep apart.
        weights: {"hands", "base", "com", "posture" or "smooth": factor} of the costs of changes; 1
            where not given. 1 cm of a hand costs as much as 3 cm of the base, 5 cm of the centre of
            mass, 0.1 rad of hand or base, 0.2 rad of a joint, or 4 m/s² or rad/s² of acceleration
            of the change.
        margin: normal force that every foot keeps beyond what it needs [N].
        slowest: factor by which time may be stretched where some samples do not hold otherwise.
        window: longer motions are repaired in windows of this length, each half over the last [s].
        steps: programs for each window, at most.
        progress: draw a bar on stderr; when not given, if that is a terminal.

    Raises:
        ConfigurationError: too few samples, values that do not fit.
        ContactError: contacts of another robot, or of a kind that repairs do not support (hand
            holds, torsional friction, bounds on forces, moving ground); closures that move limbs
            with contacts.
    """
    motion = as_motion(motion)
    if len(motion) < SAMPLES:
        raise ConfigurationError(f"motion: got {len(motion)} samples, expected {SAMPLES} or more")
    slowest, weights = number(slowest, "slowest", at_least=1), checked_weights(weights)
    steady(motion)
    asked: dict[str, Any] = {
        "terrain": None if terrain is None else instance(terrain, "terrain", Terrain),
        "friction": None if friction is None else number(friction, "friction", at_least=0),
        "wrenches": wrenches,
        "torque_limits": torque_limits,
        "self_collision": boolean(self_collision, "self_collision"),
    }
    own: dict[str, Any] = {
        "margin": number(margin, "margin", at_least=0, unit="[N]"),
        "window": number(window, "window", above=0, unit="[s]"),
        "steps": whole_number(steps, "steps", at_least=1),
    }
    before = audit(motion, schedule, **asked)
    if before.good.all():
        return Repair(motion, before, before, {}, "it holds already", 0)
    best = _repaired(motion, before, asked, own, weights, 1.0)
    for factor in np.geomspace(1.0, slowest, 4)[1:].tolist() if slowest > 1 else []:
        if best.holds:
            break
        found = _repaired(motion, before, asked, own, weights, factor)
        best = found if found.after.share > best.after.share else best
    return best if schedule is not None else replace(best, anew=audit(best.motion, **asked))


def steady(motion: Motion) -> None:
    """Refuse a motion whose samples are not at a steady rate, for which v and a are not derived.

    Raises:
        ConfigurationError: they are not.
    """
    steps = np.diff(motion.t)
    if np.ptp(steps) > 1e-3 * steps.mean():
        raise ConfigurationError(
            f"motion: got steps of {steps.min():g} to {steps.max():g} s; expected a steady rate, "
            "as of Motion.of(robot, t, q)"
        )


def _repaired(
    motion: Motion,
    before: Audit,
    asked: dict[str, Any],
    own: dict[str, Any],
    weights: Mapping[str, float],
    factor: float,
) -> Repair:
    """Return the repair at one factor of time."""
    slow = motion if factor == 1 else motion.slower(factor)
    timed = before.schedule if factor == 1 else slower(before.schedule, slow.t, factor)
    first = first_iterate(slow, timed, asked, own["margin"])
    objective = Objective(motion.robot, motion.q, first.problem.corners.frames, weights)
    limits = Limits(motion.robot, self_collision=asked["self_collision"])
    q, status, steps = mended(first, objective, limits, slow.t, own)
    new = Motion.of(motion.robot, slow.t, q, cutoff=None, name=f"{slow.name}, repaired")
    after = audit(new, timed, **asked)
    if after.share <= before.share:
        return Repair(motion, before, before, {}, f"nothing better was found; {status}", steps)
    return Repair(new, before, after, changes(objective, q), status, steps, factor)


def slower(schedule: ContactSchedule, t: Array, factor: float) -> ContactSchedule:
    """Return the same contacts and loads, later by a factor: at times t (n,)."""

    def late(time: Any) -> Any:
        return None if time is None else t[0] + factor * (np.asarray(time) - t[0])

    loads: list[Load] = []
    for load in schedule.loads:
        if isinstance(load, CarriedMass):
            times = {name: late(getattr(load, name)) for name in ("start", "end")}
            loads.append(replace(load, ramp=factor * load.ramp, **times))
        elif isinstance(load, AppliedWrench):
            loads.append(replace(load, t=late(load.t)))
        else:
            raise ContactError(f"slowest: no later {type(load).__name__} is known; expected 1")
    return replace(schedule, t=t, loads=tuple(loads))


def first_iterate(
    motion: Motion, schedule: ContactSchedule, asked: dict[str, Any], margin: float
) -> Iterate:
    """Return the motion with vertical forces that carry the weight, and what is asked of it."""
    robot, corners = motion.robot, Corners.of(schedule, asked["friction"])
    require_closures_apart(schedule.contacts, State(robot, motion.q[0]), "repair")
    terrain = LEVEL_GROUND if asked["terrain"] is None else asked["terrain"]
    problem = Problem(
        robot=robot,
        corners=corners,
        places=stand(corners, corners.ends(motion.q), terrain),
        terrain=terrain,
        differences=Differences.of(len(motion), motion.rate),
        derivatives=Derived(motion),
        closed=np.array([carried(robot, q) for q in motion.q]) if robot.closures else None,
        loads=Loads(motion, schedule.loads, asked["wrenches"]),
        bounds=Bounds(robot, asked["torque_limits"], len(motion)),
        margin=margin,
    )
    on = corners.touching
    forces = np.zeros((*on.shape, 3))
    up = -problem.robot._model.gravity.linear * robot.mass
    forces[on] = (up / np.maximum(on.sum(axis=1), 1)[:, None])[np.nonzero(on)[0]]
    return Iterate(problem, motion.q, forces)
