"""Predictive control of legged robots: a convex program of the next half second at each tick.

To read: `centroidal` (the dynamics of a node), `blocks` (forces and their limits),
`control.kernels.centroidal` and `predictive` (the subproblem of a state), `subproblem`, `solving`
and `control.kernels.predictive` (its solution), `prediction` (the answer), `gait` (the gaits that
follow it).
"""

from __future__ import annotations

from ..kernels.centroidal import Reference
from .certificate import Certificate
from .gait import PredictiveGait
from .prediction import Prediction
from .predictions import Predictions
from .predictive import Predictive, Weights
from .solving import solve
from .stances import Stance
from .subproblem import Solution, Subproblem

__all__ = [
    "Predictive",
    "PredictiveGait",
    "Prediction",
    "Predictions",
    "Weights",
    "Stance",
    "Reference",
    "Certificate",
    "Subproblem",
    "Solution",
    "solve",
]
