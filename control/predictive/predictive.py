"""Predictive control of the centroidal dynamics: forces and motion of the next half second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array, Index
from ...contacts import ContactSet
from ...dynamics import State, Wrench
from ...errors import ConfigurationError, ContactError, unknown
from ...robots.configuration import check_configuration, check_robot
from ...robots.robot import Robot
from ...robots.values import array, instance, length, number, sequence, whole_number
from ..kernels import TICKS
from ..kernels.predictive import PREDICT
from .blocks import Block, Leg, block_of, torque_rows
from .centroidal import Body, Reference, crosses, linearised
from .prediction import Prediction
from .solving import solve
from .stances import Nodes, Stance, nodes
from .subproblem import Subproblem

FAR = 1e3  # a bound that is none
OPTIONS = "count", "step", "weights", "torque_limits", "tilt", "sink", "rise", "tolerance"


@dataclass(frozen=True)
class Weights:
    """Weights of a prediction's cost, of each second of it.

    Attributes:
        position, velocity: of the centre of mass, along the ground and upwards [1/m², s²/m²].
        spin: of L/(m ρ²) [s²/rad²].
        turn: of the base's orientation, its tilt and its heading [1/rad²].
        force: of deviations from evenly shared forces, in weights.
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
        tilt: of the base, largest [rad].
        sink, rise: by how much the centre of mass may be below and above its reference [m].
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
        tilt: float = 0.5,
        sink: float = 0.15,
        rise: float = 0.1,
        tolerance: float = 1e-5,
    ) -> None:
        if not check_robot(robot).is_floating:
            raise ConfigurationError(f"{robot.name!r} has a fixed base; expected a floating one")
        self.robot, self.contacts = robot, ContactSet.of(robot, contacts)
        self.count = whole_number(count, "count", at_least=2)
        self.step = number(step, "step", above=0, unit="[s]")
        self.weights = Weights() if weights is None else instance(weights, "weights", Weights)
        self.tilt = number(tilt, "tilt", above=0, unit="[rad]")
        self.tolerance = number(tolerance, "tolerance", above=0)
        self.sink, self.rise = length(sink, "sink"), length(rise, "rise")
        self.blocks: dict[str, Block] = {
            contact.name: block_of(robot, self.contacts, contact, torque_limits)
            for contact in self.contacts
        }
        standing = State(robot, check_configuration(robot, q), np.zeros(robot.nv))
        self._nominal = {c.name: self._leg(standing, c.name) for c in self.contacts}
        self._shape = _shape(list(self.blocks.values()))
        PREDICT.select(TICKS)
        self._last: tuple[float, Prediction] | None = None

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
        body, grid = Body.of(state), nodes(stances, self.count, self.step)
        wanted = reference(grid.times)
        com, forces = self._guess(body, wanted, grid, t)
        known = _known(wrenches, com)
        problem = self._subproblem(state, body, grid, wanted, com, forces, known)
        found = solve(problem, self.tolerance)
        prediction = Prediction(t, body, grid, wanted, problem, found, self.contacts, self.blocks)
        self._last = (t, prediction)
        return prediction

    def _guess(self, body: Body, wanted: Reference, grid: Nodes, t: float) -> tuple[Array, Array]:
        """c̄ (N, 3) and f̄ (N, 3) in weights: the last prediction's, else those of the reference."""
        now = grid.times[:-1]
        up = -body.gravity / np.linalg.norm(body.gravity)
        if self._last is None or not 0 <= t - self._last[0] < grid.durations.sum():
            return wanted.com[:-1], np.tile(up, (len(now), 1))
        before, last = self._last
        return last.com_at(now + t - before), last.force_at(now + t - before)

    def _checked(self, stances: Sequence[Stance]) -> tuple[Stance, ...]:
        given = sequence(stances, "stances", Stance)
        for name in (name for stance in given for name in stance.places):
            if name not in self.contacts.names:
                raise ContactError(unknown("contact", name, self.contacts.names))
        if not given:
            raise ConfigurationError("stances: got none, expected at least one")
        return given

    def _leg(self, state: State, name: str) -> Leg:
        return Leg.of(state, self.contacts[name], self.blocks[name].joints)

    # --- the data of the subproblem ------------------------------------------------------------

    def _subproblem(
        self, state: State, body: Body, grid: Nodes, wanted: Reference, com: Array, forces: Array,
        known: Array,
    ) -> Subproblem:  # fmt: skip
        """Return the subproblem, linearised about c̄ (N, 3) [m] and Σ f̄ (N, 3) [weights]."""
        origin, N = body.com, self.count
        A, B, e = linearised(body, wanted, grid.durations, com - origin, forces, known)
        target = np.hstack([
            wanted.com - origin, wanted.velocity, np.zeros((N + 1, 6)),
        ])  # fmt: skip
        target[:, 6:9] = _spin(body, wanted)
        Q = np.zeros((N + 1, 12, 12))
        spans = np.append(0.0, grid.durations)
        spans[-1] += self.weights.last
        Q[:, range(12), range(12)] = spans[:, None] * self.weights.diagonal()
        E, d, rho = self._bounds(wanted, origin)
        first, parts = self._forces(state, body, grid, wanted, com)
        return Subproblem(A, B, e, Q, target, body.start(wanted, origin), *parts, E, d, rho, first)

    def _bounds(self, wanted: Reference, origin: Array) -> tuple[Array, Array, Array]:
        """E, d, ρ: height and tilt."""
        E = np.zeros((self.count + 1, 6, 12))
        d = np.full((self.count + 1, 6), self.tilt)
        E[:, 0, 2], E[:, 1, 2] = -1.0, 1.0
        E[:, [2, 3], 9], E[:, [4, 5], 10] = (1.0, -1.0), (1.0, -1.0)
        height = wanted.com[:, 2] - origin[2]
        d[:, 0], d[:, 1] = self.sink - height, self.rise + height
        d[0] = FAR  # now is as it is
        return E, d, np.full((self.count + 1, 6), self.weights.excess)

    def _forces(
        self, state: State, body: Body, grid: Nodes, wanted: Reference, com: Array
    ) -> tuple[Index, tuple[Array, Array, Array, Array, Array, Array, Array]]:
        """`first`, and G, R, û, F, f, C, c of all contacts at all nodes."""
        counts = [len(stance.places) for stance in grid.stances]
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        b, (n, m, q, D) = int(first[-1]), self._shape
        G, u = np.zeros((b, 6, n)), np.zeros((b, n))
        F, f = np.zeros((b, m, n)), np.ones((b, m))
        C, c = np.zeros((b, q, D, n)), np.zeros((b, q, D))
        c[..., -1] = 1.0
        R = np.repeat(self.weights.force * grid.durations, counts)[:, None] * np.ones(n)
        legs, k = dict[str, Leg](), 0
        while k < len(grid.stances):
            stance, end = grid.stances[k], k
            while end < len(grid.stances) and grid.stances[end] is stance:
                end += 1
            for i, (name, T) in enumerate(stance.places.items()):
                block = self.blocks[name]
                own = slice(first[k] + i, first[end], len(stance.places))
                if name not in legs:
                    carries = k == 0
                    legs[name] = self._leg(state, name) if carries else self._nominal[name]
                size = len(block.even)
                _fill_wrench(G[own], block, T, com[k:end])
                u[own, :size] = block.even / len(stance.places)
                turn = wanted.rotation[k].T @ T.rotation
                rows, bounds = torque_rows(block, legs[name], turn, body.weight)
                both = len(block.bounds), len(block.bounds) + len(bounds)
                F[own, : both[0], :size], f[own, : both[0]] = block.rows, block.bounds
                F[own, both[0] : both[1], :size], f[own, both[0] : both[1]] = rows, bounds
                cones, deep = len(block.cones), block.cones.shape[1]
                C[own, :cones, : deep - 1, :size] = block.cones[:, :-1]
                C[own, :cones, -1, :size], c[own, :cones] = block.cones[:, -1], 0.0
            k = end
        return first, (G, R, u, F, f, C, c)


def _shape(blocks: list[Block]) -> tuple[int, int, int, int]:
    """The largest n, m, q and D of blocks."""
    m = max(len(b.bounds) + 2 * len(b.joints) for b in blocks)
    deep = max(b.cones.shape[1] for b in blocks)
    return max(len(b.even) for b in blocks), m, max(len(b.cones) for b in blocks), deep


def _fill_wrench(G: Array, block: Block, T: Any, com: Array) -> None:
    """Write [force; moment about c̄] (nodes, 6, n), world axes, by u of a contact at T."""
    R, n = T.rotation, len(block.even)
    force, moment = R @ block.wrench[:3], R @ block.wrench[3:]
    G[:, :3, :n] = force
    G[:, 3:, :n] = moment + crosses(T.translation - com) @ force


def _spin(body: Body, wanted: Reference) -> Array:
    """L/(m ρ²) (N + 1, 3) of the reference's ω̂."""
    R = wanted.rotation
    inertia = R @ body.inertia @ R.transpose(0, 2, 1)
    return np.asarray(np.einsum("kij,kj->ki", inertia, wanted.rate) / (body.mass * body.square))


def _known(wrenches: Sequence[Wrench] | Wrench | None, com: Array) -> Array:
    """[F; M about c̄] (N, 6) of known wrenches, world axes."""
    found = np.zeros((len(com), 6))
    if wrenches is None:
        return found
    for wrench in (
        [wrenches] if isinstance(wrenches, Wrench) else sequence(wrenches, "wrenches", Wrench)
    ):
        if wrench.point is None or wrench.axes != "world":
            raise ConfigurationError(
                f"wrenches: got {wrench!r}; expected wrenches at a point, in world axes"
            )
        found[:, :3] += wrench.force
        found[:, 3:] += wrench.moment + np.cross(wrench.point - com, wrench.force)
    return found
