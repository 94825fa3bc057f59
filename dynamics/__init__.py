"""Dynamics: every term of the equations of motion, integration, batches.

M(q) a + vᵀC(q)v = Sᵀτ + τ_g(q) + Σ_i J_i(q)ᵀ w_i + τ_ext
"""

from __future__ import annotations

from .. import registry
from . import batch, conventions, jacobian_sums
from .centroidal import centroidal_drift, centroidal_map, centroidal_momentum, com, com_jacobian
from .com_coordinates import com_coordinates
from .comparison import Comparison, compare
from .contact_derivatives import contact_derivatives
from .coriolis import christoffel_symbols, coriolis_matrix, coriolis_tensor, mass_matrix_derivative
from .derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from .equations import (
    bias,
    closed,
    external_torques,
    forward_dynamics,
    gravity_torques,
    inverse_dynamics,
    joint_wrenches,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    terms,
)
from .jacobians import (
    centroidal_hessian,
    centroidal_map_derivative,
    com_drift,
    com_hessian,
    point_drift,
    point_hessian,
    point_jacobian,
    relative_drift,
    relative_jacobian,
    relative_placement,
)
from .kernels.closed_forms import closed_forms
from .kinematics import (
    frame_acceleration,
    frame_drift,
    frame_hessian,
    frame_jacobian,
    frame_jacobian_derivative,
    frame_placement,
    frame_velocity,
)
from .linearisation import linearise
from .matrix_form import absolute_angles, matrix_form
from .motions import Motion, Smoothing, as_motion, read_motion
from .observer import MomentumObserver, explain_by_wrenches, generalised_momentum
from .regressors import inertial_parameters, torque_regressor
from .simulation import simulate
from .springs import JointSprings
from .state import State
from .stick_slip import block_on_table
from .trajectory import Trajectory
from .wrench import Twist, Wrench

__all__ = [
    "mass_matrix",
    "closed",
    "coriolis_matrix",
    "coriolis_tensor",
    "christoffel_symbols",
    "mass_matrix_derivative",
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
    "com_drift",
    "com_hessian",
    "centroidal_map",
    "centroidal_momentum",
    "centroidal_drift",
    "centroidal_map_derivative",
    "centroidal_hessian",
    "frame_placement",
    "frame_jacobian",
    "frame_jacobian_derivative",
    "frame_drift",
    "frame_velocity",
    "frame_acceleration",
    "frame_hessian",
    "point_jacobian",
    "point_drift",
    "point_hessian",
    "relative_placement",
    "relative_jacobian",
    "relative_drift",
    "com_coordinates",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
    "contact_derivatives",
    "linearise",
    "terms",
    "State",
    "inertial_parameters",
    "torque_regressor",
    "generalised_momentum",
    "MomentumObserver",
    "explain_by_wrenches",
    "matrix_form",
    "absolute_angles",
    "simulate",
    "Trajectory",
    "Motion",
    "Smoothing",
    "as_motion",
    "read_motion",
    "JointSprings",
    "block_on_table",
    "batch",
    "closed_forms",
    "compare",
    "Comparison",
    "jacobian_sums",
    "conventions",
    "Wrench",
    "Twist",
]

__getattr__ = registry.moved("dynamics")
