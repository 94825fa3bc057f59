"""Motion tasks of a whole-body controller, as rows on the accelerations.

A task has a value x(q) with ẋ = J v and ẍ = J a + J̇v, and its target is

    J a + J̇v = ẍ* + damping (ẋ* − ẋ) + gain (x* − x)

where the target x* is a value, or a reference t -> (x*, ẋ*, ẍ*) as of `control.references`. A new
kind of task is its error x* − x, its Jacobian J and its drift J̇v at a `State`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...errors import ConfigurationError, unknown
from ...robots.robot import Robot
from ...robots.values import array, number, placement, text, texts, whole_number

AXES = ("x", "y", "z", "rx", "ry", "rz")
NAMED = {"pose": np.arange(6), "position": np.arange(3), "orientation": np.arange(3, 6)}
for _rows in NAMED.values():  # tasks share them
    _rows.setflags(write=False)


class Rows(NamedTuple):
    """A task at one state: its target is A a = r."""

    A: Array
    r: Array
    error: Array


@dataclass(eq=False)
class Goal(ABC):
    """What motion tasks and force tasks have in common.

    Attributes:
        target: the value to reach, or a function of t; it may be set at any time.
        weight: of the squared residual, a number or one a row.
        level: of a strict hierarchy, 0 the most important; no part in weighted sums.
        name: by which commands report it; the kind's when empty.

    Raises:
        ConfigurationError: a weight that is negative or not finite, or no such level.
    """

    target: Any
    weight: Any = field(default=1.0, kw_only=True)
    level: int = field(default=0, kw_only=True)
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        self.target, self.weight = _own(self.target), _own(self.weight)
        self.name = self.name or self._default_name()
        self._check()

    def _check(self) -> None:
        text(self.name, "name")
        array(self.weight, f"weight of {self.name!r}", at_least=0)
        whole_number(self.level, "level", at_least=0)

    def _default_name(self) -> str:
        return type(self).__name__.removesuffix("Task").lower()


def _own(value: Any) -> Any:
    """A copy of an array or a pose, which its caller may go on to change."""
    return value.copy() if isinstance(value, np.ndarray | pin.SE3) else value


@dataclass(eq=False)
class Task(Goal):
    """Base class of motion tasks, with the attributes of a `Goal`; weights in s⁴/m², s⁴/rad².

    Attributes:
        target: the value to reach, or a reference t -> (value, velocity, acceleration).
        gain: on the error [1/s²].
        damping: on the error's rate [1/s]; None: 2 √gain, critically damped.

    Raises:
        ConfigurationError: weights or gains that are negative or not finite.
    """

    gain: float = field(default=100.0, kw_only=True)
    damping: float | None = field(default=None, kw_only=True)

    diagonal = False  # whether J has rows of the identity
    rates: ClassVar[int | None] = None  # size of a reference's ẋ* and ẍ*, where it is known

    def _check(self) -> None:
        super()._check()
        for name in ("gain", "damping"):
            if name != "damping" or self.damping is not None:
                number(getattr(self, name), f"{name} of {self.name!r}", at_least=0)

    @abstractmethod
    def bind(self, robot: Robot) -> int:
        """Check names and target for a robot; return the number of rows.

        A task may be one of several controllers, of other robots too: where rows and columns are is
        looked up at each state, of its robot.

        Raises:
            ConfigurationError: names or values that do not fit the robot.
        """

    @abstractmethod
    def error(self, state: State, t: float) -> Array:
        """Return x* − x (rows,) at the time t [s]."""

    @abstractmethod
    def jacobian(self, state: State) -> Array:
        """Return J (rows, nv)."""

    @abstractmethod
    def drift(self, state: State) -> Array:
        """Return J̇v (rows,)."""

    def error_jacobian(self, state: State, t: float) -> Array:
        """Return the derivative (rows, nv) of the error along tangent steps.

        −J where x is a vector; a rotation's error has another one.
        """
        return -self.jacobian(state)

    def desired_velocity(self, state: State, t: float) -> Array:
        """Return ẋ* + √gain (x* − x), (rows,), at which a critically damped error decays."""
        back = np.sqrt(self.gain) * self.error(state, t)
        if not callable(self.target):
            return np.asarray(back)
        return np.asarray(back + self.select(state, self.reference(t)[1]))

    def velocity_rows(self, state: State, t: float) -> tuple[Array, Array]:
        """Return J (rows, nv) and `desired_velocity` ẋ* (rows,): J v = ẋ* is asked for."""
        return self.jacobian(state), self.desired_velocity(state, t)

    def select(self, state: State, x: Array) -> Array:
        """Return a velocity or acceleration of the reference in the task's rows."""
        return x

    def desired_acceleration(self, state: State, t: float, J: Array, error: Array) -> Array:
        """Return ẍ* + damping (ẋ* − J v) + gain (x* − x), (rows,)."""
        feedback = self.gain * error - self.damping_rate * (J @ state.velocity)
        if not callable(self.target):
            return np.asarray(feedback)
        _, velocity, acceleration = self.reference(t)
        ahead = self.select(state, acceleration + self.damping_rate * velocity)
        if np.size(ahead) != np.size(feedback):
            raise ConfigurationError(
                f"target of {self.name!r}: got ẋ* and ẍ* of {np.size(ahead)} rows, expected "
                f"{np.size(feedback)}, as of a reference t -> (x*, ẋ*, ẍ*)"
            )
        return np.asarray(feedback + ahead)

    def rows(self, state: State, t: float, contacts: ContactSet | None = None) -> Rows:
        """Return J, the desired acceleration less J̇v, and the error.

        `contacts` are those of the robot at this tick, for tasks on which these have a bearing.
        """
        J, error, drift = aligned(
            self.name, state.robot.nv, self.jacobian(state),
            error=self.error(state, t), drift=self.drift(state),
        )  # fmt: skip
        return Rows(J, self.desired_acceleration(state, t, J, error) - drift, error)

    @property
    def damping_rate(self) -> float:
        """The damping as a number [1/s]."""
        gain, damping = self.gain, self.damping
        if not (gain >= 0 and (damping is None or damping >= 0)):  # as set since it was made
            self._check()
        return float(2 * gain**0.5 if damping is None else damping)

    def reference(self, t: float) -> tuple[Any, Array, Array]:
        """Return x*, ẋ* and ẍ* of a target that is a function of t."""
        x, velocity, acceleration = parts(self.target(t), self.name)
        if self.rates is None:
            return x, np.asarray(velocity), np.asarray(acceleration)
        size = (self.rates,)
        return x, sized(velocity, size, self.name), sized(acceleration, size, self.name)

    def value_at(self, t: float) -> Any:
        """Return x* at t."""
        return parts(self.target(t), self.name)[0] if callable(self.target) else self.target


class ChosenRows(Task):
    """A task on some rows of a value of the State: that, its Jacobian and its drift, by name."""

    terms: ClassVar[tuple[str, str, str]]
    chosen: NDArray[np.intp]

    def error(self, state: State, t: float) -> Array:
        """Return x* − x in the chosen rows."""
        x = getattr(state, self.terms[0])
        return self.select(state, sized(self.value_at(t), x.shape, self.name) - x)

    def jacobian(self, state: State) -> Array:
        """Return the chosen rows of J."""
        return self.select(state, getattr(state, self.terms[1]))

    def drift(self, state: State) -> Array:
        """Return the chosen rows of J̇v."""
        return self.select(state, getattr(state, self.terms[2]))

    def select(self, state: State, x: Array) -> Array:
        """Return the chosen rows."""
        return np.asarray(x[self.chosen])


def aligned(name: str, nv: int, J: Any, **columns: Any) -> tuple[Array, ...]:
    """Return J (rows, nv) and columns (rows,), as a task or a constraint gave them, as arrays.

    Of a single row the first axis may be missing. NumPy would fit other shapes to each other.

    Raises:
        ConfigurationError: other shapes, or values that are not finite numbers.
    """
    given = {"Jacobian": J} | columns
    J, *others = found = [array(x, f"{what} of {name!r}") for what, x in given.items()]
    rows = J.shape[:-1]
    if J.shape[-1:] != (nv,) or len(rows) > 1 or any(x.size != prod(rows) for x in others):
        told = ", ".join(f"{what} {x.shape}" for what, x in zip(given, found, strict=True))
        raise ConfigurationError(
            f"{name!r}: got {told}; expected (rows, {nv}) and (rows,), with the same number of rows"
        )
    return tuple(found)


def indices(chosen: Sequence[str], existing: Sequence[str]) -> NDArray[np.intp]:
    """Return where the chosen rows are among the existing ones, each once."""
    chosen = texts(chosen, "axes")
    for name in chosen:
        if name not in existing:
            raise ConfigurationError(unknown("row", name, existing))
    return np.array([existing.index(name) for name in dict.fromkeys(chosen)], dtype=np.intp)


def check_size(target: Any, size: int, name: str) -> None:
    """Refuse a target of another size, unless it is a reference."""
    if callable(target):
        return
    array(target, f"target of {name!r}", (size,), meaning="or a reference")


def parts(found: Any, name: str) -> tuple[Any, Any, Any]:
    """Return the three parts of what a reference returned."""
    try:
        x, velocity, acceleration = found
    except (TypeError, ValueError):
        raise ConfigurationError(
            f"target of {name!r}: got a function that returns {found!r:.80}; expected one that "
            "returns (x*, ẋ*, ẍ*)"
        ) from None
    return x, velocity, acceleration


def sized(x: Any, shape: tuple[int, ...], name: str) -> Array:
    """Return a target, or a part of one: of this shape, for NumPy would fit others to it."""
    if isinstance(x, np.ndarray) and x.shape == shape:
        return x  # finite or not, which the tick tells
    meaning = "as of a reference t -> (x*, ẋ*, ẍ*)"
    return array(x, f"target of {name!r}", shape, meaning=meaning)


def check_pose(target: Any, name: str) -> None:
    """Refuse a target of a moment that is no `pin.SE3`."""
    if not isinstance(target, pin.SE3):
        placement(target, f"target of {name!r}")


def pose_rows(rows_of: str | Sequence[str]) -> NDArray[np.intp]:
    """Return the rows of "pose", "position", "orientation" or of some of the axes."""
    named = NAMED.get(rows_of) if isinstance(rows_of, str) else None
    return indices(rows_of, AXES) if named is None else named


def pose_error(goal: Any, T: Any, name: str) -> Array:
    """Return [p* − p; log(R* Rᵀ)] (6,), in the axes that the poses are given in."""
    check_pose(goal, name)
    turn = pin.log3(goal.rotation @ T.rotation.T)
    return np.concatenate([goal.translation - T.translation, turn])


def pose_error_jacobian(error: Array, J: Array) -> Array:
    """Return the derivative (6, nv) of `pose_error` for v = J v̇ (6, nv) in its axes.

    With θ = log(R* Rᵀ) and R turned by ω, dθ = −J_r⁻¹(θ) ω.
    """
    turn = pin.Jlog3(pin.exp3(error[3:])) @ J[3:]
    return -np.vstack([J[:3], turn])


def joint_entries(robot: Robot, joints: Sequence[str] | None) -> dict[str, range]:
    """Return the entries of v of joints, by name; None: of all that are actuated.

    Raises:
        ConfigurationError: a name of no joint.
    """
    entries = robot.rows_of_joint
    names = robot.actuated if joints is None else texts(joints, "joints")
    for name in names:
        if name not in entries:
            raise ConfigurationError(unknown("joint", name, robot.joint_names))
    return {name: entries[name] for name in names}
