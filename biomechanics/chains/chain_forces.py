"""Joint wrenches and powers of a segment chain, in selectable axes and about any point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array
from ...errors import ConfigurationError, unknown
from ..series.vectors import dot, turn_back
from ..series.wrenches import WrenchSeries
from .joint_coordinates import joint_axes, projected
from .segment_motion import SegmentMotion
from .segment_tree import SegmentTree

AXES = ("world", "segment", "proximal", "joint")


@dataclass(frozen=True, eq=False, repr=False)
class ChainForces:
    """Wrenches of parents on children, over a trial.

    Joints are named after their distal segment: "foot" is the ankle if the foot's parent is the
    shank.

    Attributes:
        chain: of the segments.
        motion: in the order of the chain.
        wrenches: {joint: WrenchSeries}, parent on child, about the joint, world axes.
        residual: the remaining wrench: that of an unmeasured support on the root, or the residual
            of the equations of motion.
        residual_on: the segment on which it acts, about that segment's joint.
    """

    chain: SegmentTree
    motion: SegmentMotion
    wrenches: dict[str, WrenchSeries]
    residual: WrenchSeries
    residual_on: str

    @classmethod
    def about_joints(
        cls, chain: SegmentTree, motion: SegmentMotion, place: int, force: Array, moment: Array
    ) -> Self:
        """Return the wrenches of (n, k, 3) forces and moments; the first pair is the residual."""
        points = motion.points(chain.joints)
        wrenches = {
            name: WrenchSeries(force[:, j], moment[:, j], points[:, j])
            for j, name in enumerate(chain.names)
        }
        residual = WrenchSeries(force[:, 0], moment[:, 0], points[:, place])
        if place:  # the root has no parent
            nothing = np.zeros_like(force[:, 0])
            wrenches[chain.names[0]] = WrenchSeries(nothing, nothing, points[:, 0])
        else:
            wrenches[chain.names[0]] = residual
        return cls(chain, motion, wrenches, residual, chain.names[place])

    def __getitem__(self, joint: str) -> WrenchSeries:
        """Return the wrench of the parent on the child, about the joint, world axes.

        Raises:
            ConfigurationError: there is no such joint.
        """
        if joint not in self.wrenches:
            raise ConfigurationError(unknown("joint", joint, self.wrenches))
        return self.wrenches[joint]

    def force(self, joint: str, axes: str = "world") -> Array:
        """Return the force of the parent on the child (n, 3) [N].

        Args:
            joint: named after its child.
            axes: "world"; "segment", those of the child; "proximal", those of the parent; "joint",
                the projections on the axes of the joint's angles (`joint_coordinates`).

        Raises:
            ConfigurationError: no such joint or axes, or the root has no parent.
        """
        return self._in(joint, self[joint].force, axes)

    def moment(self, joint: str, axes: str = "world", point: ArrayLike | None = None) -> Array:
        """Return the moment of the parent on the child (n, 3) [N·m].

        `point` (n, 3) or (3,), world: reference point, by default the joint. Other arguments as in
        `force`.
        """
        wrench = self[joint] if point is None else self[joint].at(point)
        return self._in(joint, wrench.moment, axes)

    def power(self, joint: str, *, sliding: bool = True) -> Array:
        """Return the power of the joint's wrench on its two segments (n,) [W].

        M·(ω_child − ω_parent) + F·(v_child − v_parent), both velocities those of the bodies' points
        at the joint. For the root, the parent is the world at rest.

        Args:
            joint: named after its child.
            sliding: include the second term. Prismatic joints and the energy balance need it; for
                measured segments it multiplies soft-tissue motion by a large force.

        Raises:
            ConfigurationError: there is no such joint.
        """
        i, wrench = self.chain.index(joint), self[joint]
        omega, velocity = self._at(i, wrench.point)
        parent = self.chain.parents[i]
        if parent >= 0:
            omega_parent, velocity_parent = self._at(parent, wrench.point)
            omega, velocity = omega - omega_parent, velocity - velocity_parent
        power = dot(wrench.moment, omega)
        return power + dot(wrench.force, velocity) if sliding else power

    def _at(self, i: int, points: Array) -> tuple[Array, Array]:
        """Angular velocity of segment i, and velocity of its point that is at `points`."""
        omega = self.motion.omega[:, i]
        lever = points - self.motion.origin[:, i]
        return omega, self.motion.velocity[:, i] + np.cross(omega, lever)

    def _in(self, joint: str, vectors: Array, axes: str) -> Array:
        if axes not in AXES:
            raise ConfigurationError(unknown("axes", axes, AXES))
        if axes == "world":
            return vectors
        i = self.chain.index(joint)
        child = self.motion.R[:, i]
        if axes == "segment":
            return turn_back(child, vectors)
        if self.chain.parents[i] < 0:
            raise ConfigurationError(f"{joint!r} is the root and has no parent's axes")
        parent = self.motion.R[:, self.chain.parents[i]]
        if axes == "proximal":
            return turn_back(parent, vectors)
        return projected(joint_axes(parent, child), vectors)

    def closing(self) -> tuple[float, float]:
        """Return the largest residual force [N] and moment [N·m] of the trial."""
        sizes = [
            np.linalg.norm(x, axis=1).max() for x in (self.residual.force, self.residual.moment)
        ]
        return float(sizes[0]), float(sizes[1])

    def __repr__(self) -> str:
        force, moment = self.closing()
        return (
            f"ChainForces({list(self.wrenches)}, {len(self.motion)} frames; residual on "
            f"{self.residual_on!r}: up to {force:.3g} N, {moment:.3g} N·m)"
        )
