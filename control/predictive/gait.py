"""Gaits whose centre of mass, momenta and forces are those of a prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...errors import ConfigurationError
from ...robots.configuration import check_configuration
from ...robots.robot import Robot
from ...robots.values import number
from ..gaits.gait import Gait
from ..gaits.grip import LEAST, Grip, with_friction
from ..gaits.locomotion import GaitController
from ..gaits.rolling import rolling
from ..gaits.scale import Scale
from ..gaits.stepping import Stepping
from ..gaits.uneven_ground import SEARCH_TIME
from ..kernels import TICKS
from ..kernels.centroidal import Reference
from ..kernels.gait_reference import GAIT_REFERENCE, Path, Pendulum
from ..kernels.profiles import minimum_acceleration
from ..limbs import limbs_of
from ..references import Desired, moved
from ..tasks import FrameTask, MomentumTask, PostureTask, Task
from ..tasks.forces import MOMENTS
from ..whole_body.failure import LATEST, checked_state
from ..whole_body.joint_limits import JointLimits
from ..whole_body.standing import trunk
from .legs import Swing
from .prediction import Prediction
from .predictive import Predictive, Weights
from .stances import Stance

# Forces come first: where two feet cannot give all that is asked, the legs' swing turns the base
# to and fro, rather than lifts it.
LINEAR, ANGULAR = 2000.0, 0.1  # weights of c̈ [s⁴/m²] and of L̇ [1/(N·m)²]
ATTITUDE = 3.0  # of the base's angular acceleration [s⁴/rad²]
POSTURE = 0.05  # of the accelerations of joints that carry feet [s⁴/rad²]
# of all others: a waist and arms turn with the base, as the prediction takes them to do; if they
# gave way, the base would turn instead
RIGID = 10.0
# rate k of the barriers of the joints' ranges on points, see `JointLimits` [1/s]: legs that trot
# come near theirs. On soles arms that a push throws would be stopped so late that it takes all
# their torque
STIFFNESS = 160.0
STEP = 0.03  # duration of a node of the prediction [s]
EVERY = 0.01  # time after which a prediction is made anew [s]
RAMP = 0.01  # time to load and unload a foot: a trot has no more [s]
GRIP = 0.5  # share of the friction that is used: the ground may be half as rough as told
SOLE = 0.6  # share of the soles that is used: fast steps need more than slow ones on boards
# largest normal force of a foot in a prediction, in weights: more would have more friction and
# moments, and throw the robot up
LARGEST = 1.2


class PredictiveGait(GaitController):
    """Walks at a commanded velocity with predicted motion and forces.

    Footholds, phases and commands are those of a `GaitController`, but the centre of mass, the
    momenta and the base follow a `Predictive` instead of a pendulum of constant height. This allows
    higher speeds: legs are bent so far that they reach their footholds, and robots with more than
    two feet place them relative to where the robot has been pushed to. Predicted normal forces of a
    foot are at most 1.2 times the weight, and those of soles act within `sole_share`.

    On soles the `prediction` is information only, and ξ is followed as in a `GaitController`, so
    that moments of the soles correct its errors at each tick: when G1 followed predictions, as
    robots on points do, it fell more often, the faster it went.

    Args:
        robot, contacts, q, gait, velocity: as of a GaitController.
        every: time between predictions [s]; 0: one at each tick; None: 0.01, in proportion to the
            `Scale` of the robot.
        grip: share of the contacts' friction that prediction and controller use.
        options: of the GaitController. By default sole_share is 0.6, feet are loaded and unloaded
            within 10 ms, in proportion to the `Scale`, and torques may rise at once.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot; a velocity that this gait
            cannot reach.
    """

    # joints have their largest speeds; soles have to give L̇ of fast steps, so that footholds answer
    # each error of ξ; `grip` has left a share of the friction already; and feet that are lifted
    # only twice as high do not bring small robots onto boards of 6 cm
    stepping = Stepping(
        minimum_acceleration, bends=True, ankles=0.0, braking=1.0, lift=3.0, steps=1.7,
        shorter=0.7, adaptive_clearance=True,
    )  # fmt: skip

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        gait: str | Gait | None = None,
        *,
        every: float | None = None,
        grip: float = GRIP,
        **options: Any,
    ) -> None:
        q = check_configuration(robot, q)
        share = number(grip, "grip", above=0, at_most=1.0)
        feet = rolling(ContactSet.of(robot, contacts), q)
        feet = ContactSet(robot, [with_friction(contact, share) for contact in feet])
        scale, sole_share = Scale.of(feet, q), options.get("sole_share", SOLE)
        self.predictive = Predictive(
            robot, _pressing(feet, LARGEST * robot.weight), q, step=STEP * scale.time,
            weights=Weights().scaled(scale.length), sole_share=sole_share,
        )  # fmt: skip
        GAIT_REFERENCE.select(TICKS)
        every = EVERY * scale.time if every is None else every
        self.every = number(every, "every", at_least=0, unit="[s]")
        self.prediction: Prediction | None = None
        # fast steps need their torques at once: with rates of torques G1 falls at 0.8 m/s
        own: dict[str, Any] = {
            "ramp": RAMP * scale.time,
            "torque_rate": None,
            "sole_share": sole_share,
        }
        if not any(foot.dim == 6 for foot in feet):
            own["joint_limits"] = JointLimits.of(robot, stiffness=STIFFNESS / scale.time)
            own["nominal_forces"] = self._forces
        given: dict[str, Any] = {**own, **options}
        super().__init__(robot, feet, q, gait, **given)
        self.grip = Grip(min(LEAST / share, 1.0))  # `grip` has left a share of it already
        root = robot._model.frames[robot.frame_id(trunk(robot))].placement.rotation
        self._root = root.T  # from the axes of the trunk to those of the floating base

    def _permanent_tasks(self, q: Array) -> list[Task]:
        """The tasks of all phases: on points those of the prediction, and a posture.

        On soles ξ is followed, see `GaitController`: moments of soles correct its errors at each
        tick, where a prediction waits for the next one.
        """
        if self._on_soles:
            return super()._permanent_tasks(q)
        scale = self.scale
        angular = ANGULAR / scale.moment**2
        weight = np.array([LINEAR / float(self.robot.mass) ** 2] * 3 + [angular] * 3)
        self.motion = MomentumTask(
            self._momentum, rows_of="both", gain=0.0, weight=weight, name="momentum"
        )
        self.attitude = FrameTask(
            self._turning, frame=trunk(self.robot), rows_of="orientation",
            weight=ATTITUDE * scale.length**2, gain=100.0 / scale.length, name="base",
        )  # fmt: skip
        carry = np.any(limbs_of(self.feet).moving, axis=0)[self.robot.actuated_rows]
        weight = np.where(carry, POSTURE, RIGID) * scale.length**2
        posture = PostureTask(q, weight=weight, gain=40.0 / scale.length)
        return [self.motion, self.attitude, posture]

    def _prepare(self, state: State, t: float) -> None:
        super()._prepare(state, t)
        if self.prediction is None or not 0 <= t - self.prediction.t < self.every:
            found = self.predictive(state, *self.ahead(state, t=t), t, self._known(state, t))
            if self.prediction is None or found.solution.solved:  # else the last one goes on
                self.prediction = found

    # --- what is wanted, and what is predicted --------------------------------------------------

    def ahead(
        self, q: ArrayLike | State, v: ArrayLike | None = None, t: float = 0.0
    ) -> tuple[list[Stance], Any]:
        """Return the inputs of a prediction: the stances from now on, and the reference.

        Use them for your own predictions, e.g. from other states at this time (`Predictive.batch`).
        The reference is a function of times (N + 1,) since t [s] that returns a `Reference`.

        Args:
            q, v: (nq,), (nv,), or a `dynamics.State`.
            t: time of the gait's last tick [s].

        Raises:
            ConfigurationError: q or v that do not fit the robot, no velocity, an invalid time.
        """
        state = checked_state(self.robot, q, v, t, -LATEST, "none")
        stances, swings = self._stances(state, t)
        return stances, self._wanted(state, t, swings)

    def _stances(self, state: State, t: float) -> tuple[list[Stance], list[Swing]]:
        """The stances from now on, of feet where they are and then where they land; the swings."""
        places = dict(self.feet.placements(state))
        plan = self.plan if self._feedback is None else self._feedback.landed
        index, since = plan.index(t - self.begin), t - self.begin
        stances, swings = list[Stance](), list[Swing]()
        for k in range(index, len(plan.phases)):
            phase, left = plan.phases[k], plan.times[k + 1] - max(since, plan.times[k])
            carry = {n: T for n, T in places.items() if n not in phase.swings}
            last = k == len(plan.phases) - 1
            left = max(left, 1.0 if last else 1e-3)
            stances += self._at_first(left, carry) if k == index else [Stance(left, carry)]
            by = self._swung if k == index else np.zeros(3)
            landed = {n: moved(T, by) for n, T in phase.swings.items()}
            for n, T in landed.items():
                way = T.translation - places[n].translation
                if k == index:
                    foot = self._feet[n]
                    way = foot.goal.translation - foot.start.translation
                swings.append(Swing(n, plan.times[k] - since, phase.duration, way))
            places |= landed
        return stances, swings

    def _at_first(self, left: float, carry: dict[str, Any]) -> list[Stance]:
        """The stances until feet lift or land next; those that search the ground push later."""
        pushing = {n: T for n, T in carry.items() if n in self.controller.contacts.names}
        if len(pushing) == len(carry):
            return [Stance(left, carry)]
        soon = SEARCH_TIME / self.plan.omega
        after = left if self._waits else left - soon  # while the plan waits, no time passes in it
        if after < 1e-3:
            return [Stance(left, pushing)]
        return [Stance(soon, pushing), Stance(after, carry)]

    def _wanted(self, state: State, t: float, swings: Sequence[Swing]) -> Any:
        """The reference from t on: above the path, upright, ahead; on soles, swaying."""
        path = Path(
            self.path.origin, self.path.velocity, t - self.path.begin, self.ground.point,
            self.ground.slope, self.plan.height, self._upright @ self._root,
        )  # fmt: skip
        legs = self.predictive.legs.swings(state, swings, self._clearance)
        plan = self.plan if self._feedback is None else self._feedback.landed
        begins = np.array(plan.times if self._on_soles else [])
        pendulum = Pendulum(
            plan.omega, state.com[:2].copy(), t - self.begin, begins, plan.points, plan.up
        )

        def reference(times: ArrayLike) -> Reference:
            times = np.ascontiguousarray(times, dtype=float)  # as the kernel reads it
            n = len(times)
            found = Reference(*(np.empty((n, *each)) for each in ((3,), (3,), (3, 3), (3,), (3,))))
            GAIT_REFERENCE.overload().run(path, pendulum, legs, times, found)
            return found

        return reference

    def _forces(self, t: float) -> dict[str, Array]:
        """w of the contacts at the prediction's node at t."""
        if (found := self.prediction) is None:
            return {}
        each = found.contact_wrenches(found.index(t - found.t)).items()
        moments = {name: [3 + axis for axis in MOMENTS[self.feet[name].dim]] for name, _ in each}
        return {name: w[[0, 1, 2, *moments[name]]] for name, w in each}

    def _momentum(self, t: float) -> Desired:
        """h and ḣ of the prediction's node at t."""
        found = self._now
        k = found.index(t - found.t)
        rate = np.concatenate([
            found.body.mass * found.acceleration[k], found.momentum_rate[k]
        ])  # fmt: skip
        return Desired(np.zeros(6), rate, rate)

    def _turning(self, t: float) -> Desired:
        """The orientation of the prediction at t, with its rate and its acceleration."""
        found = self._now
        s = t - found.t
        k = found.index(s)
        h, left = found.nodes.durations[k], found.times[k]
        theta, spin = found.solution.x[:, 9:], found.turning
        share = min((s - left) / h, 1.0)
        turn = (1 - share) * theta[k] + share * theta[k + 1]
        R = found.reference.rotation[k]
        rate = (1 - share) * spin[k] + share * spin[k + 1]
        alpha = (spin[k + 1] - spin[k]) / h
        pose = pin.SE3(pin.exp3(turn) @ R @ self._root.T, np.zeros(3))
        zero = np.zeros(3)
        return Desired(pose, np.append(zero, rate), np.append(zero, alpha))

    @property
    def _now(self) -> Prediction:
        if self.prediction is None:
            raise ConfigurationError("the gait has not begun: nothing is predicted yet")
        return self.prediction


def _pressing(feet: ContactSet, largest: float) -> ContactSet:
    """The feet, with normal forces of at most so much [N]."""
    most = [min(largest, foot.normal_bounds[1]) for foot in feet]
    limited = [replace(foot, max_normal=n) for foot, n in zip(feet, most, strict=True)]
    return ContactSet(feet.robot, limited)
