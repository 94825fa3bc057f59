"""Predictive control of the centroidal dynamics: forces and motion of the next half second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.torque_limits import TorqueLimits
from ...dynamics import State, Wrench
from ...errors import ConfigurationError, ContactError, unknown
from ...options import names_checked
from ...robots.configuration import check_configuration, check_floating, check_reach
from ...robots.robot import Robot
from ...robots.values import (
    array,
    common_length,
    instance,
    length,
    number,
    sequence,
    table,
    whole_number,
)
from ..kernels import TICKS
from ..kernels.centroidal import ASSEMBLE, Body, Cost, Grid, Legs, Nominal, Reference, Space
from ..kernels.predictive import PREDICT
from .blocks import blocks_of, legs_of, side_by_side
from .centroidal import bodies_of, body_of, starts
from .legs import LegMomenta
from .prediction import Prediction
from .predictions import Group, Predictions
from .rows import (
    about_origin,
    about_targets,
    alike,
    grid_of,
    known_wrench,
    part,
    references_of,
    stacked,
    targets_of,
    wrench_rows,
)
from .solving import solve, solve_all
from .stances import Nodes, Stance, nodes
from .subproblem import Subproblems, ends_of
from .terms import Terms, repeated

# how far the centre of mass may be below and above its reference, as fractions of its height above
# the ground: legs that carry have no room for more, and what is thrown up has no feet to push with
SINK, RISE = 0.3, 0.1
_LOOSEST = 0.01  # tolerance: looser ones let the bounds of height and tilt seem exceeded


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
            pair = array(getattr(self, name), name, (2,), at_least=0)
            object.__setattr__(self, name, tuple(pair.tolist()))
        for name in ("spin", "force", "last", "excess"):
            object.__setattr__(self, name, number(getattr(self, name), name, at_least=0))

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


@names_checked
class Predictive:
    """Predicts forces and motion over the next nodes, with one convex subproblem per call.

    The centre of mass, the momenta and the base's orientation follow a reference as well as the
    exact limits of contact forces and those of joint torques allow, see `predictive.centroidal`,
    `predictive.blocks`. Each call is linearised about the last prediction, so calls must follow
    each other in time.

    Args:
        robot: floating base.
        contacts: all contacts that stances may name.
        q: where it stands (nq,); joints of limbs whose contacts do not carry are assumed to be
            there.
        count: N, the number of nodes.
        step: approximate duration of a node [s].
        weights: of the cost.
        torque_limits: as of a WholeBodyController, of the joints that carry a single contact.
        sole_share: as of a WholeBodyController.
        tilt: largest tilt of the base [rad].
        sink, rise: by how much the centre of mass may be below and above its reference [m]; 0.3 and
            0.1 of its height above the lowest contact when not given. It is also no higher than
            slightly bent legs reach, see `control.kernels.centroidal`.
        tolerance: of the solution, relative to the cost, at most 0.01.

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
        torque_limits: TorqueLimits = True,
        sole_share: float = 1.0,
        tilt: float = 0.5,
        sink: float | None = None,
        rise: float | None = None,
        tolerance: float = 1e-5,
    ) -> None:
        if not check_floating(robot).weight > 0:
            raise ConfigurationError(
                f"gravity: {robot.name!r} weighs nothing; expected weight, the unit of forces here"
            )
        self.robot, self.contacts = robot, ContactSet.of(robot, contacts)
        if not len(self.contacts):
            raise ContactError("contacts: got none, expected at least one")
        self.count = whole_number(count, "count", at_least=2)
        self.step = number(step, "step", above=0, unit="[s]")
        self.weights = Weights() if weights is None else instance(weights, "weights", Weights)
        self.tilt = number(tilt, "tilt", above=0, unit="[rad]")
        self.tolerance = number(tolerance, "tolerance", above=0, at_most=_LOOSEST)
        share = number(sole_share, "sole_share", above=0, at_most=1.0)
        standing = State(robot, check_configuration(robot, q), np.zeros(robot.nv))
        self.blocks = blocks_of(robot, self.contacts, standing.q, torque_limits, share)
        height = standing.com[2] - self.contacts.attachment.positions(standing)[:, 2].min()
        if not height > 0:
            raise ConfigurationError(
                f"q: got one whose centre of mass is {-height:.3g} m below its lowest contact; "
                "expected one that stands"
            )
        self.sink = length(SINK * height if sink is None else sink, "sink")
        self.rise = length(RISE * height if rise is None else rise, "rise")
        self.legs = LegMomenta(self.contacts)
        self._blocks = side_by_side(list(self.blocks.values()))
        self._standing = Legs(*[x[0] for x in legs_of(self.legs.with_terms(standing)[0])])
        self._number = {name: k for k, name in enumerate(self.contacts.names)}
        w = self.weights
        self._cost = Cost(w.diagonal(), w.force, w.last, w.excess, self.tilt, self.sink, self.rise)
        ASSEMBLE.select(TICKS)
        PREDICT.select(TICKS)
        self._last: Prediction | None = None

    def __repr__(self) -> str:
        feet = ", ".join(self.contacts.names)
        return f"Predictive({self.robot.name!r}, feet: {feet}, {self.count} × {self.step:g} s)"

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
            ContactError: a contact that the robot does not have.
        """
        state, stances = State.of(self.robot, state), self._checked(stances)
        t = number(t, "t", unit="[s]")
        if state.v is None:
            raise ConfigurationError("state: got no velocity, expected a State(robot, q, v)")
        (function,) = references_of([reference])
        terms, _, inertia = self.legs.with_terms(state)
        bodies = bodies_of(self.robot, terms, inertia)
        ahead = nodes(stances, self.count, self.step)
        wanted = function(ahead.times)
        targets = stacked([wanted], len(ahead.times), 1)
        grid = grid_of([ahead], self._number, known_wrench(wrenches)[None])
        nominal = self._about_last(t, ahead) or about_targets(grid, targets, bodies.gravity)
        problem = self._subproblems(terms, bodies, targets, grid, nominal).one(0)
        found = solve(problem, self.tolerance)
        self._last = Prediction(
            t, body_of(bodies, 0), ahead, wanted, problem, found, self.contacts, self.blocks
        )
        return self._last

    def batch(
        self,
        q: ArrayLike,
        v: ArrayLike,
        stances: Iterable[Stance] | Iterable[Iterable[Stance]],
        reference: Any,
        *,
        wrenches: ArrayLike | Iterable[Wrench] | Wrench | None = None,
        about: Predictions | None = None,
    ) -> Predictions:
        """Return the predictions from M states on, each as of a first call, eight side by side.

        Args:
            q, v: (M, nq), (M, nv), or one of either for all.
            stances: as of a call, for all; or M sequences of them: other places, as of other
                terrains, or other times. Those with the same contacts at their nodes go together.
            reference: as of a call, for all; or M of them. One for all may return arrays with a
                first axis of M, where nodes last as long in all rows.
            wrenches: that act all the time: (M, 6) or (6,), [force; moment about the centre of
                mass], world axes [N, N·m]; or as of a call, for all.
            about: what to linearise about: predictions of as many states, or of one for all; None:
                the reference.

        Raises:
            ConfigurationError, ContactError: invalid input, lengths that do not fit each other.
        """
        robot, loads = self.robot, wrench_rows(wrenches)
        qs, vs = table(q, robot.nq, "q"), table(v, robot.nv, "v")
        check_reach(robot, qs)
        sequences = map(self._checked, _of_rows(stances))
        every = tuple(nodes(each, self.count, self.step) for each in sequences)
        references = references_of(reference)
        count = common_length(
            q=len(qs), v=len(vs), stances=len(every), reference=len(references),
            wrenches=len(loads) if isinstance(loads, np.ndarray) else 1,
            about=1 if about is None else len(instance(about, "about", Predictions)),
        )  # fmt: skip
        terms, inertia = self.legs.along(qs, vs, count)
        targets = targets_of(references, every, count)
        if isinstance(loads, np.ndarray):
            known = about_origin(repeated(loads, count), terms.com)
        else:
            known = repeated(known_wrench(loads)[None], count)
        last = None if about is None else Nominal(*[repeated(x, count) for x in about.nominal])
        groups = []
        for rows in alike(every, count):
            grids = every if len(every) == 1 else [every[i] for i in rows.tolist()]
            grid = grid_of(grids, self._number, known[rows])
            own, wanted = part(terms, rows), part(targets, rows)
            bodies = bodies_of(robot, own, inertia[rows])
            nominal = (
                about_targets(grid, wanted, bodies.gravity) if last is None else part(last, rows)
            )
            problems = self._subproblems(own, bodies, wanted, grid, nominal)
            found = solve_all(problems, self.tolerance)
            groups.append(Group(rows, bodies, wanted, problems, found))
        each = every * count if len(every) == 1 else every
        return Predictions(each, tuple(groups), self.contacts, self.blocks)

    def _about_last(self, t: float, ahead: Nodes) -> Nominal | None:
        """The last prediction, where it reaches so far, to linearise about."""
        last = self._last
        if last is None or not 0 <= t - last.t < ahead.times[-1]:
            return None
        one = last.times + (last.t - t), last.com, last.solution.w[:, :3]
        return Nominal(*[x[None].copy() for x in one])

    def _checked(self, stances: Sequence[Stance]) -> tuple[Stance, ...]:
        given = sequence(stances, "stances", Stance)
        strange = set[str]().union(*[stance.names for stance in given]) - self._number.keys()
        if strange:
            name = next(n for stance in given for n in stance.names if n in strange)
            raise ContactError(unknown("contact", name, self.contacts.names))
        if not given:
            raise ConfigurationError("stances: got none, expected at least one")
        return given

    def _subproblems(
        self, terms: Terms, bodies: Body, targets: Reference, grid: Grid, nominal: Nominal
    ) -> Subproblems:
        """Return the subproblems of rows."""
        blocks, counts = self._blocks, np.diff(grid.begin)
        carries = np.zeros(len(self.contacts), dtype=bool)
        carries[grid.contact[: grid.begin[1]]] = True
        (_, q, D), (_, r, n), j = blocks.cones.shape, blocks.rows.shape, blocks.joints.shape[1]
        b = int(counts[grid.stance].sum())
        sizes = self.count, b, n, r + 2 * j, r + j, D, q
        problems = Subproblems.empty(len(terms.com), sizes)
        shapes = (self.count, 3), (len(grid.contact), 6, n), (6, n), (3, 3), (3, 3)
        ASSEMBLE.overload().run(
            bodies, targets, grid, nominal, blocks, legs_of(terms), self._standing, carries,
            self._cost, sizes, ends_of(sizes), problems.data, problems.first, problems.at,
            Space(*map(np.empty, shapes)),
        )  # fmt: skip
        problems.part("start")[:] = starts(bodies, targets)
        return problems


def _of_rows(stances: Any) -> Sequence[Any]:
    """The stances of each row, or once those of all."""
    if not isinstance(stances, Iterable):
        return (stances,)
    given = tuple(stances)
    return given if given and not isinstance(given[0], Stance) else (given,)
