"""Self-collision: pairs of links that penetrate, and distances between the others.

The shapes are the robot's collision shapes, meshes as their convex hulls, in pairs of links that
move against each other. Left out are neighbours (joined by one joint), the pairs that an SRDF lets
touch (`disable_collisions`), and those whose shapes overlap in the posture to stand in or with
every joint at zero: what overlaps there is how the robot was drawn, not a collision. For the same
reason nobody is asked for more clearance than half of what the pair has in the posture to stand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import coal  # type: ignore[import-untyped]
import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ...arrays import Array
from ...dynamics import State
from ...dynamics.body_points import BodyPoints
from ...dynamics.per_robot import per_robot
from ...dynamics.topology import carried_by
from ...dynamics.workspace import workspace_of
from ...errors import ContactError
from ...options import names_checked
from ...robots import Robot
from ...robots.configuration import check_configuration
from ...robots.values import number
from ..geometry.shapes import (
    bounding_balls,
    collide,
    convex_shapes,
    distance_of,
    nearest_points,
)
from ..kernels.boxes import NEAR_BOXES


@dataclass(frozen=True, eq=False)
class LinkPair:
    """Two links and the distance between their shapes.

    Attributes:
        links: their names.
        distance: between their nearest points; negative: how deep they overlap [m].
        points: (2, 3), the nearest points in the world, one on each [m].
    """

    links: tuple[str, str]
    distance: float
    points: Array

    def __str__(self) -> str:
        apart = self.distance > 0
        how = f"are {self.distance:.3g} m apart" if apart else f"overlap by {-self.distance:.3g} m"
        return f"{self.links[0]} and {self.links[1]} {how}"


@names_checked
def self_collisions(robot: Robot, q: ArrayLike, clearance: float = 0.0) -> tuple[LinkPair, ...]:
    """Return the pairs of links whose shapes are nearer than `clearance`, the nearest first.

    Args:
        robot: with collision shapes.
        q: configuration (nq,).
        clearance: distance that links should keep [m]; 0 returns those that overlap. At most half
            of what the pair has in the posture to stand in is asked.

    Raises:
        ConfigurationError: a bad q.
        ContactError: a robot without collision shapes, or an invalid clearance.
    """
    q, candidates = check_configuration(robot, q), candidate_pairs(robot, clearance)
    near = candidates.near(robot, q, clearance)
    return tuple(nearest_of_links(one.pair() for one in near))


def nearest_of_links(pairs: Iterable[LinkPair]) -> list[LinkPair]:
    """Return of each pair of links the nearest shapes, the nearest pair first."""
    best: dict[tuple[str, str], LinkPair] = {}
    for pair in sorted(pairs, key=lambda pair: pair.distance):
        best.setdefault(pair.links, pair)
    return list(best.values())


class Clearance:
    """The constraint that links keep a distance, as rows of an inverse kinematics.

    Args:
        robot: with collision shapes.
        clearance: distance that links should keep [m].
    """

    ROWS = 16  # of the nearest pairs; the others follow once these are apart

    def __init__(self, robot: Robot, clearance: float) -> None:
        self.robot, self.clearance = robot, clearance
        self._candidates = candidate_pairs(robot, clearance)
        self._last: tuple[bytes, list[NearPair]] = b"", []

    def error(self, q: Array) -> Array:
        """Return max(clearance − distance, 0) (ROWS,) of the nearest pairs [m]."""
        lacking = [near.keep - near.distance for near in self._nearest(q)]
        return np.array(lacking + [0.0] * (self.ROWS - len(lacking)))

    def jacobian(self, q: Array | State) -> Array:
        """Return the derivative (ROWS, nv) of `error`."""
        rows, slopes = np.zeros((self.ROWS, self.robot.nv)), self.slopes(q)
        rows[: len(slopes)] = -slopes
        return rows

    def distances(self, q: Array) -> Array:
        """Return the distances (m,) of the pairs that are too near, the nearest first [m]."""
        return np.array([pair.distance for pair in self._nearest(q)])

    def slopes(self, q: Array | State) -> Array:
        """Return the derivatives (m, nv) of `distances`."""
        state = State.of(self.robot, q)
        near = self._nearest(state.q)
        J = pair_points(state, near).jacobians(
            state.joint_columns, state.joint_placements, carried_by(self.robot)
        )
        return along_normals(near, J[:, :3])

    def _nearest(self, q: Array) -> list[NearPair]:
        """Those that lack most, the worst first; those of the last q are remembered."""
        here, (last, found) = q.tobytes(), self._last
        if here != last:
            near = self._candidates.near(self.robot, q, self.clearance)
            found = sorted(near, key=lambda n: n.distance - n.keep)[: self.ROWS]
            self._last = here, found
        return found


@dataclass(frozen=True, eq=False)
class NearPair(LinkPair):
    """Two shapes that are near, with their links.

    Attributes:
        joints: that carry them.
        normal: (3,), from the first to the second.
        keep: distance that is asked of them [m].
    """

    joints: tuple[int, int]
    normal: Array
    keep: float

    def pair(self) -> LinkPair:
        """Return what users are told."""
        return LinkPair(self.links, self.distance, self.points)


def pair_points(state: State, near: list[NearPair]) -> BodyPoints:
    """Return the nearest points, those of one pair after the other, as points of their bodies."""
    joints = np.array([joint for one in near for joint in one.joints], dtype=np.intp)
    places = np.array([one.points for one in near]).reshape(-1, 3)
    T = state.joint_placements[joints]
    return BodyPoints(joints, np.einsum("kji,kj->ki", T[:, :, :3], places - T[:, :, 3]))


def along_normals(near: list[NearPair], of_points: Array) -> Array:
    """Return nᵀ(x₂ − x₁) (k, …) of each pair, of x (2k, 3, …) at its points.

    Of Jacobians that is the derivative of the distance: nearest points glide along the shapes, but
    across n, which changes no distance.
    """
    n = np.array([one.normal for one in near]).reshape(-1, 3)
    pairs = of_points.reshape(-1, 2, *of_points.shape[1:])
    return np.asarray(np.einsum("ki,ki...->k...", n, pairs[:, 1] - pairs[:, 0]))


class CandidatePairs:
    """The pairs of shapes of a robot that are worth asking, and how to ask them."""

    def __init__(self, robot: Robot) -> None:
        self.shapes = convex_shapes(robot._collision)  # the robot is not kept: it may be forgotten
        self.radii, self.middles, self.sizes = bounding_balls(self.shapes)
        self.boxes = np.dstack([np.tile(np.eye(3), (len(self.radii), 1, 1)), self.middles])
        self.links = tuple(_link(robot, shape) for shape in self.shapes.geometryObjects)
        self.pairs: NDArray[np.intp] = _pairs(robot, self.shapes)
        at_rest, at_zero = (
            np.array([distance for _, distance, _ in self._asked(robot, q, np.inf)])
            for q in (robot.posture(), robot.neutral())
        )
        apart = (at_rest > 0) & (at_zero > 0)
        self.pairs, self.most = self.pairs[apart], at_rest[apart] / 2

    def near(
        self, robot: Robot, q: Array, clearance: float, ahead: float = 0.0, most: int | None = None
    ) -> list[NearPair]:
        """Return the pairs nearer than `clearance`, or than half of what they have at rest [m].

        With `ahead` also those that are no farther than that beyond it, of which `most`, the
        nearest first.
        """
        keep = np.minimum(clearance, self.most)
        if most is None:
            found = list(self._asked(robot, q, keep + ahead))
        else:
            found = self._nearest(robot, q, keep, ahead, most)
        return [self.pair(k, float(keep[k]), *one) for k, *one in found]

    def _nearest(
        self, robot: Robot, q: Array, keep: Array, ahead: float, most: int
    ) -> list[tuple[int, float, Any]]:
        """The `most` pairs nearest to what they keep, of those no farther than `ahead` beyond it.

        Near ones are asked first: few of all pairs, and enough of them in most postures.
        """
        T, unknown = self._places(robot, q), np.ones(len(keep), dtype=bool)
        found: list[tuple[int, float, Any]] = []
        for reach in (ahead / 8, ahead / 4, ahead / 2, ahead):
            close = self._close(T, keep + reach) & unknown
            found += self.asked(T, close, np.full(len(keep), np.inf))
            unknown &= ~close
            near = [one for one in found if one[1] < keep[one[0]] + reach]
            if len(near) >= most:
                break
        return sorted(near, key=lambda one: one[1] - keep[one[0]])[:most]

    def _asked(self, robot: Robot, q: Array, within: ArrayLike) -> Iterator[tuple[int, float, Any]]:
        """Yield the pairs at q that are nearer than `within`, see `asked`."""
        T = self._places(robot, q)
        limits = np.array(np.broadcast_to(within, len(self.pairs)), dtype=float)
        yield from self.asked(T, self._close(T, limits), limits)

    def _places(self, robot: Robot, q: Array) -> Array:
        """Places of the shapes at q (S, 3, 4)."""
        placed = pin.GeometryData(self.shapes)
        data = workspace_of(robot).data
        pin.updateGeometryPlacements(robot._model, data, self.shapes, placed, q)
        return np.array([place.homogeneous[:3] for place in placed.oMg])

    def asked(
        self, T: Array, close: NDArray[np.bool_], within: Array
    ) -> Iterator[tuple[int, float, Any]]:
        """Yield those of some pairs that are nearer than that: which, distance, coal's result.

        Args:
            T: (S, 3, 4), places of the shapes.
            close: (p,), which pairs to ask.
            within: (p,) [m].
        """
        shapes, places = self.shapes.geometryObjects, dict[int, Any]()
        for k in np.flatnonzero(close).tolist():
            i, j = self.pairs[k].tolist()
            for s in (i, j):
                if s not in places:
                    places[s] = coal.Transform3s(T[s, :, :3], T[s, :, 3])
            given = shapes[i].geometry, places[i], shapes[j].geometry, places[j]
            # a collision takes half as long as a distance, which is needed all the same without a
            # bound
            if within[k] == np.inf or collide(*given, float(within[k])):
                distance, result = distance_of(*given)
                if distance < within[k]:
                    yield k, distance, result

    def pair(self, k: int, keep: float, distance: float, result: Any) -> NearPair:
        """Return a pair of shapes, of which distance and coal's result are known."""
        i, j = self.pairs[k].tolist()
        first, second = self.shapes.geometryObjects[i], self.shapes.geometryObjects[j]
        return NearPair(
            (self.links[i], self.links[j]),
            distance,
            nearest_points(result),
            (first.parentJoint, second.parentJoint),
            np.array(result.normal, dtype=float),
            keep,
        )

    def _close(self, T: Array, keep: Array) -> NDArray[np.bool_]:
        """(p,), the pairs whose boxes, or balls, are so near that their distance is asked."""
        kernel = NEAR_BOXES.select(1)
        if kernel is not None:
            found = np.empty((1, len(self.pairs)), dtype=bool)
            which = np.arange(len(T))
            kernel(T[None], which, self.boxes, self.sizes, self.pairs, keep, found)
            return np.asarray(found[0])
        with NEAR_BOXES.uncompiled(1):
            middles = (T[:, :, :3] @ self.middles[:, :, None])[:, :, 0] + T[:, :, 3]
            i, j = self.pairs.T
            gaps = np.linalg.norm(middles[i] - middles[j], axis=1) - self.radii[i] - self.radii[j]
            return np.asarray(gaps < keep)


_candidates_of = per_robot(CandidatePairs)


def candidate_pairs(robot: Robot, clearance: float) -> CandidatePairs:
    """Return the pairs of shapes of a robot; raises `ContactError` for an invalid clearance."""
    number(clearance, "clearance", at_least=0, unit="[m]", error=ContactError)
    if robot._collision.ngeoms == 0:
        raise ContactError(f"{robot.name!r} has no collision shapes; self-collision cannot be told")
    return _candidates_of(robot)


def _pairs(robot: Robot, shapes: Any) -> NDArray[np.intp]:
    """(p, 2), the shapes of links that are no neighbours and that no SRDF lets touch."""
    objects = list(shapes.geometryObjects)
    allowed = {frozenset(pair) for pair in robot.never_collide}
    parents = list(robot._model.parents)
    pairs = []
    for i, first in enumerate(objects):
        for j in range(i + 1, len(objects)):
            a, b = first.parentJoint, objects[j].parentJoint
            if a == b or parents[a] == b or parents[b] == a:
                continue
            if frozenset((_link(robot, first), _link(robot, objects[j]))) not in allowed:
                pairs.append((i, j))
    return np.array(pairs, dtype=np.intp).reshape(-1, 2)


def _link(robot: Robot, shape: Any) -> str:
    return str(robot._model.frames[shape.parentFrame].name)
