"""Saddle points of programs on the balance: optimal forces, and what each constraint costs.

    maximise cᵀe  subject to  A x + N e + h = −Sᵀτ,  x ∈ K,  |τ| ≤ limits

with a few unknowns e besides the forces x: the margin ε, or a push. The kernel `proximal` finds x,
e and the multipliers to rounding, and checks them; the conic solver is asked where it does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...errors import ContactError
from ..kernels.proximal import GENERATED
from ..limits import ContactLimits
from .programs import Equilibrium
from .solving import solve

Array = NDArray[np.float64]

# what a proof may leave open, in weights: above the rounding at which the kernel ends, far below
# the band in which verdicts are at the edge
_PROVEN = 1e-8


@dataclass(frozen=True, eq=False)
class Saddle:
    """Optimal forces and multipliers of the margin's program.

    Attributes:
        margin: ε [N].
        unknowns: x (n,), as in `Balance`, of what the cones are asked of [N].
        velocity: y = dε/dh (nv,): against it an infeasible robot falls, and one that holds would
            fall first.
        friction: (K, 2), dε/dμ along both tangents of each point [N].
    """

    margin: float
    unknowns: Array
    velocity: Array
    friction: Array


def solve_saddle(balance: Equilibrium, along: Array | None = None) -> Saddle:
    """Return the margin with its multipliers: the largest ε that A x + ε N + h = 0 allows.

    That of normal forces stays with the balance.

    Args:
        balance: of h by A x.
        along: N (nv,), what a unit of ε does to the robot; a normal force at every contact's centre
            if not given.

    Raises:
        ContactError: the margin is infinite.
    """
    if along is None:
        known = _of_normal_forces.get(balance)
        if known is None:
            extra_normal = balance.limits.presses.astype(float)
            known = _solved(balance, balance.normals.sum(axis=1), extra_normal)
            _of_normal_forces[balance] = known
        return known
    return _solved(balance, along, np.zeros(len(balance.limits.presses)))


_of_normal_forces: WeakKeyDictionary[Equilibrium, Saddle] = WeakKeyDictionary()


def _solved(balance: Equilibrium, N: Array, extra_normal: Array) -> Saddle:
    program = BlockProgram.of(balance, N[:, None], extra_normal[:, None])
    saddle = None if program is None else program.largest(np.ones(1))
    return _by_conic_solver(balance, N, extra_normal) if saddle is None else saddle


@dataclass(frozen=True, eq=False)
class BlockProgram:
    """Programs of a balance as the kernel takes them, in weights.

    Each point's force is a block (normal, two tangents, its moment), in the scaling in which its
    cone is Lorentz's; the last block are the unknowns e, which have no limits. Rows are equations
    of motion without a torque, then inequalities: torque limits, above and below, and what limits
    whole contacts.

    Attributes:
        balance: whose.
        A: (M, n), the rows on x as the balance has it.
        C: (M, K + 1, 4), the same on blocks.
        high: (M,), right-hand sides.
        equations: number of them.
        free: (K + 1,), blocks without a cone.
    """

    balance: Equilibrium
    A: Array
    C: Array
    high: Array
    equations: int
    free: NDArray[np.bool_]

    @classmethod
    def of(cls, balance: Equilibrium, columns: Array, extra_normal: Array) -> BlockProgram | None:
        """Return the programs with N (nv, e), e ≤ 4; None if the kernel does not solve these.

        Args:
            balance: of h by A x.
            columns: (nv, e), what a unit of each unknown does to the robot.
            extra_normal: (C, e), what it adds to each contact's normal force.
        """
        # in weights all numbers are near one, and one tolerance does for robots of any mass
        limits, w = balance.scaled_limits, balance.weight
        rough = np.isinf(limits.friction) & ~limits.bilateral[:, None]
        if rough.any():  # without a finite friction a cone is not Lorentz's
            return None
        limited = np.isfinite(balance.torque_limits)
        base, joints = balance.unactuated, balance.actuated[limited]
        most, h = balance.torque_limits[limited] / w, balance.load / w
        rows = np.concatenate([base, joints, joints])
        signs = np.ones(len(rows))
        signs[len(base) + len(joints) :] = -1.0
        whole = limits.whole_rows
        A = np.vstack([balance.columns[rows] * signs[:, None], whole.A])
        extra = np.vstack([columns[rows] * signs[:, None], whole.T @ extra_normal])
        high = np.concatenate([-h[base], most - h[joints], most + h[joints], whole.b])
        C = np.zeros((len(A), limits.point_count + 1, 4))
        C[:, :-1] = _in_blocks(limits, A * limits.scaling)
        C[:, -1, : columns.shape[1]] = extra
        return cls(balance, A, C, high, len(base), np.append(limits.bilateral, True))

    def largest(self, c: Array) -> Saddle | None:
        """Maximise cᵀe; return the saddle point, or None where it is not proved."""
        found = self.solve(c)
        if found is None:
            return None
        x, e, y = found
        balance, base = self.balance, self.equations
        velocity = np.zeros(len(balance.load))
        velocity[balance.unactuated] = y[:base]
        joints = balance.actuated[np.isfinite(balance.torque_limits)]
        upper, lower = y[base:][: 2 * len(joints)].reshape(2, -1)
        velocity[joints] = upper - lower  # the two sides of |τ| ≤ limit
        # stationarity in x, of which the cost is free: the cones' multipliers are −Aᵀy
        slopes = _friction_slopes(balance.limits, x, -(y @ self.A))
        return Saddle(float(c @ e), x, velocity, slopes)

    def solve(self, c: Array) -> tuple[Array, Array, Array] | None:
        """Maximise cᵀe; return x (n,) and e [N], and multipliers y (M,) of the rows, if proved."""
        limits, w = self.balance.limits, self.balance.weight
        blocks, cost = np.zeros(self.C.shape[1:]), np.zeros(self.C.shape[1:])
        cost[-1, : len(c)] = -c  # the kernel minimises
        y = np.zeros(len(self.C))
        arguments = self.C, self.high, self.equations, self.free, cost, blocks, y
        kernel = GENERATED.select(1)
        if kernel is not None:
            proof = kernel(*arguments)
        else:
            with GENERATED.uncompiled(1):
                proof = GENERATED.function(*arguments)
        if not proof <= _PROVEN:
            return None
        return w * limits.scaling * _from_blocks(limits, blocks), w * blocks[-1, : len(c)], y


def _in_blocks(limits: ContactLimits, rows: Array) -> Array:
    """Return rows on x (m, n) as rows on blocks (m, K, 4)."""
    K = limits.point_count
    blocks = np.zeros((len(rows), K, 4))
    blocks[:, :, [1, 2, 0]] = rows[:, : 3 * K].reshape(len(rows), K, 3)
    blocks[:, limits.first[limits.soft], 3] = rows[:, 3 * K :]
    return blocks


def _from_blocks(limits: ContactLimits, blocks: Array) -> Array:
    """Return x (n,) of blocks (≥ K, 4)."""
    forces = blocks[: limits.point_count, [1, 2, 0]].ravel()
    return np.append(forces, blocks[limits.first[limits.soft], 3])


def _by_conic_solver(balance: Equilibrium, N: Array, extra_normal: Array) -> Saddle:
    """The same by an interior-point method, to about the square root of its tolerance.

    Two variables that have to be zero, one added to the load and one to what the cones are asked
    of, have y and z as their multipliers, however the constraints are written.
    """
    import cvxpy as cp

    x, epsilon = balance.variable(), cp.Variable()
    shift, slack = cp.Variable(len(balance.load)), cp.Variable(max(x.size, 1))
    limits = balance.limits
    # cones apply to x + slack alone: those of `admissible` are opened to half-spaces
    rough = balance.with_limits(limits.with_friction(np.inf))
    given = balance.columns @ x + epsilon * N + shift
    zero = [shift == 0, slack == 0]
    constraints = [*rough.admissible(x, given, epsilon * extra_normal), *zero]
    if x.size:
        constraints += limits.cones(x + slack)
    solution = solve(cp.Problem(cp.Maximize(epsilon), constraints), x)
    if solution.unknowns is None:
        raise ContactError(
            f"hold: got a margin of {solution.value} N, expected a finite one: there is no slope"
        )
    y, z = (np.asarray(constraint.dual_value, dtype=float) for constraint in zero)
    w = balance.weight
    slopes = _friction_slopes(limits, solution.unknowns * w, z)
    return Saddle(solution.value * w, solution.unknowns * w, y, slopes)


def _friction_slopes(limits: ContactLimits, x: Array, z: Array) -> Array:
    """dε/dμ_i = s f_i²/(μ_i³ ‖M⁻¹f_t‖) (K, 2) [N], s being the multiplier of ‖M⁻¹f_t‖ ≤ f_n.

    As z_i = −s f_i/(μ_i² ‖M⁻¹f_t‖) it is −z_i f_i/μ_i. Along a tangent without friction f_i is zero
    and the slope to the right is |z_i| √(f_n² − (f_j/μ_j)²), along two ‖z_t‖ f_n for both.
    """
    f, z, mu = limits.forces(x), limits.forces(z)[:, :2], limits.friction
    smooth = mu == 0  # the formula divides by μ: the limit from the right is taken
    safe = np.where(smooth | np.isinf(mu), 1.0, mu)
    used = np.where(smooth, 0.0, f[:, :2] / safe)
    # forces on the cone's boundary leave −ε of rounding under the root
    left = np.sqrt(np.maximum(f[:, 2] ** 2 - (used**2).sum(axis=1), 0.0))
    length = np.linalg.norm(z, axis=1)
    share = np.abs(z) / np.where(length > 0, length, 1.0)[:, None]
    both = smooth.all(axis=1)[:, None]
    right = np.where(both, share**2 * (length * f[:, 2])[:, None], np.abs(z) * left[:, None])
    slopes = np.where(smooth, right, -z * used)
    free = np.isinf(mu) | limits.bilateral[:, None]
    return np.where(free, 0.0, slopes)
