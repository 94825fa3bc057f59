"""Self-collision of many configurations: which links overlap in which row, and how deep.

Pairs, shapes and clearance are those of `self_collisions`. Boxes around the shapes tell which pairs
are worth asking (`kernels/boxes.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Array, Index
from ...dynamics import batch
from ...errors import ContactError
from ...options import names_checked
from ...progress import progress_bar
from ...robots import Robot
from ...robots.configuration import check_reach, check_robot
from ...robots.values import whole_number
from ..kernels.boxes import NEAR_BOXES
from ..loads_along import table
from .self_collision import CandidatePairs, LinkPair, candidate_pairs, nearest_of_links

_ROWS = 1024  # whose placements are held at a time


@dataclass(frozen=True, eq=False, repr=False)
class SelfCollisions:
    """Pairs of links that are nearer than asked, of many configurations.

    Attributes:
        count: N, of configurations.
        links: names of the pairs of links that are found in any row.
        row: (M,), which configuration, ascending; of one the nearest pair first.
        pair: (M,), which of `links`.
        distance: (M,), between their shapes, negative: how deep they overlap [m].
        points: (M, 2, 3), nearest points in the world, one on each [m].
    """

    count: int
    links: tuple[tuple[str, str], ...]
    row: Index
    pair: Index
    distance: Array
    points: Array

    def __len__(self) -> int:
        return self.count

    def at(self, i: int) -> tuple[LinkPair, ...]:
        """Return what `contacts.self_collisions` returns for a row."""
        start, stop = np.searchsorted(self.row, [i, i + 1])
        return tuple(
            LinkPair(self.links[self.pair[k]], float(self.distance[k]), self.points[k])
            for k in range(start, stop)
        )

    @cached_property
    def nearest(self) -> Array:
        """(N,), distance of the nearest pair of each row [m], nan where none is that near."""
        out = np.full(self.count, np.nan)
        out[self.row[::-1]] = self.distance[::-1]
        return out

    @cached_property
    def nearest_pair(self) -> Index:
        """(N,), which of `links` that is, −1 where none is."""
        out = np.full(self.count, -1)
        out[self.row[::-1]] = self.pair[::-1]
        return out

    def __repr__(self) -> str:
        rows = len(np.unique(self.row))
        return f"SelfCollisions({rows} of {self.count} configurations, {len(self.links)} pairs)"


@names_checked
def self_collisions(
    robot: Robot, q: ArrayLike, clearance: float = 0.0, *, threads: int = 1
) -> SelfCollisions:
    """Return the pairs of links that are nearer than `clearance` in many configurations.

    Args:
        robot, clearance: as for `contacts.self_collisions`.
        q: configurations (N, nq), or one.
        threads: that share the placements; distances are asked one after the other.

    Raises:
        ConfigurationError, ContactError: as for `contacts.self_collisions`.
    """
    check_robot(robot)
    Q, candidates = table(q, robot.nq, "q"), candidate_pairs(robot, clearance)
    check_reach(robot, Q)
    whole = whole_number(threads, "threads", at_least=1, exact=True, error=ContactError)
    found: list[tuple[int, LinkPair]] = []
    with progress_bar(total=len(Q), unit=" configurations", delay=1.0) as bar:
        for start in range(0, len(Q), _ROWS):
            rows = Q[start : start + _ROWS]
            for i, near in _of_rows(robot, candidates, rows, clearance, whole):
                found += [(start + i, pair) for pair in nearest_of_links(near)]
            bar.update(len(rows))
    return _collected(len(Q), found)


def _of_rows(
    robot: Robot, candidates: CandidatePairs, Q: Array, clearance: float, threads: int
) -> Iterator[tuple[int, Iterable[LinkPair]]]:
    """Yield rows and what is near there, some pairs of links more than once."""
    kernel = NEAR_BOXES.select(len(Q)) if len(candidates.pairs) else None
    if kernel is None:
        with NEAR_BOXES.uncompiled(len(Q)):
            for i, q in enumerate(Q):
                yield i, (one.pair() for one in candidates.near(robot, q, clearance))
        return
    links, keep = _Links.of(robot, candidates), np.minimum(clearance, candidates.most)
    T = np.empty((len(Q), len(links.names), 4, 4))
    for k, name in enumerate(links.names):
        T[:, k] = batch.frame_placement(robot, Q, name, threads=threads)
    close = np.empty((len(Q), len(candidates.pairs)), dtype=bool)
    kernel(T, links.of_shape, links.boxes, candidates.sizes, candidates.pairs, keep, close)
    carried = T[:, links.of_shape][..., :3, :3] @ links.shapes
    carried[..., 3] += T[:, links.of_shape][..., :3, 3]
    for i in np.flatnonzero(close.any(axis=1)).tolist():
        asked = candidates.asked(carried[i], close[i], keep)
        yield i, (candidates.pair(k, float(keep[k]), *one).pair() for k, *one in asked)


class _Links(NamedTuple):
    """Which links carry the shapes, and where on them.

    Attributes:
        names: of the links.
        of_shape: (S,), which of them carries each shape.
        shapes, boxes: (S, 3, 4), axes and origin of each shape, and of the box around it.
    """

    names: tuple[str, ...]
    of_shape: Index
    shapes: Array
    boxes: Array

    @classmethod
    def of(cls, robot: Robot, candidates: CandidatePairs) -> _Links:
        """Return those of a robot."""
        names = tuple(dict.fromkeys(candidates.links))
        objects = zip(candidates.links, candidates.shapes.geometryObjects, strict=True)
        frames = robot._model.frames
        places = [frames[robot.frame_id(n)].placement.actInv(s.placement) for n, s in objects]
        local = np.array([place.homogeneous[:3] for place in places])
        boxes = local.copy()
        boxes[:, :, 3] += (local[:, :, :3] @ candidates.middles[:, :, None])[:, :, 0]
        of_shape = np.array([names.index(name) for name in candidates.links], dtype=np.intp)
        return cls(names, of_shape, local, boxes)


def _collected(count: int, found: list[tuple[int, LinkPair]]) -> SelfCollisions:
    links = tuple(dict.fromkeys(pair.links for _, pair in found))
    number_of = {pair: k for k, pair in enumerate(links)}
    return SelfCollisions(
        count,
        links,
        np.array([row for row, _ in found], dtype=np.intp),
        np.array([number_of[pair.links] for _, pair in found], dtype=np.intp),
        np.array([pair.distance for _, pair in found]),
        np.array([pair.points for _, pair in found]).reshape(-1, 2, 3),
    )
