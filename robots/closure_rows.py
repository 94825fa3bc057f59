"""Rows of a robot's closures: e(q) and J_c, with the joints that carry them as arrays."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ..arrays import Array, Index
from ..errors import ModelError
from .closures import OPEN, JointCoupling, LoopClosure, coupling_law, loop_error

_ROUGH, _ZERO = 2e-3, 1e-12  # of singular values: what digits of axes may leave; what doubles do
_CROSS = np.cross(np.eye(3)[:, None], np.eye(3)).transpose(1, 2, 0).reshape(3, 9)


class OneJoint(NamedTuple):
    """A joint of one degree of freedom.

    Attributes:
        entry: of q; row: of v.
        is_pair: whether q has the (cos, sin) of its angle.
    """

    entry: int
    row: int
    is_pair: bool

    def position(self, q: Array) -> float:
        """Return its position at q (nq,) [rad or m]."""
        i = self.entry
        return float(np.arctan2(q[i + 1], q[i]) if self.is_pair else q[i])


class Coupled(NamedTuple):
    """A coupling, its row of e, the joint that follows, and the one that leads, if any."""

    coupling: JointCoupling
    row: int
    joint: OneJoint
    leader: OneJoint | None


class ClosureRows:
    """Where the closures of a robot sit on its joints, and their rows, as arrays.

    Args:
        robot: whose closures.

    Raises:
        ConfigurationError: a frame or joint that the robot does not have.
        ModelError: a coupling of joints with several degrees of freedom.
    """

    def __init__(self, robot: Any) -> None:
        closures = robot.closures
        self.robot, self.nv = robot, robot.nv
        starts = np.cumsum([0, *(closure.dim for closure in closures)]).tolist()
        self.slices = [slice(*pair) for pair in pairwise(starts)]
        self.dim = starts[-1]
        pairs = list(zip(closures, self.slices, strict=True))
        self.loops = [(c, rows) for c, rows in pairs if isinstance(c, LoopClosure)]
        self.couplings = [
            Coupled(c, rows.start, _one_dof(robot, c.joint), _one_dof(robot, c.leader))
            for c, rows in pairs
            if isinstance(c, JointCoupling)
        ]
        self.turning = [c.row for c in self.couplings if c.joint.is_pair]
        self._place_loops()
        self.along: Array | None = None
        self.along = self._along()

    def _place_loops(self) -> None:
        """Set the joints (K, 2) that carry the ends of the loops, and where (K, 2, 4, 4), the
        motions that move one end but not the other (K, nv), and which of the 6 rows of each loop
        (the `chosen`) go where (`at`)."""
        model, count = self.robot._model, len(self.loops)
        ends = [[(c.frame_1, c.placement_1), (c.frame_2, c.placement_2)] for c, _ in self.loops]
        placed = [
            [(model.frames[self.robot.frame_id(frame)], T) for frame, T in pair] for pair in ends
        ]
        joints = [[frame.parentJoint for frame, _ in pair] for pair in placed]
        places = [[(frame.placement * T).homogeneous for frame, T in pair] for pair in placed]
        self.joints = np.array(joints, dtype=int).reshape(count, 2)
        self.ends = np.array(places).reshape(count, 2, 4, 4)
        owners = np.repeat(np.arange(model.njoints), model.nvs)
        carried = np.array([np.isin(owners, list(above)) for above in model.supports], dtype=float)
        self.carried = carried[self.joints[:, 1]] - carried[self.joints[:, 0]]
        rows = [6 * k + i for k, (c, _) in enumerate(self.loops) for i in range(c.dim)]
        self.chosen = np.array(rows, dtype=np.intp)
        own = [np.arange(rows.start, rows.stop) for _, rows in self.loops]
        self.at = np.concatenate([np.zeros(0, dtype=np.intp), *own])

    @cached_property
    def columns(self) -> Index:
        """The entries of v that move any closure."""
        coupled = [end.row for c in self.couplings for end in (c.joint, c.leader) if end]
        return np.union1d(np.flatnonzero(self.carried.any(axis=0)), np.array(coupled, dtype=int))

    @cached_property
    def moving(self) -> Index:
        """The same but for those of a floating base."""
        return np.asarray(self.columns[self.columns >= 6 * self.robot.is_floating])

    def places(self, T: Array) -> Array:
        """Return the ends (K, 2, 3, 4) in the world, for placements (njoints, 3, 4) of joints."""
        return np.asarray(T[self.joints] @ self.ends)

    def error(self, q: Array, T: Array) -> Array:
        """Return e (dim,) [m, rad]."""
        e = np.zeros(self.dim)
        for (closure, rows), (end_1, end_2) in zip(self.loops, self.places(T), strict=True):
            axes = end_1[:, :3].T
            e[rows] = loop_error(closure, axes @ end_2[:, :3], axes @ (end_2[:, 3] - end_1[:, 3]))
        for coupling, row, joint, leader in self.couplings:
            x = leader.position(q) if leader else 0.0
            e[row] = joint.position(q) - coupling.joint_at - coupling_law(coupling, x)[0]
        turns = e[self.turning] + np.pi  # (cos, sin) knows angles but for whole turns
        e[self.turning] = np.remainder(turns, 2 * np.pi) - np.pi
        return e if self.along is None else self.along @ e

    def jacobian(self, q: Array, T: Array, S: Array) -> Array:
        """Return J_c (dim, nv).

        Args:
            q: (nq,).
            T: (njoints, 3, 4), placements of the joints.
            S: (6, nv), columns [v; ω] of the joints about the world's origin.
        """
        J, places = np.zeros((self.dim, self.nv)), self.places(T)
        # body 2 against body 1 at end 2: v_2 − v_1 − ω_1 × (p_2 − p_1)
        D = S * self.carried[:, None]
        p, axes = places[:, 1, :, 3], places[:, 0, :, :3].transpose(0, 2, 1)
        D[:, :3] += (p @ _CROSS).reshape(-1, 3, 3) @ D[:, 3:]
        seen = axes[:, None] @ D.reshape(len(D), 2, 3, self.nv)
        J[self.at] = seen.reshape(-1, self.nv)[self.chosen]
        for coupling, row, joint, leader in self.couplings:
            J[row, joint.row] = 1.0
            if leader:
                J[row, leader.row] -= coupling_law(coupling, leader.position(q))[1]
        return J if self.along is None else self.along @ J

    def _along(self) -> Array | None:
        """P (dim, dim), which leaves out what moves by rounding alone; None where nothing does.

        In a plane the axes of hinges are as parallel as the file's digits make them, "1.57" for
        π/2, and its points as near to the plane: what is across it is no constraint, as long as it
        closes to a millimetre.
        """
        model, rng, P = self.robot._model, np.random.default_rng(0), np.eye(self.dim)
        data, start = model.createData(), pin.neutral(model)
        places = [pin.integrate(model, start, rng.uniform(-1, 1, self.nv)) for _ in range(3)]
        at = [self.at_q(q, data) for q in places]
        e, J = np.stack([e for e, _ in at], axis=1), np.hstack([J for _, J in at])
        for _, rows in self.loops:
            for first, stop in ((rows.start, rows.start + 3), (rows.start + 3, rows.stop)):
                own = slice(first, stop)  # of one unit: velocities, then angular ones
                U, s, _ = np.linalg.svd(J[own], full_matrices=False)
                sizes = s / max(s.max(initial=0.0), 1e-300) if first == rows.start else s
                W, rough = U[:, sizes < _ROUGH], (sizes < _ROUGH) & (sizes > _ZERO)
                gap = np.abs(W.T @ e[own]).max(initial=0.0)  # across, in any posture
                if gap < OPEN and (rough.any() or gap > _ZERO):
                    P[own, own] -= W @ W.T
        return None if np.array_equal(P, np.eye(self.dim)) else P

    def at_q(self, q: Array, data: Any) -> tuple[Array, Array]:
        """Return e and J_c at q, by Pinocchio."""
        pin.computeJointJacobians(self.robot._model, data, q)
        return self.of(q, data)

    def of(self, q: Array, data: Any) -> tuple[Array, Array]:
        """Return the same where a `pin.Data` has the joints' Jacobians at q already."""
        if not self.dim:
            return np.zeros(0), np.zeros((0, self.nv))
        T = np.array([place.homogeneous[:3] for place in data.oMi])
        return self.error(q, T), self.jacobian(q, T, np.array(data.J).reshape(6, self.nv))

    def worst(self, e: Array) -> tuple[str, float]:
        """Return which closure is open most, and by how much [m or rad]."""
        each = [float(np.abs(e[rows]).max()) for rows in self.slices]
        k = int(np.argmax(each))
        return self.robot.closures[k].name, each[k]


def _one_dof(robot: Any, joint: str | None) -> Any:
    """Return the `OneJoint` of a name; None without one."""
    if joint is None:
        return None
    own = robot._model.joints[robot.joint_id(joint)]
    if own.nv != 1:
        raise ModelError(
            f"closure of joint {joint!r}: it has {own.nv} degrees of freedom, expected one"
        )
    return OneJoint(own.idx_q, own.idx_v, own.nq == 2)
