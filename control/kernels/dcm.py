"""Divergent component of motion within a phase of a plan, a coordinate at a time: `control.dcm`."""

from __future__ import annotations


def diverging(p: float, rate: float, end: float, left: float, omega: float, decay: float) -> float:
    """Return ξ + g/ω², a time `left` before the end of a phase, as its module has it.

    Args:
        p, rate: the centre of pressure now, and its velocity.
        end: ξ + g/ω² at the end.
        left: until then [s].
        omega, decay: ω, and e^{−ω left}.
    """
    ahead = rate / omega
    return p + ahead + decay * (end - p - rate * left - ahead)
