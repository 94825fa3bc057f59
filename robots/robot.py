"""Robot: an immutable wrapper of a Pinocchio model with names, limits, feet and postures."""

from __future__ import annotations

import fnmatch
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .. import registry
from ..arrays import Array
from ..errors import ConfigurationError, unknown
from . import configuration, model_changes
from .closing import check_closures, closed
from .closure_rows import ClosureRows
from .closures import Closure
from .feet.foot import Foot
from .feet.found import FoundFeet, SolvedPostures, standing_of
from .feet.outlines import Outline, outlines
from .feet.standing import Standing
from .frozen_mapping import FrozenMapping
from .motor import Motor
from .motor_data import motors_of
from .motors import Motors
from .postures import with_joints
from .ranges import ranges
from .shapes import Shapes, UrdfShapes
from .values import array, instance, mapping, number, sequence, text, texts, whole_number

_STANCES = ("half_sitting", "standing")  # usual names of postures to stand in
BASE_JOINT = "root_joint"  # the free flyer that `load` adds


class _Model:
    """The attribute `model`, a copy on the way in and out; the library itself reads `_model`."""

    def __get__(self, robot: Robot | None, owner: type | None = None) -> Any:
        if robot is None:
            raise AttributeError("model")  # so that the dataclass takes it for no default
        return pin.Model(robot._model)

    def __set__(self, robot: Robot, model: Any) -> None:
        vars(robot)["_model"] = pin.Model(model)


@dataclass(frozen=True, eq=False, repr=False)
class Robot:
    """A robot: kinematic and inertial model, actuated joints, feet and postures.

    Robots are immutable, compare by identity, can be pickled, and may be shared between threads.

    Attributes:
        name: as in the description.
        model: a copy of the `pin.Model`, for other libraries; changes to it do not reach the robot.
        actuated: names of the actuated joints, in joint order.
        postures: name -> q (nq,), read-only arrays; `posture(name)` gives a copy. Where the
            files name none to stand in, "standing" is solved when it is asked for.
        feet: name -> `Foot`; found by shape when they are asked for, where nobody names them.
        source: origin of the description.
        locked: joints of the description that were frozen; they are not part of q.
        shapes: reader of its shapes; use `visual` and `collision`.
        never_collide: pairs of links excluded from collision checks (`disable_collisions`).
        kept: "joints", "motors", "closures" -> (how many the robot has, how many the description
            has): locked joints are left out, and motors that drive no joint or several.
        closures: what closes loops of its bodies, or couples joints: e(q) = 0 besides the tree.
        motor_data: joint -> `Motor`, of those joints whose torques depend on their speed; see
            `motors`.
    """

    name: str
    model: Any = _Model()
    actuated: tuple[str, ...]  # type: ignore[misc]
    postures: Mapping[str, Array] = field(default_factory=dict)
    feet: Mapping[str, Foot] = field(default_factory=dict)
    source: str = ""
    locked: tuple[str, ...] = ()
    shapes: Shapes = field(default_factory=UrdfShapes)
    never_collide: tuple[tuple[str, str], ...] = ()
    kept: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    closures: tuple[Closure, ...] = ()
    motor_data: Mapping[str, Motor] = field(default_factory=dict)
    _model: Any = field(init=False)  # the model itself, which nobody may write to

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        text(self.name, "name", empty=True)
        text(self.source, "source", empty=True)
        given = self.postures.given if isinstance(self.postures, SolvedPostures) else self.postures
        postures = {
            name: array(q, f"postures[{name!r}]", (self.nq,), frozen=True)
            for name, q in mapping(given, "postures", kind="posture").items()
        }
        if isinstance(self.feet, FoundFeet):
            put("feet", self.feet.of(self))
            for foot in self.feet.given:
                self.frame_id(foot.frame)
        else:
            for name, foot in mapping(self.feet, "feet", kind="foot").items():
                instance(foot, f"feet[{name!r}]", Foot)
            put("feet", FrozenMapping(self.feet))
        known = self._has_stance(postures)
        put("postures", FrozenMapping(postures) if known else SolvedPostures(postures, self))
        kept = mapping(self.kept, "kept", ("joints", "motors", "closures"), kind="count")
        put("kept", FrozenMapping(kept))
        for field_name in ("actuated", "locked"):
            put(field_name, texts(getattr(self, field_name), field_name))
        put("never_collide", sequence(self.never_collide, "never_collide", tuple))
        for name in self.actuated:
            if name not in self.joint_names:
                raise ConfigurationError(unknown("joint", name, self.joint_names))
        put("closures", sequence(self.closures, "closures", Closure))
        check_closures(self)
        data = mapping(self.motor_data, "motor_data", self.actuated, kind="actuated joint")
        for name, motor in data.items():
            instance(motor, f"motor_data[{name!r}]", Motor)
        put("motor_data", FrozenMapping(data))

    def _has_stance(self, postures: Mapping[str, Array]) -> bool:
        """Whether one of the named postures is one to stand in, or none can be solved for."""
        if any(name in postures for name in _STANCES):
            return True
        found = isinstance(self.feet, FoundFeet)
        return not self.is_floating or not (found or (self.feet and not postures))

    # --- shapes ----------------------------------------------------------------------------

    @property
    def visual(self) -> Any:
        """A copy of the visual shapes, a `pin.GeometryModel`, meshes included."""
        return self._visual.clone()

    @property
    def collision(self) -> Any:
        """A copy of the collision shapes, a `pin.GeometryModel`, meshes included."""
        return self._collision.clone()

    @property
    def has_collision_shapes(self) -> bool:
        """Whether collisions of its links can be found."""
        return bool(self._collision.ngeoms > 0)

    # read at first use; nobody may write to them
    @cached_property
    def _visual(self) -> Any:
        return self.shapes.read(self._model, "visual")

    @cached_property
    def _collision(self) -> Any:
        return self.shapes.read(self._model, "collision")

    @cached_property
    def _outlines(self) -> list[Outline]:
        return outlines(self)

    # --- sizes and names -------------------------------------------------------------------

    @cached_property
    def nq(self) -> int:
        """Size of a configuration q."""
        return int(self._model.nq)

    @cached_property
    def nv(self) -> int:
        """Size of a tangent vector: velocity, acceleration, generalised force."""
        return int(self._model.nv)

    @cached_property
    def na(self) -> int:
        """Number of actuated degrees of freedom."""
        return len(self.actuated_rows)

    @cached_property
    def is_floating(self) -> bool:
        """Whether the first joint is a free flyer, so that v starts with the base's twist."""
        return configuration.floats(self._model)

    @property
    def base_joint(self) -> str:
        """The free flyer of a floating base, by name.

        Raises:
            ConfigurationError: a fixed base.
        """
        configuration.check_floating(self)
        return str(self._model.names[1])

    @cached_property
    def mass(self) -> float:
        """Total mass [kg], with the links that a fixed base welds to the world."""
        return float(sum(inertia.mass for inertia in self._model.inertias))

    @cached_property
    def weight(self) -> float:
        """m ‖g‖ [N]."""
        return self.mass * float(np.linalg.norm(self._model.gravity.linear))

    @property
    def earth_weight(self) -> float:
        """Its weight on Earth [N], a unit of force where there is no gravity."""
        return 9.81 * self.mass

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints, in joint order, without the floating base."""
        return tuple(self._model.names)[2 if self.is_floating else 1 :]

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Names of links, joints and other frames, each once, in the model's order."""
        return tuple(dict.fromkeys(frame.name for frame in self._model.frames))

    @cached_property
    def unit_blocks(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) in q of the quaternions and (cos, sin) pairs."""
        return configuration.unit_blocks(self._model)

    # --- actuation -------------------------------------------------------------------------

    @cached_property
    def actuated_rows(self) -> NDArray[np.intp]:
        """The rows of S as indices into v, (na,), read-only."""
        rows = [row for name in self.actuated for row in self.rows_of_joint[name]]
        indices = np.array(rows, dtype=np.intp)
        indices.setflags(write=False)
        return indices

    @cached_property
    def selection_matrix(self) -> Array:
        """S, (na, nv), read-only: Sᵀτ is the generalised force of the actuated torques τ (na,)."""
        S = np.eye(self.nv)[self.actuated_rows]
        S.setflags(write=False)
        return S

    @cached_property
    def torque_limits(self) -> Array:
        """Largest |τ| of each actuated joint, (na,) [N·m or N], read-only.

        Infinite where the file gives zero or no limit; of joints with `motor_data` the largest at
        any speed. Which torques there are at a velocity: `motors.bounds(v)`.
        """
        effort = np.asarray(self._model.upperEffortLimit, dtype=float)[self.actuated_rows]
        limits = np.where((effort > 0) & (effort < 1e30), effort, np.inf)
        limits.setflags(write=False)
        return limits

    @cached_property
    def motors(self) -> Motors:
        """The torques that its joints can be driven with: `motors.bounds(v)` at a velocity."""
        rows, limits = self.actuated_rows, self.torque_limits
        joints = tuple(self.joint_of_row[row] for row in rows)
        return Motors(joints, rows, self.nv, limits, dict(self.motor_data))

    @cached_property
    def unlimited_joints(self) -> tuple[str, ...]:
        """Actuated joints without a torque limit (zero or no effort in the file)."""
        free = self.actuated_rows[np.isinf(self.torque_limits)]
        return tuple(dict.fromkeys(self.joint_of_row[row] for row in free))

    # --- names to indices ------------------------------------------------------------------

    @cached_property
    def _frame_ids(self) -> dict[str, int]:
        # where a link and a joint share a name, it means the link
        rank = {pin.FrameType.BODY: 0, pin.FrameType.OP_FRAME: 1, pin.FrameType.FIXED_JOINT: 2}
        ids: dict[str, int] = {}
        order = sorted(
            range(self._model.nframes), key=lambda i: rank.get(self._model.frames[i].type, 3)
        )
        for i in order:
            ids.setdefault(self._model.frames[i].name, i)
        return ids

    def frame_id(self, frame: str) -> int:
        """Return Pinocchio's index of a frame; a name shared by a link and a joint means the link.

        Raises:
            ConfigurationError: there is no such frame; the message has the nearest names, or the
                frame of the foot of that name.
        """
        try:
            return self._frame_ids[frame]
        except (KeyError, TypeError):
            words = unknown("frame", frame, self.frame_names)
            for foot in () if isinstance(self.feet, FoundFeet) else self.feet.values():
                if foot.name == frame:  # messages and tables name contacts at feet so
                    words = f"no frame {frame!r}; the foot of that name is at {foot.frame!r}"
            raise ConfigurationError(words) from None

    def joint_id(self, joint: str) -> int:
        """Return Pinocchio's index of a joint.

        Raises:
            ConfigurationError: there is no such joint; the message has the nearest names.
        """
        names = tuple(self._model.names)[1:]
        if joint not in names:
            raise ConfigurationError(unknown("joint", joint, names))
        return int(self._model.getJointId(joint))

    @cached_property
    def joint_of_row(self) -> tuple[str, ...]:
        """For each entry of v (nv,), the name of the joint that it belongs to."""
        joints = zip(self._model.names, self._model.nvs, strict=True)
        return tuple(name for name, count in joints for _ in range(count))

    @cached_property
    def rows_of_joint(self) -> dict[str, range]:
        """For each joint, by name, its entries of v."""
        joints = list(self._model.joints)[1:]
        return {
            name: range(joint.idx_v, joint.idx_v + joint.nv)
            for name, joint in zip(list(self._model.names)[1:], joints, strict=True)
        }

    # --- configurations --------------------------------------------------------------------

    def neutral(self) -> Array:
        """Return q (nq,) with the base at the origin and every joint at zero.

        Closures may be open there: `close` closes them.
        """
        return np.array(pin.neutral(self._model))

    def posture(self, name: str | None = None) -> Array:
        """Return a copy of a named posture (nq,).

        Without a name: the default standing posture, that is the first of "half_sitting",
        "standing" and those of the files in which it is on its feet. Where the files name none,
        "standing" is solved; `neutral()` when there is none.

        Raises:
            ConfigurationError: there is no such posture; the message has the nearest names.
        """
        if name is None:
            name = self._stance()
            return self.close(self.neutral()) if name is None else self.postures[name].copy()
        if name == "neutral" and name not in self.postures:
            return self.neutral()
        if not isinstance(name, str) or name not in self.postures:
            raise ConfigurationError(unknown("posture", name, [*self.postures, "neutral"]))
        return self.postures[name].copy()

    def _stance(self) -> str | None:
        """The name of the posture to stand in."""
        if isinstance(self.postures, SolvedPostures):
            return self.postures.stance
        usual = [n for n in _STANCES if n in self.postures]
        return next(iter([*usual, *self.postures]), None)

    @property
    def stance(self) -> str:
        """The posture to stand in, in words: its name and whether it was solved for, or why there
        is none."""
        name = self._stance()
        if isinstance(self.postures, SolvedPostures) and name not in self.postures.given:
            if problem := self.standing.problem:
                return f"none: {problem}"
            toes = ", ".join(self.standing.toes)
            also = f"; {toes}: on the ground too, but no part of the feet" if toes else ""
            return f"standing (solved: on its feet, joints within their ranges{also})"
        return name or "neutral"

    @cached_property
    def standing(self) -> Standing:
        """How it stands: a posture that was solved for, with bent knees where possible, and its
        feet.

        The base is upright, the feet are level around the centre of mass, joints in their ranges.
        `problem` says in words why it does not stand there.
        """
        return standing_of(self)

    @property
    def feet_by_shape(self) -> bool:
        """Whether its feet were found by shape, because nobody names them."""
        return isinstance(self.feet, FoundFeet) and not self.feet.given

    def random_configuration(self, rng: np.random.Generator | int | None = None) -> Array:
        """Return a random q (nq,): joints uniform between their limits (±π where there are none),
        the base uniform within ±1 m, orientations uniform on the sphere. Closures are closed, from
        there, whatever the joints' limits.

        `rng` is a generator or a seed.

        Raises:
            ConfigurationError: an invalid seed; loops that cannot be closed from any of ten such q.
        """
        if not isinstance(rng, np.random.Generator):
            seed = None if rng is None else whole_number(rng, "rng", at_least=0)
            rng = np.random.default_rng(seed)
        for _ in range(9 if self.closures else 0):
            with suppress(ConfigurationError):
                return self.close(self._random(rng))
        return self.close(self._random(rng))

    def _random(self, rng: np.random.Generator) -> Array:
        """One of them, with the tree's joints."""
        lower, upper = ranges(self._model)
        unlimited = ~np.isfinite(upper - lower)
        lower[unlimited], upper[unlimited] = -np.pi, np.pi
        if self.is_floating:
            lower[:3], upper[:3] = -1.0, 1.0
        q = rng.uniform(lower, upper)
        for start, stop in self.unit_blocks:
            direction = rng.standard_normal(stop - start)
            q[start:stop] = direction / np.linalg.norm(direction)
        return q

    def set(
        self,
        q: ArrayLike | None = None,
        joints: Mapping[str, ArrayLike] | None = None,
        /,
        **angles: ArrayLike,
    ) -> Array:
        """Return a copy of q (nq,) with joints set by name; the other joints stay.

        `robot.set(q, left_knee=0.3)`, or `robot.set(q, {"left-knee": 0.3})` for names that are no
        identifiers. Ranges are not looked at; `close` moves what loops and couplings move along.

        Args:
            q: configuration (nq,). Default: `posture()`, the one to stand in.
            joints: name -> the angle [rad] or position [m]; for joints with several entries all of
                them, in their order in q. Where q has (cos, sin), an angle will do.
            angles: the same by keyword.

        Raises:
            ConfigurationError: a bad q, no such joint (the message has the nearest names) or a
                locked one, a wrong number of values, or a quaternion that is not of unit norm.
        """
        start = self.posture() if q is None else configuration.check_configuration(self, q)
        named = mapping({} if joints is None else joints, "joints", kind="joint")
        return with_joints(self, start, named | angles)

    def integrate(self, q: ArrayLike, dv: ArrayLike) -> Array:
        """Return q ⊕ dv (nq,): the configuration after the tangent step dv (nv,) = v Δt.

        The base part of dv is a twist in the base frame, integrated exactly (SE3 exponential).
        """
        q = configuration.check_configuration(self, q)
        dv = configuration.check_velocity(self, dv, "dv")
        return np.array(pin.integrate(self._model, q, dv))

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """Return q1 ⊖ q0 (nv,), the tangent step with integrate(q0, step) = q1."""
        q0 = configuration.check_configuration(self, q0, "q0")
        q1 = configuration.check_configuration(self, q1, "q1")
        return np.array(pin.difference(self._model, q0, q1))

    # --- closures --------------------------------------------------------------------------

    @cached_property
    def _closure_rows(self) -> ClosureRows:
        return ClosureRows(self)

    def close(self, q: ArrayLike, moving: Sequence[str] | None = None) -> Array:
        """Return the q (nq,) near this one in which the closures close, e(q) = 0 to rounding.

        Newton's method with least steps; q itself where there are no closures.

        Args:
            q: configuration (nq,).
            moving: joints that may move. Default: those without a motor, or all of them where these
                do not suffice.

        Raises:
            ConfigurationError: a bad q, no such joint, or loops that do not close near it.
        """
        if moving is not None:
            moving = texts(moving, "moving")
            for name in moving:
                self.joint_id(name)
        return closed(self, configuration.check_configuration(self, q), moving)

    def with_closures(self, closures: Iterable[Closure]) -> Robot:
        """Return this robot with these closures, `LoopClosure` or `JointCoupling`, and no others.

        With () it is the tree alone, as functions that know no closures ask for.

        Raises:
            ConfigurationError: a closure of a frame or joint that it does not have.
        """
        # feet found by shape are found anew: where bars of a loop meet there is one
        feet = FoundFeet(self.feet.given) if isinstance(self.feet, FoundFeet) else self.feet
        return replace(self, closures=sequence(closures, "closures", Closure), feet=feet)

    # --- other robots ----------------------------------------------------------------------

    def with_inertia(
        self,
        link: str,
        *,
        mass: float | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
    ) -> Robot:
        """Return this robot with another inertia of the body that `link` is part of.

        Links that fixed joints weld together are one body; what is None stays.

        Args:
            link: a link (or other frame) of the body.
            mass: of the body [kg].
            com: its centre of mass (3,), in the axes of `link` from its origin [m].
            inertia: (3, 3), about the centre of mass, in the axes of `link` [kg m²].

        Raises:
            ConfigurationError: no such link, or an inertia that no body has.
        """
        model = self.model
        model_changes.set_inertia(model, self.frame_id(link), mass, com, inertia)
        return replace(self, model=model)

    def with_payload(
        self, link: str, mass: float, com: ArrayLike = (0, 0, 0), inertia: ArrayLike | None = None
    ) -> Robot:
        """Return this robot with a rigid body fixed to `link`.

        Args:
            link: the link (or other frame) that carries it.
            mass: of the payload [kg].
            com: its centre of mass (3,), in the axes of `link` from its origin [m].
            inertia: (3, 3), about its centre of mass, in the axes of `link` [kg m²]; None: a point.

        Raises:
            ConfigurationError: no such link, or an inertia that no body has.
        """
        model = self.model
        model_changes.add_payload(model, self.frame_id(link), mass, com, inertia)
        return replace(self, model=model)

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Return this robot under another acceleration of gravity (3,), in world axes [m/s²]."""
        model = self.model
        model_changes.set_gravity(model, gravity)
        other = replace(self, model=model)
        for name in ("_visual", "_collision", "_outlines"):  # as far as they are read already
            if name in vars(self):
                vars(other)[name] = vars(self)[name]
        return other

    def with_armature(self, armature: float | Mapping[str, float]) -> Robot:
        """Return this robot with inertias of rotors as joints feel them, α = I N².

        They are on the diagonal of M: a rotor of inertia I behind a gear of ratio N.

        Args:
            armature: of all actuated joints, or {joint or pattern with `*`: α}; those that are not
                named keep what they have [kg m² or kg].

        Raises:
            ConfigurationError: names that no joint has, values that are negative or not finite.
        """
        given = (
            armature if isinstance(armature, Mapping) else dict.fromkeys(self.actuated, armature)
        )
        if not given:
            raise ConfigurationError("armature: got {}, expected a number or {joint: number}")
        found, names = dict[str, float](), list(self.rows_of_joint)[int(self.is_floating) :]
        for pattern, value in given.items():
            alpha = number(value, f"armature of {pattern!r}", at_least=0)
            if not (matching := fnmatch.filter(names, str(pattern))):
                raise ConfigurationError(unknown("joint", pattern, names))
            found |= dict.fromkeys(matching, alpha)
        model = self.model
        model_changes.set_armature(model, found)
        return replace(self, model=model)

    def with_motors(self, motors: Any) -> Robot:
        """Return this robot with motors whose torques depend on their speed.

        Their largest torques become the torque limits of these joints; those that are not named
        keep the motors that they have.

        Args:
            motors: {joint or pattern with `*`: Motor}, or mappings in place of Motors: {"peak":
                139, "corner": 14, "no_load": "210 rpm"} (see `robots.motor_data.motor_of`), or the
                path of a YAML or CSV file with such a mapping.

        Raises:
            ConfigurationError: names that no actuated joint has, values that are no motor's.
            ModelError: a file that does not describe motors.
        """
        found = motors_of(motors, self.actuated, self.locked)
        model = self.model
        model_changes.set_efforts(model, {name: motor.peak for name, motor in found.items()})
        return replace(self, model=model, motor_data={**self.motor_data, **found})

    # --- threads and pickling --------------------------------------------------------------

    @cached_property
    def thread_local(self) -> threading.local:
        """What each thread keeps for this robot: scratch memory, nothing that is pickled."""
        return threading.local()

    def __getstate__(self) -> dict[str, Any]:
        state = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        if isinstance(self.postures, SolvedPostures):  # what was solved or found travels
            state["postures"] = self.postures.given  # without the robot
        if isinstance(self.feet, FoundFeet):
            state["feet"] = self.feet.of(None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    _repr_html_ = registry.html_of

    def __repr__(self) -> str:
        base = "floating" if self.is_floating else "fixed"
        feet = "by shape" if isinstance(self.feet, FoundFeet) else list(self.feet)
        return (
            f"Robot({self.name!r}, {base} base, nq={self.nq}, nv={self.nv}, na={self.na}, "
            f"mass={self.mass:.4g} kg, feet={feet})"
        )
