"""Equations of a step's impulses: velocities of what touches, for impulses there, see `ground`.

    u = W λ + w,    W = J M⁻¹ Jᵀ,    w_k = J_k v_free + max(d_k/h, −RECOVERY) n

J has three rows for each point, of its velocity along S [t₁ t₂ n], and the third of three for each
joint stop. With M = L Lᵀ, and Q the orthonormal rows of what closures hold, in the metric of M,

    Y = J L⁻ᵀ (1 − QᵀQ),    W = Y Yᵀ,    J M⁻¹ = Y L⁻¹.

W is regularised: of the impulses on redundant points the least are taken. The tangents of stops,
and joints that closures hold, have no mobility, and are given some: no impulse comes of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...dynamics.kernels.gauss import cholesky, dot, solve_lower, solve_upper
from ...dynamics.kernels.toolchain import Kernel, read_only

REDUNDANT = 1e-9  # added to W's diagonal, as a share of its mean: redundant points make W singular
IDLE = 1e-14  # share of that mean below which a diagonal entry is zero
LOST = 1e-12  # squared length below which a tangent, projected on the ground, has no direction


class Tangents(NamedTuple):
    """Of each point (K): its joint, the first direction of friction, and whether this turns.

    joints: (K,). own: (K, 3), in the joint's axes where `turning` (K,), else in the world's.
    """

    joints: Index
    own: Array
    turning: NDArray[np.bool_]


class Places(NamedTuple):
    """What touches the ground: owner (m,), place and normal (m, 3), gap (m,), and μ (m, 2)."""

    owner: Index
    places: Array
    normals: Array
    gaps: Array
    friction: Array


class Ends(NamedTuple):
    """Joint stops that are reached: row of v, sign, and gap (s,)."""

    rows: Index
    signs: Array
    gaps: Array


def put_axes(n, t, mu, A):
    """Write S [t₁ t₂ n] into the columns of A, t₁ the part of t across n; return max(μ_1, μ_2)."""
    along = t[0] * n[0] + t[1] * n[1] + t[2] * n[2]
    x, y, z = t[0] - along * n[0], t[1] - along * n[1], t[2] - along * n[2]
    if x * x + y * y + z * z < LOST:
        first = abs(n[0]) < 0.9
        along = n[0] if first else n[1]
        x, y, z = -along * n[0], -along * n[1], -along * n[2]
        x, y = (x + 1.0, y) if first else (x, y + 1.0)
    size = np.sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    top = max(mu[0], mu[1])
    p, q = (mu[0] / top, mu[1] / top) if top > 0 else (1.0, 1.0)
    A[0, 0], A[1, 0], A[2, 0] = p * x, p * y, p * z
    A[0, 1] = q * (n[1] * z - n[2] * y)
    A[1, 1] = q * (n[2] * x - n[0] * z)
    A[2, 1] = q * (n[0] * y - n[1] * x)
    A[0, 2], A[1, 2], A[2, 2] = n[0], n[1], n[2]
    return top


def put_rows(S, moved, A, p, rows):
    """Write Aᵀ (v + ω × p) of the columns [v; ω] of S that move a point at p."""
    for j in range(S.shape[1]):
        if moved[j] == 0.0:
            continue
        x = S[0, j] + S[4, j] * p[2] - S[5, j] * p[1]
        y = S[1, j] + S[5, j] * p[0] - S[3, j] * p[2]
        z = S[2, j] + S[3, j] * p[1] - S[4, j] * p[0]
        for a in range(3):
            rows[a, j] = A[0, a] * x + A[1, a] * y + A[2, a] * z


def whitened(M, Q, J):
    """Return L and Y."""
    k, n = J.shape
    L, Y = np.zeros((n, n)), np.empty((k, n))
    cholesky(M, L)
    for i in range(k):
        for j in range(n):
            Y[i, j] = J[i, j]
        solve_lower(L, Y[i])
        for r in range(len(Q)):
            along = dot(Q[r], Y[i])
            for j in range(n):
                Y[i, j] -= along * Q[r, j]
    return L, Y


def regularised(Y):
    """Return Y Yᵀ, with more on its diagonal."""
    k = len(Y)
    W, total = np.empty((k, k)), 0.0
    for i in range(k):
        for j in range(i + 1):
            W[i, j] = dot(Y[i], Y[j])
            W[j, i] = W[i, j]
        total += W[i, i]
    unit = total / k
    for i in range(k):
        W[i, i] += unit * (REDUNDANT + (1.0 if W[i, i] <= IDLE * unit else 0.0))
    return W


def impulse_equations(S, T, carried, M, Q, free, step, recovery, tangents, touching, ends):
    """Return S [t₁ t₂ n] (m, 3, 3), μ (m + s,), W (3k, 3k), w (3k,) and J M⁻¹ (3k, nv).

    Args:
        S: (6, nv), columns of the joints about the world's origin, linear first.
        T: (joints, 3, 4), placements [R | p].
        carried: (joints, nv), 1 for the columns that move a joint.
        M: (nv, nv). Q: (r, nv), see above.
        free: (nv,), the velocity without impulses.
        step: h [s]. recovery: RECOVERY [m/s].
        tangents: of all points. touching, ends: what is near.
    """
    m, k, nv = len(touching.owner), len(touching.owner) + len(ends.rows), len(free)
    axes, mu = np.empty((m, 3, 3)), np.zeros(k)
    J, w, t = np.zeros((3 * k, nv)), np.empty(3 * k), np.empty(3)
    for i in range(m):
        owner = touching.owner[i]
        joint = tangents.joints[owner]
        for a in range(3):
            t[a] = tangents.own[owner, a]
        if tangents.turning[owner]:
            for a in range(3):
                t[a] = dot(T[joint, a, :3], tangents.own[owner])
        mu[i] = put_axes(touching.normals[i], t, touching.friction[i], axes[i])
        rows = J[3 * i : 3 * i + 3]
        put_rows(S, carried[joint], axes[i], touching.places[i], rows)
    for i in range(k - m):
        J[3 * (m + i) + 2, ends.rows[i]] = ends.signs[i]
    for i in range(3 * k):
        w[i] = dot(J[i], free)
    for i in range(k):
        gap = touching.gaps[i] if i < m else ends.gaps[i - m]
        w[3 * i + 2] += max(gap / step, -recovery)
    L, Y = whitened(M, Q, J)
    W = regularised(Y)
    for i in range(3 * k):
        solve_upper(L, Y[i])
    return axes, mu, W, w, Y


def _example() -> tuple[Any, ...]:
    row, table, index = np.empty(0), np.empty((0, 3)), np.empty(0, np.intp)
    return (
        *(read_only(2), read_only(3), read_only(2), read_only(2), np.empty((0, 0)), row, 1.0, 1.0),
        Tangents(index, table, np.empty(0, np.bool_)),
        Places(index, table, table, row, table),
        Ends(index, row, row),
    )


IMPULSE_EQUATIONS = Kernel(
    impulse_equations, 1, arrays=True, example=_example, each=3e-4, seconds=5.0
)
