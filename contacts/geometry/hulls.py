"""Faces of cones from their rays, by the convex hull of a section through them (Qhull)."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from ...arrays import Array
from ...errors import SolverError

_ROUNDING = 1e-9
_SAME = 1e-8  # distance of unit rows that count as one
_QHULL = ("Qt Qx", "C-1e-12", "C-1e-11", "C-1e-10", "A-0.9999999999")  # the plainest first


def cone_faces(rays: Array, size: float = 1.0) -> Array:
    """Return F (m, n), rows of unit norm, with {Σ λ_i ray_i, λ ≥ 0} = {w : F w ≤ 0}.

    What is orthogonal to the rays' span gives pairs of opposite rows. Within the span, lines that
    the cone contains both ways bound nothing; what is left has an apex, and a section through all
    its rays, whose hull gives the faces. A cone that is all of space has none.

    Args:
        rays: (r, n), not all zero.
        size: for wrenches, n = 6, the length that turns moments into forces, for conditioning.

    Raises:
        SolverError: Qhull cannot tell the facets apart at its precision.
    """
    units = np.ones(rays.shape[1])
    units[3:] = size
    scaled = rays / units
    lengths = np.linalg.norm(scaled, axis=1)
    x = scaled[lengths > 0] / lengths[lengths > 0, None]
    span, across = _split(x)
    faces = np.vstack([_faces_in_span(x @ span.T) @ span, across, -across]) / units
    return np.asarray(faces / np.linalg.norm(faces, axis=1, keepdims=True))


def _split(x: Array) -> tuple[Array, Array]:
    """Orthonormal rows that span the rows of x, and that span what is orthogonal to them."""
    n = x.shape[1]
    if len(x) == 0:
        return np.zeros((0, n)), np.eye(n)
    _, singular, Vt = np.linalg.svd(x)
    rank = int((singular > _ROUNDING).sum())
    return Vt[:rank], Vt[rank:]


def _faces_in_span(x: Array) -> Array:
    """Faces (m, rank) of the cone of unit rays x (r, rank) that span their space."""
    if x.shape[1] == 0:
        return np.zeros((0, 0))
    inward, depth = _inward(x)
    if depth > _ROUNDING:
        return _faces_of_pointed(x, inward)
    lines = _rays_of_lines(x)
    _, beside = _split(x[lines])
    rest = x[~lines] @ beside.T
    if rest.size == 0:
        return np.zeros((0, x.shape[1]))
    return _faces_in_span(rest / np.linalg.norm(rest, axis=1, keepdims=True)) @ beside


def _inward(x: Array) -> tuple[Array, float]:
    """The direction d, |d_j| ≤ 1, with the largest smallest x_i·d, and that value."""
    n = x.shape[1]
    A = np.column_stack([-x, np.ones(len(x))])
    answer = scipy.optimize.linprog(
        np.append(np.zeros(n), -1.0), A_ub=A, b_ub=np.zeros(len(x)), bounds=[(-1, 1)] * n + [(0, 1)]
    )
    return answer.x[:n], float(answer.x[n])


def _rays_of_lines(x: Array) -> NDArray[np.bool_]:
    """Which rays lie in a line of the cone: those with d·x_i = 0 for every d with d·x ≥ 0.

    max Σ s_i with s_i ≤ x_i·d, 0 ≤ s_i ≤ 1: d may be as long as it likes, so s_i is 0 or 1.
    """
    count, n = x.shape
    answer = scipy.optimize.linprog(
        np.append(np.zeros(n), -np.ones(count)),
        A_ub=np.hstack([-x, np.eye(count)]),
        b_ub=np.zeros(count),
        bounds=[(None, None)] * n + [(0, 1)] * count,
    )
    return np.asarray(answer.x[n:] < 0.5)


def _faces_of_pointed(x: Array, inward: Array) -> Array:
    """Faces of a cone with an apex: a·z + b ≤ 0 for z = Bᵀx/(d·x) is the row B a + b d."""
    d = inward / np.linalg.norm(inward)
    _, beside = _split(d[None])
    section = (x @ beside.T) / (x @ d)[:, None]
    if section.shape[1] == 0:
        equations = np.array([[-1.0]])
    elif section.shape[1] == 1:
        equations = np.array([[1.0, -section.max()], [-1.0, section.min()]])
    else:
        equations = _hull(section)
    return _distinct(equations[:, :-1] @ beside + equations[:, -1:] * d)


def _hull(points: Array) -> Array:
    """Rows [a, b] of the faces a·z + b ≤ 0 of a hull, all points within rounding of them.

    Qhull gives up where many points lie on one face but for rounding; it then may merge what is
    nearly one face (its option C) before it goes on.
    """
    reason = ""
    for options in _QHULL:
        try:
            equations = np.asarray(
                scipy.spatial.ConvexHull(points, qhull_options=options).equations
            )
        except scipy.spatial.QhullError as error:
            reason = str(error).splitlines()[0]
            continue
        if (points @ equations[:, :-1].T + equations[:, -1]).max() <= _ROUNDING:
            return equations
    raise SolverError(f"{len(points)} rays: no faces at this precision: {reason}")


def _distinct(rows: Array) -> Array:
    """Rows that differ: Qhull splits a face into simplices, of one normal but for rounding."""
    pairs = scipy.spatial.cKDTree(rows).query_pairs(_SAME, output_type="ndarray")
    return np.asarray(np.delete(rows, pairs.max(axis=1), axis=0) if len(pairs) else rows)
