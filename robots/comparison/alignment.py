"""Alignment of two descriptions of one robot, and all that differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ..robot import Robot
from ..values import instance, number
from .bodies import Body, Machine, below, bodies_of, welded
from .closures import compared_closures
from .difference import Change, Difference
from .feet import compared_feet
from .frames import expressed, moved_frames
from .matching import Match, matched, unmatched
from .quantities import QUANTITIES, Quantity, both, close, degrees, kind_of, metres, unit_for

Bodies = tuple[Body, ...]
Side = TypeVar("Side")
_Sides = tuple[Side, Side]  # of A and of B

_VELOCITY = "velocity limit"
_LISTED = 6  # names of a note
_ROUND = 1e-6  # [m or rad]: less is not said


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two descriptions of one robot, in the same coordinates, and what differs.

    Attributes:
        a, b: the robots.
        machines: of both, without the joints that only one of them has: bodies in A's order, in
            A's frames.
        whole: without and with all that differs, bodies that only one of them has included.
        differences: in A's order of bodies.
        notes: what was matched how, and what could not be compared.
    """

    a: Robot
    b: Robot
    machines: _Sides[Machine]
    whole: Change
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]


def align(a: Robot, b: Robot, tolerance: float) -> Alignment:
    """Return two descriptions of one robot in the same coordinates, and what differs.

    Raises:
        ModelError: less than half of the joints match: they are not one robot.
    """
    for robot, name in ((a, "a"), (b, "b")):
        instance(robot, name, Robot)
    number(tolerance, "tolerance", above=0, at_most=0.1)
    whole = bodies_of(a), bodies_of(b)
    match = matched(*whole)
    _require_one_robot(a, b, match)
    both = _Both.of(whole, match, tolerance)
    bodies = both.bodies()
    machines = Machine(bodies[0], _gravity(a)), Machine(bodies[1], _gravity(b))
    heavy = both.bodies(both.dropped) if any(both.dropped) else bodies
    total = Change(*(x._replace(bodies=some) for x, some in zip(machines, heavy, strict=True)))
    feet, remarks = compared_feet(a, b, bodies, tolerance)
    if unsaid := _no_velocities(bodies):
        remarks.append(f"{_VELOCITY}s are not compared: {unsaid} has none at all")
    found = (
        *_loose(both, machines),
        *_bodies(machines, {_VELOCITY} if unsaid else set(), tolerance),
        *feet,
        *compared_closures(a, b, bodies, tolerance),
        *_robot(machines, tolerance),
    )
    notes = (*_names(whole, match), *_lacking(whole), *remarks)
    return Alignment(a, b, machines, total, found, notes)


@dataclass(frozen=True)
class _Both:
    """The bodies of two robots, which of them only one has, and the pairs of all others.

    Attributes:
        whole: the bodies of both.
        welds: of both, the bodies whose joints the other lacks.
        dropped: those of them that the other lacks altogether.
        pairs: the indices that remain, of A to those of B.
    """

    whole: _Sides[Bodies]
    welds: _Sides[set[int]]
    dropped: _Sides[set[int]]
    pairs: dict[int, int]
    tolerance: float

    @classmethod
    def of(cls, whole: _Sides[Bodies], match: Match, tolerance: float) -> _Both:
        partners = match.pairs, {k: i for i, k in match.pairs.items()}
        (welds, dropped), (other_welds, other_dropped) = (
            unmatched(whole[side], set(partners[side]), whole[1 - side], partners[side].get)
            for side in (0, 1)
        )
        pairs = {
            i - sum(gone < i for gone in welds): k - sum(gone < k for gone in other_welds)
            for i, k in match.pairs.items()
        }
        return cls(whole, (welds, other_welds), (dropped, other_dropped), pairs, tolerance)

    def bodies(self, kept: _Sides[set[int]] = (set(), set())) -> _Sides[Bodies]:
        """Return A's bodies and B's in A's frames, without those dropped that are not `kept`."""
        a, b = (
            welded(self.whole[side], self.welds[side], self.dropped[side] - kept[side])
            for side in (0, 1)
        )
        return a, expressed(a, b, self.pairs, self.tolerance)


def _gravity(robot: Robot) -> Array:
    return np.array(robot._model.gravity.linear)


def _require_one_robot(a: Robot, b: Robot, match: Match) -> None:
    """Refuse two robots that have little in common.

    Raises:
        ModelError: less than half of the joints of the one with fewer have a counterpart.
    """
    moved = [robot._model.njoints - 1 - robot.is_floating for robot in (a, b)]
    both = [i for i in match.pairs if i and not (i == 1 and a.is_floating)]
    if 2 * len(both) >= min(moved):
        return
    by = [sum(match.how[i] == way for i in both) for way in ("name", "link", "tree")]
    raise ModelError(
        f"{a.name!r} and {b.name!r} are not one robot: {len(both)} of {moved[0]} and {moved[1]} "
        f"joints match ({by[0]} by name, {by[1]} by the name of their link, {by[2]} by their place "
        "in the tree); expected two descriptions of one robot"
    )


# --- joints of one description only ------------------------------------------------------------


def _loose(both: _Both, machines: _Sides[Machine]) -> Iterator[Difference]:
    """Yield the joints that only one of the descriptions has."""
    for side, bodies in enumerate(both.whole):
        other = both.whole[1 - side]
        known = {name for body in other for name in body.frames}
        same = {body.joint: kind_of(body) for body in other}
        for i in sorted(both.welds[side]):
            body = bodies[i]
            if body.joint in same and side == 1:
                continue  # another kind of joint: said once
            there = same.get(body.joint) or ("fixed" if {*body.links, body.joint} & known else "")
            a, b = (kind_of(body), there or "none")[:: 1 - 2 * side]
            lost = i in both.dropped[side] and body.parent not in both.dropped[side]
            change = _carried(both, machines[side], side, below(bodies, i)) if lost else None
            yield Difference(body.link, body.joint, "joint", a, b, words=(a, b), change=change)


def _carried(both: _Both, machine: Machine, side: int, tree: set[int]) -> Change:
    """Return what it does that one description lacks bodies which the other has."""
    kept = (tree, set[int]()) if side == 0 else (set[int](), tree)
    heavier = machine._replace(bodies=both.bodies(kept)[side])
    return Change(heavier, machine) if side == 0 else Change(machine, heavier)


# --- bodies, joints, robot ---------------------------------------------------------------------


def _bodies(machines: _Sides[Machine], skipped: set[str], tolerance: float) -> Iterator[Difference]:
    """Yield what differs in the bodies and joints that both descriptions have."""
    bodies, others = (machine.bodies for machine in machines)
    for i, (body, other) in enumerate(zip(bodies, others, strict=True)):
        leave = set(skipped)
        if body.parent != other.parent:
            yield _of_parent(machines, i)
            leave |= {"placement", "rotation"}
        if kind_of(body) != kind_of(other):
            texts = kind_of(body), kind_of(other)
            change = _changed(machines, i, lambda a, b: replace(a, kind=b.kind, own=b.own))
            yield Difference(body.link, body.joint, "joint", *texts, "", texts, change=change)
            leave.add("position limits")
        for quantity in QUANTITIES:
            x, y = quantity.of(body), quantity.of(other)
            if quantity.name not in leave and not quantity.near(x, y, tolerance):
                yield _of(quantity, machines, i)
        if moved := moved_frames(body, other, tolerance):
            yield _of_frames(body, other, moved)


def _of(quantity: Quantity, machines: _Sides[Machine], i: int) -> Difference:
    body, other = (machine.bodies[i] for machine in machines)
    x, y = quantity.of(body), quantity.of(other)
    texts, unit, gap = both(x, y, quantity.words), unit_for(quantity, body), quantity.gap(x, y)
    change = _changed(machines, i, quantity.put)
    return Difference(body.link, body.joint, quantity.name, x, y, unit, texts, gap, change)


def _of_parent(machines: _Sides[Machine], i: int) -> Difference:
    bodies, others = (machine.bodies for machine in machines)
    names = bodies[bodies[i].parent].link, bodies[others[i].parent].link
    change = _changed(machines, i, lambda a, b: replace(a, parent=b.parent, placement=b.placement))
    body = bodies[i]
    return Difference(body.link, body.joint, "carried by", *names, "", names, change=change)


def _of_frames(body: Body, other: Body, moved: list[tuple[str, float, float]]) -> Difference:
    """Return the difference of a body's links that are placed otherwise."""
    name, apart, turned = moved[0]
    x, y = (np.array(some.frames[name].translation) for some in (body, other))
    rest = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
    gaps = [metres(apart)] * (apart > _ROUND) + [degrees(turned)] * (turned > _ROUND)
    gap = ", ".join(gaps)
    texts = both(x, y)
    return Difference(body.link, body.joint, f"frame of {name!r}{rest}", x, y, "m", texts, gap)


def _changed(machines: _Sides[Machine], i: int, put: Callable[[Body, Body], Body]) -> Change:
    """Return A without and with something of B's body."""
    a, b = machines
    bodies = list(a.bodies)
    bodies[i] = put(bodies[i], b.bodies[i])
    return Change(a, a._replace(bodies=tuple(bodies)))


def _robot(machines: _Sides[Machine], tolerance: float) -> Iterator[Difference]:
    a, b = machines
    if not close(a.gravity, b.gravity, tolerance):
        texts = both(a.gravity, b.gravity)
        change = Change(a, a._replace(gravity=b.gravity))
        yield Difference("robot", "", "gravity", a.gravity, b.gravity, "m/s²", texts, change=change)


# --- remarks -----------------------------------------------------------------------------------


def _no_velocities(bodies: _Sides[Bodies]) -> str:
    """Return which of the descriptions alone has no velocity limit at all, as MJCF; else ""."""
    known = [any(np.isfinite(body.velocity).any() for body in some) for some in bodies]
    return "" if known[0] == known[1] else "AB"[known[0]]


def _names(whole: _Sides[Bodies], match: Match) -> Iterator[str]:
    """Yield what was matched by other means than the names of joints."""
    a, b = whole
    for i, k in sorted(match.pairs.items()):
        names, links = (a[i].joint, b[k].joint), (a[i].link, b[k].link)
        if match.how[i] != "name":
            by = "name of the link" if match.how[i] == "link" else "place in the tree"
            yield f"joint {names[0]!r} is {names[1]!r} in B, by the {by}"
        elif i and links[0] != links[1] and links[1] not in a[i].links:
            yield f"link {links[0]!r} is {links[1]!r} in B"


def _lacking(whole: _Sides[Bodies]) -> Iterator[str]:
    """Yield the links that are welded to a body and that the other description does not name."""
    names = [{name for body in bodies for name in body.links} for bodies in whole]
    for side, bodies in enumerate(whole):
        welds = [name for body in bodies for name in body.links[1:]]
        lost = [name for name in welds if name not in names[1 - side]]
        if lost:
            more = f" and {len(lost) - _LISTED} more" if len(lost) > _LISTED else ""
            listed = ", ".join(map(repr, lost[:_LISTED]))
            yield f"welded links that {'BA'[side]} does not name: {listed}{more}"
