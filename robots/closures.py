"""Closures: constraints that close loops of a mechanism, between two bodies or two joints.

The joints of a robot are a tree; what closes its loops is e(q) = 0 besides, and

    M a + vᵀCv = Sᵀτ + τ_g + J_cᵀλ + …,        J_c v = 0,        J_c a + J̇_c v = 0

with multipliers λ without bounds: of a loop the force [N] and moment [N·m] of body 1 on body 2, in
the axes of its first end; of a coupling the torque along the joint that follows.

R. Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pinocchio as pin

from ..arrays import Array
from . import values

Kind = Literal["point", "hinge", "weld"]
_ROWS = {"point": 3, "hinge": 5, "weld": 6}
OPEN = 1e-3  # a closure that is further open than this does not close [m or rad]


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


def loop_error(closure: LoopClosure, R: Array, p: Array) -> Array:
    """Return e (dim,) of a loop whose second end is at (R, p) as seen from its first [m, rad]."""
    if closure.kind == "weld":
        return np.append(p, pin.log3(R))
    return np.append(p, [-R[1, 2], R[0, 2]])[: closure.dim]


def coupling_law(coupling: JointCoupling, x: float) -> tuple[float, float, float]:
    """Return Σ c_k (x − x_0)^k, its slope and its curvature."""
    law = np.polynomial.Polynomial(coupling.coefficients or (0.0,))
    at = x - coupling.leader_at
    return float(law(at)), float(law.deriv()(at)), float(law.deriv(2)(at))
