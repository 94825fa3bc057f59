"""Standing: a posture in which a robot stands on its legs, and the feet that it stands on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Array
from ..closure_rows import ClosureRows
from .ahead import facing_x
from .alike import alike
from .foot import Foot
from .leg_postures import LEVEL, LegPostures
from .limbs import legs, legs_to, neutral, unlinked, upright
from .outlines import Outline, lowest, placed
from .parts import Part, parts_of
from .sole_shapes import ball_of, touching_foot
from .support import beside, com_of, frame_of, supports

_CLEAR = 0.015  # of the legs' length: how far anything but the feet may be below them
_BESIDE = 1e-6  # of the legs' length: how far the centre of mass may be beside them
_DROP = 0.15  # of the legs' length: feet that do not come down that far below the hips are none


@dataclass(frozen=True)
class Standing:
    """How a robot stands.

    Attributes:
        q: (nq,), with its feet on z = 0.
        feet: name -> Foot.
        toes: links behind a joint of a foot that lie on the ground too; no foot has them.
        problem: why it does not stand in q, else "".
    """

    q: Array
    feet: dict[str, Foot] = field(default_factory=dict)
    toes: tuple[str, ...] = ()
    problem: str = ""


def stand(robot: Any, shapes: list[Outline], feet: Iterable[int] | None = None) -> Standing:
    """Return a posture in which a floating robot stands on its legs, knees bent where they can be.

    `problem` says what stands against it: a robot without legs, legs that do not reach below the
    trunk, a centre of mass beside the feet.

    Args:
        robot: with a floating base.
        shapes: of its bodies.
        feet: the joints whose bodies are the feet, some ends of its legs, which then all stand on
            the ground, or others; the ends of the legs when not given.
    """
    model = robot._model
    shapes = [shape for shape in shapes if carried(model, shape.joint)]
    known = {shape.joint for shape in shapes} & set(feet or ())
    as_drawn, turned = neutral(model), upright(model, shapes, robot._closure_rows.joints)
    standing = _with_base(robot, shapes, known, turned)
    if standing.problem and not np.array_equal(as_drawn, turned):  # legs folded to one side?
        other = _with_base(robot, shapes, known, as_drawn)
        return standing if other.problem else other
    return standing


def _with_base(robot: Any, shapes: list[Outline], known: set[int], q: Array) -> Standing:
    """Return how it stands with the base as in q (nq,), on its soles or else on its toes."""
    model, closures = robot._model, robot._closure_rows
    found = legs(model, shapes, q, closures.joints)
    if (turned := facing_x(model, q, found)) is not q:
        q, found = turned, legs(model, shapes, turned, closures.joints)
    found = unlinked(found, closures.joints)
    data, answers = placed(model, q), []
    for on_toes in (False, True):
        parts = [p for leg in found for p in parts_of(model, data, shapes, leg, on_toes=on_toes)]
        if not known <= {part.joint for part in parts if not part.is_toe}:
            ends = legs_to(model, q, sorted(known))
            parts = [p for leg in ends for p in parts_of(model, data, shapes, leg)]
        if not parts:
            return _body(model, shapes, q)
        answers.append(_on(parts, closures, shapes, q))
        if not answers[-1].problem or not any(part.is_toe for part in parts):
            break
    return answers[-1] if not answers[-1].problem else answers[0]


def _on(parts: list[Part], closures: ClosureRows, shapes: list[Outline], q: Array) -> Standing:
    """Return how it stands on these parts of its feet."""
    model = closures.robot._model
    solver = LegPostures(model, parts, q, closures)
    stretched = solver.stretched()
    if solver.drop(stretched) < _DROP * solver.size:
        return Standing(q, problem="its legs do not reach below its hips")
    q = solver.bent(stretched)
    data = placed(model, q)
    for part in solver.feet:
        part.ball = ball_of(model, data, part.shapes, part.normal)
    return _result(solver, shapes, solver.levelled(q))


def carried(model: Any, joint: int) -> bool:
    """Whether the floating base carries it: it is no body that floats beside."""
    while joint > 1:
        joint = model.parents[joint]
    return joint == 1


def _body(model: Any, shapes: list[Outline], q: Array) -> Standing:
    """Return how a body without joints lies on its lowest shapes; other robots do not stand."""
    if model.njoints != 2 or not shapes:
        return Standing(q, problem=_no_legs(model, shapes))
    data = placed(model, q)
    foot = touching_foot(model, data, shapes)
    q[2] -= lowest(shapes, data)
    return Standing(q, {foot.name: foot}, problem="it has no legs")


def _no_legs(model: Any, shapes: list[Outline]) -> str:
    """Return why no legs are known, in words: they may be where shapes are missing."""
    if not shapes:
        return "it has no shapes"
    bodies = model.njoints - 1
    bare = bodies - len({shape.joint for shape in shapes if shape.joint})
    if not bare:
        return "it has no legs"
    return f"its shapes show no legs, and {bare} of its {bodies} bodies have none"


def _result(solver: LegPostures, shapes: list[Outline], q: Array) -> Standing:
    """Return the posture on the ground, its feet and toes, and what stands against it."""
    model, data = solver.model, placed(solver.model, q)
    q = q.copy()
    q[2] -= min(lowest(part.shapes, data) for part in solver.feet)
    data = placed(model, q)
    feet = [touching_foot(model, data, p.shapes, p.normal, p.ball) for p in solver.feet]
    feet = alike(feet, [data.oMf[frame_of(model, foot.frame)] for foot in feet])
    toes = [part for part in solver.parts if part.is_toe]
    down = [part for part in toes if lowest(part.shapes, data) < LEVEL * solver.size]
    names = tuple(_lowest_link(model, data, part.shapes) for part in down)
    problem = _problem(solver, shapes, q, feet)
    return Standing(q, {foot.name: foot for foot in feet}, names, problem)


def _problem(solver: LegPostures, shapes: list[Outline], q: Array, feet: list[Foot]) -> str:
    uneven, size, model = solver.unevenness(q), solver.size, solver.model
    e = solver.closures.at_q(q, model.createData())[0]
    if np.abs(e).max(initial=0.0) > 1e-9:
        return f"the closure {solver.closures.worst(e)[0]!r} does not close while it stands"
    if uneven > LEVEL:
        return f"its feet reach no common ground: they are {uneven * size:.3g} m apart"
    data = placed(model, q)
    own = {part.joint for part in solver.feet}
    others = [shape for shape in shapes if shape.joint not in own]
    if others and (depth := -lowest(others, data)) > _CLEAR * size:
        return f"{_lowest_link(model, data, others)} is {depth:.3g} m below its feet"
    apart = beside(supports(model, data, feet), com_of(model, data, q)[:2])
    if apart > _BESIDE * size:
        return f"its centre of mass stays {apart:.3g} m beside its feet"
    return ""


def _lowest_link(model: Any, data: Any, shapes: list[Outline]) -> str:
    low = min(shapes, key=lambda shape: lowest([shape], data))
    return str(model.frames[low.link].name)
