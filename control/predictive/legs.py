"""Angular momentum that legs carry by moving against the base, as far as a gait knows it ahead.

    L = I ω + Σ_i A_i q̇_i,     A_i q̇_i = R K_i Rᵀ (ṗ_i − v_i),     K_i = A_i J_i⁺

with A_i the angular rows of the centroidal map of leg i, J_i the Jacobian of its foot by its own
joints, ṗ_i the velocity of the foot and v_i that of the base there, which is taken to be the
reference's. K_i is that of the legs as they are now. Where all feet stand, or one goes ahead
with v while another stays, the sum is small; in the midst of a quick swing it is as large as all
that ground forces can change within it, and what is turned by then, turns back.

D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot" (2013), of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ..kernels.gait_reference import Swings
from ..limbs import limbs_of

DAMPED = 0.01  # δ, so that legs that are straight do not seem to move infinitely fast [m]


class Swing(NamedTuple):
    """A swing of a foot.

    Attributes:
        name: of its contact.
        begin, duration: from now on [s].
        way: (3,), from where it stood to where it lands [m].
    """

    name: str
    begin: float
    duration: float
    way: Array


class LegMomenta:
    """K of the legs of a robot's feet.

    Args:
        contacts: its feet; soles keep their orientation.
    """

    def __init__(self, contacts: ContactSet) -> None:
        self._contacts = contacts
        rows = np.array([[True] * 3 + [contact.dim == 6] * 3 for contact in contacts])
        self._own = rows[:, :, None] & limbs_of(contacts).alone[:, None, :]
        self._damping = np.where(rows, DAMPED**2, 1.0)[:, :, None] * np.eye(6)

    def __call__(self, state: State) -> Array:
        """Return K (feet, 3, 3), axes of the base [kg m]; J⁺ = Jᵀ(J Jᵀ + δ² 1)⁻¹."""
        R = state.joint_placements[1][:, :3]
        J = self._contacts.attachment.centre_jacobians(state) * self._own
        square = J @ J.swapaxes(1, 2) + self._damping
        K = np.linalg.solve(square, J @ state.centroidal_map[3:].T)[:, :3].swapaxes(1, 2)
        return np.asarray(R.T @ K @ R)

    def swings(self, state: State, swings: Sequence[Swing], height: float) -> Swings:
        """Return the `Swings` of a kernel: these ones, so high [m], with K at a state."""
        each = np.array([(begin, duration, *way) for _, begin, duration, way in swings])
        begin, duration, *way = each.reshape(-1, 5).T.copy()
        foot = np.array([self._contacts.names.index(s.name) for s in swings], dtype=np.intp)
        return Swings(self(state), foot, begin, duration, np.array(way).T.copy(), height)
