"""The verdict on one balance by the conic solver, for contacts of every kind."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Array
from ..conic_solver import Solution
from ..kernels.verdict import EDGE
from .certificate import certificate, certificate_violation, falling_motion
from .conic_program import ROUNDING
from .objectives import Objective, candidates
from .programs import Equilibrium


class ConicVerdict(NamedTuple):
    """A verdict: as in `Hold`, and what its proof leaves open.

    Attributes:
        feasible: True, False, or None: at the edge, or unsolved.
        status: "feasible", "infeasible", "at the edge" or "unsolved".
        margin: ε [N].
        unknowns: x (n,) that are admissible, the best by the objective [N]; None without any.
        velocity: (nv,), the certificate; None without one.
    """

    feasible: bool | None
    status: str
    margin: float
    unknowns: Array | None
    velocity: Array | None

    def residual(self, balance: Equilibrium) -> float:
        """Return what the proof leaves open; nan where there is none."""
        if self.feasible and self.unknowns is not None:
            return balance.residual(self.unknowns)
        if self.velocity is not None:
            return certificate_violation(balance, self.velocity)
        return float("nan")


def conic_verdict(
    balance: Equilibrium,
    objective: Objective = "least_norm",
    targets: Array | None = None,
    known: Solution | None = None,
) -> ConicVerdict:
    """Decide about a balance: margin first, then forces or a certificate.

    Args:
        balance: to decide about.
        objective: which forces.
        targets: (C, 6), preferred wrenches in contact axes, nan where nothing is asked.
        known: the margin, where it is proved already.
    """
    found = balance.margin() if known is None else known
    margin, forces = found.value, None
    edge = EDGE * balance.weight  # nearer to zero no sign of the solver's is relied on
    if not margin < -edge:  # also where it is nan
        forces = admissible_forces(balance, objective, margin, targets)
        # a problem both infeasible and unbounded may be called either: without forces no pull helps
        margin = -np.inf if margin == np.inf and forces is None else margin
    if margin > edge and forces is not None:
        return ConicVerdict(True, "feasible", margin, forces, None)
    if not margin >= -edge:  # also where it is nan
        y = certificate(balance, found.velocity)
        if y is not None:
            return ConicVerdict(False, "infeasible", margin, None, y)
    # neither proof: at the edge where the margin says so, or where it is negative or nan and yet no
    # motion has power beyond the edge
    if not abs(margin) <= edge and (margin > edge or not falling_motion(balance).value <= edge):
        return ConicVerdict(None, "unsolved", margin, None, None)
    return ConicVerdict(None, "at the edge", margin, forces, None)


def admissible_forces(
    balance: Equilibrium,
    objective: Objective = "least_norm",
    margin: float = 0.0,
    targets: Array | None = None,
) -> Array | None:
    """Return the objective's unknowns x (n,), or None unless they check out."""
    tolerance = EDGE * balance.weight
    for x in candidates(balance, objective, margin, targets):
        exact = balance.residual(x) <= ROUNDING * balance.weight
        polished = x if exact else balance.polished(x)
        if balance.limits.free:
            polished = balance.with_least_torques(polished)
        # polishing leaves rounding of the equations, and moves x out of its limits by as much as
        # the solver erred: hence two tolerances
        if balance.admits(polished, 1e-3 * tolerance, tolerance):
            return polished
    return None
