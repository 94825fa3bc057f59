"""Angular momentum of a robot whose feet go their own ways, while its base turns.

A base that turns by ω turns about the legs' feet, too: what stands does not turn with it, and what
swings lands where it should. With v_0 the velocity of the centre of mass if no leg moved against
the base, r_i the foot from there, and X_i the velocity of a foot and its rate,

    m ċ = m v_0 + Σ_i P_i q̇_i,     L = I ω + Σ_i A_i q̇_i,     q̇_i = J_i⁺ (X_i − [v_0 + ω × r_i; ω])

with P_i and A_i the linear and the angular rows of the centroidal map of leg i, and J_i the
Jacobian of its foot by its own joints. Let N_i = P_i J_i⁺ and K_i = A_i J_i⁺, and N_i', K_i' their
first three columns; without v_0 that is

    L = I' ω + Σ_i K̃_i (X_i − [ċ; 0]),     K̃_i = K_i + Σ K' (m 1 − Σ N')⁻¹ N_i,
    I' = I + Σ_i K̃_i [[r_i]×; −1].

I' is what the base has to turn by: of a humanoid, a fraction of I. The sum is what is known ahead:
small where all feet stand, or where one goes ahead with ċ while another stays; in the midst of a
quick swing as large as all that ground forces can change within it, and what is turned by then,
turns back. All are those of the legs as they are now.

D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot" (2013), of P and A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...dynamics.spatial import skew
from ..kernels.gait_reference import Swings
from ..limbs import hips, limbs_of
from .terms import Terms, repeated

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
    """K̃ and I' of a robot.

    Args:
        contacts: its feet; soles keep their orientation.
    """

    def __init__(self, contacts: ContactSet) -> None:
        self._contacts, self._hips = contacts, hips(contacts)
        rows = np.array([[True] * 3 + [contact.dim == 6] * 3 for contact in contacts])
        self._own = rows[:, :, None] & limbs_of(contacts).alone[:, None, :]
        self._damping = np.where(rows, DAMPED**2, 1.0)[:, :, None] * np.eye(6)
        self._last: tuple[State | None, Any] = None, None

    def __call__(self, state: State) -> tuple[Array, Array]:
        """Return K̃ (feet, 3, 6) [kg m, kg m²] and I' (3, 3) [kg m²], axes of the base.

        J⁺ = Jᵀ(J Jᵀ + δ² 1)⁻¹.
        """
        _, momenta, inertia = self.with_terms(state)
        return momenta[0], inertia[0]

    def with_terms(self, state: State) -> tuple[Terms, Array, Array]:
        """Return the terms of a state, K̃ and I', each with a first axis of one."""
        if self._last[0] is not state:  # a gait asks, and then its prediction
            terms = Terms.of(state, self._contacts, self._hips)
            K, inertia = self._of(terms)
            turn = terms.base[:, None]
            back = turn.swapaxes(2, 3)
            in_base = np.concatenate([back @ K[..., :3] @ turn, back @ K[..., 3:] @ turn], axis=3)
            self._last = state, (terms, in_base, inertia)
        found: tuple[Terms, Array, Array] = self._last[1]
        return found

    def along(self, q: Array, v: Array, count: int) -> tuple[Terms, Array]:
        """Return the terms and I' (count, 3, 3), axes of the base, of so many states.

        Args:
            q, v: (count, nq), (count, nv), or one of either for all.
            count: of states.
        """
        terms = Terms.along(self._contacts, self._hips, q, repeated(v, count))
        _, inertia = self._of(terms)
        return Terms(*[repeated(x, count) for x in terms]), repeated(inertia, count)

    def _of(self, terms: Terms) -> tuple[Array, Array]:
        """K̃ (M, feet, 3, 6), world axes, and I' (M, 3, 3), axes of the base."""
        R, A, mass = terms.base, terms.map, float(self._contacts.robot.mass)
        J = terms.jacobians * self._own
        square = J @ J.swapaxes(2, 3) + self._damping
        moved = np.linalg.solve(square, J @ A[:, None].swapaxes(2, 3))  # [N; K]ᵀ
        moved = moved.swapaxes(2, 3)  # (M, feet, 6, 6)
        sums = moved[..., :3].sum(axis=1)
        off = (mass * np.eye(3) - sums[:, :3]).swapaxes(1, 2)
        share = np.linalg.solve(off, sums[:, 3:].swapaxes(1, 2)).swapaxes(1, 2)
        K = moved[:, :, 3:] + share[:, None] @ moved[:, :, :3]
        inertia = A[:, 3:, 3:6] @ R.swapaxes(1, 2)  # of a rotation of all bodies together
        arms = skew(terms.positions - terms.com[:, None])
        inertia = inertia + (K[..., :3] @ arms - K[..., 3:]).sum(axis=1)
        return K, np.asarray(R.swapaxes(1, 2) @ inertia @ R)

    def swings(self, state: State, swings: Sequence[Swing], height: float) -> Swings:
        """Return the `Swings` of a kernel: these ones, so high [m], with K̃ at a state."""
        each = np.array([(begin, duration, *way) for _, begin, duration, way in swings])
        begin, duration, *way = each.reshape(-1, 5).T.copy()
        foot = np.array([self._contacts.names.index(s.name) for s in swings], dtype=np.intp)
        K = np.ascontiguousarray(self(state)[0][:, :, :3])
        return Swings(K, foot, begin, duration, np.array(way).T.copy(), height)
