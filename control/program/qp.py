"""Quadratic program of one tick, in accelerations a (nv,) and forces w (dim,) of constraints.

minimise    ½ Σ_i weight_i (A_i a − r_i)² + ½ Σ_j d_j (a_j − p_j)² + ½ wᵀP w − sᵀw + ½ ‖Qᵀτ‖²
such that   M_u a + b_u = J_uᵀ w                     rows without an actuator
            J a = k                                  contacts stay where they are, closures closed
            F w ≤ 0,   lower ≤ w_n ≤ upper           friction by inner cones, normal forces
            torque_lower ≤ τ ≤ torque_upper          τ = M_act a + b_act − J_actᵀ w
            slowest ≤ a_act ≤ fastest                velocity and position limits
            L a ≥ least                              constraints of `control.constraints`

The last rows of J, B of B v = 0, and of w are those of the robot's closures: neither bounds nor
costs. Where loops have more motors than freedoms, ‖Qᵀτ‖² evens out what these do to each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array, Index


@dataclass(eq=False)
class Program:
    """The data; shapes as above.

    Attributes:
        M (nv, nv), b (nv,): mass matrix; bias, less τ_ext of known wrenches.
        J (dim, nv), k (dim,): contact Jacobian in contact axes, and right-hand side of J a = k.
        closures: how many of the rows of J, the last ones, are of closures.
        actuated, unactuated: rows of S, and the others.
        A (m, nv), r (m,), weight (m,): motion tasks.
        d (nv,), p (nv,): weights and targets of single accelerations.
        P (dim, dim), s (dim,): quadratic and linear term of the forces.
        F (c, dim): faces of the cones.
        N (C, dim), lower (C,), upper (C,): picks the normal forces; their bounds.
        torque_lower, torque_upper (na,): bounds of the torques, ∓inf without limit.
        slowest, fastest (na,): bounds of the actuated accelerations, ∓inf for none.
        L (i, nv), least (i,): rows of constraints, −inf for none.
        Q (na, p): orthogonal torques of motors against each other through closures, which move
            nothing, as long as the root of their weight.
    """

    M: Array
    b: Array
    J: Array
    k: Array
    actuated: Index
    unactuated: Index
    A: Array
    r: Array
    weight: Array
    d: Array
    p: Array
    P: Array
    s: Array
    F: Array
    N: Array
    lower: Array
    upper: Array
    torque_lower: Array
    torque_upper: Array
    slowest: Array
    fastest: Array
    Q: Array
    L: Array
    least: Array
    closures: int = 0

    @property
    def nv(self) -> int:
        """Size of a."""
        return len(self.b)

    @property
    def dim(self) -> int:
        """Size of w."""
        return len(self.k)

    @property
    def contact_dim(self) -> int:
        """How many of the rows of J, the first ones, are of contacts."""
        return self.dim - self.closures

    def torques(self, a: Array, w: Array) -> Array:
        """Return τ (na,) = S (M a + b − Jᵀw)."""
        return np.asarray((self.M @ a + self.b - self.J.T @ w)[self.actuated])

    def cost(self, a: Array, w: Array) -> float:
        """Return the objective."""
        e, p = self.A @ a - self.r, a - self.p
        tasks = e @ (self.weight * e) + p @ (self.d * p)
        uneven = self.Q.T @ self.torques(a, w)
        return float(0.5 * (tasks + w @ self.P @ w + uneven @ uneven) - self.s @ w)

    def rows(self, a: Array, w: Array, tau: Array) -> Array:
        """Return F w, N w, τ, L a and a_act, one below the other; (rows,), or (rows, k) of columns.

        In the order of `kernels.minimum.constraint_row`.
        """
        return np.concatenate([self.F @ w, self.N @ w, tau, self.L @ a, a[self.actuated]])

    def bounds(self) -> tuple[Array, Array]:
        """Return between what `rows` have to be: low (rows,), high (rows,)."""
        faces, endless = np.zeros(len(self.F)), np.full(len(self.least), np.inf)
        low = faces - np.inf, self.lower, self.torque_lower, self.least, self.slowest
        high = faces, self.upper, self.torque_upper, endless, self.fastest
        return np.concatenate(low), np.concatenate(high)

    # --- violation of the constraints, in SI units -------------------------------

    def violations(self, a: Array, w: Array) -> dict[str, float]:
        """Return the largest violation of each kind of constraint, 0 where it holds.

        "dynamics" [N, N·m] of the rows without an actuator, "contacts" and "closures" [m/s²,
        rad/s²], "constraints" of L a ≥ least, "friction" [N] of the inner cones' faces, "normal
        force" [N], "torques" [N·m], "joint limits" [rad/s²].
        """
        left = (self.M @ a + self.b - self.J.T @ w)[self.unactuated]
        normal, joints, kept = self.N @ w, a[self.actuated], np.abs(self.J @ a - self.k)
        tau = self.torques(a, w)
        return {
            "dynamics": _largest(np.abs(left)),
            "contacts": _largest(kept[: self.contact_dim]),
            "closures": _largest(kept[self.contact_dim :]),
            "constraints": _largest(self.least - self.L @ a),
            "friction": _largest(self.F @ w),
            "normal force": _largest(np.concatenate([self.lower - normal, normal - self.upper])),
            "torques": _largest(np.concatenate([self.torque_lower - tau, tau - self.torque_upper])),
            "joint limits": _largest(
                np.concatenate([self.slowest - joints, joints - self.fastest])
            ),
        }


@dataclass(eq=False)
class Reduced:
    """The program without its equations: a = a₀ + Z_a y, w = w₀ + Z_w y, with any y.

        minimise ½ yᵀH y + gᵀy   such that   low ≤ C y ≤ high

    Rows of C: those of `Program.rows`, with or without the accelerations of joints.
    """

    a0: Array
    w0: Array
    Za: Array
    Zw: Array
    H: Array
    g: Array
    C: Array
    low: Array
    high: Array
    T: Array
    t0: Array

    def point(self, y: Array) -> tuple[Array, Array, Array]:
        """Return a (nv,), w (dim,) and τ (na,) of y."""
        return self.a0 + self.Za @ y, self.w0 + self.Zw @ y, self.t0 + self.T @ y


class Outcome(NamedTuple):
    """What came of a program.

    Attributes:
        point: a (nv,), w (dim,) and τ (na,) of its minimum; None where none was found.
        status: "optimal", or why there is none.
        iterations: of the solver.
    """

    point: tuple[Array, Array, Array] | None
    status: str
    iterations: int = 0


def reduced(program: Program, solutions: Any, accelerations: bool) -> Reduced:
    """Return the program on the solutions (a₀, w₀, Z_a, Z_w) of its equations.

    Args:
        program: the tick's.
        solutions: of the equations, as `null_space.solutions` gives them.
        accelerations: whether bounds on accelerations are among the rows.
    """
    a0, w0, Za, Zw = solutions
    act, P = program.actuated, program
    AZ, PZ, DZ = P.A @ Za, P.P @ Zw, P.d[:, None] * Za
    H = AZ.T @ (P.weight[:, None] * AZ) + Za.T @ DZ + Zw.T @ PZ
    g = AZ.T @ (P.weight * (P.A @ a0 - P.r)) + DZ.T @ (a0 - P.p) + Zw.T @ (P.P @ w0 - P.s)
    T = P.M[act] @ Za - P.J[:, act].T @ Zw
    t0 = P.torques(a0, w0)
    if P.Q.size:
        QT = P.Q.T @ T
        H, g = H + QT.T @ QT, g + QT.T @ (P.Q.T @ t0)
    C, at, (low, high) = P.rows(Za, Zw, T), P.rows(a0, w0, t0), P.bounds()
    kept = slice(0, len(C) if accelerations else len(C) - len(act))
    return Reduced(a0, w0, Za, Zw, H, g, C[kept], (low - at)[kept], (high - at)[kept], T, t0)


def _largest(excess: Array) -> float:
    return float(excess.max(initial=0.0))  # nan where there is one
