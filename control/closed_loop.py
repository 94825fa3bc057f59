"""Closed loop: the recorded motion of a simulated controller, with forces and margins."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import dynamics
from ..contacts import Contact, ContactSet, Terrain, contact_forces, penetrations, self_collisions
from ..contacts.postures.self_collision import LinkPair
from ..contacts.terrain.penetration import Penetration
from ..dynamics import Trajectory
from ..errors import ConfigurationError
from .disturbances import ForcePulse

Array = NDArray[np.float64]


class Collision(NamedTuple):
    """Links that are inside of each other, or a link inside of the terrain, at a time [s]."""

    t: float
    between: LinkPair | Penetration

    def __str__(self) -> str:
        return f"{self.between} at {self.t:.3g} s"


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop(Trajectory):
    """A motion under a controller, sampled at its ticks.

    Besides a trajectory's attributes:

    Attributes:
        contacts: whose points may touch.
        forces: {contact: (n, k, 3)}, mean forces of the ground over each interval, world axes [N].
        accelerations: (n, nv), mean ones over each interval.
        stops: (n, nv), mean torques of the joints' stops over each interval [N·m or N].
        statuses: n times the command's status ("" for laws that give torques alone).
        fell: whether the robot ended on the ground.
        latency: (n,), what each tick took [s].
        pushes: what disturbed it.
        terrain: what it stood on.
        unsolved: how many steps' impulses of the ground are inexact (see `control.ground`).
        ended: when and why it ended before its time ("t = 1.2 s: the robot fell"), else "".

    `events` has that end too: "fell", "failed" or "interrupted".
    """

    contacts: ContactSet | None = None
    forces: dict[str, Array] = field(default_factory=dict)
    accelerations: Array = field(default_factory=lambda: np.zeros((0, 0)))
    stops: Array = field(default_factory=lambda: np.zeros((0, 0)))
    statuses: tuple[str, ...] = ()
    fell: bool = False
    latency: Array = field(default_factory=lambda: np.zeros(0))
    pushes: tuple[ForcePulse, ...] = ()
    terrain: Terrain | None = None
    unsolved: int = 0
    ended: str = ""

    @cached_property
    def com(self) -> Array:
        """(n, 3), the centre of mass [m]."""
        return np.array([dynamics.com(self.robot, q) for q in self.q])

    @cached_property
    def touching(self) -> dict[str, NDArray[np.bool_]]:
        """{contact: (n,)}, whether the ground pushed it during the interval."""
        return {name: np.abs(f).sum(axis=(1, 2)) > 0 for name, f in self.forces.items()}

    @cached_property
    def friction_used(self) -> dict[str, Array]:
        """{contact: (n,)}, ‖f_t‖ / (μ f_n) of its whole force: 1 where it slides, nan in the air.

        Normals and coefficients are the terrain's where it is known, else the contacts'.
        """
        return {contact.name: self._used(contact) for contact in self.contacts or ()}

    def _used(self, contact: Contact) -> Array:
        robot, force = self.robot, self.forces[contact.name].sum(axis=1)
        own = float(np.max(contact.friction))
        if self.terrain is None:
            up = np.array([contact.cone(robot, q).normal for q in self.q])
            mu = np.full(len(self), own)
        else:
            places = np.array([contact.world_points(robot, q).mean(axis=0) for q in self.q])
            up = self.terrain.normal(places)
            mu = self.terrain.friction(places, own)
        normal = (force * up).sum(axis=1)
        across = np.linalg.norm(force - normal[:, None] * up, axis=1)
        weight = robot.mass * np.linalg.norm(robot._model.gravity.linear)
        pushes = normal > 1e-3 * weight
        with np.errstate(divide="ignore"):  # infinite on ice that holds all the same
            return np.where(pushes, across / np.where(pushes, mu * normal, 1.0), np.nan)

    def margins(self, every: float = 0.1, torque_limits: bool = False) -> tuple[Array, Array]:
        """Return times [s] and the margins of `contacts.contact_forces` there [N].

        At each time: the motion that took place, on the contacts that touched; −inf in flight.

        Args:
            every: from one time to the next [s].
            torque_limits: whether the motors' limits count too.

        Raises:
            ConfigurationError: an `every` that is no positive time.
        """
        rows = self._rows(every)
        return self.t[rows], np.array([self._margin(i, torque_limits) for i in rows])

    def _margin(self, i: int, torque_limits: bool) -> float:
        names = [name for name, touches in self.touching.items() if touches[i]]
        if self.contacts is None or not names:
            return -np.inf
        standing = [self.contacts[name] for name in names]
        wrenches = {push.frame: push.wrench for push in self.pushes if push.acts(self.t[i])}
        q, v, a = self.q[i], self.v[i], self.accelerations[i]
        hold = contact_forces(self.robot, q, v, a, standing, wrenches, torque_limits)
        return float(hold.margin)

    def collisions(self, every: float = 0.05) -> tuple[Collision, ...]:
        """Return which links ran into each other or into the terrain, and when.

        Nothing keeps them from it: only the points of the contacts touch in a closed loop. Which
        shapes count: see `contacts.self_collisions`, `contacts.penetrations`.

        Args:
            every: how often to look [s].

        Raises:
            ConfigurationError: an `every` that is no positive time.
        """
        found: list[Collision] = []
        if not len(self.robot.collision.geometryObjects):
            return ()
        for i in self._rows(every):
            t, q = float(self.t[i]), self.q[i]
            found += [Collision(t, pair) for pair in self_collisions(self.robot, q)]
            if self.terrain is not None:
                found += [Collision(t, link) for link in penetrations(self.robot, q, self.terrain)]
        return tuple(found)

    def _rows(self, every: float) -> list[int]:
        """Samples about `every` seconds apart; the last sample has no interval and is left out."""
        if not every > 0:
            raise ConfigurationError(f"every: got {every!r}; expected a positive time [s]")
        step = max(1, round(every / max(self.duration / max(len(self) - 1, 1), 1e-12)))
        return list(range(0, len(self) - 1, step))
