"""Frames: the bodies of one description in the order and in the frames of another's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pinocchio as pin

from ...arrays import Array
from ..registration import registration
from .bodies import Body
from .quantities import GEOMETRIC, angle, offset

Bodies = tuple[Body, ...]

_GROSS = 0.05  # differences from which on they count twice [m, rad, share of an inertia]
_CANDIDATES = 5  # links of a body whose frames are tried


def expressed(a: Bodies, b: Bodies, pairs: dict[int, int], tolerance: float) -> Bodies:
    """Return B's bodies in A's order, each in the frame of its counterpart in A.

    Frames are conventions. Those of links with the same name are taken for the same, unless with
    another choice less of a body differs: frames of another link, joint frames, the frames that
    coincide while the joints are at zero, or for a base those in which its principal axes or its
    joints coincide.
    """
    index = {k: i for i, k in pairs.items()}
    found: dict[int, pin.SE3] = {}
    for i in range(len(a)):
        other = b[pairs[i]]
        parent = found.get(index.get(other.parent, -1))
        ways = list(_ways(a[i], other, found.get(a[i].parent), parent))
        if a[i].kind in ("free", "world"):
            ways += _principal(a[i], other)
            ways += _fitted(_points(a, i), _points(b, pairs[i], [pairs[c] for c in _carried(a, i)]))
        fewest = np.inf
        for X in ways:
            both = (_mismatches(a, b, pairs, i, X, parent, w) for w in (tolerance, _GROSS))
            if (count := sum(both)) < fewest:
                fewest, found[i] = count, X
            if not count:
                break
    return tuple(
        _moved(b[pairs[i]], found[i], found.get(index.get(b[pairs[i]].parent, -1)), index)
        for i in range(len(a))
    )


def _ways(body: Body, other: Body, own: pin.SE3 | None, its: pin.SE3 | None) -> Iterator[pin.SE3]:
    """Yield what T_body_other may be; the likeliest first."""
    common = [name for name in body.links if name in other.links][:_CANDIDATES]
    yield from (body.frames[name] * other.frames[name].inverse() for name in common)
    yield pin.SE3.Identity()
    if own is not None and its is own and body.kind != "free":
        yield body.placement.inverse() * its * other.placement


def _principal(body: Body, other: Body) -> list[pin.SE3]:
    """Return the placements in which two centres of mass and all principal axes coincide."""
    axes, its = (np.linalg.eigh(x.inertia.inertia)[1] for x in (body, other))
    handed = np.sign(np.linalg.det(axes) * np.linalg.det(its))
    turns = [(axes * (x, y, handed * x * y)) @ its.T for x in (1, -1) for y in (1, -1)]
    return [pin.SE3(R, body.inertia.lever - R @ other.inertia.lever) for R in turns]


def _carried(bodies: Bodies, i: int) -> list[int]:
    return [k for k, body in enumerate(bodies) if body.parent == i]


def _points(bodies: Bodies, i: int, carried: list[int] | None = None) -> Array:
    """Return the centre of mass of a body and the origins of the joints on it, (n, 3) [m]."""
    children = _carried(bodies, i) if carried is None else carried
    origins = [bodies[k].placement.act(bodies[k].point) for k in children]
    return np.array([bodies[i].inertia.lever, *origins])


def _fitted(points: Array, others: Array) -> list[pin.SE3]:
    """Return the placement that brings others nearest to points; none where they are in a line."""
    X, sizes = registration(points, others)
    return [] if sizes[1] <= 1e-6 * max(sizes[0], 1e-9) else [X]


def _mismatches(
    a: Bodies,
    b: Bodies,
    pairs: dict[int, int],
    i: int,
    X: pin.SE3,
    parent: pin.SE3 | None,
    tolerance: float,
) -> int:
    """Return how much of a body differs if T_body_other is X."""
    body, other = a[i], _moved(b[pairs[i]], X, parent, {})
    own = sum(not x.near(x.of(body), x.of(other), tolerance) for x in GEOMETRIC)
    lines = sum(
        not _same_line(a[c], b[pairs[c]], X, tolerance)
        for c in range(len(a))
        if a[c].parent == i and b[pairs[c]].parent == pairs[i] and a[c].kind != "free"
    )
    return own + lines + bool(moved_frames(body, other, tolerance))


def _same_line(child: Body, other: Body, X: pin.SE3, tolerance: float) -> bool:
    """Whether the axes of two joints lie on one line in the frame of their parent."""
    T, its = child.placement, X * other.placement
    axis, apart = T.rotation @ child.axis, its.act(other.point) - T.act(child.point)
    apart = apart - axis * (axis @ apart)
    turned = angle(axis, its.rotation @ other.axis)
    return bool(np.linalg.norm(apart) <= tolerance and min(turned, np.pi - turned) <= tolerance)


def _moved(body: Body, X: pin.SE3, parent: pin.SE3 | None, index: dict[int, int]) -> Body:
    """Return a body in the frame in which X is T_frame_body, on a parent moved likewise."""
    base = pin.SE3.Identity() if parent is None else parent
    free = body.kind == "free"
    return replace(
        body,
        parent=index.get(body.parent, -1),
        placement=body.placement if free else base * body.placement * X.inverse(),
        axis=X.rotation @ body.axis,
        point=body.point if free or body.kind == "world" else X.act(body.point),
        inertia=X.act(body.inertia),
        frames={name: X * T for name, T in body.frames.items()},
    )


def moved_frames(body: Body, other: Body, tolerance: float) -> list[tuple[str, float, float]]:
    """Return (name, distance [m], angle [rad]) of links placed otherwise, the farthest first."""
    moved = []
    for name in body.links:
        if name in other.links:
            apart, turned = offset(body.frames[name], other.frames[name])
            if apart > tolerance or turned > tolerance:
                moved.append((name, apart, turned))
    return sorted(moved, key=lambda one: -max(one[1:]))
