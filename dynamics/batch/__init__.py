"""Functions of `dynamics` for many states at once: arrays with a state a row, compiled.

Q (N, nq), V and A (N, nv), tau (N, na) in, (N, …) out; `out=` takes an array to write to,
`threads=` shares the rows among threads. With Numba (the extra `fast`) eight states run side by
side in vector registers, see `dynamics.kernels`; without it the same functions call Pinocchio state
by state, and say so once.
"""

from __future__ import annotations

from ..kernels.scalars import LANES
from .centre import centroidal_drift, centroidal_map, centroidal_momentum, com, com_jacobian
from .coriolis import coriolis_chains, coriolis_matrix, coriolis_tensor
from .equations import (
    bias,
    forward_dynamics,
    from_lanes,
    gravity_torques,
    inverse_dynamics,
    mass_matrix,
)
from .frames import frame_drift, frame_jacobian, frame_placement
from .gradient import inverse_dynamics_gradient

__all__ = [
    "inverse_dynamics",
    "inverse_dynamics_gradient",
    "forward_dynamics",
    "bias",
    "gravity_torques",
    "mass_matrix",
    "from_lanes",
    "LANES",
    "coriolis_matrix",
    "coriolis_tensor",
    "coriolis_chains",
    "frame_placement",
    "frame_jacobian",
    "frame_drift",
    "com",
    "com_jacobian",
    "centroidal_map",
    "centroidal_momentum",
    "centroidal_drift",
]
