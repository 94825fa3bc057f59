"""Simulation of a robot under torques, springs and wrenches, without contacts."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from ..arrays import Array
from ..errors import ConfigurationError, ModelError, SolverError
from ..options import names_checked
from ..robots.configuration import check_configuration, check_torques, check_velocity
from ..robots.robot import Robot
from ..robots.values import instance, mapping, number
from .closures import close, require_motion
from .equations import accelerations, external_torques
from .integrators import State, Step, integrator
from .springs import JointSprings
from .state import State as StateOf
from .trajectory import EventRecord, Trajectory
from .wrench import Wrench

TorqueLaw = Callable[[float, Array, Array], ArrayLike]
Wrenches = Mapping[str, Wrench]
Event = Callable[[float, Array, Array], float]


@names_checked
def simulate(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    torque: ArrayLike | TorqueLaw | None = None,
    *,
    duration: float,
    step: float,
    integrator: str = "rk4",
    wrenches: Wrenches | Callable[[float, Array, Array], Wrenches] | None = None,
    springs: JointSprings | None = None,
    events: Mapping[str, Event] | None = None,
    progress: bool = False,
) -> Trajectory:
    """Return the motion from (q, v) over `duration`, a sample every `step`.

    Args:
        robot: the robot.
        q: where it starts (nq,).
        v: how it starts (nv,).
        torque: τ (na,), or a law (t, q, v) -> τ; None: none. A law with `sampled = True` is a
            digital controller: asked once a step, its answer held until the next.
        duration: [s]; the last step is shortened to end there.
        step: [s], of the integrator and of the samples; the spacing of samples for "dop853".
        integrator: "rk4", "semi_implicit_euler", "implicit_midpoint", "dop853" or "explicit_euler".
        wrenches: {frame: Wrench} on links, as in `external_torques`, or a law (t, q, v) -> them.
        springs: springs and dampers in the joints.
        events: {name: g}; g(t, q, v) changing sign is an event, found to 1e-12 s and recorded. The
            motion ends there if g has `terminal = True`.
        progress: draw a bar on stderr.

    Closures of the robot are kept: q and v are put back onto them after every step.

    Ctrl-C ends the motion there, as the event "interrupted".

    Raises:
        ConfigurationError: a bad q, v, τ, duration or step, or no such integrator, frame or joint.
        SolverError: the motion blew up, or the integrator could not go on.
    """
    q, v = check_configuration(robot, q).copy(), check_velocity(robot, v).copy()
    for name, value in (("duration", duration), ("step", step)):
        number(value, name, above=0, unit="[s]")
    if springs is not None:
        instance(springs, "springs", JointSprings)
    if robot.closures:
        require_motion(StateOf(robot, q, v))
    run = _Run(robot, torque, wrenches, springs, _integrator(integrator), _events(events))
    steps = max(1, math.ceil(duration / step - 1e-9))
    run.record(0.0, q, v)
    t = 0.0
    try:
        for i in range(steps):
            t_next = duration if i == steps - 1 else (i + 1) * step
            t, q, v, ended = run.advance(i * step, q, v, t_next - i * step)
            run.record(t, q, v)
            if progress:
                _draw(t / duration, last=ended or i == steps - 1)
            if ended:
                break
    except KeyboardInterrupt:
        if len(run.samples) == 1:
            raise
        run.happened.append(EventRecord("interrupted", t, q, v))
    return run.trajectory()


_integrator = integrator  # the argument of `simulate` has its name


def _events(events: Mapping[str, Event] | None) -> dict[str, Event]:
    checked = mapping(events or {}, "events", kind="event")
    for name, law in checked.items():
        if not callable(law):
            raise ConfigurationError(f"events[{name!r}]: got {law!r:.80}, expected a function")
    return checked


class _Run:
    """A simulation under way: the forces, and the samples so far."""

    def __init__(
        self,
        robot: Robot,
        torque: ArrayLike | TorqueLaw | None,
        wrenches: Any,
        springs: JointSprings | None,
        step: Step,
        events: dict[str, Event],
    ) -> None:
        self.robot, self.springs, self.step, self.events = robot, springs, step, events
        if not callable(torque):
            constant = check_torques(robot, np.zeros(robot.na) if torque is None else torque)
            torque = _constant(constant.copy())
        self.torque = _on_copies(torque)
        self.sampled = bool(getattr(torque, "sampled", False))
        self.held: Array | None = None
        self.wrenches = _on_copies(wrenches) if callable(wrenches) else _constant(wrenches or {})
        self.samples: list[tuple[float, Array, Array, Array]] = []
        self.happened: list[EventRecord] = []

    def tau(self, t: float, q: Array, v: Array) -> Array:
        """The torques at (t, q, v), or those that a digital controller holds."""
        if self.held is not None:
            return self.held
        return check_torques(self.robot, self.torque(t, q, v), "the torque law's answer")

    def law(self, t: float, q: Array, v: Array) -> Array:
        """a(t, q, v) under all the forces."""
        forces = self.robot.selection_matrix.T @ self.tau(t, q, v)
        if self.springs is not None:
            forces = forces + self.springs.forces(self.robot, q, v)
        if wrenches := self.wrenches(t, q, v):
            forces = forces + external_torques(self.robot, q, wrenches)
        return accelerations(self.robot, q, v, forces)

    def advance(self, t: float, q: Array, v: Array, h: float) -> tuple[float, Array, Array, bool]:
        """Go on by h, or to the first terminal event before; return (t, q, v, whether it ended)."""
        end = self._to(t, q, v, h)
        found = []
        for name, g in self.events.items():
            before, after = g(t, q, v), g(t + h, *end)
            if before == 0 or (before > 0) == (after > 0) or not math.isfinite(after):
                continue  # at zero already: that event has been recorded
            part = _crossing(g, lambda s: self._to(t, q, v, s), t, h)
            found.append((part, name, bool(getattr(g, "terminal", False))))
        for part, name, terminal in sorted(found, key=lambda event: event[0]):
            there = self._to(t, q, v, part)
            self.happened.append(EventRecord(name, t + part, *there))
            if terminal:
                return t + part, *there, True
        return t + h, *end, False

    def _to(self, t: float, q: Array, v: Array, h: float) -> State:
        if h <= 0:
            return q, v
        try:
            q, v = self.step(self.robot, self.law, t, q, v, h)
            if self.robot.closures:  # what the step leaves of e and J_c v, of its order
                q, v = close(StateOf(self.robot, q, v))
        except (ConfigurationError, ModelError) as error:
            # at a state that was good before: numbers beyond measure, not a bad argument
            if len(self.samples) > 1 and ("finite" in str(error) or isinstance(error, ModelError)):
                raise SolverError(f"the motion blew up after t = {t:.6g} s: {error}") from None
            raise
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            raise SolverError(
                f"the motion blew up after t = {t:.6g} s; expected a shorter step, or softer forces"
            )
        return q, v

    def record(self, t: float, q: Array, v: Array) -> None:
        """Keep a sample; a digital controller is asked here, once."""
        self.held = None
        tau = np.array(self.tau(t, q, v))
        self.held = tau if self.sampled else None
        self.samples.append((t, q, v, tau))

    def trajectory(self) -> Trajectory:
        """The samples as arrays."""
        t, q, v, tau = (np.array(column) for column in zip(*self.samples, strict=True))
        return Trajectory(self.robot, t, q, v, tau, tuple(self.happened), self.springs)


def _on_copies(law: Callable[[float, Array, Array], Any]) -> Callable[[float, Array, Array], Any]:
    """The law, which may write into what it is told."""
    return lambda t, q, v: law(t, q.copy(), v.copy())


def _constant(value: Any) -> Callable[[float, Array, Array], Any]:
    return lambda t, q, v: value


def _crossing(g: Event, to: Callable[[float], State], t: float, h: float) -> float:
    """Return when in (0, h] the event changes sign [s]."""
    return float(scipy.optimize.brentq(lambda s: g(t + s, *to(s)), 0.0, h, xtol=1e-12))


def _draw(share: float, last: bool) -> None:
    """A bar on stderr."""
    done = round(40 * share)
    bar = f"\r[{'=' * done}{' ' * (40 - done)}] {100 * share:3.0f} %"
    sys.stderr.write(bar + ("\n" if last else ""))
    sys.stderr.flush()
