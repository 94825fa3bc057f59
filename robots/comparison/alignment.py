"""Alignment of two descriptions of one robot, and all that differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...errors import ModelError
from ..robot import Robot
from ..values import instance, number
from . import quantities
from .bodies import Body, Machine, below, bodies_of, welded
from .closures import compared_closures
from .difference import Change, Difference
from .feet import compared_feet
from .frames import expressed, moved_frames
from .matching import Match, matched, unmatched
from .quantities import QUANTITIES, Quantity, close, degrees, kind_of, metres, numbers

Bodies = tuple[Body, ...]

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
    machines: tuple[Machine, Machine]
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
    partner = {k: i for i, k in match.pairs.items()}
    gone = (
        unmatched(whole[0], set(match.pairs), whole[1], match.pairs.get),
        unmatched(whole[1], set(partner), whole[0], partner.get),
    )
    common = welded(whole[0], *gone[0]), welded(whole[1], *gone[1])
    pairs = _renumbered(match.pairs, *(parts[0] for parts in gone))
    bodies = common[0], expressed(*common, pairs, tolerance)
    machines = Machine(bodies[0], _gravity(a)), Machine(bodies[1], _gravity(b))
    loose = _loose(whole, gone, machines, pairs, tolerance)
    feet, remarks = compared_feet(a, b, bodies, tolerance)
    silent = tuple(_silent(bodies))
    found = (
        *loose,
        *_bodies(machines, silent, tolerance),
        *feet,
        *compared_closures(a, b, bodies, tolerance),
        *_robot(machines, tolerance),
    )
    notes = (*_names(whole, match), *_unsaid(silent), *remarks)
    heavy = welded(whole[0], gone[0][0]), welded(whole[1], gone[1][0])
    total = Change(
        machines[0]._replace(bodies=heavy[0]),
        machines[1]._replace(bodies=expressed(heavy[0], heavy[1], pairs, tolerance)),
    )
    return Alignment(a, b, machines, total, found, notes)


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


def _renumbered(pairs: dict[int, int], gone: set[int], others: set[int]) -> dict[int, int]:
    """Return the pairs with the indices that bodies have when some are gone."""
    return {i - sum(g < i for g in gone): k - sum(g < k for g in others) for i, k in pairs.items()}


# --- joints of one description only ------------------------------------------------------------


def _loose(
    whole: tuple[Bodies, Bodies],
    gone: tuple[tuple[set[int], set[int]], ...],
    machines: tuple[Machine, Machine],
    pairs: dict[int, int],
    tolerance: float,
) -> Iterator[Difference]:
    """Yield the joints that only one of the descriptions has."""
    for side, (bodies, (welds, dropped)) in enumerate(zip(whole, gone, strict=True)):
        other = whole[1 - side]
        known = {name for body in other for name in body.frames}
        same = {body.joint: kind_of(body) for body in other}
        for i in sorted(welds):
            body = bodies[i]
            there = same.get(body.joint) or ("fixed" if {*body.links, body.joint} & known else "")
            texts = kind_of(body), there or "none"
            if body.joint in same and side == 1:
                continue  # another kind of joint: said once
            change = None
            if i in dropped and bodies[i].parent not in dropped:
                change = _carried(whole, gone, machines, pairs, side, below(bodies, i), tolerance)
            a, b = texts if side == 0 else texts[::-1]
            yield Difference(body.link, body.joint, "joint", a, b, words=(a, b), change=change)


def _carried(
    whole: tuple[Bodies, Bodies],
    gone: tuple[tuple[set[int], set[int]], ...],
    machines: tuple[Machine, Machine],
    pairs: dict[int, int],
    side: int,
    tree: set[int],
    tolerance: float,
) -> Change:
    """Return what it does that one description lacks bodies which the other has."""
    welds, dropped = gone[side]
    heavier = welded(whole[side], welds, dropped - tree)
    if side == 0:
        return Change(machines[0]._replace(bodies=heavier), machines[0])
    lighter = welded(whole[side], welds, dropped)
    bodies = [expressed(machines[0].bodies, some, pairs, tolerance) for some in (lighter, heavier)]
    return Change(*(machines[1]._replace(bodies=some) for some in bodies))


# --- bodies, joints, robot ---------------------------------------------------------------------


def _bodies(
    machines: tuple[Machine, Machine], silent: tuple[tuple[str, str], ...], tolerance: float
) -> Iterator[Difference]:
    """Yield what differs in the bodies and joints that both descriptions have."""
    skipped = {name for name, _ in silent}
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
                yield _of(quantity, machines, i, tolerance)
        if moved := moved_frames(body, other, tolerance):
            yield _of_frames(body, other, moved)


def _of(
    quantity: Quantity, machines: tuple[Machine, Machine], i: int, tolerance: float
) -> Difference:
    body, other = (machine.bodies[i] for machine in machines)
    x, y = quantity.of(body), quantity.of(other)
    digits = max(6, 2 - int(np.floor(np.log10(tolerance))))
    texts = quantities.words(quantity, x, y, digits), quantities.words(quantity, y, x, digits)
    change = _changed(machines, i, quantity.put)
    unit, gap = quantities.unit_for(quantity, body), quantity.gap(x, y)
    return Difference(body.link, body.joint, quantity.name, x, y, unit, texts, gap, change)


def _of_parent(machines: tuple[Machine, Machine], i: int) -> Difference:
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
    texts = numbers(x), numbers(y)
    return Difference(body.link, body.joint, f"frame of {name!r}{rest}", x, y, "m", texts, gap)


def _changed(
    machines: tuple[Machine, Machine], i: int, put: Callable[[Body, Body], Body]
) -> Change:
    """Return A without and with something of B's body."""
    a, b = machines
    bodies = list(a.bodies)
    bodies[i] = put(bodies[i], b.bodies[i])
    return Change(a, a._replace(bodies=tuple(bodies)))


def _robot(machines: tuple[Machine, Machine], tolerance: float) -> Iterator[Difference]:
    a, b = machines
    if not close(a.gravity, b.gravity, tolerance):
        texts = numbers(a.gravity), numbers(b.gravity)
        change = Change(a, a._replace(gravity=b.gravity))
        yield Difference("robot", "", "gravity", a.gravity, b.gravity, "m/s²", texts, change=change)


# --- remarks -----------------------------------------------------------------------------------


def _silent(bodies: tuple[Bodies, Bodies]) -> Iterator[tuple[str, str]]:
    """Yield (quantity, robot) of limits that only one of the descriptions has anything of."""
    limits = {q.name: q for q in QUANTITIES if q.name in ("velocity limit", "torque limit")}
    for name, quantity in limits.items():
        has = [any(np.isfinite(quantity.of(body)).any() for body in some) for some in bodies]
        if has[0] != has[1]:
            yield name, "AB"[has[0]]


def _unsaid(silent: tuple[tuple[str, str], ...]) -> list[str]:
    return [f"{name}s are not compared: {robot} has none at all" for name, robot in silent]


def _names(whole: tuple[Bodies, Bodies], match: Match) -> Iterator[str]:
    """Yield what was matched by other means than the names of joints."""
    a, b = whole
    for i, k in sorted(match.pairs.items()):
        names, links = (a[i].joint, b[k].joint), (a[i].link, b[k].link)
        if match.how[i] != "name":
            by = "name of the link" if match.how[i] == "link" else "place in the tree"
            yield f"joint {names[0]!r} is {names[1]!r} in B, by the {by}"
        elif i and links[0] != links[1] and links[1] not in a[i].links:
            yield f"link {links[0]!r} is {links[1]!r} in B"
