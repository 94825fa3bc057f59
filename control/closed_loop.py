"""ClosedLoop: the record of a simulated controller, with its forces and margins."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import dynamics
from ..contacts import ContactSet, contact_forces
from ..dynamics import Trajectory
from .disturbances import Push

Array = NDArray[np.float64]


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
    """

    contacts: ContactSet | None = None
    forces: dict[str, Array] = field(default_factory=dict)
    accelerations: Array = field(default_factory=lambda: np.zeros((0, 0)))
    stops: Array = field(default_factory=lambda: np.zeros((0, 0)))
    statuses: tuple[str, ...] = ()
    fell: bool = False
    latency: Array = field(default_factory=lambda: np.zeros(0))
    pushes: tuple[Push, ...] = ()

    @cached_property
    def com(self) -> Array:
        """(n, 3), the centre of mass [m]."""
        return np.array([dynamics.com(self.robot, q) for q in self.q])

    @cached_property
    def touching(self) -> dict[str, NDArray[np.bool_]]:
        """{contact: (n,)}, whether the ground pushed it during the interval."""
        return {name: np.abs(f).sum(axis=(1, 2)) > 0 for name, f in self.forces.items()}

    def margins(self, every: float = 0.1) -> tuple[Array, Array]:
        """Return times [s] and the margins of `contacts.contact_forces` there [N].

        At each time: the motion that took place, on the contacts that touched; −inf in flight.
        """
        step = max(1, round(every / max(self.duration / max(len(self) - 1, 1), 1e-12)))
        rows = range(0, len(self) - 1, step)
        return self.t[list(rows)], np.array([self._margin(i) for i in rows])

    def _margin(self, i: int) -> float:
        names = [name for name, touches in self.touching.items() if touches[i]]
        if self.contacts is None or not names:
            return -np.inf
        standing = [self.contacts[name] for name in names]
        wrenches = {push.frame: push.wrench for push in self.pushes if push.acts(self.t[i])}
        hold = contact_forces(
            self.robot, self.q[i], self.v[i], self.accelerations[i], standing, wrenches, False
        )
        return float(hold.margin)
