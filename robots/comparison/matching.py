"""Matching of the joints of two descriptions: by their names, by those of links, by the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
import scipy

from ...arrays import Array
from .bodies import Body, below

Bodies = tuple[Body, ...]

_FAR = 1.0  # cost beyond which two bodies of the tree are not taken for the same

# the rotations between right-handed frames along the same axes, the identity first
_AXES = [
    np.eye(3)[list(order)] * signs
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(np.eye(3)[list(order)] * signs) > 0
]


_KEYS: dict[str, Callable[[Body], str]] = {
    "name": lambda body: body.joint,
    "link": lambda body: body.links[0] if body.links else f"joint {body.joint}",
}


class Match(NamedTuple):
    """Which body of B is which of A, and how that was found: "name", "link" or "tree"."""

    pairs: dict[int, int]
    how: dict[int, str]


def matched(a: Bodies, b: Bodies) -> Match:
    """Return the pairs of bodies, the worlds and the free bases among them."""
    pairs, how = {0: 0}, {0: "name"}

    def pair(i: int, k: int, by: str) -> None:
        if i not in pairs and k not in pairs.values() and _alike(a[i], b[k]):
            pairs[i], how[i] = k, by

    bases = [[i for i, body in enumerate(some) if body.kind == "free"][:1] for some in (a, b)]
    for i, k in zip(*bases, strict=False):
        pair(i, k, "name")
    for by, key in _KEYS.items():
        known = {key(body): k for k, body in reversed(list(enumerate(b)))}
        for i, body in enumerate(a):
            if key(body) in known:
                pair(i, known[key(body)], by)
    sizes = _subtrees(a), _subtrees(b)
    for i in range(len(a)):  # parents first: what was just matched has its children matched next
        if i in pairs:
            for child, other in _children(a, b, i, pairs, sizes):
                pair(child, other, "tree")
    return Match(pairs, how)


def _alike(body: Body, other: Body) -> bool:
    """Whether the joints have as many degrees of freedom, and both or none of them is the base."""
    return body.rows == other.rows and (body.kind == "free") == (other.kind == "free")


def _subtrees(bodies: Bodies) -> Array:
    """Return (n, 2): how many bodies each carries, itself included, and their mass."""
    parts = [[bodies[k] for k in below(bodies, i)] for i in range(len(bodies))]
    return np.array([(len(part), sum(body.inertia.mass for body in part)) for part in parts])


def _children(
    a: Bodies, b: Bodies, i: int, pairs: dict[int, int], sizes: tuple[Array, Array]
) -> Iterator[tuple[int, int]]:
    """Yield the children of a matched body that are nearest to each other."""
    left = [k for k, body in enumerate(a) if body.parent == i and k not in pairs]
    right = [k for k, body in enumerate(b) if body.parent == pairs[i] and k not in pairs.values()]
    if not left or not right:
        return
    unlike = np.array([[_unlike(a, b, k, j, sizes) for j in right] for k in left])
    places, others = (
        np.array([some[k].placement.translation for k in children])
        for some, children in ((a, left), (b, right))
    )
    costs = [unlike + _apart(places, others @ R.T) for R in _AXES]
    found = [scipy.optimize.linear_sum_assignment(cost) for cost in costs]
    sums = [cost[pair].sum() for cost, pair in zip(costs, found, strict=True)]
    best = int(np.argmin(np.round(sums, 6)))  # the first: with the same axes
    for row, column in zip(*found[best], strict=True):
        if costs[best][row, column] < _FAR:
            yield left[row], right[column]


def _apart(places: Array, others: Array) -> Array:
    """Return the distances between places (n, 3) and others (m, 3), relative to the farthest."""
    reach = max(0.05, *np.linalg.norm([*places, *others], axis=1))
    return np.asarray(np.linalg.norm(places[:, None] - others, axis=2) / (2 * reach))


def _unlike(a: Bodies, b: Bodies, i: int, k: int, sizes: tuple[Array, Array]) -> float:
    """Return how far two bodies are from being the same: what follows in the tree, and names."""
    if not _alike(a[i], b[k]) or a[i].kind != b[k].kind:
        return 10 * _FAR
    many, mass = (_relative(x, y) for x, y in zip(sizes[0][i], sizes[1][k], strict=True))
    name = SequenceMatcher(None, a[i].joint.lower(), b[k].joint.lower(), False).ratio()
    return many / 2 + mass / 2 + (1.0 - name) / 4


def _relative(x: float, y: float) -> float:
    return abs(x - y) / max(x, y, 1e-12)


def unmatched(
    bodies: Bodies, kept: set[int], other: Bodies, partner: Callable[[int], int | None]
) -> tuple[set[int], set[int]]:
    """Return the bodies to weld to their parents, and those of them that B has not at all.

    A subtree of which B has no link is one that it lacks, unless the parent's mass in B is nearer
    to that with the subtree than to that without it.
    """
    gone = set(range(len(bodies))) - kept
    names = {name for body in other for name in body.links}
    dropped: set[int] = set()
    for i in sorted(gone):
        tree = below(bodies, i)
        if i in dropped or not tree <= gone or names & {n for k in tree for n in bodies[k].links}:
            continue
        extra = sum(bodies[k].inertia.mass for k in tree)
        parent = bodies[i].parent
        while parent in gone:
            parent = bodies[parent].parent
        there = partner(parent)
        has = other[there].inertia.mass if there is not None else 0.0
        if abs(has - bodies[parent].inertia.mass) < abs(has - bodies[parent].inertia.mass - extra):
            dropped |= tree
    return gone, dropped
