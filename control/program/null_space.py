"""Null-space parametrisation of the program's equations, by their structure.

    J a = k,    M_u a + b_u = J_uᵀ w        ⇒        a = a₀ + Z_a y,   w = w₀ + Z_w y

J is zero in the columns of joints that move no contact, so its null space is that of a few columns,
Q = null(J_c), beside an identity. Then w = G⁺(M_u a + b_u) + null(G) y_w with G = J_uᵀ,
(6, dim) of a floating base. Where J or G lack rank (a redundant contact, two points alone, flight)
both are taken together, by singular values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from .qp import Program

# smallest pivot, as a share of the largest, that counts as full rank
RANK = 1e-8


class Solutions(NamedTuple):
    """a = a0 + Za y (nv,), w = w0 + Zw y (dim,)."""

    a0: Array
    w0: Array
    Za: Array
    Zw: Array


def solutions(program: Program, columns: NDArray[np.intp]) -> Solutions | None:
    """Return all solutions of the equations, or None when they are inconsistent.

    Args:
        program: the tick's.
        columns: those of J that are not always zero.
    """
    by_structure = _by_structure(program, columns)
    return _by_singular_values(program) if by_structure is None else by_structure


def _by_structure(program: Program, columns: NDArray[np.intp]) -> Solutions | None:
    nv, dim, u = program.nv, program.dim, program.unactuated
    if dim > len(columns) or len(u) > dim or dim == 0:
        return None
    kept, null, a_moving = _null(program.J[:, columns], program.k)
    if not kept:
        return None
    others = np.setdiff1d(np.arange(nv), columns)
    n_a = null.shape[1] + len(others)
    a0, Za = np.zeros(nv), np.zeros((nv, n_a + dim - len(u)))
    a0[columns] = a_moving
    Za[columns, : null.shape[1]] = null
    Za[others, null.shape[1] + np.arange(len(others))] = 1.0
    if len(u) == 0:
        Zw = np.zeros((dim, n_a + dim))
        Zw[:, n_a:] = np.eye(dim)
        return Solutions(a0, np.zeros(dim), Za, Zw)
    G = program.J[:, u].T
    Mu = program.M[u]
    right = np.column_stack([Mu @ a0 + program.b[u], Mu @ Za[:, :n_a]])
    kept, null, forces = _null(G, right)
    if not kept:
        return None
    return Solutions(a0, forces[:, 0], Za, np.hstack([forces[:, 1:], null]))


def _null(A: Array, right: Array) -> tuple[bool, Array, Array]:
    """Whether A (m, n) has full row rank, an orthonormal null space, A⁺ right; by Aᵀ = Q R."""
    Q, R = np.linalg.qr(A.T, mode="complete")
    m = len(A)
    pivots = np.abs(np.diagonal(R))
    if pivots.min() <= RANK * pivots.max():
        return False, Q, right
    return True, Q[:, m:], Q[:, :m] @ np.linalg.solve(R[:m].T, right)


def _by_singular_values(program: Program) -> Solutions | None:
    """All equations at once, forces in units of the robot's mass; None if inconsistent."""
    nv, u, dim = program.nv, program.unactuated, program.dim
    unit = max(float(np.abs(program.M).max()), 1e-9)
    E = np.zeros((dim + len(u), nv + dim))
    E[:dim, :nv] = program.J
    E[dim:, :nv], E[dim:, nv:] = program.M[u] / unit, -program.J[:, u].T
    e = np.concatenate([program.k, -program.b[u] / unit])
    if len(e) == 0:
        return Solutions(np.zeros(nv), np.zeros(0), np.eye(nv), np.zeros((0, nv)))
    U, sizes, Vt = np.linalg.svd(E)
    rank = int((sizes > RANK * sizes.max(initial=0.0)).sum())
    x0 = Vt[:rank].T @ ((U[:, :rank].T @ e) / sizes[:rank])
    if np.abs(E @ x0 - e).max(initial=0.0) > 1e-6 * (1.0 + np.abs(e).max(initial=0.0)):
        return None
    Z = Vt[rank:].T
    return Solutions(
        x0[:nv], unit * x0[nv:], np.ascontiguousarray(Z[:nv]), np.ascontiguousarray(unit * Z[nv:])
    )
