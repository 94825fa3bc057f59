"""Utilisation of a robot's limits by the periodic motion of a gait at one velocity.

    reach        max ‖p_i − p_i*‖ / tolerance       by how much feet miss their places
    joint speed  max |q̇_j| / q̇_j,max               of legs that stand; of those that swing with
                 |q_j(T) − q_j(t)| / (T − t)        instead: they may lag behind, but have to land
    torque       max |τ_j| / τ_j,max                with the forces that need the least
    friction     max ‖s‖ / tolerance                the wrench that contacts cannot give
    swing        max |q̇_j| / q̇_j,max               of all joints: above, legs lag behind

A utilisation of more than one is infeasible. The base's motion is that of `base_motion`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.torque_limits import TorqueLimits, torque_bounds_of
from ...dynamics import State, closures
from ...dynamics.topology import unit_of_joint, unit_of_torque
from ..gaits.locomotion import GaitController
from ..limbs import limbs_of, require_closures_apart
from ..whole_body.joint_limits import JointLimits
from .base_motion import Balance, BaseMotion, BaseProgram
from .cycle import Cycle, cycle_of
from .postures import MISSED, Legs, Motion, Wanted

REACH, SPEED, TORQUE, FRICTION = OF_ROBOT = "reach", "joint speed", "torque", "friction"
SWING, TIMING = OF_GAIT = "swing", "timing"
KINDS = *OF_ROBOT, *OF_GAIT
# where legs are too short at first: most rounds; from the third on, one that leaves 70 % of what
# they lack is the last
MOST_ROUNDS, PATIENCE, SLOW = 7, 3, 0.7
ROUNDS = 2  # of the base's motion; one more changes utilisations by some thousandths
BEYOND = 0.01  # how far joints may be beyond their ranges [rad]
LACKING = 1e-3  # wrench that contacts may not give, in weights
STRAIGHT = 10.0  # what only accelerations near a singularity lack, in weights


class Utilisation(NamedTuple):
    """What is taken of one limit.

    Attributes:
        value: of what there is [-]; nan where legs are too short, where there is no motion.
        words: of what, how much, and when: "FR_calf_joint needs 31 of 30.1 rad/s at 25 % of the
            swing of FR_foot".
        none: why there is no such limit; "" where there is one.
    """

    value: float
    words: str
    none: str = ""


class GaitMotion(NamedTuple):
    """A gait's motion at a velocity, as the robot would make it.

    Attributes:
        cycle: of the gait.
        motion: of the whole body.
        balance: what contacts and torques make of it.
        reach: the utilisation of the legs' reach; its words are those of a base that stays level.
    """

    cycle: Cycle
    motion: Motion
    balance: Balance
    reach: Utilisation


class Utilisations:
    """The utilisation of a walker's limits by velocity.

    Args:
        walker: whose gait; it stands.
        q: where (nq,).
        contacts: its feet with the friction that there is.
        torque_limits: as of `contacts.static_hold`.

    Raises:
        ContactError: a closure that moves its legs, or ties it to the world.
        ConfigurationError: closures of arms whose motors cannot hold them.
    """

    def __init__(
        self,
        walker: GaitController,
        q: Array,
        contacts: ContactSet,
        torque_limits: TorqueLimits,
    ) -> None:
        self.walker, self.robot, self.q = walker, walker.robot, q
        self.contacts, self.torque_limits = contacts, torque_limits
        self.height = walker.plan.height
        self.legs = Legs(contacts, self.height)
        self.speeds = JointLimits.of(self.robot)
        self.torques = _motors_of(self.legs, q)
        self._upright = walker.path.start.rotation.T @ pin.Quaternion(q[3:7]).matrix()

    def motion(self, velocity: Array) -> GaitMotion:
        """Return the motion at a velocity (vx, vy, wz) [m/s, rad/s]."""
        cycle, omega = cycle_of(self.walker, velocity), self.walker.plan.omega
        axes = np.array([P.rotation for P in cycle.path])
        start = np.array([self._carried(P) for P in cycle.path])
        program, base = (
            BaseProgram(self.legs, self.height, omega, self.torques),
            BaseMotion.none(len(cycle.t)),
        )
        first, lacks = "", list[float]()
        for k in range(MOST_ROUNDS):
            motion = self.legs.motion(self._wanted(cycle, axes, base), start)
            bounds = torque_bounds_of(self.robot, self.torque_limits, motion.v, many=True)
            balance = program(cycle.t, cycle.active, axes, motion, base, bounds)
            lack, why = self._beyond(cycle, motion)
            if not balance.solved:
                lack, why = np.inf, "no such motion is found"
            elif balance.lacking.max() > STRAIGHT:  # legs that are straight turn beyond measure
                worst = int(balance.lacking.argmax())
                lack, why = np.inf, f"a leg is straight{self._when(cycle, worst)}"
            lacks.append(lack)
            first = first or (why if lack > 1 else "")
            # more rounds where legs are too short, as long as the base makes it up
            enough = k + 1 >= ROUNDS and lack < 1
            if enough or not balance.solved or (k >= PATIENCE and lack > SLOW * lacks[-2]):
                break
            base = balance.base
        return GaitMotion(cycle, motion, balance, Utilisation(lack, first or why))

    def _carried(self, P: Any) -> Array:
        """The configuration in which it stands (nq,), carried along to P."""
        q, here = self.q.copy(), pin.XYZQUATToSE3(self.q[:7])
        q[:7] = pin.SE3ToXYZQUAT(P * self.walker.path.start.inverse() * here)
        return q

    def _wanted(self, cycle: Cycle, axes: Array, base: BaseMotion) -> Wanted:
        """The cycle with the base turned and moved by y, in the axes of the path that turns."""
        w = np.array([0.0, 0.0, cycle.turn])

        def turned(x: Array) -> Array:
            return np.asarray((axes @ x[:, :, None])[:, :, 0])

        def rates(k: slice) -> tuple[Array, Array, Array]:
            x, dx, ddx = (part[:, k] for part in base)
            spin = np.cross(w, x)
            return x, dx + spin, ddx + 2 * np.cross(w, dx) + np.cross(w, spin)

        turn, dturn, ddturn = base.y[:, :3], base.rate[:, :3], base.second[:, :3]
        rotation = axes @ np.array([pin.exp3(x) for x in turn]) @ self._upright
        spin = np.array([turned(w + dturn), turned(ddturn + np.cross(w, dturn))])
        com = cycle.com + np.array([turned(x) for x in rates(slice(3, 6))])
        return Wanted(rotation, spin, com, cycle.feet, cycle.moving)

    # --- utilisations ----------------------------------------------------------------------------

    @property
    def timing(self) -> str:
        """What the gait's timing allows, in words."""
        longest, least = self.walker.longest
        return f"steps of {longest:.2f} m every {least:.2f} s are its longest and quickest"

    def __call__(self, velocity: Array) -> dict[str, Utilisation]:
        """Return {kind: utilisation}, but for the timing, at (vx, vy, wz) [m/s, rad/s]."""
        found = self.motion(velocity)
        if found.reach.value > 1:  # what is no posture has no torques
            none = Utilisation(math.nan, found.reach.words)
            return {
                kind: found.reach if kind == REACH else none for kind in KINDS if kind != TIMING
            }
        return {
            REACH: found.reach,
            SPEED: self._speed(found, self._in_time(found)),
            TORQUE: self._torque(found),
            FRICTION: self._friction(found),
            SWING: self._speed(found, np.abs(found.motion.v[:, self.speeds.rows_v])),
        }

    def _beyond(self, cycle: Cycle, motion: Motion) -> tuple[float, str]:
        """What the legs lack of the cycle's postures, over what they may, and which."""
        missed = np.linalg.norm(motion.missed, axis=2)
        k, c = np.unravel_index(missed.argmax(), missed.shape)
        lack = float(missed[k, c]) / (MISSED * self.height)
        if lack > 1:
            words = f"{self.contacts.names[c]} is {1e3 * missed[k, c]:.0f} mm out of reach"
            return lack, words + self._when(cycle, k)
        beyond = self.legs.beyond(motion.q)
        beyond[:, ~self.legs.legs] = -np.inf
        k, j = np.unravel_index(beyond.argmax(), beyond.shape)
        name = self.robot.joint_of_row[j]
        unit = unit_of_joint(self.robot, name)
        words = f"{name} is {beyond[k, j]:.2g} {unit} beyond its range"
        return max(lack, float(beyond[k, j]) / BEYOND), words + self._when(cycle, k)

    def _speed(self, found: GaitMotion, fast: Array) -> Utilisation:
        """The utilisation of joint speeds (n, na)."""
        most = self.speeds.speed
        share = np.where(found.motion.reached[:, None], fast / most, 0.0)
        k, j = np.unravel_index(share.argmax(), share.shape)
        name = self.robot.actuated[j]
        unit = f"{unit_of_joint(self.robot, name)}/s"
        words = f"{name} needs {fast[k, j]:.3g} of {most[j]:.3g} {unit}"
        none = "" if np.isfinite(most).any() else "its joints have no speed limits"
        return Utilisation(float(share[k, j]), words + self._when(found.cycle, k), none)

    def _in_time(self, found: GaitMotion) -> Array:
        """The speeds |q̇| (n, na) of joints; of a leg that swings |q(T) − q(t)|/(T − t), at which
        it lands in time, for it may lag behind on its way."""
        motion, cycle, limits = found.motion, found.cycle, self.speeds
        fast, alone = np.abs(motion.v[:, limits.rows_v]), limbs_of(self.contacts).alone
        plain = np.isin(limits.rows_v, self.legs.in_v)
        for phase in range(cycle.phase[-1] + 1):
            k = np.flatnonzero(cycle.phase == phase)
            swinging = alone[~cycle.active[k[0]]].any(axis=0)[limits.rows_v] & plain
            q = motion.q[np.ix_(k, limits.rows_q[swinging])]
            left = cycle.t[k[-1]] - cycle.t[k[:-1]]
            fast[np.ix_(k[:-1], swinging)] = np.abs(q[-1] - q[:-1]) / left[:, None]
        return fast

    def _torque(self, found: GaitMotion) -> Utilisation:
        bounds = torque_bounds_of(self.robot, self.torque_limits, found.motion.v, many=True)
        tau = found.balance.torques
        share = np.abs(tau - bounds.middle) / bounds.half
        share = np.where(found.motion.reached[:, None], share, 0.0)
        k, j = np.unravel_index(share.argmax(), share.shape)
        high = bounds.upper if tau[k, j] > 0 else -bounds.lower
        most = np.broadcast_to(high, tau.shape)[k, j]
        name = self.robot.actuated[j]
        unit = unit_of_torque(self.robot, name)
        words = f"{name} needs {abs(tau[k, j]):.3g} of {most:.3g} {unit}"
        none = "" if np.isfinite(bounds.half).any() else "its joints have no torque limits"
        return Utilisation(float(share[k, j]), words + self._when(found.cycle, k), none)

    def _friction(self, found: GaitMotion) -> Utilisation:
        lacking = found.balance.lacking
        k = int(lacking.argmax())
        words = f"contacts cannot give {lacking[k]:.2g} of the weight"
        return Utilisation(float(lacking[k]) / LACKING, words + self._when(found.cycle, k))

    def _when(self, cycle: Cycle, k: Any) -> str:
        """In which part of the cycle a sample is."""
        swings = [n for n, on in zip(self.contacts.names, cycle.active[k], strict=True) if not on]
        same = np.flatnonzero(cycle.phase == cycle.phase[k])
        share = 100 * (int(k) - same[0]) / (len(same) - 1)
        told = f"swing of {' and '.join(swings)}" if swings else "time on all feet"
        return f" at {share:.0f} % of the {told}"


def _motors_of(legs: Legs, q: Array) -> Array:
    """T (na, nv), torques τ = T h by generalised forces: S, and where arms have closures, which
    stand as in q, what is left for their motors."""
    robot = legs.robot
    if not robot.closures:
        return robot.selection_matrix
    state = State(robot, q)
    require_closures_apart(legs.contacts, state, "speed_limits")
    closures.motor_torques(state, -state.gravity_torques)  # raises where they cannot hold them
    return closures.motor_map(state)[0]
