"""Kinds of the parameters of a sweep: of the posture, of friction, or of the loads.

Loads enter the balance by h = τ_g + Σ J_kᵀ w_k, linear in every force, moment, mass and tension;
friction enters it as μ at each point. Neither asks for another posture, so that one of them serves
thousands of verdicts. Only where the centre of mass is asked to be "inside" does friction move it.
"""

from __future__ import annotations

from typing import Literal

from .variants import steps_of

ParameterKind = Literal["posture", "friction", "load"]

_LINEAR = ("mass", "tension")
_VECTORS = ("force", "moment")


def parameter_kind(key: str, numbers: bool, inside: bool) -> ParameterKind:
    """Return the kind of a parameter: what its values change.

    Args:
        key: of the scenario's file.
        numbers: whether all its values are.
        inside: whether the posture's centre of mass follows from the friction.

    Raises:
        ScenarioError: no such key.
    """
    steps = steps_of(key)
    if not numbers:
        return "posture"
    if steps[-1] == "friction" and not inside:
        return "friction"
    if len(steps) == 3 and steps[0] == "loads" and steps[2] in _LINEAR:
        return "load"
    if len(steps) == 4 and steps[0] == "loads" and steps[2] in _VECTORS:
        return "load"
    return "posture"
