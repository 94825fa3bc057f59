"""Predictive control of the centroidal dynamics: forces and motion of the next half second."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State, Wrench
from ...errors import ConfigurationError, ContactError, unknown
from ...robots.configuration import check_configuration, check_robot
from ...robots.robot import Robot
from ...robots.values import array, instance, length, number, sequence, whole_number
from ..kernels import TICKS
from ..kernels.centroidal import ASSEMBLE, Cost, Grid, Nominal, Targets
from ..kernels.predictive import PREDICT
from ..limbs import hips
from .blocks import blocks_of, legs_of, side_by_side
from .centroidal import Body, Reference
from .legs import LegMomenta
from .prediction import Prediction
from .solving import solve
from .stances import Nodes, Stance, nodes
from .subproblem import Subproblem

# how far the centre of mass may be below and above its reference, as fractions of its height above
# the ground: legs that carry have no room for more, and what is thrown up has no feet to push with
SINK, RISE = 0.3, 0.1
OPTIONS = (
    "count", "step", "weights", "torque_limits", "sole_share", "tilt", "sink", "rise", "tolerance",
)  # fmt: skip


@dataclass(frozen=True)
class Weights:
    """Weights of a prediction's cost, of each second of it.

    Attributes:
        position, velocity: of the centre of mass, along the ground and upwards [1/m², s²/m²].
        spin: of (L − I ω̂ − L_legs)/(m ρ²) [s²/rad²].
        turn: of the base's orientation, its tilt and its heading [1/rad²].
        force: of deviations from evenly shared forces, in weights: of a contact's, however many
            points share it.
        last: by how much the last node weighs more, in seconds.
        excess: of the height and tilt that are exceeded, per [m] and [rad]; linear, so that
            nothing is exceeded that need not be.
    """

    position: tuple[float, float] = (30.0, 200.0)
    velocity: tuple[float, float] = (6.0, 6.0)
    spin: float = 0.5
    turn: tuple[float, float] = (60.0, 30.0)
    force: float = 0.3
    last: float = 0.2
    excess: float = 100.0

    def __post_init__(self) -> None:
        for name in ("position", "velocity", "turn"):
            array(getattr(self, name), name, (2,), at_least=0)
        for name in ("spin", "force", "last", "excess"):
            number(getattr(self, name), name, at_least=0)

    def scaled(self, length: float) -> Weights:
        """Return those of a robot that is larger by a factor in all directions."""
        along, up = self.position
        fast, fast_up = self.velocity
        position, velocity = (along / length**2, up / length**2), (fast / length, fast_up / length)
        return replace(self, position=position, velocity=velocity, spin=self.spin * length)

    def diagonal(self) -> Array:
        """Return the weights of x (12,)."""
        (along, up), (fast, fast_up), (tilt, yaw) = self.position, self.velocity, self.turn
        return np.array([
            along, along, up, fast, fast, fast_up, *[self.spin] * 3, tilt, tilt, yaw,
        ])  # fmt: skip


class Predictive:
    """Forces and motion over the next nodes, by one convex subproblem a call.

    The centre of mass, the momenta and the base's orientation follow a reference as well as contact
    forces within their exact limits, and joint torques within theirs, allow, see
    `predictive.centroidal`, `predictive.blocks`. Each call is linearised about the last prediction,
    so that calls of one motion follow each other in time.

    Args:
        robot: floating base.
        contacts: all that stances may name.
        q: where it stands (nq,): joints of contacts that do not carry now are taken to be there.
        count: N, of nodes.
        step: duration of a node, about [s].
        weights: of the cost.
        torque_limits: as of a WholeBodyController, of the joints that carry a single contact.
        sole_share: as of a WholeBodyController.
        tilt: of the base, largest [rad].
        sink, rise: by how much the centre of mass may be below and above its reference [m]; 0.3 and
            0.1 of its height above the lowest contact when not given. Nor is it higher than legs
            reach that are bent a little, see `control.kernels.centroidal`.
        tolerance: of the solution, relative to the cost.

    Raises:
        ConfigurationError, ContactError: what does not fit the robot.
    """

    def __init__(
        self,
        robot: Robot,
        contacts: ContactSet,
        q: ArrayLike,
        *,
        count: int = 16,
        step: float = 0.03,
        weights: Weights | None = None,
        torque_limits: bool | ArrayLike = True,
        sole_share: float = 1.0,
        tilt: float = 0.5,
        sink: float | None = None,
        rise: float | None = None,
        tolerance: float = 1e-5,
    ) -> None:
        if not check_robot(robot).is_floating:
            raise ConfigurationError(f"{robot.name!r} has a fixed base; expected a floating one")
        if not robot.weight > 0:
            raise ConfigurationError(
                f"gravity: {robot.name!r} weighs nothing; expected weight, the unit of forces here"
            )
        self.robot, self.contacts = robot, ContactSet.of(robot, contacts)
        self.count = whole_number(count, "count", at_least=2)
        self.step = number(step, "step", above=0, unit="[s]")
        self.weights = Weights() if weights is None else instance(weights, "weights", Weights)
        self.tilt = number(tilt, "tilt", above=0, unit="[rad]")
        self.tolerance = number(tolerance, "tolerance", above=0)
        share = number(sole_share, "sole_share", above=0, at_most=1.0)
        standing = State(robot, check_configuration(robot, q), np.zeros(robot.nv))
        self.blocks = blocks_of(robot, self.contacts, standing.q, torque_limits, share)
        height = standing.com[2] - self.contacts.attachment.positions(standing)[:, 2].min()
        self.sink = length(SINK * height if sink is None else sink, "sink")
        self.rise = length(RISE * height if rise is None else rise, "rise")
        self.legs = LegMomenta(self.contacts)
        self._blocks, self._hips = side_by_side(list(self.blocks.values())), hips(self.contacts)
        self._standing = legs_of(standing, self.contacts, self._hips)
        self._number = {name: k for k, name in enumerate(self.contacts.names)}
        w = self.weights
        self._cost = Cost(w.diagonal(), w.force, w.last, w.excess, self.tilt, self.sink, self.rise)
        ASSEMBLE.select(TICKS)
        PREDICT.select(TICKS)
        self._last: Prediction | None = None

    def __call__(
        self,
        state: State,
        stances: Sequence[Stance],
        reference: Any,
        t: float = 0.0,
        wrenches: Sequence[Wrench] | Wrench | None = None,
    ) -> Prediction:
        """Return the prediction from a state on.

        Args:
            state: (q, v).
            stances: from now on, one after the other; the last one goes on.
            reference: times (N + 1,) from now on [s] -> `Reference`.
            t: now [s].
            wrenches: that act all the time: of a payload, of a push; at their point, world axes.

        Raises:
            ContactError: a contact that is none of the robot's.
        """
        state, stances = State.of(self.robot, state), self._checked(stances)
        t = number(t, "t", unit="[s]")
        if state.v is None or not callable(reference):
            raise ConfigurationError(
                f"got v = {state.v!r} and the reference {reference!r:.80}; expected a velocity and "
                "a function of times"
            )
        _, inertia = self.legs(state)
        body, grid = Body.of(state, inertia), nodes(stances, self.count, self.step)
        wanted = reference(grid.times)
        targets = self._targets(wanted)
        nominal, known = self._nominal(body, targets, grid, t), _known(wrenches)
        problem = self._subproblem(state, body, targets, grid, nominal, known)
        problem.start[:] = body.start(wanted)
        found = solve(problem, self.tolerance)
        self._last = Prediction(t, body, grid, wanted, problem, found, self.contacts, self.blocks)
        return self._last

    def _nominal(self, body: Body, targets: Targets, grid: Nodes, t: float) -> Nominal:
        """What to linearise about: the last prediction, else the reference."""
        last = self._last
        if last is None or not 0 <= t - last.t < grid.times[-1]:
            return Nominal(grid.times, targets.com, np.tile(-body.gravity, (self.count, 1)))
        return Nominal(last.times + (last.t - t), last.com, last.solution.w[:, :3].copy())

    def _checked(self, stances: Sequence[Stance]) -> tuple[Stance, ...]:
        given = sequence(stances, "stances", Stance)
        for name in (name for stance in given for name in stance.places):
            if name not in self._number:
                raise ContactError(unknown("contact", name, self.contacts.names))
        if not given:
            raise ConfigurationError("stances: got none, expected at least one")
        return given

    # --- the data of the subproblem ------------------------------------------------------------

    def _subproblem(
        self,
        state: State,
        body: Body,
        targets: Targets,
        grid: Nodes,
        nominal: Nominal,
        known: Array,
    ) -> Subproblem:
        """Return the subproblem, but for x_0."""
        placed = [(self._number[n], T.homogeneous) for s in grid.own for n, T in s.places.items()]
        contact = np.array([number for number, _ in placed], dtype=np.intp)
        poses = np.array([T for _, T in placed]).reshape(-1, 4, 4)
        counts = [len(stance.places) for stance in grid.own]
        begin = np.array([0, *itertools.accumulate(counts)])
        given = Grid(grid.durations, grid.index, begin, contact, poses, known)
        carries = np.zeros(len(self.contacts), dtype=bool)
        carries[contact[: counts[0]]] = True
        blocks, b = self._blocks, sum(counts[i] for i in grid.index.tolist())
        (_, q, D), (_, r, n), j = blocks.cones.shape, blocks.rows.shape, blocks.joints.shape[1]
        problem = Subproblem.empty((self.count, b, n, r + 2 * j, r + j, D, q))
        ASSEMBLE.overload().run(
            body.rigid, targets, given, nominal, blocks,
            legs_of(state, self.contacts, self._hips), self._standing, carries, self._cost,
            problem.arrays, problem.first, problem.at,
        )  # fmt: skip
        return problem

    def _targets(self, wanted: Reference) -> Targets:
        """The arrays of a reference."""
        known = np.zeros_like(wanted.com) if wanted.legs is None else wanted.legs
        given = Targets(wanted.com, wanted.velocity, wanted.rotation, wanted.rate, known)
        found = Targets(*[np.ascontiguousarray(x, dtype=float) for x in given])
        for name, x in zip(Targets._fields, found, strict=True):
            expected = (self.count + 1, 3, 3) if name == "rotation" else (self.count + 1, 3)
            if x.shape != expected:
                raise ConfigurationError(
                    f"reference: got {name} of shape {x.shape}, expected {expected}"
                )
        return found


def _known(wrenches: Sequence[Wrench] | Wrench | None) -> Array:
    """[F; M] (6,) of known wrenches about the world's origin, in its axes."""
    found = np.zeros(6)
    if wrenches is None:
        return found
    for wrench in (
        [wrenches] if isinstance(wrenches, Wrench) else sequence(wrenches, "wrenches", Wrench)
    ):
        if wrench.point is None or wrench.axes != "world":
            raise ConfigurationError(
                f"wrenches: got {wrench!r}; expected wrenches at a point, in world axes"
            )
        found += wrench.at(np.zeros(3)).vector
    return found
