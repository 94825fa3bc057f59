"""Push recovery: a robot that stands, and steps when it would fall."""

from __future__ import annotations

from .locomotion import GaitController


class PushRecoveryController(GaitController):
    """A GaitController that is told no velocity: it stands, and steps when it is pushed too hard.

    It steps when the divergent component of motion

        ξ = c + ċ/ω,    ω = √(g/h),

    seen from above leaves the polygon of what it uses of its soles: no centre of pressure brings it
    back then. It steps on, by the program of `foothold_program`, until its feet are side by side,
    and stands there. J. Pratt, J. Carff, S. Drakunov, A. Goswami, "Capture point: a step toward
    humanoid push recovery" (2006).

    Args, errors: as of a GaitController.
    """
