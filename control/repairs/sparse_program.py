"""Sparse second-order cone program, built row by row and solved by Clarabel.

minimise ½ zᵀPz + cᵀz   subject to   A z = b,   A z ≤ b,   b − A z in second-order cones
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy

from ...arrays import Array, Index
from ...contacts.conic_solver import cones_of
from ..program.solvers import clarabel_settings


class Answer(NamedTuple):
    """Status ("optimal", "inaccurate" or the solver's word for a failure) and unknowns z."""

    status: str
    z: Array


class Rows:
    """Rows of a sparse matrix with their right-hand sides; a column −1 is dropped."""

    def __init__(self) -> None:
        self.count = 0
        self._entries: list[tuple[Index, Index, Array]] = []
        self._right: list[Array] = []

    def empty(self, right: Array) -> Index:
        """Append rows of these right-hand sides (m,), and return their numbers."""
        rows = np.arange(self.count, self.count + len(right))
        self._right.append(np.asarray(right, dtype=float))
        self.count += len(right)
        return rows

    def add(self, columns: Index, values: Array, right: Array) -> Index:
        """Append m rows: columns and values (m, p), right-hand sides (m,). Return their numbers."""
        rows = self.empty(right)
        self.also(rows, columns, values)
        return rows

    def also(self, rows: Index, columns: Index, values: Array) -> None:
        """Add more entries to rows (m,): columns and values (m, p)."""
        if not columns.size:
            return
        values = np.broadcast_to(values, columns.shape)
        there = (columns >= 0) & (values != 0)
        where = np.broadcast_to(rows[:, None], columns.shape)[there]
        self._entries.append((where, columns[there], values[there]))

    def matrix(self, width: int) -> tuple[Any, Array]:
        """Return (A, b)."""
        if not self._entries:
            return scipy.sparse.csc_matrix((0, width)), np.zeros(0)
        rows, columns, values = (np.concatenate(part) for part in zip(*self._entries, strict=True))
        A = scipy.sparse.csc_matrix((values, (rows, columns)), shape=(self.count, width))
        return A, np.concatenate(self._right)


class SparseProgram:
    """Unknowns, costs and rows of a program."""

    def __init__(self) -> None:
        self.width = 0
        self.equal, self.below, self.cones = Rows(), Rows(), Rows()
        self.sizes: list[int] = []
        self._linear: list[tuple[Index, Array]] = []
        self._quadratic = Rows()

    def unknowns(self, *shape: int) -> Index:
        """Return the columns of new unknowns."""
        count = int(np.prod(shape))
        columns = np.arange(self.width, self.width + count).reshape(shape)
        self.width += count
        return columns

    def cost(self, columns: Index, values: Any) -> None:
        """Add cᵀz."""
        values = np.broadcast_to(np.asarray(values, dtype=float), columns.shape)
        self._linear.append((columns.ravel(), values.ravel()))

    def squares(self, columns: Index, values: Array, right: Array) -> None:
        """Add ½ Σ (values · z[columns] − right)², a row each."""
        self._quadratic.add(columns, values, right)

    def in_cones(self, columns: Index, values: Array, right: Array, size: int) -> None:
        """Ask that each `size` rows of right − values · z[columns] be in a second-order cone."""
        self.cones.add(columns, values, right)
        self.sizes += [size] * (len(right) // size)

    def matrices(self) -> tuple[Any, Array, Any, Array, tuple[int, ...]]:
        """Return P, c, A, b and (equalities, inequalities, sizes of cones)."""
        c = np.zeros(self.width)
        for columns, values in self._linear:
            np.add.at(c, columns, values)
        G, h = self._quadratic.matrix(self.width)
        c -= G.T @ h
        parts = [rows.matrix(self.width) for rows in (self.equal, self.below, self.cones)]
        A = scipy.sparse.vstack([part[0] for part in parts], format="csc")
        b = np.concatenate([part[1] for part in parts])
        return G.T @ G, c, A, b, (self.equal.count, self.below.count, *self.sizes)

    def solve(self, tolerance: float = 1e-7) -> Answer:
        """Return the answer; no exception of the solver escapes."""
        import clarabel

        P, c, A, b, sizes = self.matrices()
        settings = clarabel_settings(tolerance)
        settings.max_iter = 100
        settings.direct_solve_method = "qdldl"  # faer, the usual choice, takes three times as long
        try:
            upper = scipy.sparse.triu(P, format="csc")
            answer = clarabel.DefaultSolver(upper, c, A, b, cones_of(sizes), settings).solve()
        except Exception as error:  # of the solver, whatever they are
            return Answer(f"{type(error).__name__}: {error}", np.zeros(self.width))
        return Answer(_STATUS.get(str(answer.status), str(answer.status)), np.array(answer.x))


_STATUS = {"Solved": "optimal", "AlmostSolved": "inaccurate", "MaxIterations": "inaccurate",
           "InsufficientProgress": "inaccurate"}  # fmt: skip
