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
        self._planned: dict[str, float] | None = None  # N [N]; not known

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
        self._planned, row = dict.fromkeys(self._number, 0.0), 0
        for contact in last.contacts:
            if contact.name in self._planned:
                self._planned[contact.name] = float(last.w[row + 2])
            row += contact.dim

    def _lacking(self, name: str) -> float:
        """The share of N that is missing."""
        if self._planned is None:
            return 0.0
        i = self._number[name]
        return float(-self._felt[i] * self._mass[i]) / max(self._planned[name], 1e-9)

    def bears(self, name: str) -> bool:
        """Whether a foot bears what was planned, and that is not little, as far as is known."""
        if name not in self._number or self._planned is None:
            return True
        little = self._planned[name] <= LITTLE * self._weight
        return not little and self._lacking(name) < MISSING

    def stopped(self, name: str) -> bool:
        """Whether a foot that swings has met something."""
        return name in self._number and bool(self._felt[self._number[name]] > STOPPED)

    def missing(self, name: str) -> bool:
        """Whether there is nothing under a foot that was to push."""
        if name not in self._number:
            return False
        nothing = bool(self._felt[self._number[name]] < -NOTHING)
        return nothing and self._lacking(name) > MISSING


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
