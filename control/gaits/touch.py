"""Touch: which feet meet the ground, from how their legs were to move and how they did.

The last command was to accelerate the robot by a. What its leg L did otherwise,

    e = M_LL⁻¹ M_L ((v − v₋)/Δt − a),

is by forces that the command did not know of (a momentum observer, without a force sensor: A. De
Luca, A. Albu-Schäffer, S. Haddadin, G. Hirzinger, "Collision detection and safe reaction with the
DLR-III lightweight manipulator arm" (2006), in discrete time). Along the normal n of its foot

    α = n·J_L e,    low-passed,

is zero in the air and where a touch-down was expected; one that was not stops the foot, α > 0.
Where the ground pushes by less than was planned, α < 0: all of the planned force N is missing if
α = −N/m, with the mass m = 1/(n·J_L M_LL⁻¹ J_Lᵀ n) that the foot seems to have.
"""

from __future__ import annotations

import numpy as np

from ...contacts import ContactSet
from ...dynamics import State
from ..kernels import TICKS
from ..kernels.touch import UNPLANNED, Legs
from ..limbs import limbs_of
from ..whole_body.command import Command

FILTER = 0.01  # time constant of the low-pass filter on α, for noise in velocities [s]
# α from which on a foot has met something: models and noise explain a quarter [m/s²]
STOPPED = 20.0
NOTHING = 40.0  # −α of a foot that pushes against nothing: one a millimetre off lands first [m/s²]
MISSING = 0.4  # share of the planned force that is not there when there is no ground, filtered
LITTLE = 0.1  # of the weight


class Touch:
    """What the feet of a robot feel.

    Args:
        feet: at the ends of legs. Soles feel nothing: an edge that touches turns them, and their
            ankles give way; nor does a foot without joints of its own.
    """

    def __init__(self, feet: ContactSet) -> None:
        self._weight = feet.robot.weight
        feet = ContactSet(feet.robot, [foot for foot in feet if foot.dim < 6])
        self._number = {name: i for i, name in enumerate(feet.names)}
        self._legs = _legs(feet)
        self._forget()
        UNPLANNED.select(TICKS)

    def _forget(self) -> None:
        count = len(self._number)
        self._felt, self._mass = np.zeros(count), np.zeros(count)  # α and m
        # names of feet; as long as nothing is known all bear
        self._bearing, self._stopped, self._missing = set(self._number), set[str](), set[str]()

    def feel(self, state: State, t: float, last: Command | None) -> None:
        """Take up how the robot has moved since the last command."""
        if not self._number:
            return
        if last is None or last.status != "optimal" or t <= last.t:
            return self._forget()
        step = t - last.t
        otherwise = (state.velocity - last.v) / step - last.a
        M, S, T = state.mass_matrix, state.joint_columns, state.joint_placements
        share = step / (step + FILTER)
        given = M, S, T, otherwise, self._legs, share, self._felt, self._mass
        UNPLANNED.overload().run(*given)
        planned, row = dict.fromkeys(self._number, 0.0), 0
        for contact in last.contacts:
            if contact.name in planned:
                planned[contact.name] = float(last.w[row + 2])
            row += contact.dim
        self._bearing, self._stopped, self._missing = set(), set(), set()
        felt, masses = self._felt.tolist(), self._mass.tolist()
        for (name, load), alpha, mass in zip(planned.items(), felt, masses, strict=True):
            lacking = -alpha * mass / max(load, 1e-9)  # the share of N that is missing
            if load > LITTLE * self._weight and lacking < MISSING:
                self._bearing.add(name)
            if alpha > STOPPED:
                self._stopped.add(name)
            if alpha < -NOTHING and lacking > MISSING:
                self._missing.add(name)

    def bears(self, name: str) -> bool:
        """Whether a foot bears what was planned, and that is not little, as far as is known."""
        return name in self._bearing or name not in self._number

    def stopped(self, name: str) -> bool:
        """Whether a foot that swings has met something."""
        return name in self._stopped

    def missing(self, name: str) -> bool:
        """Whether there is nothing under a foot that was to push."""
        return name in self._missing


def _legs(feet: ContactSet) -> Legs:
    """The legs of feet: the joints that move one of them alone, without the base."""
    at, alone = feet.attachment, limbs_of(feet).alone
    first = np.concatenate([[0], np.cumsum(alone.sum(axis=1))]).astype(np.intp)
    _, entries = np.nonzero(alone)
    normals, points = np.ascontiguousarray(at.local_frames[:, :, 2:].transpose(2, 0, 1))
    return Legs(
        at.joints, points, at.ball_arms, normals, at.world_fixed,
        first, entries.astype(np.intp),
    )  # fmt: skip
