"""Foothold program: where and when a swinging foot lands when ξ is off its plan.

While the centre of pressure p rests under the feet that carry, ξ moves away from it. The foot lands
at the time T from now; with τ = e^{ωT}, ξ is then at

    p + τ (ξ − p).

The plan wants ξ_T there, with τ₀ at the planned time. If the foothold moves by δ, and the later
ones by ρδ, ρ²δ, …, with ρ < 1, the plan wants ξ_T + κδ, where κ follows from the plan's recursion.
So the foot lands where and when

    minimise    ‖δ‖² + (h w_T)² (τ/τ₀ − 1)² + w_β² ‖β‖²      over δ, τ
    such that   κ δ + β = p + τ (ξ − p) − ξ_T
                legs do not cross, and reach their footholds;   τ_min ≤ τ ≤ τ₀
                ‖p_T + δ − c_T‖ ≤ μ h,    c_T = p + ½ τ (ξ − p) + ½ τ₀⁻¹ (η − p)

which has a solution for each ξ: what footholds and time cannot catch is β, left to the next step.
The last bound is that of friction, of feet on soles: from a foot at p_T + δ the ground pushes along
the line to the centre of mass, c_T when it lands (η = c − ċ/ω; the decaying part is that of the
planned time). A foot farther out could not be pushed against; what it does not catch, later steps
do.
ξ is taken without the angular momentum L that the swing leg will have given back when it lands,
which is ξ + (L_y, −L_x)/(m h ω): of a quick step of G1 to the side half as much as a push of
0.4 m/s.
No swing lasts longer than planned: ξ above the foot that carries would stay there as long as the
program likes, while the robot goes on ahead. Nor is it shortened when little of it is left, for the
foot has to come down from where it is; but its foothold moves on, for a push to that side would
carry ξ beyond it.
Location and timing of steps in this manner: M. Khadiv, A. Herzog, S. Moosavian, L. Righetti,
"Walking control based on step timing adaptation" (2020), there with one step to come.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ..dcm import DcmPlan
from ..program.solvers import Solver, solver_named
from .gait import middle

FADE = 0.65  # ρ
TIMING = 1.0  # w_T
MISSED = 30.0  # w_β
SHORTEST = 0.85  # duration of a swing, unless it is planned to be shorter [1/ω]
ANKLES = 0.02  # errors of ξ that points on the ground correct without a step [m]
FILTER = 0.04  # time constant of the low-pass filter on τ₀ (ξ − p): velocities are noisy [s]
RETIMED = 2e-3  # of a swing, below which its duration stays as it is [s]
# of a swing's duration: within that of touch-down it is not shortened, for the foot has to come
# down, and its foothold stays if the foot jumps to where it swings; if it swings on, see LAST
LATE = 0.3
LAST = 0.12
# least lateral distance of opposite feet, as a fraction of the one they stand at: of the plan, and
# of footholds that are moved
APART, CLOSEST = 0.7, 0.4
# directions of the sides of the polygons that circles of reach and of friction are taken for
AROUND = np.array([[np.cos(x), np.sin(x)] for x in np.arange(12) * np.pi / 6])


class Bounds(NamedTuple):
    """A polygon of δ, normals · δ ≤ most, and of what is beyond it already, no farther.

    Attributes:
        normals: (k, 2), along the ground.
        most: (k,) [m].
        beneath: (2,), the centre of mass that reach is measured from; None: from the other feet.
    """

    normals: Array
    most: Array
    beneath: Array | None = None


class Landing(NamedTuple):
    """A solution of the program.

    Attributes:
        offset: δ (3,) [m].
        left: T [s].
        cost: of the program [m²].
    """

    offset: Array
    left: float
    cost: float


class FootholdProgram:
    """Where and when the swing of a plan's phase ends, and the later footholds.

    Args:
        plan: as it was when the swing began; p rests in the swing.
        phase: of the swing.
        bounds: of δ.
        late: within that share of its duration of touch-down the foothold stays.
        ankles: errors of ξ that the feet on the ground correct without a step [m].
        friction: μ that the foot that lands may need; inf: it is pushed against wherever it is.

    Attributes:
        offset: δ (3,) [m].
        timed: the plan with the duration that this swing has.
    """

    def __init__(
        self,
        plan: DcmPlan,
        phase: int,
        bounds: Bounds,
        solver: Solver | None = None,
        late: float = LATE,
        ankles: float = ANKLES,
        friction: float = np.inf,
    ) -> None:
        self.plan, self.phase, self.bounds, self.late = plan, phase, bounds, late
        self._ankles, self._farthest = ankles, friction * plan.height
        self.offset: Array = np.zeros(3)
        self.planned = plan.phases[phase].duration
        self.timed = plan
        self._pivot = plan.phases[phase].end[:2]
        self._wanted = self._expected = plan.end(phase)[:2] - plan.up[:2] - self._pivot  # ξ_T − p
        self._shares = plan.shares(phase, FADE)
        self.share = float(self._shares[phase, 2])  # κ
        self._solver = solver_named(None) if solver is None else solver

    @cached_property
    def _lands(self) -> Array:
        """p_T − p (2,)."""
        swings = self.plan.phases[self.phase].swings
        return np.asarray(middle(swings, list(swings))[:2] - self._pivot)

    @property
    def aimed(self) -> DcmPlan:
        """The plan whose ξ at the end of this swing is that of the moved footholds."""
        return self.timed.aimed(self.phase, self.share * self.offset)

    @property
    def landed(self) -> DcmPlan:
        """The plan with all footholds from this swing on moved."""
        return self.timed.shifted(self.offset, self._shares)

    def follow(self, xi: Array, com: Array, since: float, step: float) -> bool:
        """Take up a measured ξ, filtered; return False where it is too late to.

        Args:
            xi: ξ (3,), as it is [m].
            com: c (3,) [m].
            since: time in the plan [s].
            step: since the last time this was asked [s].
        """
        gone = since - self.plan.times[self.phase]
        duration = self.timed.phases[self.phase].duration
        if self.share < 1e-6 or gone > (1 - self.late) * duration:
            return False
        arrives = self._arrives(xi, gone)
        self._expected = self._expected + step / (step + FILTER) * (arrives - self._expected)
        least = min(duration - gone, LATE * self.planned)
        found = self._landing(self._expected, gone, least, com)
        self.offset = found.offset
        if abs(gone + found.left - duration) > RETIMED:
            self.timed = self.plan.timed(self.phase, gone + found.left)
        return True

    def landing(self, xi: Array, since: float) -> Landing:
        """Return the program's solution for ξ (3,) at a time in the plan [s]."""
        gone = since - self.plan.times[self.phase]
        return self._landing(self._arrives(xi, gone), gone)

    def _growth(self, gone: float) -> float:
        """τ₀, so long after the swing began [s]."""
        return float(np.exp(self.plan.omega * (self.planned - gone)))

    def _arrives(self, xi: Array, gone: float) -> Array:
        """τ₀ (ξ − p) (2,), where ξ would be in the planned time, but for what ankles correct."""
        planned = self._growth(gone)
        error = xi[:2] - self.plan.up[:2] - self._pivot - self._wanted / planned
        error = error * max(0.0, 1 - self._ankles / max(float(np.linalg.norm(error)), 1e-12))
        return np.asarray(planned * error + self._wanted)

    def _landing(
        self, arrives: Array, gone: float, least: float = 0.0, com: Array | None = None
    ) -> Landing:
        omega, h, planned = self.plan.omega, self.plan.height, self._growth(gone)
        # y = (δ, τ/τ₀), β = arrives τ/τ₀ − wanted − κ δ
        rows = np.zeros((5, 3))
        rows[0, 0] = rows[1, 1] = 1.0
        rows[2, 2] = TIMING * h
        rows[3, 0] = rows[4, 1] = -MISSED * self.share
        rows[3:, 2] = MISSED * arrives
        right = np.concatenate([[0.0, 0.0, TIMING * h], MISSED * self._wanted])
        shortest = min(SHORTEST / omega, self.planned)
        earliest = np.exp(omega * max(shortest - gone, least))
        normals, most = self.bounds.normals, np.maximum(self.bounds.most, 0.0)
        grips, farthest = self._pushed_against(arrives, com, planned)
        n = len(most)
        size = n + len(farthest) + 1
        C, low, high = np.zeros((size, 3)), np.full(size, -np.inf), np.ones(size)
        C[:n, :2], C[n:-1], C[-1, 2] = normals, grips, 1.0
        high[:n], high[n:-1], low[-1] = most, farthest, earliest / planned
        y = self._solver(rows.T @ rows, -rows.T @ right, C, low, high).y
        if y is None:  # it has one; a solver that does not find it lets the plan be
            y = np.array([0.0, 0.0, 1.0])
        left = rows @ y - right
        return Landing(
            np.append(y[:2], 0.0), float(np.log(y[2] * planned) / omega), float(left @ left)
        )  # fmt: skip

    def _pushed_against(
        self, arrives: Array, com: Array | None, planned: float
    ) -> tuple[Array, Array]:
        """The bound of friction as rows · (δ, τ/τ₀) ≤ most; where it cannot be kept, no farther."""
        if com is None or self._farthest == np.inf:
            return np.zeros((0, 3)), np.zeros(0)
        normals = np.column_stack([AROUND, -0.5 * AROUND @ arrives])
        off = com[:2] - self.plan.up[:2] - self._pivot
        decaying = 2 * off - arrives / planned  # η − p
        most = self._farthest + AROUND @ (0.5 / planned * decaying - self._lands)
        return normals, np.maximum(most, normals[:, 2])
