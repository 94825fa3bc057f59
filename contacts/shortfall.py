"""Shortfall of contacts: the least wrench besides theirs that a motion asks for.

    minimise ‖f‖² + ‖m/ρ‖²  subject to  A x + [f; m] = w,  x ∈ K

w is the reaction about the centre of mass, A what the contacts' forces x in their cones give of it,
ρ the radius of gyration of the masses about it, in the posture to stand in: √(‖f‖² + ‖m/ρ‖²)/mass
is an acceleration, by how much the motion of the body is off. [f; m] is the part of w in the polar
cone of {A x : x ∈ K}.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays import Array, Index
from ..dynamics import batch
from ..robots import Robot
from .kernels import compiled
from .kernels.polar_projection import POLAR_PROJECTIONS, polar_parts
from .motion_rows import SameContacts
from .motion_verdicts import MotionVerdicts

_ROWS = 2048  # whose columns are held at a time
_SINGULAR = 1e-13  # eigenvalues of B Bᵀ that are zero, of the largest: rounding is 1e-16
_Cones = tuple[int, int, int]
_PartOf = Callable[[Array, _Cones, Array], Array]


def shortfall(verdicts: MotionVerdicts, rows: Index) -> Array:
    """Return [f; m] (n, 6) of some rows, m about the centre of mass, world axes [N, N·m].

    Of contacts that the cones of their points limit, and nothing else: what bounds and torsional
    friction of patches refuse is not counted. nan where it is not proved.
    """
    return _by_contacts(verdicts, rows, _polar)


def unreachable(verdicts: MotionVerdicts, rows: Index) -> Array:
    """Return the same (n, 6) for x without limits: the part of w orthogonal to the range of A.

    It lacks however hard contacts push or pull, as the moment about the line between two points.
    """
    return _by_contacts(verdicts, rows, _orthogonal)


def _by_contacts(verdicts: MotionVerdicts, rows: Index, part_of: _PartOf) -> Array:
    """Return the parts (n, 6) of the reactions of some rows that contacts do not give."""
    robot = verdicts.contacts.robot
    out, radius = verdicts.reaction[rows].copy(), radius_of(robot, robot.posture())
    for start in range(0, len(rows), _ROWS):
        these = np.arange(start, min(start + _ROWS, len(rows)))
        for part in verdicts.asked.at(rows[these]).by_contacts():
            if len(part.asked.contacts):
                own = these[part.rows]
                out[own] = _of_rows(part, out[own], radius, part_of)
    return out


def radius_of(robot: Robot, q: Array) -> float:
    """Return ρ = √(Σ m_i r_i²/m) of the masses about their centre at q (nq,) [m].

    From the trace of the inertia about the base's origin, which is 2 Σ m_i r_i².
    """
    about_base = np.trace(batch.mass_matrix(robot, q[None])[0, 3:6, 3:6]) / (2 * robot.mass)
    arm = batch.com(robot, q[None])[0] - q[:3]
    return float(np.sqrt(about_base - arm @ arm))


def _of_rows(part: SameContacts, w: Array, radius: float, part_of: _PartOf) -> Array:
    """Return the part of reactions w (n, 6) that contacts do not give."""
    units = np.repeat([1.0, 1 / radius], 3)
    robot = part.asked.contacts.robot
    R = batch.frame_placement(robot, part.asked.q, robot.base_joint)[:, :3, :3]
    local = ((w.reshape(-1, 2, 3) @ R).reshape(-1, 6)) * units  # in the axes of the base
    size = np.linalg.norm(local, axis=1)
    unit = local / np.where(size > 0, size, 1.0)[:, None]
    B, cones = _columns(part, R)
    y = part_of(B * units[:, None], cones, unit)
    missing = (y * size[:, None] / units).reshape(-1, 2, 3)
    return np.asarray((missing @ R.transpose(0, 2, 1)).reshape(-1, 6))


def _polar(B: Array, cones: _Cones, w: Array) -> Array:
    """The part of unit w (n, 6) in the polar cone of {B x : x in Lorentz cones}; nan unproved."""
    kernel = POLAR_PROJECTIONS.select(len(w))
    project = kernel or POLAR_PROJECTIONS.function
    with POLAR_PROJECTIONS.uncompiled(len(w), counts=kernel is None):
        rows = [polar_parts(project, B[i], cones, w[i : i + 1]) for i in range(len(w))]
    return np.concatenate([np.zeros((0, w.shape[1])), *rows])


def _orthogonal(B: Array, _: _Cones, w: Array) -> Array:
    """The part of w (n, 6) orthogonal to the range of B (n, 6, D K)."""
    values, vectors = np.linalg.eigh(B @ B.transpose(0, 2, 1))
    rest = vectors * (values <= _SINGULAR * values[:, -1:])[:, None]  # a basis, among zeros
    return np.asarray((rest @ (rest.transpose(0, 2, 1) @ w[:, :, None]))[:, :, 0])


def _columns(part: SameContacts, R: Array) -> tuple[Array, _Cones]:
    """Return what x in Lorentz cones gives about the centre of mass, base axes (n, 6, D K)."""
    balances, Q = part.balances, part.asked.q
    layout, filling = balances.first.layout, compiled.COLUMNS.select(len(Q))
    given, _ = balances.states.columns(layout, filling or compiled.COLUMNS.function)
    arm = ((batch.com(part.asked.contacts.robot, Q) - Q[:, :3])[:, None] @ R)[:, 0]
    B = given[:, :6].copy()
    B[:, 3:] -= np.cross(arm[:, :, None], B[:, :3], axis=1)
    units = layout.units_of(balances.friction)
    return B * units[:, None], (layout.D, layout.limits.point_count, 0)
