"""Prediction: forces and motion of the next nodes, with what limits them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

from ... import registry
from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import Wrench
from ..kernels.centroidal import Blocks, Body, Reference
from .centroidal import inverse_inertia, products, turned_by_legs
from .certificate import Certificate, certificate_of
from .stances import Nodes
from .subproblem import Solution, Subproblem

EXCEEDED = 1e-4  # how far height [m] and tilt [rad] of a node may be beyond their bounds
BOUNDS = ("sinks", "rises", "tilts about +x", "tilts about −x", "tilts about +y", "tilts about −y")


@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """The next nodes of a motion.

    Attributes:
        t: when they begin [s].
        body: the robot then.
        nodes: their durations and stances.
        reference: what was wanted.
        subproblem, solution: the convex program, and its solution with all multipliers.
        contacts, blocks: of the robot.
    """

    t: float
    body: Body
    nodes: Nodes
    reference: Reference
    subproblem: Subproblem
    solution: Solution
    contacts: ContactSet
    blocks: Mapping[str, Blocks]

    _repr_html_ = registry.html_of

    @property
    def status(self) -> str:
        """What came of it: "optimal"; "exceeded", a bound of height or tilt; or "unsolved"."""
        if not self.solution.solved:
            return "unsolved"
        return "optimal" if self.node is None else "exceeded"

    @cached_property
    def node(self) -> int | None:
        """The first node at whose end the motion cannot be held within its bounds."""
        beyond = np.flatnonzero(self.solution.eps.max(axis=1, initial=0.0) > EXCEEDED)
        return int(beyond[0]) if len(beyond) else None

    @property
    def reason(self) -> str:
        """In words, which node cannot be held, and in what; empty when all can."""
        if not self.solution.solved:
            return f"the subproblem was not solved: error {self.solution.error:.2g}"
        if self.node is None:
            return ""
        row = int(self.solution.eps[self.node].argmax())
        unit = "m" if row < 2 else "rad"
        return (
            f"node {self.node}, in {self.times[self.node]:.3g} s: the robot {BOUNDS[row]}, by "
            f"{self.solution.eps[self.node, row]:.3g} {unit} more than it may"
        )

    @cached_property
    def certificate(self) -> Certificate | None:
        """Why its bounds cannot be kept, whatever the contacts do; None where they can."""
        return None if self.node is None else certificate_of(self.subproblem)

    def __repr__(self) -> str:
        told = f"{self.status}, {len(self.nodes.durations)} nodes, {self.times[-1]:.3g} s"
        return f"Prediction({told}{f': {self.reason}' if self.reason else ''})"

    # --- motion --------------------------------------------------------------------------------

    @property
    def times(self) -> Array:
        """(N + 1,), from `t` on [s]."""
        return self.nodes.times

    @cached_property
    def com(self) -> Array:
        """c (N + 1, 3) [m]."""
        return self.solution.x[:, :3] + self.body.com

    @property
    def velocity(self) -> Array:
        """ċ (N + 1, 3) [m/s]."""
        return self.solution.x[:, 3:6]

    @property
    def momentum(self) -> Array:
        """L (N + 1, 3), about the centre of mass [N·m·s]."""
        return self.solution.x[:, 6:9] * self.body.mass * self.body.square

    @cached_property
    def rotation(self) -> Array:
        """R (N + 1, 3, 3) of the base."""
        turns = [pin.exp3(theta) for theta in self.solution.x[:, 9:]]
        return np.array(turns) @ self.reference.rotation

    @cached_property
    def turning(self) -> Array:
        """ω (N + 1, 3) of the base, world axes [rad/s]: I⁻¹L + ω_legs."""
        own = products(inverse_inertia(self.body, self.reference), self.momentum)
        return own + turned_by_legs(self.body, self.reference, self.times)

    @cached_property
    def net(self) -> Array:
        """(N, 6), [force; moment about c̄] of all contacts, world axes [N, N·m]."""
        mass, square = self.body.mass, self.body.square
        return np.asarray(self.solution.w * np.repeat([mass, mass * square], 3))

    @cached_property
    def acceleration(self) -> Array:
        """c̈ (N, 3) of the nodes [m/s²]."""
        return np.diff(self.velocity, axis=0) / self.nodes.durations[:, None]

    @cached_property
    def momentum_rate(self) -> Array:
        """L̇ (N, 3) of the nodes [N·m]."""
        return np.diff(self.momentum, axis=0) / self.nodes.durations[:, None]

    # --- forces --------------------------------------------------------------------------------

    def point_forces(self, node: int) -> dict[str, Array]:
        """Return {contact: x of its `ContactLimits` (n,)} [N] at a node."""
        first, stance = self.subproblem.first[node], self.nodes.stances[node]
        return {
            name: self.body.weight * self.solution.u[first + i, : len(self.blocks[name].even)]
            for i, name in enumerate(stance.places)
        }

    def contact_wrenches(self, node: int) -> dict[str, Array]:
        """Return {contact: [force; moment] at its centre (6,), in its axes} of a node."""
        return {name: self.blocks[name].wrench @ x for name, x in self.point_forces(node).items()}

    def wrenches(self, node: int) -> dict[str, Wrench]:
        """Return {contact: wrench at its centre, world axes} of a node."""
        found = {}
        for name, w in self.contact_wrenches(node).items():
            T = self.nodes.stances[node].places[name]
            found[name] = Wrench(T.rotation @ w[:3], T.rotation @ w[3:], T.translation)
        return found

    @cached_property
    def margins(self) -> Array:
        """(N,), how much normal force each point of a node could lose [N]; inf where none has any.

        The smallest f_n − ‖f_t/μ‖ over the points with friction, for these forces.
        """
        S = self.subproblem
        v = S.cones(self.solution.u) - S.c
        top = S.C[:, :, -1]  # μ̄, 0 where there is no cone
        room = v[..., -1] - np.linalg.norm(v[..., :-1], axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(top > 0, room / top, np.inf).min(axis=1, initial=np.inf)
        return self._least(room) * self.body.weight

    @cached_property
    def torque_margins(self) -> Array:
        """(N,), the smallest (limit − |τ|)/limit of each node's legs; inf without limits."""
        S = self.subproblem
        room = S.f - np.einsum("bmn,bn->bm", S.rows, self.solution.u)
        room = np.where(np.abs(S.rows).sum(axis=2) > 0, room, np.inf).min(axis=1, initial=np.inf)
        return self._least(room)

    def _least(self, each: Array) -> Array:
        """The smallest of each node's contacts (N,)."""
        found = np.full(len(self.nodes.durations), np.inf)
        np.minimum.at(found, self.subproblem.node, each)
        return found

    # --- at a time -----------------------------------------------------------------------------

    def index(self, since: float) -> int:
        """Return the node at a time since `t` [s]."""
        found = int(np.searchsorted(self.times, since, side="right")) - 1
        return min(max(found, 0), len(self.nodes.durations) - 1)
