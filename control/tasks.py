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
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..arrays import Array
from ..dynamics import State
from ..errors import ConfigurationError, unknown
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from ..robots.values import array, number, one_of, placement, text, texts, whole_number

AXES = ("x", "y", "z", "rx", "ry", "rz")


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
        self.name = self.name or self._default_name()
        self._check()

    def _check(self) -> None:
        text(self.name, "name")
        array(self.weight, f"weight of {self.name!r}", at_least=0)
        whole_number(self.level, "level", at_least=0)

    def _default_name(self) -> str:
        return type(self).__name__.removesuffix("Task").lower()


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

    def _check(self) -> None:
        super()._check()
        for name in ("gain", "damping"):
            if name != "damping" or self.damping is not None:
                number(getattr(self, name), f"{name} of {self.name!r}", at_least=0)

    @abstractmethod
    def bind(self, robot: Robot) -> int:
        """Look up names, check the target; return the number of rows.

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

    def select(self, state: State, x: Array) -> Array:
        """Return a velocity or acceleration of the reference in the task's rows."""
        return x

    def desired_acceleration(self, state: State, t: float, J: Array, error: Array) -> Array:
        """Return ẍ* + damping (ẋ* − J v) + gain (x* − x), (rows,)."""
        feedback = self.gain * error - self.damping_rate * (J @ state.velocity)
        if not callable(self.target):
            return np.asarray(feedback)
        _, velocity, acceleration = self.target(t)
        ahead = acceleration + self.damping_rate * np.asarray(velocity)
        return np.asarray(feedback + self.select(state, ahead))

    def rows(self, state: State, t: float) -> Rows:
        """Return J, the desired acceleration less J̇v, and the error."""
        J, error = self.jacobian(state), self.error(state, t)
        r = self.desired_acceleration(state, t, J, error) - self.drift(state)
        return Rows(J, r, error)

    @property
    def damping_rate(self) -> float:
        """The damping as a number [1/s]."""
        gain, damping = self.gain, self.damping
        if not (gain >= 0 and (damping is None or damping >= 0)):  # as set since it was made
            self._check()
        return float(2 * gain**0.5 if damping is None else damping)

    def value_at(self, t: float) -> Any:
        """Return x* at t."""
        return self.target(t)[0] if callable(self.target) else self.target


class _ChosenRows(Task):
    """A task on some rows of a value of the State: that, its Jacobian and its drift, by name."""

    terms: ClassVar[tuple[str, str, str]]
    chosen: NDArray[np.intp]

    def error(self, state: State, t: float) -> Array:
        """Return x* − x in the chosen rows."""
        return self.select(state, self.value_at(t) - getattr(state, self.terms[0]))

    def jacobian(self, state: State) -> Array:
        """Return the chosen rows of J."""
        return self.select(state, getattr(state, self.terms[1]))

    def drift(self, state: State) -> Array:
        """Return the chosen rows of J̇v."""
        return self.select(state, getattr(state, self.terms[2]))

    def select(self, state: State, x: Array) -> Array:
        """Return the chosen rows."""
        return np.asarray(x[self.chosen])


@dataclass(eq=False)
class ComTask(_ChosenRows):
    """The centre of mass: J_com a + J̇_com v = …

    Attributes:
        target: c* (3,), world axes [m], or a reference of it.
        axes: which of "x", "y", "z".
    """

    axes: Sequence[str] = field(default=("x", "y", "z"), kw_only=True)

    terms = "com", "com_jacobian", "com_drift"

    def bind(self, robot: Robot) -> int:
        """Check target and axes."""
        self.chosen = _indices(self.axes, AXES[:3])
        _check_size(self.target, 3, self.name)
        return len(self.chosen)


@dataclass(eq=False)
class FrameTask(Task):
    """The pose of a frame, or some of its rows: J a + J̇v = …

    The orientation's error is the rotation vector log(R* Rᵀ), so that all rows are in the axes of
    the world, or in those of the frame.

    Attributes:
        frame: by name.
        target: T_world_frame* (`pin.SE3`), or a reference of it.
        rows_of: "pose", "position", "orientation", or some of "x", "y", "z", "rx", "ry", "rz".
        axes: "world" or "frame", whose directions the rows are.
    """

    frame: str = field(kw_only=True)
    rows_of: str | Sequence[str] = field(default="pose", kw_only=True)
    axes: str = field(default="world", kw_only=True)

    def _default_name(self) -> str:
        return self.frame

    def bind(self, robot: Robot) -> int:
        """Look up the frame; check target and rows."""
        self.frame_id = robot.frame_id(self.frame)
        if not callable(self.target):
            meaning = "T_world_frame, or a reference of it"
            placement(self.target, f"target of {self.name!r}", meaning)
        one_of(self.axes, "axes", ("world", "frame"))
        named = {"pose": AXES, "position": AXES[:3], "orientation": AXES[3:]}
        chosen = named.get(self.rows_of, (self.rows_of,)) if isinstance(self.rows_of, str) else None
        self.chosen = _indices(self.rows_of if chosen is None else chosen, AXES)
        return len(self.chosen)

    def error(self, state: State, t: float) -> Array:
        """Return [p* − p; log(R* Rᵀ)]."""
        T, goal = state.frame_placement(self.frame), self.value_at(t)
        turn = pin.log3(goal.rotation @ T.rotation.T)
        return self.select(state, np.concatenate([goal.translation - T.translation, turn]))

    def jacobian(self, state: State) -> Array:
        """Return the chosen rows of J."""
        return self.select(state, state.frame_jacobian(self.frame))

    def drift(self, state: State) -> Array:
        """Return the chosen rows of J̇v."""
        return self.select(state, state.frame_drift(self.frame))

    def select(self, state: State, x: Array) -> Array:
        """Return the chosen rows, in the task's axes."""
        if self.axes == "frame":
            R = state.frame_placement(self.frame).rotation
            x = np.kron(np.eye(2), R.T) @ x
        return np.asarray(x[self.chosen])


@dataclass(eq=False)
class PostureTask(Task):
    """The actuated joints: S a = …

    Attributes:
        target: q* (nq,), or a reference of it with v* and a* (nv,).
        joints: by name; None: all that are actuated.
    """

    joints: Sequence[str] | None = field(default=None, kw_only=True)

    diagonal = True

    def bind(self, robot: Robot) -> int:
        """Look up the joints; check the target."""
        if not callable(self.target):
            self.target = check_configuration(robot, self.target, f"target of {self.name!r}").copy()
        names = robot.actuated if self.joints is None else texts(self.joints, "joints")
        entries = robot.rows_of_joint
        for name in names:
            if name not in entries:
                raise ConfigurationError(unknown("joint", name, robot.joint_names))
        rows = [i for name in names for i in entries[name]]
        contiguous = rows and rows == list(range(rows[0], rows[-1] + 1))
        # a slice makes views, which take a fraction of the time
        self.entries = slice(rows[0], rows[-1] + 1) if contiguous else np.array(rows, dtype=np.intp)
        return len(rows)

    def error(self, state: State, t: float) -> Array:
        """Return q* ⊖ q of the joints."""
        return np.asarray(state.robot.difference(state.q, self.value_at(t))[self.entries])

    def jacobian(self, state: State) -> Array:
        """Return rows of the identity."""
        return np.asarray(np.eye(state.robot.nv)[self.entries])

    def drift(self, state: State) -> Array:
        """Return zeros: these rows are constant."""
        return np.zeros(len(state.velocity[self.entries]))

    def select(self, state: State, x: Array) -> Array:
        """Return the joints' entries."""
        return x[self.entries]


@dataclass(eq=False)
class MomentumTask(_ChosenRows):
    """The momentum about the centre of mass: A_g a + Ȧ_g v = ḣ* + gain (h* − h).

    Attributes:
        target: h* = [linear; angular] (6,), world axes [N·s, N·m·s], or a reference t -> (h*, ḣ*,
            anything).
        rows_of: "angular", "linear" or "both".
        gain: on h* − h [1/s].
    """

    gain: float = field(default=10.0, kw_only=True)
    rows_of: str = field(default="angular", kw_only=True)

    terms = "centroidal_momentum", "centroidal_map", "centroidal_drift"

    def bind(self, robot: Robot) -> int:
        """Check target and rows."""
        named = {"angular": [3, 4, 5], "linear": [0, 1, 2], "both": list(range(6))}
        self.chosen = np.array(named[one_of(self.rows_of, "rows_of", named)])
        _check_size(self.target, 6, self.name)
        return len(self.chosen)

    def desired_acceleration(self, state: State, t: float, J: Array, error: Array) -> Array:
        """Return ḣ* + gain (h* − h)."""
        if not callable(self.target):
            return np.asarray(self.gain * error)
        return np.asarray(self.gain * error + self.select(state, np.asarray(self.target(t)[1])))


def _indices(chosen: Sequence[str], existing: Sequence[str]) -> NDArray[np.intp]:
    chosen = texts(chosen, "axes")
    for name in chosen:
        if name not in existing:
            raise ConfigurationError(unknown("row", name, existing))
    return np.array([existing.index(name) for name in dict.fromkeys(chosen)], dtype=np.intp)


def _check_size(target: Any, size: int, name: str) -> None:
    if callable(target):
        return
    array(target, f"target of {name!r}", (size,), meaning="or a reference")
