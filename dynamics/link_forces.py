"""Forces and moments on links: their generalised forces, and the derivatives of these by q.

Some turn with their link, others stay in the world. A wrench w on a link gives S_j·w to each motion
j that carries it. The motion k moves the axes S_j that it carries, by S_k × S_j, and w by S_k ×* w
where it turns with the link. With F_j the sum of the wrenches that the motion j carries that is

    ∂(Σ S_j·w)/∂q_k = S_j·(S_k ×* F_k)   of wrenches that turn, where k does not carry j
                      S_k·(S_j ×* F_j)   of those that stay in the world, where k carries j

and ω_j·(u_k × f) more where the point at which a force f acts moves with its link, by u_k.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..arrays import Array, Index
from ..errors import ConfigurationError
from ..robots.robot import Robot
from .kernels.rnea_gradient import AT_BODY, AT_PLACE, TURNING
from .loads import check_wrenches, world_wrench
from .spatial import cross, skew
from .state import State
from .topology import carried_by, frames_of, moved_by
from .wrench import Wrench

_HERE = np.eye(3, 4)


class LinkForces(NamedTuple):
    """Forces and moments on links in a state.

    Attributes:
        joints: (L,), that carry the links, Pinocchio's indices.
        wrenches: (L, 6), [f; m] about the world's origin, world axes.
        points: (L, 3), where they act now, world; of what turns with its link, any.
        stays: (L,), what of a force stays as the robot moves, see `LinkPlaces`.
    """

    joints: Index
    wrenches: Array
    points: Array
    stays: Index

    def generalised(self, state: State) -> Array:
        """Return Σ Jᵀw (nv,)."""
        carried = carried_by(state.robot)[self.joints]
        return np.asarray(((self.wrenches @ state.joint_columns) * carried).sum(axis=0))

    def derivative(self, state: State) -> Array:
        """Return ∂(Σ Jᵀw)/∂q (nv, nv)."""
        S, moved, w = state.joint_columns, moved_by(state.robot), self.wrenches
        carried, turning = carried_by(state.robot)[self.joints], self.stays == TURNING
        turned = moved_forces(S, w[turning].T @ carried[turning])
        change = np.asarray((S.T @ turned) * (moved.T & ~moved))
        if not turning.all():
            still = ~turning
            change += (moved_forces(S, w[still].T @ carried[still]).T @ S) * moved
        for i in np.flatnonzero(self.stays == AT_BODY):
            own = S * carried[i]
            u = own[:3] - skew(self.points[i]) @ own[3:]
            change -= own[3:].T @ skew(w[i, :3]) @ u
        return change


class LinkPlaces(NamedTuple):
    """Where forces act on links, and what of them stays as the robot moves.

    Attributes:
        joints: (L,), that carry the links, Pinocchio's indices.
        frames: (L, 3, 4), [R, p] of a frame on each in the axes of its joint.
        stays: (L,), TURNING: nothing, force and moment turn with the link, and are given in the
            axes of the frame about its origin; AT_BODY: force and moment stay, at the frame's
            origin; AT_PLACE: their point stays as well, they are given about the world's origin.
            Both are given in world axes.
    """

    joints: Index
    frames: Array
    stays: Index

    @classmethod
    def of(cls, robot: Robot, wrenches: Mapping[str, Wrench] | None) -> tuple[LinkPlaces, Array]:
        """Return where external wrenches act, and their numbers (L, 6) there.

        Raises:
            ConfigurationError: no such frame, no `Wrench`, or one in the axes of a third frame.
        """
        every, frames = check_wrenches(robot, wrenches), frames_of(robot)
        own, numbers = np.empty((len(every), 3, 4)), np.empty((len(every), 6))
        stays = np.empty(len(every), dtype=np.int64)
        for k, (name, (i, wrench)) in enumerate(zip(wrenches or (), every, strict=True)):
            if wrench.axes not in ("world", "local", name):
                raise ConfigurationError(
                    f'wrenches[{name!r}]: got axes {wrench.axes!r}; expected "world" or "local" '
                    "here"
                )
            own[k], numbers[k] = frames.placement[i][:3], world_wrench(wrench, _HERE, _HERE)
            still = AT_BODY if wrench.point is None else AT_PLACE
            stays[k] = still if wrench.axes == "world" else TURNING
        joints = np.array([frames.joint[i] for i, _ in every], dtype=np.intp)
        return cls(joints, own, stays), numbers

    def forces(self, state: State, wrenches: Array) -> LinkForces:
        """Return wrenches (L, 6), given as `stays` says, as forces on links in a state."""
        axes, p = self._placed(state)
        world = (axes @ wrenches.reshape(-1, 2, 3, 1))[..., 0]
        world[:, 1] += cross(self._arms(p), world[:, 0].T).T
        return LinkForces(self.joints, world.reshape(-1, 6), p, self.stays)

    def twists(self, state: State, y: Array) -> Array:
        """Return the twists (L, 6) in a motion y (nv,) that those wrenches work along."""
        axes, p = self._placed(state)
        twists = (carried_by(state.robot)[self.joints] * y) @ state.joint_columns.T
        u, w = twists[:, :3], twists[:, 3:]
        u = u + cross(w.T, self._arms(p)).T
        local = np.stack([u, w], axis=1)[..., None, :] @ axes
        return np.asarray(local.reshape(-1, 6))

    def _arms(self, p: Array) -> Array:
        """From the world's origin to where numbers are about (3, L)."""
        return np.where(self.stays == AT_PLACE, 0.0, p.T)

    def _placed(self, state: State) -> tuple[Array, Array]:
        """Axes in which wrenches are given (L, 1, 3, 3), and origins of the frames (L, 3)."""
        T = state.joint_placements[self.joints]
        p = (T[:, :, :3] @ self.frames[:, :, 3:])[:, :, 0] + T[:, :, 3]
        axes = T[:, :, :3] @ self.frames[:, :, :3]
        axes[self.stays != TURNING] = np.eye(3)
        return axes[:, None], p


def external_forces(state: State, wrenches: Mapping[str, Wrench] | None) -> LinkForces | None:
    """Return external wrenches as forces on links; None if there are none.

    Raises:
        ConfigurationError: as for `LinkPlaces.of`.
    """
    if not wrenches:
        return None
    places, numbers = LinkPlaces.of(state.robot, wrenches)
    return places.forces(state, numbers)


# products of S ×* F = [ω × f; v × f + ω × m], rows of S, rows of F, and where they are added up
_PRODUCTS = np.array(
    [
        (out + k, p + (k + a) % 3, q + (k + b) % 3, sign)
        for out, p, q in ((0, 3, 0), (3, 0, 0), (3, 3, 3))
        for k in range(3)
        for a, b, sign in ((1, 2, 1), (2, 1, -1))
    ]
)
_ADDED = (np.arange(6)[:, None] == _PRODUCTS[:, 0]) * _PRODUCTS[:, 3].astype(float)


def moved_forces(S: Array, F: Array) -> Array:
    """Return S ×* F (6, n) of motions and wrenches (6, n): [ω × f; v × f + ω × m]."""
    return np.asarray(_ADDED @ (S.take(_PRODUCTS[:, 1], 0) * F.take(_PRODUCTS[:, 2], 0)))
