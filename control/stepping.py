"""Foothold feedback: where a swinging foot lands when ξ is off its plan.

In the time T that is left of a swing an error e of ξ grows to e^{ωT} e. Moving the foothold by δ,
and the later ones by ρδ, ρ²δ, …, moves the ξ that the plan wants at touch-down by κδ, where κ
follows from the plan's recursion. Wanted is

    κ δ = e^{ωT} e,

after which ξ is on the new plan without any force, and footholds return to the old one at the rate
ρ < 1 per swing. Position and timing of steps in this manner: M. Khadiv, A. Herzog, S. Moosavian,
L. Righetti, "Step timing adjustment: a step toward generating robust gaits" (2016), here with the
timing as planned.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from .balance import DcmPlan

FADE = 0.65  # ρ
ANKLES = 0.02  # errors of ξ that the feet on the ground correct without a step [m]
FILTER = 0.04  # time constant of the low-pass filter on δ, for noise in the velocity of ξ [s]
LATE = 0.3  # of a swing's duration: within that of touch-down its foothold stays
APART = 0.7  # least lateral distance of opposite feet, as a fraction of the one they stand at


class FootholdFeedback:
    """The offset of the foothold of a swing, and of the later ones.

    Args:
        plan: as it was when the swing began.
        phase: of the swing.
        reach: longest offset [m].
    """

    def __init__(self, plan: DcmPlan, phase: int, reach: float) -> None:
        self.plan, self.phase, self.reach = plan, phase, reach
        self.offset: Array = np.zeros(3)
        unit = plan.shifted(phase, [1.0, 0.0, 0.0], FADE)
        self.share = float(unit.end(phase)[0] - plan.end(phase)[0])  # κ

    @property
    def aimed(self) -> DcmPlan:
        """The plan whose ξ at the end of the swing is that of the moved footholds."""
        return self.plan.aimed(self.phase, self.share * self.offset)

    @property
    def landed(self) -> DcmPlan:
        """The plan with all footholds from this swing on moved."""
        return self.plan.shifted(self.phase, self.offset, FADE)

    def wanted(self, xi: Array, since: float, step: float) -> Array | None:
        """Return the offset (3,) that a measured ξ asks for, filtered [m]; None: it is too late.

        Args:
            xi: ξ (3,), as it is [m].
            since: time in the plan [s].
            step: since the last time this was asked [s].
        """
        left = self.plan.times[self.phase + 1] - since
        if self.share < 1e-6 or left < LATE * self.plan.phases[self.phase].duration:
            return None
        e = (xi - self.plan.dcm(since)[0]) * [1.0, 1.0, 0.0]
        size = float(np.linalg.norm(e))
        e *= max(0.0, 1 - ANKLES / max(size, 1e-12))
        wanted = np.exp(self.plan.omega * left) * e / self.share
        offset = self.offset + step / (step + FILTER) * (wanted - self.offset)
        return np.asarray(offset * min(1.0, self.reach / max(float(np.linalg.norm(offset)), 1e-12)))
