"""Rigid registration of point sets: the placement that brings one nearest to the other."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..arrays import Array


def registration(points: Array, others: Array) -> tuple[pin.SE3, Array]:
    """Return T of least Σ_i ‖p_i − T o_i‖² for points p (n, 3) and others o (n, 3), n ≥ 1 [m].

    Besides, the singular values (3,) of Σ (p_i − p̄)(o_i − ō)ᵀ, descending: where the second is zero
    the points lie on a line, about which T may turn.

    Source: W. Kabsch, "A solution for the best rotation to relate two sets of vectors" (1976).
    """
    middle, its = points.mean(axis=0), others.mean(axis=0)
    U, sizes, Vt = np.linalg.svd((points - middle).T @ (others - its))
    R = U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt
    return pin.SE3(R, middle - R @ its), sizes
