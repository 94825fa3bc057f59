# mypy: disable-error-code="no-untyped-call, union-attr"
"""Closed forms of the equations of motion of a small robot: the kernels read as SymPy.

The same lines that run eight robots in a vector register are given symbols for numbers. A double
pendulum comes out as in a textbook; robots of more than three or four joints give long answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...errors import FootworkError, ModelError
from ...robots.robot import Robot
from .body_table import BODY, body_table, unknown_joints
from .crba import crba
from .gravity import gravity_torques
from .rnea import rnea


@dataclass(frozen=True, eq=False)
class ClosedForms:
    """Terms of M a + vᵀCv = τ + τ_g as SymPy expressions.

    Attributes:
        q, v: the symbols of the configuration (nq,) and the velocity (nv,).
        mass_matrix: M (nv, nv), a `sympy.Matrix`; `sympy.latex` prints it.
        coriolis_force: vᵀCv (nv, 1).
        gravity_torques: τ_g (nv, 1).
        values: {symbol: number} of the masses, lengths and so on of this robot.
    """

    q: tuple[Any, ...]
    v: tuple[Any, ...]
    mass_matrix: Any
    coriolis_force: Any
    gravity_torques: Any
    values: dict[Any, float]


def closed_forms(robot: Robot) -> ClosedForms:
    """Return the closed forms of a robot's equations of motion.

    Symbols: m_i masses, l_i the joint's place in its parent, c_i the centre of mass, I_i the
    inertia about the joint's origin, r_i the rotor, g gravity; with an index x, y, z where there is
    more than one, in axes in which joint i turns about (or slides along) z. A joint of three
    velocities counts as three joints, the last of which has the body.

    Raises:
        ModelError: joints that the kernels do not know, or gravity that is not along −z.
        FootworkError: SymPy (the extra `symbolic`) is not installed.
    """
    try:
        import sympy
    except ImportError:
        raise FootworkError("closed forms need SymPy: pip install 'footwork[symbolic]'") from None
    if names := unknown_joints(robot):
        raise ModelError(f"{robot.name!r}: no kernel knows the joints {names}")
    bodies, values = _symbolic_bodies(sympy, body_table(robot))
    q = sympy.symbols(f"q_1:{robot.nq + 1}", real=True)
    v = sympy.symbols(f"v_1:{robot.nv + 1}", real=True)
    n, nv = len(bodies), robot.nv
    M, force, gravity = _zeros(nv, nv), _zeros(nv), _zeros(nv)
    crba(bodies, q, M, _zeros(n + 1, 11))
    rnea(_weightless(bodies), q, v, _zeros(nv), force, _zeros(n + 1, 20))
    gravity_torques(bodies, q, gravity, _zeros(n + 1, 11))

    def tidy(entries: Any) -> Any:
        exact = sympy.Matrix(entries).applyfunc(lambda x: sympy.nsimplify(x, rational=True))
        return exact.applyfunc(lambda x: sympy.factor_terms(sympy.trigsimp(sympy.expand(x))))

    terms = tidy(M), tidy(force), tidy(gravity)
    used = set().union(*(term.free_symbols for term in terms))
    return ClosedForms(q, v, *terms, {name: x for name, x in values.items() if name in used})


def _zeros(*shape: int) -> Any:
    return np.zeros(shape, dtype=object)


def _weightless(bodies: list[Any]) -> list[Any]:
    root = SimpleNamespace(**{**vars(bodies[0]), "gravity": (0, 0, 0)})
    return [root, *bodies[1:]]


def _symbolic_bodies(sympy: Any, bodies: Any) -> tuple[list[Any], dict[Any, float]]:
    """Return the records of a body table with symbols for numbers, and what they stand for."""
    values: dict[Any, float] = {}

    def symbol(name: str, value: float) -> Any:
        """A positive symbol for a number, with the number's sign; 0 stays 0."""
        if value == 0.0:
            return sympy.Integer(0)
        values[sympy.Symbol(name, positive=True)] = abs(float(value))
        return sympy.sign(value) * sympy.Symbol(name, positive=True)

    def vector(name: str, numbers: Any) -> tuple[Any, ...]:
        alone = np.count_nonzero(numbers) == 1
        letters = ("", "", "") if alone else ("x", "y", "z")
        return tuple(symbol(name + letter, x) for letter, x in zip(letters, numbers, strict=True))

    g = bodies[0]["gravity"]
    if g[0] or g[1] or g[2] > 0:
        raise ModelError(f"gravity is {g}; expected it along −z")
    records = []
    for i, body in enumerate(bodies):
        record = SimpleNamespace(**{name: body[name] for name in BODY.names})
        record.mass = symbol(f"m_{i}", body["mass"])
        record.p = vector(f"l_{i}", body["p"])
        centre = body["h"] / body["mass"] if body["mass"] else np.zeros(3)
        record.h = tuple(record.mass * c for c in vector(f"c_{i}", centre))
        names = [f"I_{i}{axes}" for axes in ("xx", "xy", "yy", "xz", "yz", "")]
        record.I = tuple(symbol(name, x) for name, x in zip(names, body["I"], strict=True))
        record.armature = symbol(f"r_{i}", body["armature"])
        record.R = [sympy.nsimplify(x) for x in body["R"]]
        record.gravity = (0, 0, symbol("g", g[2]))
        records.append(record)
    for record in reversed(records):
        below = [other.subtree_mass for other in records if other.parent == records.index(record)]
        record.subtree_mass = record.mass + sum(below)
    return records, values
