"""Closed loop: the recorded motion of a simulated controller, with forces and margins."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import dynamics
from ...arrays import Array
from ...contacts import Contact, ContactSet, Terrain, contact_forces, penetrations, self_collisions
from ...contacts.equilibrium.balance import weight
from ...contacts.friction_used import friction_used
from ...contacts.limits import ContactLimits
from ...contacts.motion_verdicts import about_com
from ...contacts.postures.self_collision import LinkPair
from ...contacts.terrain.penetration import Penetration
from ...dynamics import Trajectory, Wrench
from ...dynamics.spatial import rotation_vectors, rotations
from ...errors import ConfigurationError
from ...robots.values import boolean, instance, number
from ..disturbances import ForcePulse
from ..estimation.sensor_log import SensorLog
from .ground import friction_on
from .impulse_equations import axes_on


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
        statuses: status of each command ("" for laws that give torques alone).
        fell: whether the robot fell: its base low or tilted, its feet deep in the ground, or a link
            on it that carries no contact.
        latency: (n,), what each tick took [s].
        pushes: what disturbed it.
        terrain: what it stood on.
        unsolved: how many steps' impulses of the ground are inexact (see `ground`).
        estimated_q, estimated_v: (n, nq), (n, nv), of the estimator; None without one.
        log: readings of the sensors; None without sensors, and in motions read from files.
        ended: when and why it ended before its time ("t = 1.2 s: the robot fell: …"), else "".

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
    estimated_q: Array | None = None
    estimated_v: Array | None = None
    log: SensorLog | None = None

    @cached_property
    def com(self) -> Array:
        """(n, 3), the centre of mass [m]."""
        return dynamics.batch.com(self.robot, self.q)

    @cached_property
    def touching(self) -> dict[str, NDArray[np.bool_]]:
        """{contact: (n,)}, whether the ground pushed it during the interval."""
        return {name: np.abs(f).sum(axis=(1, 2)) > 0 for name, f in self.forces.items()}

    @cached_property
    def friction_used(self) -> dict[str, Array]:
        """{contact: (n,)}, ‖(f_1/μ_1, f_2/μ_2)‖ / f_n of its whole force: 1 where it slides.

        nan in the air; infinite on ice that holds all the same. Normals and coefficients
        are the terrain's where it is known, else the contacts'.
        """
        return {contact.name: self._used(contact) for contact in self.contacts or ()}

    def _used(self, contact: Contact) -> Array:
        force, (axes, mu) = self.forces[contact.name].sum(axis=1), self.friction_axes(contact)
        return friction_used(np.einsum("nij,ni->nj", axes, force), mu, weight(self.robot))

    def friction_axes(self, contact: Contact) -> tuple[Array, Array]:
        """Return the axes of a contact's friction cone, (n, 3, 3), and μ along two of them (n, 2).

        Columns t₁, t₂, n in world axes. Where the terrain is known they are at its surface, and so
        is μ if it has its own.
        """
        instance(contact, "contact", Contact)  # type: ignore[type-abstract]
        own = np.broadcast_to(ContactLimits.of([contact]).friction[:1], (len(self), 2))
        axes = np.array([contact.pose(self.robot, q).rotation for q in self.q])
        if self.terrain is None:
            return axes, own
        places = np.array([contact.world_points(self.robot, q).mean(axis=0) for q in self.q])
        axes = axes_on(self.terrain.normal(places), axes[:, :, 0])
        return axes, friction_on(self.terrain, places, own)

    @cached_property
    def estimate_errors(self) -> dict[str, Array]:
        """Errors of the estimator, each (n, 3), world axes.

        {"position" [m], "orientation": log(R̂ Rᵀ) [rad], "velocity" [m/s]} of the base.

        Raises:
            ConfigurationError: nothing was estimated.
        """
        if self.estimated_q is None or self.estimated_v is None:
            raise ConfigurationError("the motion has no estimates; expected some of an estimator")
        R, found = (rotations(q[:, 3:7]) for q in (self.q, self.estimated_q))
        between = found @ R.transpose(0, 2, 1)
        velocity = np.einsum("nij,nj->ni", R, self.v[:, :3])
        estimated = np.einsum("nij,nj->ni", found, self.estimated_v[:, :3])
        return {
            "position": self.estimated_q[:, :3] - self.q[:, :3],
            "orientation": rotation_vectors(between),
            "velocity": estimated - velocity,
        }

    @cached_property
    def drift(self) -> float:
        """Error of the estimated final position, as a share of the distance covered along the
        ground; nan if that is less than the robot's height.

        Raises:
            ConfigurationError: nothing was estimated.
        """
        way = float(np.linalg.norm(np.diff(self.q[:, :2], axis=0), axis=1).sum())
        off = float(np.linalg.norm(self.estimate_errors["position"][-2, :2]))
        return off / way if way > self.com[0, 2] else np.nan

    def margins(self, every: float = 0.1, torque_limits: bool = False) -> tuple[Array, Array]:
        """Return times [s] and the margins of `contacts.contact_forces` there [N].

        At each time, by how much less each touching contact could press with the same motion; −inf
        in flight. What did not come from the ground, such as pushes, counts as given.

        Args:
            every: from one time to the next [s].
            torque_limits: whether the motors' limits count too.

        Raises:
            ConfigurationError: an `every` that is no positive time.
        """
        rows, torque_limits = self._rows(every), boolean(torque_limits, "torque_limits")
        return self.t[rows], np.array([self._margin(i, torque_limits) for i in rows])

    def _margin(self, i: int, torque_limits: bool) -> float:
        names = [name for name, touches in self.touching.items() if touches[i]]
        if self.contacts is None or not names:
            return -np.inf
        standing = [self.contacts[name] for name in names]
        q, v, a, left = self.q[i], self.v[i], self.accelerations[i], self.not_by_ground[i]
        rest = {self.robot.base_joint: Wrench(left[:3], left[3:], self.com[i])}
        return float(contact_forces(self.robot, q, v, a, standing, rest, torque_limits).margin)

    @cached_property
    def not_by_ground(self) -> Array:
        """(n, 6), [force; moment about the centre of mass] that the motion took and the ground did
        not give, world axes [N, N·m]: pushes, and errors of the order of the step."""
        robot, q = self.robot, self.q
        taken = dynamics.batch.inverse_dynamics(robot, q, self.v, self.accelerations)
        left, com = about_com(robot, q, taken), self.com[:, None]
        for contact in self.contacts or ():
            forces = self.forces[contact.name]
            arms = np.array([contact.world_points(robot, x) for x in q]) - com
            left[:, :3] -= forces.sum(axis=1)
            left[:, 3:] -= np.cross(arms, forces).sum(axis=1)
        return left

    def collisions(self, every: float = 0.05) -> tuple[Collision, ...]:
        """Return which links ran into each other or into the terrain, and when.

        Nothing prevents this, as only the points of the contacts collide in a closed loop. For the
        shapes that count see `contacts.self_collisions`, `contacts.penetrations`.

        Args:
            every: how often to look [s].

        Raises:
            ConfigurationError: an `every` that is no positive time.
        """
        found: list[Collision] = []
        rows = self._rows(every)
        if not self.robot.has_collision_shapes:
            return ()
        for i in rows:
            t, q = float(self.t[i]), self.q[i]
            found += [Collision(t, pair) for pair in self_collisions(self.robot, q)]
            if self.terrain is not None:
                found += [Collision(t, link) for link in penetrations(self.robot, q, self.terrain)]
        return tuple(found)

    def _rows(self, every: float) -> list[int]:
        """Samples about `every` seconds apart; the last sample has no interval and is left out."""
        every = number(every, "every", above=0, unit="[s]")
        step = max(1, round(every / max(self.duration / max(len(self) - 1, 1), 1e-12)))
        return list(range(0, len(self) - 1, step))
