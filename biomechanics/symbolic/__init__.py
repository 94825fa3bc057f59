"""Symbolic mechanics by SymPy (the extra `symbolic`).

Wrenches, bodies and joints in moving frames, planar limbs of any number of segments, and the
equations of motion of robots with few joints. Lengths, masses and times given as rational
numbers (`sympy.Rational(7, 10)`, not 0.7) stay exact.
"""

from __future__ import annotations

from importlib.util import find_spec

from ...errors import FootworkError

if find_spec("sympy") is None:
    raise FootworkError("symbolic mechanics needs SymPy: pip install 'footwork[symbolic]'")

from .bodies import Body, Joint
from .closed_form import closed_form
from .equations import Equations, from_robot
from .frames import WORLD, Frame, rotation, t
from .limb import Limb
from .wrench import Wrench

__all__ = [
    "t",
    "Frame",
    "WORLD",
    "rotation",
    "Wrench",
    "Body",
    "Joint",
    "Limb",
    "from_robot",
    "Equations",
    "closed_form",
]
