"""Task of a frame that gives way as a spring and a damper do, and presses with a wrench.

    ẍ = ẍ* + Λ⁻¹ (stiffness (x* − x) + damping (ẋ* − ẋ) + wrench)

With the inertia Λ of the frame while contacts and closures J_c stay as they are,

    Λ⁻¹ = J (M⁻¹ − M⁻¹J_cᵀ (J_c M⁻¹J_cᵀ)⁻¹ J_c M⁻¹) Jᵀ

an external wrench adds Λ⁻¹ w_ext to ẍ, whatever the other tasks are: so where the frame stands
still, stiffness (x* − x) + wrench = −w_ext, without a force sensor. The inertia is the robot's own.

Held for a tick of h seconds, that damper is stable while damping · Λ⁻¹ h < 2, and then overshoots.
What a damper D alone does in h to a velocity is r ← exp(−Λ⁻¹D h) r, which is stable whatever D is.
The force that does it, held for the tick, is

    √D φ(√D Λ⁻¹ √D h) √D r,      φ(x) = (1 − e⁻ˣ)/x

or D r for small h; it is at most Λ r/h, that which stops the frame within the tick, and zero where
the frame stands still, so that the stiffness stays as it is. The spring is held, too: stable while
Λ⁻¹ stiffness h² < 2 (1 + exp(−Λ⁻¹D h)).

N. Hogan, "Impedance control" (1985); O. Khatib, "A unified approach for motion and force control"
(1987).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Array
from ...contacts import ContactSet
from ...dynamics import State
from ...errors import ConfigurationError
from ...options import names_checked
from ...robots.robot import Robot
from ...robots.values import array, number, text
from .frame import FrameTask
from .task import Rows


@names_checked
@dataclass(eq=False)
class ImpedanceTask(FrameTask):
    """A frame with a stiffness, a damping and a desired wrench.

    It acts as long as its weight is far above that of other tasks on the same joints. Without
    `tick` it is stable only while damping · Λ⁻¹ h < 2 in ticks of h seconds: what damps a hand's
    position makes its rotation, of which Λ⁻¹ is some 100 1/(kg m²), diverge.

    Attributes:
        stiffness: a number or one a row [N/m, N·m/rad].
        damping: likewise [N·s/m, N·m·s/rad]; None: 2 √(stiffness Λ), critically damped.
        wrench: of the robot on its surroundings, in the rows of the task [N, N·m]; a number or one
            a row.
        tick: h, for which commands are held [s]: damping is then stable however large, and no
            larger than Λ/h. 0: as if they were not held.
    """

    stiffness: Any = field(default=300.0, kw_only=True)
    wrench: Any = field(default=0.0, kw_only=True)
    damping: Any = field(default=None, kw_only=True)
    weight: Any = field(default=100.0, kw_only=True)
    tick: float = field(default=0.0, kw_only=True)
    gain: float = field(default=0.0, init=False, repr=False)  # the stiffness serves

    def _default_name(self) -> str:
        return f"impedance of {text(self.frame, 'frame')}"

    def _check(self) -> None:
        damping, self.damping = self.damping, None
        super()._check()
        self.damping = damping
        array(self.stiffness, f"stiffness of {self.name!r}", (), (None,), at_least=0)
        array(self.wrench, f"wrench of {self.name!r}", (), (None,))
        number(self.tick, f"tick of {self.name!r}", at_least=0, unit="[s]")
        if damping is not None:
            array(damping, f"damping of {self.name!r}", (), (None,), at_least=0)

    def bind(self, robot: Robot) -> int:
        """Look up the frame; check that there is one value a row."""
        size = super().bind(robot)
        for name in ("stiffness", "wrench", "damping"):
            if (value := getattr(self, name)) is not None:
                array(value, f"{name} of {self.name!r}", (), (size,))
        return size

    def rows(self, state: State, t: float, contacts: ContactSet | None = None) -> Rows:
        """Return J, the acceleration that the impedance asks for less J̇v, and the error."""
        J, error = self.jacobian(state), self.error(state, t)
        mobility = _mobility(state, J, contacts)
        damping = self.damping
        if damping is None:
            damping = 2 * np.sqrt(self.stiffness / np.maximum(np.diagonal(mobility), 1e-9))
        rate, ahead = -J @ state.velocity, np.zeros(len(error))
        if callable(self.target):
            _, velocity, acceleration = self.reference(t)
            rate = rate + self.select(state, velocity)
            ahead = self.select(state, acceleration)
        wrench = self.stiffness * error + self._damper(mobility, damping, rate) + self.wrench
        return Rows(J, ahead + mobility @ wrench - self.drift(state), error)

    def _damper(self, mobility: Array, damping: Any, rate: Array) -> Array:
        """The damper's force on the error's rate r (m,), held for a tick."""
        if not self.tick:
            return np.asarray(damping * rate)
        root = np.sqrt(np.broadcast_to(damping, rate.shape))
        sizes, axes = np.linalg.eigh(root[:, None] * mobility * root)
        x = np.maximum(sizes, 0.0) * self.tick
        share = np.where(x > 1e-9, -np.expm1(-x) / np.where(x > 1e-9, x, 1.0), 1.0)
        return np.asarray(root * (axes @ (share * (axes.T @ (root * rate)))))

    def desired_velocity(self, state: State, t: float) -> Array:
        """Refuse: an impedance is one of forces."""
        raise ConfigurationError(
            f"{self.name!r}: got an impedance, which asks for forces, expected tasks on velocities "
            "such as a FrameTask"
        )


def _mobility(state: State, J: Array, contacts: ContactSet | None) -> Array:
    """Λ⁻¹ (m, m)"""
    held = [contacts.jacobian(state)] if contacts is not None and len(contacts) else []
    held += [state.closure_jacobian] if state.robot.closures else []
    moved = np.linalg.solve(state.mass_matrix, J.T)
    free = J @ moved
    if not held:
        return np.asarray(free)
    Jc = np.concatenate(held)
    across = Jc @ moved
    stiff = Jc @ np.linalg.solve(state.mass_matrix, Jc.T)  # may lack rank: redundant contacts
    return np.asarray(free - across.T @ np.linalg.lstsq(stiff, across, rcond=1e-10)[0])
