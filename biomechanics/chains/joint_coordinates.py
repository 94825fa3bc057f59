"""Joint coordinate systems: joint angles and axes of E. Grood and W. Suntay (1983).

J. Biomech. Eng. 105 (1983) 136. Segment axes are x forward, y up along the segment, z to the right
(ISB). A joint rotates about

    e₁ = z of the parent (flexion)        e₃ = y of the child (axial rotation)
    e₂ = e₃ × e₁ / |e₃ × e₁| (ab- and adduction), the floating axis

so that R_parentᵀ R_child = Rz(α) Rx(β) Ry(γ) and ω_child − ω_parent = α̇ e₁ + β̇ e₂ + γ̇ e₃. The
axes are not orthogonal; the moment work-conjugate to an angle is the projection on its axis, so
that M·(ω_child − ω_parent) = Σ (M·e_k) θ̇_k.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Array
from ...errors import ConfigurationError
from ..series.rotations import as_rotations
from ..series.vectors import cross, turn_back

ANGLES = ("flexion", "adduction", "rotation")


def joint_axes(R_parent: Array, R_child: Array) -> Array:
    """Return e₁, e₂, e₃ as rows (n, 3, 3), world axes.

    Raises:
        ConfigurationError: e₁ and e₃ are parallel (gimbal lock at 90° of adduction).
    """
    e1, e3 = R_parent[..., :, 2], R_child[..., :, 1]
    floating = cross(e3, e1)
    length = np.linalg.norm(floating, axis=-1, keepdims=True)
    if (length < 1e-6).any():
        raise ConfigurationError(
            f"frame {int(length.ravel().argmin())}: the parent's z and the child's y are parallel, "
            "and joint coordinates have no floating axis; use segment axes"
        )
    return np.stack([e1, floating / length, e3], axis=-2)


def joint_angles(R_parent: Array, R_child: Array) -> Array:
    """Return (α, β, γ) (n, 3) [rad] of R_parentᵀ R_child = Rz(α) Rx(β) Ry(γ), unwrapped."""
    parent = as_rotations(R_parent, "R_parent")
    R = np.swapaxes(parent, -1, -2) @ as_rotations(R_child, "R_child", len(parent))
    flexion = np.arctan2(-R[..., 0, 1], R[..., 1, 1])
    adduction = np.arcsin(np.clip(R[..., 2, 1], -1.0, 1.0))
    rotation = np.arctan2(-R[..., 2, 0], R[..., 2, 2])
    return np.unwrap(np.stack([flexion, adduction, rotation], axis=-1), axis=0)


def projected(axes: Array, vectors: Array) -> Array:
    """Return u·e_k (n, 3) of vectors u (n, 3) on axes e_k, the rows of (n, 3, 3)."""
    return turn_back(np.swapaxes(axes, -1, -2), vectors)
