"""Closures: constraints that close loops of a mechanism, between two bodies or two joints.

The joints of a robot are a tree; what closes its loops is e(q) = 0 besides, and

    M a + vᵀCv = Sᵀτ + τ_g + J_cᵀλ + …,        J_c v = 0,        J_c a + J̇_c v = 0

with multipliers λ without bounds: of a loop the force [N] and moment [N·m] of body 1 on body 2, in
the axes of its first end; of a coupling the torque along the joint that follows.

R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..arrays import Array, Index
from ..errors import ConfigurationError, ModelError, unknown
from . import values

Kind = Literal["point", "hinge", "weld"]
_ROWS = {"point": 3, "hinge": 5, "weld": 6}
OPEN = 1e-3  # a closure that is further open than this does not close [m or rad]
_ROUGH, _ZERO = 2e-3, 1e-12  # of singular values: what digits of axes may leave; what doubles do
_CROSS = np.cross(np.eye(3)[:, None], np.eye(3)).transpose(1, 2, 0).reshape(3, 9)
_CLOSED, _NEAR = 1e-13, 1e-11  # where Newton's method stops, and what rounding may leave of it


@dataclass(frozen=True, eq=False)
class LoopClosure:
    """Two ends, fixed to bodies, that stay together: their origins, and axes as its kind asks.

        e = [p; θ],     T_12 = T_1⁻¹ T_2 = (R, p),     J v = [velocity; angular velocity] of end 2
                                                       as seen from end 1, in the axes of end 1

    Attributes:
        name: of the closure.
        frame_1, frame_2: of the robot, that carry the ends; "universe" is the world.
        kind: "point" holds the origins together (3 rows: a ball joint), "hinge" the z axes too
            (5 rows, θ = (−R_yz, R_xz)), "weld" all axes (6 rows, θ = log R).
        placement_1, placement_2: `pin.SE3`, of the ends on their frames.
    """

    name: str
    frame_1: str
    frame_2: str
    kind: Kind = "point"
    placement_1: Any = field(default_factory=pin.SE3.Identity)
    placement_2: Any = field(default_factory=pin.SE3.Identity)

    def __post_init__(self) -> None:
        for name in ("name", "frame_1", "frame_2"):
            values.text(getattr(self, name), name)
        values.one_of(self.kind, "kind", get_args(Kind))
        for name in ("placement_1", "placement_2"):
            object.__setattr__(self, name, values.placement(getattr(self, name), name))

    @property
    def dim(self) -> int:
        """How many rows it has."""
        return _ROWS[self.kind]

    def __repr__(self) -> str:
        return f"LoopClosure({self.name!r}, {self.frame_1!r}, {self.frame_2!r}, {self.kind!r})"


@dataclass(frozen=True)
class JointCoupling:
    """A joint that follows another one, or stands still: gears, mimic joints, coupled fingers.

        e = y − y_0 − Σ_k c_k (x − x_0)^k

    Attributes:
        name: of the closure.
        joint: whose position is y.
        leader: whose position is x; None: y stays at y_0 + c_0.
        coefficients: (c_0, c_1, …).
        joint_at, leader_at: y_0, x_0 [rad or m].
    """

    name: str
    joint: str
    leader: str | None
    coefficients: tuple[float, ...] = (0.0, 1.0)
    joint_at: float = 0.0
    leader_at: float = 0.0
    dim = 1

    def __post_init__(self) -> None:
        values.text(self.name, "name"), values.text(self.joint, "joint")
        if self.leader is not None:
            values.text(self.leader, "leader")
        given = values.array(self.coefficients, "coefficients", (None,), meaning="c_0, c_1, …")
        object.__setattr__(self, "coefficients", tuple(given.tolist()))
        for name in ("joint_at", "leader_at"):
            object.__setattr__(self, name, values.number(getattr(self, name), name))


Closure = LoopClosure | JointCoupling


def apart(closure: LoopClosure, R: Array, p: Array) -> Array:
    """Return e (dim,) of a loop whose second end is at (R, p) as seen from its first [m, rad]."""
    if closure.kind == "weld":
        return np.append(p, pin.log3(R))
    return np.append(p, [-R[1, 2], R[0, 2]])[: closure.dim]


def follows(coupling: JointCoupling, x: float) -> tuple[float, float, float]:
    """Return Σ c_k (x − x_0)^k, its slope and its curvature."""
    law = np.polynomial.Polynomial(coupling.coefficients or (0.0,))
    at = x - coupling.leader_at
    return float(law(at)), float(law.deriv()(at)), float(law.deriv(2)(at))


class ClosureRows:
    """Where the closures of a robot sit on its joints, and their rows, as arrays.

    Args:
        robot: whose closures.

    Raises:
        ConfigurationError: a frame or joint that the robot does not have.
        ModelError: a coupling of joints with several degrees of freedom.
    """

    def __init__(self, robot: Any) -> None:
        model, closures = robot._model, robot.closures
        self.robot, self.nv = robot, robot.nv
        starts = np.cumsum([0, *(closure.dim for closure in closures)]).tolist()
        self.slices = [slice(*pair) for pair in pairwise(starts)]
        self.dim = starts[-1]
        pairs = list(zip(closures, self.slices, strict=True))
        self.loops = [(c, rows) for c, rows in pairs if isinstance(c, LoopClosure)]
        self.couplings = [
            (c, rows.start, _one_dof(robot, c.joint), c.leader and _one_dof(robot, c.leader))
            for c, rows in pairs
            if isinstance(c, JointCoupling)
        ]
        kinds = {c.name: model.joints[model.getJointId(c.joint)].nq for c, *_ in self.couplings}
        self.turning = [row for c, row, *_ in self.couplings if kinds[c.name] == 2]
        ends = [[(c.frame_1, c.placement_1), (c.frame_2, c.placement_2)] for c, _ in self.loops]
        frames = [[model.frames[robot.frame_id(frame)] for frame, _ in pair] for pair in ends]
        placed = [
            [frame.placement * T for frame, (_, T) in zip(*pair, strict=True)]
            for pair in zip(frames, ends, strict=True)
        ]
        count = len(self.loops)
        self.joints = np.array([[f.parentJoint for f in p] for p in frames], int).reshape(count, 2)
        self.ends = np.array([[T.homogeneous for T in p] for p in placed]).reshape(count, 2, 4, 4)
        carried = np.zeros((model.njoints, robot.nv))
        for j in range(1, model.njoints):
            for above in model.supports[j]:
                joint = model.joints[above]
                carried[j, joint.idx_v : joint.idx_v + joint.nv] = 1.0
        self.carried = carried[self.joints[:, 1]] - carried[self.joints[:, 0]]
        coupled = [at[1] for _, _, *both in self.couplings for at in both if at]
        moved = np.flatnonzero(self.carried.any(axis=0))
        self.columns = np.union1d(moved, np.array(coupled, dtype=np.intp))  # not always zero
        rows = [6 * k + i for k, (c, _) in enumerate(self.loops) for i in range(c.dim)]
        self.chosen = np.array(rows, dtype=np.intp)  # of the 6 of each loop
        own = [np.arange(rows.start, rows.stop) for _, rows in self.loops]
        self.at = np.concatenate([np.zeros(0, dtype=np.intp), *own])  # where they go
        self.along: Array | None = None
        self.along = self._along()

    def places(self, T: Array) -> Array:
        """Return the ends (K, 2, 3, 4) in the world, for placements (njoints, 3, 4) of joints."""
        return np.asarray(T[self.joints] @ self.ends)

    def error(self, q: Array, T: Array) -> Array:
        """Return e (dim,) [m, rad]."""
        e = np.zeros(self.dim)
        for (closure, rows), (end_1, end_2) in zip(self.loops, self.places(T), strict=True):
            axes = end_1[:, :3].T
            e[rows] = apart(closure, axes @ end_2[:, :3], axes @ (end_2[:, 3] - end_1[:, 3]))
        for coupling, row, (position, _), leader in self.couplings:
            x = leader[0](q) if leader else 0.0
            e[row] = position(q) - coupling.joint_at - follows(coupling, x)[0]
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
        for closure, row, (_, own), leader in self.couplings:
            J[row, own] = 1.0
            if leader:
                J[row, leader[1]] -= follows(closure, leader[0](q))[1]
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
        T = np.array([place.homogeneous[:3] for place in data.oMi])
        return self.error(q, T), self.jacobian(q, T, np.array(data.J).reshape(6, -1))

    @cached_property
    def moving(self) -> Index:
        """The entries of v that move any closure, but for those of a floating base."""
        moves = self.carried.any(axis=0)
        moves[: 6 * self.robot.is_floating] = False
        for _, _, (_, own), leader in self.couplings:
            moves[[own, leader[1]] if leader else own] = True
        return np.flatnonzero(moves)

    def worst(self, e: Array) -> tuple[str, float]:
        """Return which closure is open most, and by how much [m or rad]."""
        each = [float(np.abs(e[rows]).max()) for rows in self.slices]
        k = int(np.argmax(each))
        return self.robot.closures[k].name, each[k]


def _one_dof(robot: Any, joint: str) -> tuple[Any, int]:
    """Return the position of a joint as a function of q, and its row of v."""
    own = robot._model.joints[robot.joint_id(joint)]
    if own.nv != 1:
        raise ModelError(
            f"closure of joint {joint!r}: it has {own.nv} degrees of freedom, expected one"
        )
    i = own.idx_q
    if own.nq == 1:
        return (lambda q: float(q[i])), own.idx_v
    return (lambda q: float(np.arctan2(q[i + 1], q[i]))), own.idx_v  # (cos, sin)


def closed(robot: Any, q: Array, moving: Sequence[str] | None = None) -> Array:
    """Return the q (nq,) nearest to the given one with e(q) = 0: Newton's method, least steps.

        q ← q ⊕ −J_c⁺ e

    Args:
        robot: with closures, or without.
        q: configuration (nq,), checked.
        moving: joints that may move; None: those without a motor, or all joints where these do not
            suffice.

    Raises:
        ConfigurationError: it closes nowhere near.
    """
    if not robot.closures:
        return q.copy()
    rows, data = robot._closure_rows, robot._model.createData()
    idle = [n for n in robot.joint_names if n not in robot.actuated]
    # the base does not move loops, but those that end in the world
    tries = [idle, robot.joint_of_row] if moving is None else [moving]
    e, _ = rows.at_q(q, data)
    if np.abs(e).max() < _CLOSED:
        return q.copy()
    for joints in filter(None, tries):
        allowed = np.isin(robot.joint_of_row, list(joints))
        found, e = _newton(robot, q, allowed, rows, data)
        if np.abs(e).max() < _NEAR:
            return found
    name, by = rows.worst(e)
    raise ConfigurationError(
        f"{robot.name!r}: the closure {name!r} stays open by {by:.3g} [m or rad] near this q; "
        "expected a q from which its loops close"
    )


def _newton(
    robot: Any, q: Array, allowed: NDArray[np.bool_], rows: ClosureRows, data: Any
) -> tuple[Array, Array]:
    """Return the last q and its e; steps are at most 0.3 rad, and halved while e grows."""
    e, J = rows.at_q(q, data)
    for _ in range(100):
        size = np.abs(e).max()
        if size < _CLOSED:
            break
        step = -np.linalg.lstsq(J * allowed, e, rcond=1e-9)[0] * allowed
        step *= min(1.0, 0.3 / max(np.abs(step).max(), 1e-30))
        for _ in range(8):
            there = np.array(pin.integrate(robot._model, q, step))
            e_there, J_there = rows.at_q(there, data)
            if np.abs(e_there).max() < size:
                break
            step *= 0.5
        else:
            break  # as near as it gets: rounding, or a loop too short
        q, e, J = there, e_there, J_there
    return q, e


def check_closures(robot: Any) -> None:
    """Refuse closures of frames and joints that are not there, and one name twice.

    Raises:
        ConfigurationError, ModelError: what is wrong with which.
    """
    names = [closure.name for closure in robot.closures]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigurationError(f"closures: got the name {repeated[0]!r} twice, expected it once")
    for closure in robot.closures:
        for joint in ("joint", "leader"):
            name = getattr(closure, joint, None)
            if name is not None and name not in robot.joint_names:
                raise ConfigurationError(
                    f"closure {closure.name!r}: " + unknown("joint", name, robot.joint_names)
                )
    if robot.closures:
        ClosureRows(robot)
