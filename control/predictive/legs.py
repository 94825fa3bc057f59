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
        alone = limbs_of(contacts).alone
        self._legs = [(c, np.flatnonzero(own)) for c, own in zip(contacts, alone, strict=True)]

    def __call__(self, state: State) -> Array:
        """Return K (feet, 3, 3), axes of the base [kg m]; J⁺ = Jᵀ(J Jᵀ + δ² 1)⁻¹."""
        R, found = state.joint_placements[1][:, :3], []
        for contact, own in self._legs:
            rows = 6 if contact.dim == 6 else 3
            J = contact.centre_jacobian(state)[:rows, own]
            square = J @ J.T + DAMPED**2 * np.eye(rows)
            found.append(np.linalg.solve(square, J @ state.centroidal_map[3:, own].T)[:3].T)
        return np.asarray(R.T @ np.array(found) @ R)


def swinging(
    names: Sequence[str],
    momenta: Array,
    swings: Sequence[Swing],
    times: Array,
    velocity: Array,
    rotation: Array,
    height: float,
) -> Array:
    """Return Σ A_i q̇_i (n, 3) at times from now on, world axes [N·m·s].

    Args:
        names, momenta: of the feet, and K (feet, 3, 3).
        swings: all there are until the last of the times.
        times: (n,) [s].
        velocity, rotation: of the base (n, 3), (n, 3, 3).
        height: of the feet half-way [m].
    """
    feet = np.tile(-velocity, (len(names), 1, 1))
    for name, begin, duration, way in swings:
        x = np.clip((times - begin) / duration, 0.0, 1.0)
        y = x * (1 - x)
        # of a minimum-acceleration motion and of its bump, see `control.references`
        foot = feet[names.index(name)]
        foot += np.outer(6 / duration * y, way)
        foot[:, 2] += 192 * height / duration * y**2 * (1 - 2 * x)
    own = (feet[:, :, None] @ rotation)[:, :, 0] @ momenta.transpose(0, 2, 1)
    return np.asarray((rotation @ own.sum(axis=0)[:, :, None])[:, :, 0])
