"""Closed-loop simulation of a robot and its controller on a terrain."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet, Terrain, at_feet, solve_posture
from ...contacts.cones.friction_cone import Friction
from ...contacts.terrain.terrain import LEVEL_GROUND
from ...dynamics import State, closed, external_torques
from ...dynamics.closures import require_motion
from ...dynamics.trajectory import EventRecord
from ...errors import ConfigurationError, ContactError
from ...options import names_checked
from ...progress import progress_bar, with_progress
from ...robots.configuration import (
    check_configuration,
    check_floating,
    check_torques,
    check_velocity,
)
from ...robots.robot import Robot
from ...robots.values import instance, number, sequence, whole_number
from ..calling import Arguments, arguments_of, check_estimator, estimate_of, raised
from ..disturbances import ForcePulse, Noise
from ..estimation import Estimator, Measurements, Readings, SensorLog, Sensors
from ..estimation.sensors import NoisyStates, measuring
from ..whole_body.standing import why_not_standing
from .closed_loop import ClosedLoop
from .falls import Fall
from .ground import Ground

_NO_INERTIA = 1e-14  # share of the largest eigenvalue of M below which one is zero


@names_checked
@with_progress
def simulate(
    robot: Robot,
    controller: Any,
    terrain: Terrain | None = None,
    *,
    duration: float,
    step: float = 1e-3,
    control_step: float | None = None,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    contacts: ContactSet | None = None,
    friction: Friction = 0.7,
    disturbances: Sequence[ForcePulse] = (),
    noise: Noise | None = None,
    sensors: Sensors | None = None,
    estimator: Any = None,
    seed: int = 0,
    engine: str = "pinocchio",
    on_failure: str = "stop",
    progress: bool | None = None,
) -> ClosedLoop:
    """Return the motion of a robot under a controller, on frictional ground.

    Closures of the robot are kept: q and v are put back onto them after every step.
    In each `step` of the physics, points of the feet stick, slip, break away or land on the
    terrain, and joints stop at the ends of their ranges. Only the points of the contacts collide:
    links pass through each other and through the ground, which `ClosedLoop.collisions` reports. The
    controller is called every `control_step`; its torques are clipped to `robot.motors.bounds(v)`
    of that moment and held until the next call. The motion ends early when the robot has fallen
    (event "fell", see `falls`), when it blows up or the controller raises or returns invalid
    torques (event "failed"), or at Ctrl-C (event "interrupted"); `ClosedLoop.ended` says which.

    Args:
        robot: floating base.
        controller: a WholeBodyController, or anything that gives commands (`gives_commands`) when
            called with (q, v, t); or a law (t, q, v) -> τ, as of `control.PD`; or a function of
            `Readings` -> τ, as for `control.judge`.
        terrain: a level plane when not given.
        duration: [s].
        step: of the physics [s].
        control_step: of the controller [s]; `step` when not given.
        q: where it starts (nq,); its usual posture brought onto the ground when not given.
        v: how it starts (nv,); at rest when not given.
        contacts: whose points may touch; the robot's feet when not given.
        friction: of the feet, where neither contacts nor terrain say; two along the soles' axes.
        disturbances: pushes.
        noise: on q and v that the controller gets.
        sensors: their readings go to the estimator, or to a controller of readings; the estimator's
            own when not given.
        estimator: gives the controller q and v: an `Estimator`, or a callable that returns an
            object with `q` and `v` for `Readings`. With sensors alone, an `Estimator` that knows
            where the robot starts.
        seed: of the noise.
        engine: "pinocchio" or "mujoco" (the same robot, points and ground there; compliant
            contacts).
        on_failure: "stop" returns what was recorded until then, "raise" raises.
        progress: draw a bar on stderr; when not given, if that is a terminal.

    Raises:
        ConfigurationError: a bad q, v, duration or step, a robot without a floating base, or with
            joints that move nothing; noise on the state together with sensors.
        ContactError: contacts that cannot be simulated, or no posture on them where q is not given.
        SolverError: the motion blew up, in the first tick or with on_failure="raise"; the same goes
            for what the controller raises. If the first command is already a fallback, as from a
            controller that has been used before, a ConfigurationError is raised: `restart` it, or
            make a new one.
    """
    check_floating(robot, " (dynamics.simulate is for the others)")
    arguments = arguments_of(controller, "controller")
    feet = at_feet(robot, friction) if contacts is None else ContactSet.of(robot, contacts)
    ground = LEVEL_GROUND if terrain is None else instance(terrain, "terrain", Terrain)
    start = _start(robot, feet, ground, q)
    velocity = np.zeros(robot.nv) if v is None else check_velocity(robot, v).copy()
    state = State(robot, start, velocity)
    check_inertia(robot, state)
    if robot.closures:
        require_motion(state)
    ticks, substeps = _steps(duration, step, step if control_step is None else control_step)
    physics = _engine(engine)(robot, feet, ground)
    if on_failure not in ("stop", "raise"):
        raise ConfigurationError(f"on_failure: got {on_failure!r}; expected 'stop' or 'raise'")
    pushes = sequence(disturbances, "disturbances", ForcePulse)
    if arguments == "readings" and estimator is not None:
        raise ConfigurationError(
            "estimator: got one and a controller of readings; expected a controller of q and v"
        )
    estimates = arguments != "readings"
    senses, estimator = _told(robot, feet, start, noise, sensors, estimator, seed, estimates)
    loop = _Loop(robot, controller, arguments, physics, pushes, senses, estimator)
    return loop.run(start, velocity, ticks, substeps, step, on_failure == "stop")


def _told(
    robot: Robot,
    feet: ContactSet,
    q: Array,
    noise: Noise | None,
    sensors: Sensors | None,
    estimator: Any,
    seed: int,
    estimates: bool,
) -> tuple[NoisyStates | Measurements, Any]:
    """What is read of the robot's state, and what the controller is told of that."""
    if noise is not None:
        instance(noise, "noise", Noise)
    if sensors is None:
        sensors = getattr(estimator, "sensors", None if estimator is None else Sensors())
    if sensors is not None and noise is not None:
        raise ConfigurationError("noise: got one on the state and sensors; expected one of them")
    if sensors is not None:
        instance(sensors, "sensors", Sensors)
        if estimator is None and estimates:
            estimator = Estimator(robot, feet, q, sensors=sensors)
        check_estimator(estimator)
    rng = np.random.default_rng(whole_number(seed, "seed", at_least=0))
    return measuring(noise if sensors is None else sensors, robot, rng), estimator


def check_inertia(robot: Robot, state: State) -> None:
    """Refuse a robot some of whose joints move nothing: their accelerations are endless."""
    inertias, axes = np.linalg.eigh(state.mass_matrix)
    if inertias[0] > _NO_INERTIA * inertias[-1]:
        return
    loose = axes[:, inertias <= _NO_INERTIA * inertias[-1]]
    rows = np.flatnonzero(np.abs(loose).max(axis=1) > 0.1)
    joints = ", ".join(dict.fromkeys(robot.joint_of_row[row] for row in rows))
    raise ConfigurationError(
        f"{robot.name!r} cannot be simulated: nothing that {joints} would move has inertia; "
        "expected inertias of its links, or lock=[…] for these joints"
    )


def _start(robot: Robot, feet: ContactSet, ground: Terrain, q: ArrayLike | None) -> Array:
    if q is not None:
        return check_configuration(robot, q).copy()
    posture = solve_posture(robot, feet, targets=ground.targets(feet, robot.posture()))
    if problem := why_not_standing(posture):
        raise ContactError(f"{robot.name!r} finds no posture to start in: {problem}; give q")
    return posture.q


def _steps(duration: float, step: float, control_step: float) -> tuple[int, int]:
    """How many ticks, and how many steps of the physics each."""
    for name, value in (("duration", duration), ("step", step), ("control_step", control_step)):
        number(value, name, above=0, unit="[s]")
    substeps = round(control_step / step)
    if substeps < 1 or abs(substeps * step - control_step) > 1e-9 * control_step:
        raise ConfigurationError(
            f"control_step: got {control_step!r}; expected a multiple of the step {step!r}"
        )
    return max(1, round(duration / control_step)), substeps


def _engine(name: str) -> Callable[[Robot, ContactSet, Terrain], Any]:
    if name == "pinocchio":
        return Ground
    if name == "mujoco":
        from .mujoco_engine import MujocoGround

        return MujocoGround
    raise ConfigurationError(f"engine: got {name!r}; expected 'pinocchio' or 'mujoco'")


class _Loop:
    """A closed loop in progress."""

    def __init__(
        self,
        robot: Robot,
        controller: Any,
        arguments: Arguments,
        physics: Any,
        pushes: tuple[ForcePulse, ...],
        senses: NoisyStates | Measurements,
        estimator: Any,
    ) -> None:
        self.robot, self.controller, self.physics = robot, controller, physics
        self.arguments = arguments
        self.pushes, self.senses, self.estimator = pushes, senses, estimator
        self.S, self.motors = robot.selection_matrix.T, robot.motors
        for push in pushes:
            robot.frame_id(push.frame)
        self.samples: list[tuple[Any, ...]] = []
        self.estimates: list[tuple[Array, Array]] = []
        self.readings: list[Readings] = []
        self.tau, feet = np.zeros(robot.na), physics.contacts
        self.touching = dict.fromkeys(feet.names, False)
        self.owners = [feet.names[k] for k in feet.limits.owner]  # of the points

    def run(
        self, q: Array, v: Array, ticks: int, substeps: int, h: float, keep: bool
    ) -> ClosedLoop:
        fall = Fall(self.robot, self.physics.contacts, self.physics.terrain, q)
        event, why = "", ""
        for k in progress_bar(range(ticks), unit="tick"):
            t = k * substeps * h
            try:
                tau, status, took = self._command(t, q, v)
                q_next, v_next, impulses, stops = self._advance(t, q, v, tau, substeps, h)
            except (Exception, KeyboardInterrupt) as error:  # the recording is kept
                if not (keep and self.samples):
                    raise
                if isinstance(error, KeyboardInterrupt):
                    event, why = "interrupted", "interrupted"
                else:
                    event, why = "failed", raised(error)
                break
            self.samples.append((t, q, v, tau, impulses, stops, status, took))
            q, v = q_next, v_next
            if fallen := fall.after(k, ticks, substeps * h, q):
                event, why = "fell", f"the robot fell: {fallen}"
                break
        end = (len(self.samples)) * substeps * h
        self.samples.append((end, q, v, *self.samples[-1][3:-1], 0.0))
        return self._record(substeps * h, event, f"t = {end:.6g} s: {why}" if why else "")

    def _command(self, t: float, q: Array, v: Array) -> tuple[Array, str, float]:
        """The torques of a tick, the command's status, and how long it took [s]."""
        readings = self.senses.read(t, q, v, self.tau, self.touching)
        given = readings.copy()
        began = time.perf_counter()
        told = estimate_of(self.estimator, given)
        if self.estimator is not None:
            self.estimates.append((told[0].copy(), told[1].copy()))
        if self.estimator is not None or isinstance(self.senses, Measurements):
            self.readings.append(readings)
        if self.arguments == "q, v, t":
            command = self.controller(*told, t)
            if not (self.samples or getattr(command, "solved", True)):
                raise ConfigurationError(
                    f"controller: from the start on it failed; {command.reason}"
                )
            answer, status = command.tau, command.status
        else:
            arguments = (given,) if self.arguments == "readings" else (t, *told)
            answer, status = self.controller(*arguments), ""
        took = time.perf_counter() - began
        tau = check_torques(self.robot, answer, "the controller's answer")
        low, high = self.motors.at_speeds(v[self.motors.rows])  # at the velocity that it has
        self.tau = np.minimum(np.maximum(tau, low), high)
        return self.tau, status, took

    def _advance(
        self, t: float, q: Array, v: Array, tau: Array, substeps: int, h: float
    ) -> tuple[Array, Array, Array, Array]:
        """q and v after a tick, and the impulses of the ground and of joint stops meanwhile."""
        total, stopped = np.zeros((len(self.physics.points), 3)), np.zeros(self.robot.nv)
        motors = self.S @ tau
        for i in range(substeps):
            forces = motors
            for push in self.pushes:
                if push.acts(t + i * h):
                    forces = forces + external_torques(self.robot, q, {push.frame: push.wrench})
            v, impulses, stops = self.physics.step(q, v, forces, h)
            q = pin.integrate(self.robot._model, q, h * v)
            q[3:7] /= math.hypot(*q[3:7].tolist())
            if self.robot.closures:  # what the step leaves of e and J_c v, of its order
                q, v = closed(self.robot, q, v)
            total += impulses
            stopped += stops
        self.touching = dict.fromkeys(self.touching, False)
        for name, impulse in zip(self.owners, total.tolist(), strict=True):
            self.touching[name] |= any(impulse)
        return q, v, total, stopped

    def _record(self, period: float, event: str, ended: str) -> ClosedLoop:
        *columns, statuses, took = zip(*self.samples, strict=True)
        t, q, v, tau, force, stops = map(np.array, columns)
        force, stops, a = force / period, stops / period, np.diff(v, axis=0) / period
        a = np.concatenate([a, a[-1:]])
        robot = self.robot
        events = (EventRecord(event, float(t[-1]), q[-1], v[-1]),) if event else ()
        contacts = self.physics.contacts
        per_contact = {
            name: force[:, contacts.limits.owner == k] for k, name in enumerate(contacts.names)
        }
        return ClosedLoop(
            robot, t, q, v, tau, events, None, contacts, per_contact, a, stops, tuple(statuses),
            event == "fell", np.array(took), self.pushes, self.physics.terrain,
            self.physics.unsolved, ended, *self._estimated(len(t)),
            SensorLog.of(robot, self.readings) if self.readings else None,
        )  # fmt: skip

    def _estimated(self, count: int) -> tuple[Array | None, Array | None]:
        """q and v as they were estimated, the last ones once more at the end."""
        if not self.estimates:
            return None, None
        found = self.estimates[: count - 1]
        q, v = zip(*found, found[-1], strict=True)
        return np.array(q), np.array(v)
