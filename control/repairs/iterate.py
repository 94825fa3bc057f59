"""Iterate: a motion with the forces of the ground, and all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...arrays import Array, Index
from ...contacts import Terrain
from ...contacts.loads_along import loads_along
from ...contacts.schedules.timed_loads import Load, with_loads
from ...contacts.torque_limits import TorqueBounds, torque_bounds_of
from ...dynamics.motions.motion import Motion
from ...robots.robot import Robot
from .corners import Corners, Placed
from .differences import Differences
from .equations import Linearised, Sampled, closed, force_points, linearised, residuals

AT_REST = 0.02  # speed of a corner that touches that counts as one [m/s]


@dataclass(frozen=True, eq=False)
class Derived:
    """q (n, nq) -> v, a (n, nv), as `Motion.of` derives them at the times of a motion."""

    motion: Motion

    def __call__(self, q: Array) -> tuple[Array, Array]:
        """Return v and a."""
        there = Motion.of(self.motion.robot, self.motion.t, q, cutoff=None)
        return there.v, there.a

    def part(self, rows: slice) -> Derived:
        """Return the same at some samples."""
        return Derived(part_of(self.motion, rows))


@dataclass(frozen=True, eq=False)
class Loads:
    """τ_ext (n, nv) of a schedule's loads and of wrenches, as `contacts.audit` takes them."""

    motion: Motion
    carried: tuple[Load, ...]
    wrenches: Any

    def __call__(self, x: Sampled) -> Array:
        """Return τ_ext along a changed motion; what is carried is accelerated by it."""
        moved = replace(self.motion, q=x.q, v=x.v, a=x.a)
        external, still = with_loads(moved, self.carried, self.wrenches), np.zeros(x.v.shape)
        if external is None:
            return still
        both = (loads_along(moved.robot, x.q, still, still, w) for w in (external, None))
        return np.asarray(np.subtract(*both))

    def part(self, rows: slice) -> Loads:
        """Return the same at some samples."""
        cut = partial(_cut, rows=rows, count=len(self.motion))
        given = self.wrenches
        some = {k: cut(w) for k, w in given.items()} if isinstance(given, Mapping) else cut(given)
        return Loads(part_of(self.motion, rows), self.carried, some)


def part_of(motion: Motion, rows: slice) -> Motion:
    """Return some samples of a motion."""
    return replace(motion, **{name: getattr(motion, name)[rows] for name in ("t", "q", "v", "a")})


def _cut(given: Any, rows: slice, count: int) -> Any:
    """Rows of an array that has one for each sample; anything else as it is."""
    many = isinstance(given, np.ndarray | list) and np.ndim(given) == 2 and len(given) == count
    return np.asarray(given)[rows] if many else given


@dataclass(frozen=True, eq=False)
class Bounds:
    """v (n, nv) -> bounds of the torques, as `contacts.batch.contact_forces` takes them."""

    robot: Robot
    torque_limits: Any
    count: int

    def __call__(self, v: Array) -> TorqueBounds:
        """Return the bounds, (na,) or (n, na)."""
        return torque_bounds_of(self.robot, self.torque_limits, v, many=True)

    def part(self, rows: slice) -> Bounds:
        """Return the same at some samples."""
        cut = partial(_cut, rows=rows, count=self.count)
        given = self.torque_limits
        some = tuple(map(cut, given)) if isinstance(given, tuple) else cut(given)
        return replace(self, torque_limits=some)


@dataclass(frozen=True, eq=False)
class Problem:
    """What stays the same while a motion is repaired.

    Attributes:
        robot, corners: who moves, and what touches when.
        places: (n, K, 3), where the corners stand; nan where they do not touch.
        terrain: the ground.
        differences: derivatives of small changes.
        derivatives: q -> v, a: those that the audit will take.
        loads: q, v, a -> τ_ext.
        bounds: v -> bounds of torques.
        margin: of every contact's normal force [N].
        closed: E (n, nv, nv), see `equations.carried`; None without closures.
    """

    robot: Robot
    corners: Corners
    places: Array
    terrain: Terrain
    differences: Differences
    derivatives: Derived
    loads: Loads
    bounds: Bounds
    margin: float
    closed: Array | None = None

    def part(self, rows: slice) -> Problem:
        """Return the same problem at some samples."""
        return replace(
            self,
            corners=self.corners.part(rows),
            places=self.places[rows],
            differences=Differences.of(rows.stop - rows.start, self.derivatives.motion.rate),
            derivatives=self.derivatives.part(rows),
            loads=self.loads.part(rows),
            bounds=self.bounds.part(rows),
            closed=None if self.closed is None else self.closed[rows],
        )

    @cached_property
    def moved(self) -> Index:
        """Entries of a change that are free: joints of closures go on as they were."""
        return np.setdiff1d(np.arange(self.robot.nv), self.robot._closure_rows.columns)

    @cached_property
    def calm(self) -> Differences:
        """Differences of three samples, for the smoothness of a change: few couple few."""
        return Differences.of_three(len(self.places), self.derivatives.motion.rate)

    @cached_property
    def free_rows(self) -> Index:
        """Rows of the equations of motion without a motor."""
        return np.flatnonzero(~self.robot.selection_matrix.any(axis=0))

    @cached_property
    def units(self) -> Array:
        """(rows,), a force and a moment that count as one, for `free_rows` [N, N·m]."""
        lengths = np.where(self.free_rows < 3, 1.0, 0.2) if self.robot.is_floating else 0.2
        return np.asarray(self.robot.weight * lengths * np.ones(len(self.free_rows)))

    @cached_property
    def least_normal(self) -> Array:
        """(n, K), of each corner, so that its foot keeps the margin [N]."""
        owners, touching = self.corners.owner, self.corners.touching
        shares = touching * self.corners.shares
        whole = np.stack([shares[:, owners == own].sum(axis=1) for own in owners], axis=1)
        return self.margin * shares / np.where(whole > 0, whole, 1.0)


@dataclass(frozen=True, eq=False)
class Iterate:
    """A motion and forces.

    Attributes:
        problem: what stays.
        q: (n, nq).
        forces: (n, K, 3), world axes [N].
    """

    problem: Problem
    q: Array
    forces: Array

    def part(self, rows: slice) -> Iterate:
        """Return some samples."""
        return Iterate(self.problem.part(rows), self.q[rows], self.forces[rows])

    @cached_property
    def sampled(self) -> Sampled:
        """With v and a."""
        return Sampled(self.q, *self.problem.derivatives(self.q), self.forces)

    @cached_property
    def placed(self) -> Placed:
        """Where the corners are."""
        return self.problem.corners.at(self.q)

    @cached_property
    def loads(self) -> Array:
        """τ_ext (n, nv)."""
        return self.problem.loads(self.sampled)

    @cached_property
    def residual(self) -> Array:
        """(n, nv), of the equations of motion: in actuated rows the torques."""
        points, E = force_points(self.problem.corners, self.placed), self.problem.closed
        r = residuals(self.problem.robot, self.sampled, self.loads, points)
        return r if E is None else np.asarray((E @ r[:, :, None])[:, :, 0])

    @cached_property
    def linear(self) -> Linearised:
        """The equations of motion nearby."""
        found = linearised(self.problem.corners, self.placed, self.sampled, self.loads)
        return found if self.problem.closed is None else closed(found, self.problem.closed)

    @cached_property
    def torques(self) -> Array:
        """(n, na)."""
        return self.residual[:, self.problem.robot.actuated_rows]

    @cached_property
    def lacking(self) -> Array:
        """(n,), norm of what forces and moments lack, in the problem's units."""
        rows = self.residual[:, self.problem.free_rows] / self.problem.units
        return np.asarray(np.linalg.norm(rows, axis=1))

    @cached_property
    def off(self) -> Array:
        """(n, K, 3), from where corners stand to where they are, 0 where they do not touch [m]."""
        return np.nan_to_num(self.placed.places + self.problem.corners.drop - self.problem.places)

    @cached_property
    def landing(self) -> float:
        """Σ ‖ṗ/u‖² of corners that touch while samples are read at which they do not."""
        rates = self.landings[2]
        return float(((rates / AT_REST) ** 2).sum())

    @cached_property
    def landings(self) -> tuple[Index, Index, Array]:
        """Samples and corners (m,) at which differences read others, not touching; ṗ (m, 3)."""
        on, d = self.problem.corners.touching, self.problem.differences
        k, c = np.nonzero(on & ~on[d.taps].all(axis=1))
        return k, c, d.derivatives(self.placed.places)[0][k, c]

    @cached_property
    def heights(self) -> Array:
        """(n, K), of all corners above the ground [m]."""
        return self.problem.terrain.signed_distance(self.placed.places + self.problem.corners.drop)
