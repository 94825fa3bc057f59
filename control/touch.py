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

from ..arrays import Array
from ..contacts import ContactSet
from ..dynamics import State
from ..robots.robot import Robot
from .command import Command

FILTER = 0.01  # time constant of the low-pass filter on α, for noise in velocities [s]
STOPPED = (
    20.0  # α from which on a foot has met something: models and noise explain a quarter [m/s²]
)
NOTHING = 40.0  # −α of a foot that pushes against nothing: one a millimetre off lands first [m/s²]
MISSING = 0.4  # share of the planned force that is not there when there is no ground, filtered
LITTLE = 0.1  # of the weight


class Touch:
    """What the feet of a robot feel.

    Args:
        robot: floating base.
        feet: at the ends of legs. Soles feel nothing: an edge that touches turns them, and their
            ankles give way; nor does a foot without joints of its own.
    """

    def __init__(self, robot: Robot, feet: ContactSet) -> None:
        model, feet = robot._model, ContactSet(robot, [foot for foot in feet if foot.dim < 6])
        chains = {
            c.name: set(model.supports[model.frames[robot.frame_id(c.frame)].parentJoint].tolist())
            for c in feet
        }
        legs: dict[int, list[tuple[int, list[int]]]] = {}
        for i, (name, chain) in enumerate(chains.items()):
            others = set[int]().union(*(joints for n, joints in chains.items() if n != name))
            own = [model.joints[j] for j in sorted(chain - others - {0, 1})]  # not the base
            rows = [row for joint in own for row in range(joint.idx_v, joint.idx_v + joint.nv)]
            legs.setdefault(len(rows), []).append((i, rows))
        self._legs = [  # of as many joints each: feet, and rows of their legs
            (np.array([i for i, _ in some]), np.array([rows for _, rows in some]))
            for size, some in legs.items()
            if size
        ]
        self._number = {name: i for i, name in enumerate(feet.names)}
        self._at = feet.attachment
        self._weight = float(robot.mass * np.linalg.norm(model.gravity.linear))
        self._forget()

    def _forget(self) -> None:
        zero = np.zeros(len(self._number))
        self._felt, self._lacking = zero, zero  # α, and the share of N that is missing
        self._planned = zero + np.inf  # N as a share of the weight; not known

    def feel(self, state: State, t: float, last: Command | None) -> None:
        """Take up how the robot has moved since the last command."""
        if last is None or last.status != "optimal" or t <= last.t:
            return self._forget()
        step = t - last.t
        alpha, mass = self._otherwise(state, (state.velocity - last.v) / step - last.a)
        self._felt = self._felt + step / (step + FILTER) * (alpha - self._felt)
        N = np.zeros(len(alpha))
        for name in last.contacts.names:
            if name in self._number:
                N[self._number[name]] = last.w[last.contacts.rows(name)][2]
        self._planned, self._lacking = N / self._weight, -self._felt * mass / np.maximum(N, 1e-9)

    def _otherwise(self, state: State, otherwise: Array) -> tuple[Array, Array]:
        """α of the feet, not filtered [m/s²], and m [kg]; of those without legs 0 and 0."""
        alpha, mass = np.zeros((2, len(self._number)))
        M, normals = state.mass_matrix, self._at.rotations(state)[:, :, 2]
        J = np.einsum("ki,kij->kj", normals, self._at.centre_jacobians(state)[:, :3])
        for feet, legs in self._legs:
            n = np.take_along_axis(J[feet], legs, axis=1)
            moved = np.stack([(M @ otherwise)[legs], n], axis=2)
            e, mobility = np.moveaxis(
                np.linalg.solve(M[legs[:, :, None], legs[:, None]], moved), 2, 0
            )
            alpha[feet] = (n * e).sum(axis=1)
            mass[feet] = 1 / np.maximum((n * mobility).sum(axis=1), 1e-9)
        return alpha, mass

    def bears(self, name: str) -> bool:
        """Whether a foot bears what was planned, and that is not little, as far as is known."""
        if name not in self._number:
            return True
        i = self._number[name]
        return bool(self._planned[i] > LITTLE and self._lacking[i] < MISSING)

    def stopped(self, name: str) -> bool:
        """Whether a foot that swings has met something."""
        return name in self._number and bool(self._felt[self._number[name]] > STOPPED)

    def missing(self, name: str) -> bool:
        """Whether there is nothing under a foot that was to push."""
        if name not in self._number:
            return False
        i = self._number[name]
        return bool(self._felt[i] < -NOTHING and self._lacking[i] > MISSING)
