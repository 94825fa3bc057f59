"""Contact wrenches that explain generalised forces best: weighted least squares within the cones.

    minimise ½ (r − Jᵀw)ᵀ Σ⁻¹ (r − Jᵀw) + ½ ‖w/σ₀‖²   subject to   w = G x,  x within the limits

of `contacts.ContactLimits`, x the forces at the contacts' points. With A = J Σ⁻¹ Jᵀ + 1/σ₀² and
b = J Σ⁻¹ r its answer without limits is A⁻¹ b, of covariance A⁻¹; where that is within the limits,
it is the answer, and else a conic program of a few unknowns is. σ₀ is 100 weights: it only matters
where the joints do not tell a wrench at all, and leaves it unknown there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...contacts import ContactSet
from ...contacts.conic_solver import Program
from ...contacts.equilibrium.balance import weight
from ...dynamics import State
from ...errors import SolverError
from ...progress import progress_bar
from .momentum_residual import MomentumResidual

BLOCK = 500  # samples at a time: what matrices of all of them take is too much of a long log
UNKNOWN = 100.0  # σ₀ in weights, and as many weights times a metre of moments
TOLERANCE = 1e-9  # by which forces may leave their limits, in weights


class NormalEquations(NamedTuple):
    """A and b of n samples, and what is left where no contact explains anything.

    Attributes:
        A, b: (n, dim, dim), (n, dim).
        least: (n,), rᵀ Σ⁻¹ r.
        normals: (n, C, 3), of the contacts, world axes.
    """

    A: Array
    b: Array
    least: Array
    normals: Array

    @classmethod
    def of(cls, contacts: ContactSet, residual: MomentumResidual) -> NormalEquations:
        """Return those of all contacts."""
        n, d = len(residual), contacts.dim
        A, b, least = np.empty((n, d, d)), np.empty((n, d)), np.empty(n)
        normals, at = np.empty((n, len(contacts), 3)), contacts.attachment
        prior = np.eye(d) / (UNKNOWN * weight(contacts.robot)) ** 2
        for start in progress_bar(range(0, n, BLOCK), "contacts"):
            rows = slice(start, min(start + BLOCK, n))
            states = [State(contacts.robot, q) for q in residual.q[rows]]
            J = np.array([at.jacobian(state) for state in states])
            normals[rows] = [at.rotations(state)[:, :, 2] for state in states]
            r = residual.r[rows, :, None]
            both = np.concatenate([J.transpose(0, 2, 1), r], axis=2)
            solved = np.linalg.solve(residual.covariance(rows), both)
            A[rows] = J @ solved[:, :, :-1] + prior
            b[rows] = (J @ solved[:, :, -1:])[:, :, 0]
            least[rows] = (r * solved[:, :, -1:]).sum(axis=(1, 2))
        return cls(A, b, least, normals)


def normal_std(contacts: ContactSet, normals: Array, covariance: Array) -> Array:
    """Return the standard deviations (n, C) of the contacts' normal forces [N].

    Args:
        contacts: C of them.
        normals: (n, C, 3), world axes.
        covariance: (n, dim, dim), of w.
    """
    found = []
    for k, name in enumerate(contacts.names):
        start = contacts.rows(name).start
        force = slice(start, start + 3)
        normal = normals[:, k]
        found.append(np.einsum("ni,nij,nj->n", normal, covariance[:, force, force], normal))
    return np.asarray(np.sqrt(np.stack(found, axis=1)))


class Fit(NamedTuple):
    """Wrenches of n samples.

    Attributes:
        w: (n, dim), zero of contacts that do not touch.
        covariance: (n, dim, dim), as without limits.
        limited: (n,), whether limits changed the answer.
    """

    w: Array
    covariance: Array
    limited: NDArray[np.bool_]


def fit(
    contacts: ContactSet,
    equations: NormalEquations,
    q: Array,
    touching: NDArray[np.bool_],
) -> Fit:
    """Return the wrenches of contacts that touch (n, C), within their limits."""
    n, d = equations.b.shape
    w, covariance = np.zeros((n, d)), np.zeros((n, d, d))
    limited = np.zeros(n, dtype=bool)
    owner = np.repeat(np.arange(len(contacts)), [contact.dim for contact in contacts])
    masks, which = np.unique(touching, axis=0, return_inverse=True)
    with progress_bar(total=n, desc="cones") as bar:
        for k, mask in enumerate(masks):
            rows, own, some = np.flatnonzero(which == k), mask[owner], contacts.only(mask)
            A = equations.A[rows][:, own][:, :, own]
            within = WithinLimits(some)
            P = np.linalg.inv(A)
            found = (P @ equations.b[rows][:, own, None])[:, :, 0]
            for i, row in enumerate(rows):
                if mask.any():
                    found[i], limited[row] = within.nearest(q[row], found[i], A[i])
                bar.update()
            w[np.ix_(rows, own)] = found
            covariance[np.ix_(rows, own, own)] = P
    return Fit(w, covariance, limited)


class WithinLimits:
    """The wrenches that a set of contacts can transmit, and the nearest of them."""

    def __init__(self, contacts: ContactSet) -> None:
        self.contacts, self.unit = contacts, weight(contacts.robot)
        self.cones = contacts.limits.solver_rows(np.zeros((len(contacts), 0)), self.unit)

    def nearest(self, q: Array, w: Array, A: Array) -> tuple[Array, bool]:
        """Return the w' (dim,) within the limits with the least ½ (w' − w)ᵀ A (w' − w), and whether
        it is another one.

        Where the points of a contact can share w in several ways, the least forces are tried first.

        Raises:
            SolverError: no answer was found.
        """
        G = self.contacts.transmission(State(self.contacts.robot, q))
        x = np.asarray(np.linalg.lstsq(G, w, rcond=1e-10)[0])
        outside = max(self.contacts.limits.violation(x), np.abs(G @ x - w).max(initial=0.0))
        if outside <= TOLERANCE * self.unit:
            return w, False
        # in weights, and A in units of its size: entries of about one
        scale = np.abs(A).max()
        P = G.T @ (A / scale) @ G
        zero, *others = self.cones
        solution = Program([zero], *others).solve(-G.T @ (A @ w) / (scale * self.unit), P)
        if solution.unknowns is None:
            names = ", ".join(self.contacts.names)
            raise SolverError(f"no wrenches of {names} were found within their limits")
        found = G @ solution.unknowns * self.unit
        return found, not np.allclose(found, w, atol=1e-6 * self.unit)
