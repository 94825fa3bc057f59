"""How the machine moves: every term of its equations of motion.

M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + Σ_i J_i(q)ᵀ w_i + τ_ext
"""

from __future__ import annotations

from . import jacobian_sums
from .centroidal import centroidal_drift, centroidal_map, centroidal_momentum, com, com_jacobian
from .coriolis import coriolis_matrix, coriolis_tensor
from .equations import (
    bias,
    forward_dynamics,
    gravity_torques,
    inverse_dynamics,
    joint_wrenches,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from .kinematics import (
    frame_drift,
    frame_hessian,
    frame_jacobian,
    frame_jacobian_derivative,
    frame_placement,
)
from .loads import external_torques
from .terms import Terms, terms
from .wrench import Twist, Wrench

__all__ = [
    "mass_matrix",
    "coriolis_matrix",
    "coriolis_tensor",
    "gravity_torques",
    "bias",
    "inverse_dynamics",
    "forward_dynamics",
    "joint_wrenches",
    "external_torques",
    "kinetic_energy",
    "potential_energy",
    "com",
    "com_jacobian",
    "centroidal_map",
    "centroidal_momentum",
    "centroidal_drift",
    "frame_placement",
    "frame_jacobian",
    "frame_jacobian_derivative",
    "frame_drift",
    "frame_hessian",
    "terms",
    "Terms",
    "jacobian_sums",
    "Wrench",
    "Twist",
]
