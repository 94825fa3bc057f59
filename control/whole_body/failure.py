"""Safeguards of a controller's ticks: one thread, valid times, and torques when a tick failed."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...errors import ConfigurationError
from ...robots.configuration import check_reach
from ...robots.robot import Robot
from ...robots.values import array, number
from .command import Command
from .torque_range import TorqueRange

# largest time [s]: beyond it a double does not resolve microseconds
LATEST = 1e10


class OneThread:
    """Held during a tick of a controller that remembers: a second thread is refused meanwhile.

    Raises:
        ConfigurationError: another thread is in a tick.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ConfigurationError(
                "controller: got a call while another thread is in one; expected one controller "
                "per thread, as of copy.deepcopy(controller)"
            )

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[OneThread], tuple[()]]:
        return OneThread, ()  # a copy of a controller has one of its own


def check_time(t: Any) -> None:
    """Refuse a time that is not finite or beyond `LATEST`.

    Raises:
        ConfigurationError: such a value.
    """
    number(t, "t", at_least=-LATEST, at_most=LATEST, unit="[s]")


def checked_state(
    robot: Robot, q: ArrayLike | State, v: ArrayLike | None, t: Any, last: float, instead: str
) -> State:
    """Return the state (q, v) of a tick at t.

    Args:
        robot, q, v, t: of the tick.
        last: the time of the last one, before which t must not be [s].
        instead: what may be done to begin earlier, in words.

    Raises:
        ConfigurationError: q or v that do not fit the robot, no velocity, an invalid time.
    """
    state = State.of(robot, q, v)
    if state.v is None:
        raise ConfigurationError("v: got None; expected a velocity (nv,)")
    check_reach(robot, state.q)
    check_time(t)
    if t < last:
        raise ConfigurationError(
            f"t: got {t!r} s after {last!r} s; expected a later one, or {instead}"
        )
    return state


POLICIES = ("hold", "damp", "raise")


class SafeTorques:
    """Torques that are always finite, whatever the inputs.

    "hold" repeats the last valid ones (before the first, it damps); "damp" gives −damping q̇. Both
    stay within the bounds at the velocity, of which an entry that is not finite counts as zero.

    Raises:
        ConfigurationError: an unknown policy, or a bad damping.
    """

    def __init__(self, robot: Robot, policy: str, damping: ArrayLike, torques: TorqueRange) -> None:
        if policy not in POLICIES:
            raise ConfigurationError(f"on_failure: got {policy!r}; expected one of {POLICIES}")
        gains = np.full(robot.na, array(damping, "damping", (), (robot.na,), at_least=0))
        self.robot, self.policy, self.damping, self.torques = robot, policy, gains, torques
        self.last: Array | None = None

    @property
    def raises(self) -> bool:
        """Whether failures are exceptions."""
        return self.policy == "raise"

    def remember(self, tau: Array) -> None:
        """Take these torques as the last valid ones."""
        self.last = tau.copy()  # the command's own array is the caller's to write to

    def fallback(self, contacts: ContactSet, q: Any, v: Any, t: float, reason: str) -> Command:
        """Return a command with the fallback torques and the reason for them."""
        held = self.policy == "hold" and self.last is not None
        velocity = self._finite(v)
        damped = -self.damping * velocity[self.robot.actuated_rows]
        tau = self.last if held and self.last is not None else damped
        nothing = np.full(self.robot.nv, np.nan)
        forces = np.full(contacts.dim, np.nan)
        status = "held" if held else "damped"
        tau = np.clip(tau, *self.torques.at(velocity))
        return Command(tau, status, reason, nothing, forces, t, q, v, contacts)

    def _finite(self, v: Any) -> Array:
        """v (nv,), 0 where it is not finite, or is no vector of this robot."""
        with suppress(TypeError, ValueError):
            given = np.nan_to_num(np.asarray(v, dtype=float), nan=0.0, posinf=0.0, neginf=0.0)
            return np.array(np.broadcast_to(given, (self.robot.nv,)))
        return np.zeros(self.robot.nv)
