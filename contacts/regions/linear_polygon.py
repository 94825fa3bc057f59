"""Regions of the plane under linear friction cones: all corners, by a simplex method.

With pyramids in place of Coulomb's cones the contacts transmit W λ, λ ≥ 0, W (6, n) the wrenches of
the pyramids' rays. A region asks for R (W λ + h) = b, and draws P (W λ + h), the shadow of a
polyhedron, with h what acts besides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy

from ...arrays import Array
from ...dynamics.kernels.toolchain import warn_without_kernels
from ...errors import ContactError
from ...robots.values import whole_number
from ..geometry.planar import inner_and_outer
from ..kernels.equilibrium_polygon import BOUNDED, EMPTY, FAILED, SHADOW, UNBOUNDED
from ..point_forces import PointForces

Side = Literal["inner", "outer"]
Shadow = Callable[[Array, Array, Array, Array], "tuple[int, Array]"]


class Section(NamedTuple):
    """Which wrenches count, and what they draw: R (4, 6), b (4,), P (2, 6)."""

    R: Array
    b: Array
    P: Array


_ROWS = np.eye(6)


def static_section(gravity: Array) -> Section:
    """Return the section of centres of mass c in the plane z = 0, g (3,) a unit vector.

    Σ f_k = −g, without a moment about g. M × g, where M = −c × g is the moment of the forces, is
    the point of their line of action nearest to the origin; straight down c = (−M_y, M_x, 0).
    """
    if not gravity[2] < 0:
        raise ContactError(f"gravity: got {gravity.tolist()}, expected one that points down")
    nearest = np.cross(np.eye(3), gravity).T @ _ROWS[3:]
    R = np.vstack([_ROWS[:3], gravity @ _ROWS[3:]])
    on_plane = nearest[:2] - np.outer(gravity[:2] / gravity[2], nearest[2])
    return Section(R, np.append(-gravity, 0.0), on_plane)


def linear_polygon(
    forces: PointForces, section: Section, kind: Side, sides: int, far: float, load: Array
) -> tuple[Array, bool]:
    """Return the corners (k, 2), counter-clockwise, of what is drawn, and whether it is bounded.

    Moments are about the points' middle, from which corners are seen: x and y are brought back.
    None when it is empty, one for a point, two for a segment; unbounded ones are cut off at |x|,
    |y| ≤ far. Compiled with Numba; without it by linear programs, corners then to 1e-7.

    Args:
        forces: of which points.
        section: what is asked.
        kind: "inner" for inscribed pyramids, "outer" for circumscribed ones.
        sides: of each pyramid, at least 3.
        far: from the middle [m].
        load: h (6,), about the middle.
    """
    if kind not in ("inner", "outer"):
        raise ContactError(f"kind: got {kind!r}, expected 'exact', 'inner' or 'outer'")
    sides = whole_number(sides, "sides", at_least=3, error=ContactError)
    if len(forces.points) == 0:
        return np.zeros((0, 2)), True
    instead = "linear programs find the polygons of linear cones"
    warn_without_kernels(instead, "some seventy times")
    middle = forces.points.mean(axis=0)
    size = float(np.linalg.norm(forces.points - middle, axis=1).max()) or 1.0
    W = forces.about(middle).scaled(1 / size).rays(kind, int(sides)).T
    h = np.append(load[:3], load[3:] / size)
    A, b, (x, y) = section.R @ W, section.b - section.R @ h, section.P @ W
    status, corners = _shadow(A, b, x, y)
    if status == FAILED:
        status, corners = shadow_by_programs(A, b, x, y)
    bounded = status != UNBOUNDED
    if not bounded:
        corners = _shadow(*_fenced(A, b, x, y, far / size))[1]
    return middle[:2] + size * (corners + section.P @ h), bounded


def _shadow(A: Array, b: Array, x: Array, y: Array) -> tuple[int, Array]:
    """The shadow by the compiled simplex method, or by linear programs while that is sooner."""
    data = [np.ascontiguousarray(a) for a in (A, b, x, y)]
    kernel: Shadow | None = SHADOW.select(1)
    if kernel is not None:
        return kernel(*data)
    with SHADOW.uncompiled(1):
        return shadow_by_programs(*data)


def _fenced(
    A: Array, b: Array, x: Array, y: Array, far: float
) -> tuple[Array, Array, Array, Array]:
    """The same section with |x·λ| ≤ far and |y·λ| ≤ far, by a slack unknown each."""
    fence = np.vstack([x, -x, y, -y]) / far
    fenced = np.block([[A, np.zeros((len(A), 4))], [fence, np.eye(4)]])
    rest = np.zeros(4)
    return fenced, np.append(b, np.ones(4)), np.append(x, rest), np.append(y, rest)


def shadow_by_programs(A: Array, b: Array, x: Array, y: Array) -> tuple[int, Array]:
    """The kernel's `shadow`, to 1e-7, by one linear program for each corner and side."""
    statuses = []

    def farthest(d: Array) -> Array | None:
        answer = scipy.optimize.linprog(-(d[0] * x + d[1] * y), A_eq=A, b_eq=b, method="highs")
        statuses.append(answer.status)
        return np.array([x @ answer.x, y @ answer.x]) if answer.status == 0 else None

    for d in np.vstack([np.eye(2), -np.eye(2)]):
        if farthest(d) is None:
            feasible = scipy.optimize.linprog(0 * x, A_eq=A, b_eq=b, method="highs").status == 0
            return (UNBOUNDED if feasible else EMPTY), np.zeros((0, 2))
    return BOUNDED, inner_and_outer(farthest, 1e-7)[0]
