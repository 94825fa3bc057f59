"""Motion tasks: what a whole-body controller should achieve, as rows on the accelerations.

A task with the value x(q), ẋ = J v and ẍ = J a + J̇v asks for

    J a + J̇v = ẍ* + damping (ẋ* − ẋ) + gain (x* − x)

where the target x* is a value, or a reference t -> (x*, ẋ*, ẍ*) as of `control.references`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..errors import ConfigurationError, unknown
from ..robots.configuration import check_configuration
from ..robots.robot import Robot
from .references import Wanted
from .situation import Situation

Array = NDArray[np.float64]

_REST = {n: np.zeros(n) for n in (3, 6)}

AXES = ("x", "y", "z", "rx", "ry", "rz")


class Rows(NamedTuple):
    """A task at one state: A a = r is what it asks."""

    A: Array
    r: Array
    error: Array


@dataclass(eq=False)
class Task(ABC):
    """What all tasks have.

    Attributes:
        target: the value to reach, or a reference t -> (value, velocity, acceleration). It may be
            set at any time.
        weight: of the squared residual, a number or one a row [s⁴/m², s⁴/rad²].
        gain: on the error [1/s²].
        damping: on the error's rate [1/s]; None: 2 √gain, critically damped.
        level: of a strict hierarchy, 0 the most important; no part in weighted sums.
        name: by which commands report it; the kind's when empty.
    """

    target: Any
    weight: Any = field(default=1.0, kw_only=True)
    gain: float = field(default=100.0, kw_only=True)
    damping: float | None = field(default=None, kw_only=True)
    level: int = field(default=0, kw_only=True)
    name: str = field(default="", kw_only=True)

    diagonal = False  # whether every row asks for one entry of a

    def __post_init__(self) -> None:
        for name in ("gain", "damping", "weight"):
            value = getattr(self, name)
            if value is None and name == "damping":
                continue
            if not (np.isfinite(value).all() and np.all(np.asarray(value) >= 0)):
                raise ConfigurationError(f"{name}: got {value!r}; expected finite, at least 0")
        if self.level != int(self.level) or self.level < 0:
            raise ConfigurationError(f"level: got {self.level!r}; expected 0, 1, 2, …")
        self.name = self.name or self._usual_name()

    @abstractmethod
    def bind(self, robot: Robot) -> int:
        """Look up names, check the target; return the number of rows.

        Raises:
            ConfigurationError: names or values that do not fit the robot.
        """

    @abstractmethod
    def rows(self, now: Situation) -> Rows:
        """Return the task's rows at a state."""

    def _usual_name(self) -> str:
        return type(self).__name__.removesuffix("Task").lower()

    def wanted(self, now: Situation, size: int) -> Wanted:
        """Return x*, ẋ*, ẍ* at the time of `now`; a plain value is at rest."""
        if callable(self.target):
            return Wanted(*self.target(now.t))
        rest = _REST[size] if size in _REST else np.zeros(size)
        return Wanted(self.target, rest, rest)

    def pull(self, error: Array, rate: Array, ahead: Array) -> Array:
        """Return ẍ* + damping (ẋ* − ẋ) + gain (x* − x)."""
        damping = 2 * self.gain**0.5 if self.damping is None else self.damping
        asked = self.gain * error
        asked += damping * rate
        asked += ahead
        return np.asarray(asked)


@dataclass(eq=False)
class ComTask(Task):
    """The centre of mass: J_com a + J̇_com v = …

    Attributes:
        target: c* (3,), world axes [m], or a reference of it.
        axes: which of "x", "y", "z".
    """

    axes: Sequence[str] = field(default=("x", "y", "z"), kw_only=True)

    def bind(self, robot: Robot) -> int:
        """Check target and axes."""
        self.picks = _indices(self.axes, AXES[:3])
        _check_size(self.target, 3, self.name)
        return len(self.picks)

    def rows(self, now: Situation) -> Rows:
        """J_com, ẍ of the reference and feedback, less J̇_com v."""
        J, wanted = now.com_jacobian, self.wanted(now, 3)
        error = wanted.value - now.com
        asked = self.pull(error, wanted.velocity - now.com_velocity, wanted.acceleration)
        r = asked - now.com_drift
        if len(self.picks) == 3:
            return Rows(J, r, error)
        return Rows(J[self.picks], r[self.picks], error[self.picks])


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

    def _usual_name(self) -> str:
        return self.frame

    def bind(self, robot: Robot) -> int:
        """Look up the frame; check target and rows."""
        self.frame_id = robot.frame_id(self.frame)
        if not (callable(self.target) or isinstance(self.target, pin.SE3)):
            raise ConfigurationError(
                f"target of {self.name!r}: got {self.target!r}; expected a pinocchio.SE3 "
                "(T_world_frame), or a reference of it"
            )
        if self.axes not in ("world", "frame"):
            raise ConfigurationError(f"axes: got {self.axes!r}; expected 'world' or 'frame'")
        named = {"pose": AXES, "position": AXES[:3], "orientation": AXES[3:]}
        chosen = named.get(self.rows_of, (self.rows_of,)) if isinstance(self.rows_of, str) else None
        self.picks = _indices(self.rows_of if chosen is None else chosen, AXES)
        first, last = int(self.picks.min(initial=6)), int(self.picks.max(initial=-1))
        contiguous = self.picks.tolist() == list(range(first, last + 1))
        self._chosen = slice(first, last + 1) if contiguous else self.picks
        return len(self.picks)

    def rows(self, now: Situation) -> Rows:
        """The chosen rows of J, and of ẍ less J̇v."""
        T, wanted = now.placement(self.frame_id), self.wanted(now, 6)
        goal, chosen = wanted.value, self._chosen
        error = np.empty(6)
        error[:3] = goal.translation - T.translation
        error[3:] = pin.log3(goal.rotation @ T.rotation.T)
        J, rate = now.jacobian(self.frame_id), wanted.velocity - now.velocity(self.frame_id)
        r = self.pull(error, rate, wanted.acceleration) - now.drift(self.frame_id)
        if self.axes == "frame":
            turn = np.kron(np.eye(2), T.rotation.T)
            J, r, error = turn @ J, turn @ r, turn @ error
        return Rows(J[chosen], r[chosen], error[chosen])


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
        names = robot.actuated if self.joints is None else tuple(self.joints)
        for name in names:
            if name not in robot.joint_names:
                raise ConfigurationError(unknown("joint", name, robot.joint_names))
        joints = [robot.model.joints[robot.joint_id(name)] for name in names]
        rows = [i for joint in joints for i in range(joint.idx_v, joint.idx_v + joint.nv)]
        contiguous = rows and rows == list(range(rows[0], rows[-1] + 1))
        # a slice makes views, which take a fraction of the time
        self.entries = slice(rows[0], rows[-1] + 1) if contiguous else np.array(rows, dtype=np.intp)
        return len(rows)

    def asked(self, now: Situation) -> tuple[Array, Array]:
        """Return the accelerations asked of the joints and their errors, each (rows,)."""
        wanted, rows = self.wanted(now, now.robot.nv), self.entries
        error = pin.difference(now.robot.model, now.q, wanted.value)[rows]
        rate = (wanted.velocity - now.v)[rows]
        return self.pull(error, rate, wanted.acceleration[rows]), error

    def rows(self, now: Situation) -> Rows:
        """Rows of the identity, and what is asked."""
        r, error = self.asked(now)
        return Rows(np.eye(now.robot.nv)[self.entries], r, error)


@dataclass(eq=False)
class MomentumTask(Task):
    """The momentum about the centre of mass: A_g a + Ȧ_g v = ḣ* + gain (h* − h).

    Attributes:
        target: h* = [linear; angular] (6,), world axes [N·s, N·m·s], or a reference t -> (h*, ḣ*,
            anything).
        rows_of: "angular", "linear" or "both".
        gain: on h* − h [1/s].
    """

    gain: float = field(default=10.0, kw_only=True)
    rows_of: str = field(default="angular", kw_only=True)

    def bind(self, robot: Robot) -> int:
        """Check target and rows."""
        named = {"angular": [3, 4, 5], "linear": [0, 1, 2], "both": list(range(6))}
        if self.rows_of not in named:
            raise ConfigurationError(
                f"rows_of: got {self.rows_of!r}; expected 'angular', 'linear' or 'both'"
            )
        self.picks = np.array(named[self.rows_of])
        _check_size(self.target, 6, self.name)
        return len(self.picks)

    def rows(self, now: Situation) -> Rows:
        """The chosen rows of A_g, and of ḣ* + gain (h* − h) − Ȧ_g v."""
        A, wanted, chosen = now.centroidal_map, self.wanted(now, 6), self.picks
        error = wanted.value - A @ now.v
        r = wanted.velocity + self.gain * error - now.centroidal_drift
        return Rows(A[chosen], r[chosen], error[chosen])


def _indices(chosen: Sequence[str], existing: Sequence[str]) -> NDArray[np.intp]:
    for name in chosen:
        if name not in existing:
            raise ConfigurationError(unknown("row", name, existing))
    return np.array([existing.index(name) for name in dict.fromkeys(chosen)], dtype=np.intp)


def _check_size(target: Any, size: int, name: str) -> None:
    if callable(target):
        return
    value = np.asarray(target, dtype=float)
    if value.shape != (size,) or not np.isfinite(value).all():
        raise ConfigurationError(
            f"target of {name!r}: got {target!r}; expected ({size},) finite numbers, or a reference"
        )
