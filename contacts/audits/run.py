"""The audit of a motion: its contacts, verdicts and checks put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...dynamics import Wrench
from ...dynamics.motions.motion import Motion, as_motion
from ...dynamics.motions.sampled_states import SampledStates
from ...errors import ContactError, unknown
from ...options import names_checked
from ...robots import Robot
from ...robots.values import array, boolean, instance, mapping, number, whole_number
from .. import batch
from ..contact_set import ContactSet
from ..equilibrium.decision import Wanted
from ..schedules.finding import find_contacts
from ..schedules.schedule import ContactSchedule
from ..schedules.timed_loads import with_loads
from ..terrain.terrain import Terrain
from ..torque_limits import TorqueLimits, torque_bounds_of
from .audit import Audit
from .check import LIMITS
from .feet_checks import feet_checks
from .force_checks import Forces
from .joint_checks import collision_check, joint_checks
from .supplied import supplied


@names_checked
def audit(
    motion: SampledStates,
    schedule: ContactSchedule | None = None,
    *,
    terrain: Terrain | None = None,
    friction: float | None = None,
    wrenches: Mapping[str, Wrench] | ArrayLike | None = None,
    torque_limits: TorqueLimits = True,
    self_collision: bool = True,
    limits: Mapping[str, float] | None = None,
    threads: int = 1,
) -> Audit:
    """Check for every sample of a motion whether the robot can do it.

    A sample holds when contacts and joint torques can give its acceleration,

        M a + vᵀCv = Sᵀτ + τ_g + Σ_k J_kᵀ f_k + τ_ext,   f_k in their cones,   |τ| ≤ limits,

    and when every other check is within its limit: feet that touch do not slip or float, no sole is
    in the ground, joints are within their ranges and top speeds, no links overlap, and the data do
    not jump. In flight it holds when the robot falls freely, ‖f‖/m + ‖m_c‖/(m r) ≤ 1 m/s² for the
    force f and the moment m_c about the centre of mass that contacts would have to supply, r the
    radius of gyration. Where something touches, up to 0.02 m/s² that no push or pull at the
    contacts could supply are left out, as `notes` say.

    Args:
        motion: q, v and a along time; or a recording: a Trajectory, a ClosedLoop.
        schedule: which contacts touch when, and what is carried; without it `find_contacts` finds
            them.
        terrain: the ground; without it the plane z = 0.
        friction: Coulomb coefficient of all contacts; without it those of the schedule, or 0.7.
        wrenches: {link: Wrench} of the environment on the robot besides the contacts, the same at
            all samples; or (n, 6) or (6,) on the base: [force; moment about the centre of mass],
            world axes [N, N·m].
        torque_limits: as for `contacts.batch.contact_forces`.
        self_collision: whether links may not overlap; without collision shapes nothing is asked.
        limits: {check: largest value that passes}, in place of those in `LIMITS`; inf: the check is
            reported but refuses no sample.
        threads: that share the work.

    Raises:
        ContactError, ConfigurationError: invalid input.
    """
    motion = as_motion(motion)
    most = check_arguments(motion.robot, terrain, friction, torque_limits, self_collision, limits)
    if wrenches is not None and not isinstance(wrenches, Mapping):
        wrenches = array(wrenches, "wrenches", (6,), (len(motion), 6), error=ContactError)
    whole = whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)
    if schedule is None:
        schedule = _found(motion, terrain, friction, whole)
    schedule = _checked_schedule(motion, schedule)
    external = with_loads(motion, schedule.loads, wrenches)
    verdicts = batch.contact_forces(
        *(motion.robot, motion.q, motion.v, motion.a, schedule.contacts),
        active=schedule.touching,
        friction=friction,
        wrenches=external,
        torque_limits=torque_limits,
        torque_margin=torque_limits is not False,
        threads=whole,
    )
    verdicts, left_out = supplied(verdicts, Wanted(True, torque_limits is not False), whole)
    forces = Forces.of(motion, schedule, verdicts, left_out, most, whole)
    checks = [*forces.checks, *feet_checks(motion, schedule, terrain, most, whole)]
    checks += joint_checks(motion, most)
    if self_collision and motion.robot.has_collision_shapes:
        checks.append(collision_check(motion, most["collision"], whole))
    return Audit(forces, terrain, {check.name: check for check in checks})


def _found(
    motion: Motion, terrain: Terrain | None, friction: float | None, threads: int
) -> ContactSchedule:
    """The contacts of the motion; none of a fixed base without feet."""
    if not (motion.robot.is_floating or motion.robot.feet):
        none = np.zeros((len(motion), 0))
        return ContactSchedule(ContactSet(motion.robot), motion.t, none.astype(bool), none)
    mu = 0.7 if friction is None else friction
    return find_contacts(motion, terrain, friction=mu, threads=threads)


def _checked_schedule(motion: Motion, schedule: ContactSchedule) -> ContactSchedule:
    """Return the schedule with its contacts as those of the motion's robot."""
    instance(schedule, "schedule", ContactSchedule, error=ContactError)
    contacts = ContactSet.of(motion.robot, schedule.contacts)
    if schedule.t.shape != motion.t.shape or not np.allclose(schedule.t, motion.t, atol=1e-6):
        raise ContactError(
            f"schedule: got {len(schedule)} samples from {schedule.t[0]:.6g} to "
            f"{schedule.t[-1]:.6g} s, expected the {len(motion)} of the motion, from "
            f"{motion.t[0]:.6g} to {motion.t[-1]:.6g} s"
        )
    return schedule if contacts is schedule.contacts else replace(schedule, contacts=contacts)


def check_arguments(
    robot: Robot,
    terrain: Terrain | None,
    friction: float | None,
    torque_limits: TorqueLimits,
    self_collision: bool,
    limits: Mapping[str, float] | None,
) -> dict[str, float]:
    """Check arguments of `audit`; return the limits of all checks.

    Raises:
        ContactError, ConfigurationError: bad ones.
    """
    if terrain is not None:
        instance(terrain, "terrain", Terrain, error=ContactError)
    if friction is not None:
        number(friction, "friction", at_least=0, error=ContactError)
    torque_bounds_of(robot, torque_limits, many=True)
    boolean(self_collision, "self_collision")
    return LIMITS | _limits(limits)


def _limits(given: Mapping[str, float] | None) -> dict[str, float]:
    found = {}
    for name, value in mapping(given or {}, "limits", kind="check", error=ContactError).items():
        if name not in LIMITS:
            raise ContactError(unknown("check", name, LIMITS))
        at = f"limits[{name!r}]"
        infinite = isinstance(value, float) and value == np.inf
        found[name] = np.inf if infinite else number(value, at, at_least=0, error=ContactError)
    return found
