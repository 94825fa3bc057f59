"""Differences between the closures of two descriptions of one robot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from ..closures import Closure, JointCoupling, LoopClosure, coupling_law
from ..robot import Robot
from .bodies import Body, places
from .difference import Difference
from .quantities import angle, both, degrees, metres, offset

Bodies = tuple[Body, ...]

_AT = np.linspace(-1.0, 1.0, 5)  # positions at which the laws of couplings are compared


class Placed(NamedTuple):
    """A closure, the indices of the two bodies or joints that it joins, and its ends on them."""

    closure: Closure
    joins: tuple[int, ...]
    ends: tuple[Any, ...] = ()

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return self.closure.kind if isinstance(self.closure, LoopClosure) else "coupling"


def compared_closures(
    a: Robot, b: Robot, bodies: tuple[Bodies, Bodies], tolerance: float
) -> Iterator[Difference]:
    """Yield the differences between the closures: those of the same bodies are compared."""
    own, left = (
        [_placed(c, some) for c in r.closures] for r, some in zip((a, b), bodies, strict=True)
    )
    for one in own:
        same = [other for other in left if one.joins and _alike(one, other)]
        if not same:
            yield Difference.missing(f"closure {one.closure.name!r}", True)
            continue
        other = min(same, key=lambda c: (c.closure.name != one.closure.name, _apart(one, c)))
        left = [c for c in left if c is not other]
        yield from _differences(one, other, bodies[0], tolerance)
    for other in left:
        yield Difference.missing(f"closure {other.closure.name!r}", False)


def _alike(one: Placed, other: Placed) -> bool:
    """Whether two closures join the same bodies, or the same joints."""
    return type(one.closure) is type(other.closure) and set(one.joins) == set(other.joins)


def _placed(closure: Closure, bodies: Bodies) -> Placed:
    """Return a closure on the bodies; joined to nothing where one of them is not there."""
    if isinstance(closure, LoopClosure):
        where = places(bodies)
        ends = [(closure.frame_1, closure.placement_1), (closure.frame_2, closure.placement_2)]
        if not all(frame in where for frame, _ in ends):
            return Placed(closure, ())
        found = sorted(
            ((where[frame][0], where[frame][1] * T) for frame, T in ends), key=lambda end: end[0]
        )
        return Placed(closure, (found[0][0], found[1][0]), (found[0][1], found[1][1]))
    joints = {body.joint: i for i, body in enumerate(bodies)}
    names = (closure.joint, closure.leader or "")
    if not all(name in joints for name in names):
        return Placed(closure, ())
    return Placed(closure, tuple(joints[name] for name in names))


def _apart(one: Placed, other: Placed) -> float:
    """Return how far the ends of two loops are from each other [m]."""
    ends = zip(one.ends, other.ends, strict=False)
    return sum(offset(T, U)[0] for T, U in ends)


def _differences(
    one: Placed, other: Placed, bodies: Bodies, tolerance: float
) -> Iterator[Difference]:
    name = f"closure {one.closure.name!r}"
    if one.kind != other.kind:
        kinds = one.kind, other.kind
        yield Difference("robot", "", f"kind of {name}", *kinds, words=kinds)
    elif isinstance(one.closure, JointCoupling):
        yield from _laws(one, other, name, tolerance)
    else:
        for T, U, i in zip(*_shown(one, other), one.joins, strict=True):
            apart, turned = _offset(T, U, one.kind)
            if apart > tolerance or turned > tolerance:
                x, y = np.array(T.translation), np.array(U.translation)
                gap = ", ".join([metres(apart), degrees(turned)][: 1 + (one.kind != "point")])
                what = f"place of {name} on {bodies[i].link!r}"
                yield Difference("robot", "", what, x, y, "m", both(x, y), gap)


def _shown(one: Placed, other: Placed) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the ends to compare: of a weld, T_1 T_2⁻¹ alone counts."""
    if one.kind != "weld":
        return one.ends, other.ends
    welds = [ends[0] * ends[1].inverse() for ends in (one.ends, other.ends)]
    none = pin.SE3.Identity()
    return (welds[0], none), (welds[1], none)


def _offset(T: Any, U: Any, kind: str) -> tuple[float, float]:
    """Return distance and angle of two ends, as far as the closure of that kind depends on it."""
    apart, turned = offset(T, U)
    if kind == "hinge":
        turned = angle(T.rotation[:, 2], U.rotation[:, 2])
    return apart, 0.0 if kind == "point" else turned


def _laws(one: Placed, other: Placed, name: str, tolerance: float) -> Iterator[Difference]:
    couplings = [c for c in (one.closure, other.closure) if isinstance(c, JointCoupling)]
    laws = np.array([[c.joint_at + coupling_law(c, x)[0] for x in _AT] for c in couplings])
    same = one.joins == other.joins  # else who follows whom is turned round
    if not same or np.abs(laws[0] - laws[1]).max() > tolerance:
        a, b = (f"{c.joint} by {c.coefficients}" for c in couplings)
        yield Difference("robot", "", f"law of {name}", a, b, words=(a, b))
