"""Planar regions of many loads at once, by rays from inside, in the kernel of margins.

    {x : load + C x + Σ G_k f_k = 0 for some f_k in Coulomb's cones}

From a point x₀ inside, the largest t with x₀ + t d in the region is a margin, C d standing for the
normals: its forces prove the point, and its multipliers y a line that nothing crosses, for with
nothing that friction could brake, yᵀ(load + C x) ≤ 0. Eight rays first, then one to each corner of
the outer polygon that is too far from the inner one; on polygons that is exact.

The refinement is that of T. Bretl, S. Lall, "Testing static equilibrium for legged robots" (2008),
with rays in place of directions; x₀ is where the contacts have most normal force to spare.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..equilibrium.problems import plain_margins
from ..geometry.planar import Shoot, meeting_points
from ..geometry.polygon import convex_hull, cross, distances_to_segments
from ..kernels.compiled import VERDICTS
from ..kernels.verdict import INFINITE
from ..point_forces import PointForces

Array = NDArray[np.float64]
Polygons = tuple[Array, Array]

RAYS = 40  # to expect for a region
_FIRST = 8
_ROUNDS = 12
_INSIDE = 1e-4  # of the weight: x₀ has at least that much to spare
_PROOF = 1e-7  # what may be left of a proof, forces in weights, lengths in those of the contacts
_PARALLEL = 1e-7  # sine of the angle between lines that are one


def by_rays(
    forces: PointForces, loads: Array, columns: Array, tolerance: float
) -> list[Polygons | None]:
    """Return (inner, outer) for each load, as `geometry.planar.inner_and_outer` does.

    None where the kernel does not serve: without Numba, or while the conic solver is sooner than
    compiling; with more than Coulomb's cones; without area, without end, or where an answer does
    not check out.

    Args:
        forces: at which points, with forces in weights.
        loads: (n, 6), about the points' origin, in weights.
        columns: (n, 6, 2), what a unit of x does, about that origin.
        tolerance: of the gap between both polygons, in units of x.
    """
    found: list[Polygons | None] = [None] * len(loads)
    limits = forces.limits
    simple = limits.plain and not limits.bilateral.any() and len(forces.points)
    kernel = VERDICTS.select(RAYS * len(loads)) if simple else None
    if kernel is None:
        return found
    rays = _Rays(kernel, forces, loads, columns)
    live = {int(i): _Outline(rays.start[i]) for i in np.flatnonzero(rays.inside)}
    for _ in range(_ROUNDS):
        wanted = {i: outline.wanted(tolerance) for i, outline in live.items()}
        for i in [i for i, directions in wanted.items() if not len(directions)]:
            found[i] = live.pop(i).polygons(tolerance)
            del wanted[i]
        if not live:
            break
        owner = np.repeat(list(wanted), [len(d) for d in wanted.values()])
        points, normals, good = rays.shoot(owner, np.vstack(list(wanted.values())), tolerance)
        for i in list(live):
            own = owner == i
            if good[own].all():
                live[i].add(points[own], normals[own])
            else:
                del live[i]
    return found


def region_by_rays(shoot: Shoot, tolerance: float) -> Polygons | None:
    """Return (inner, outer) of a bounded region around the origin; None where a ray is not proved.

    Args:
        shoot: directions (n, 2) -> ends of rays from the origin (n, 2), normals of lines through
            them that the region does not cross (n, 2), and which are proved (n,).
        tolerance: of the gap between both polygons.
    """
    outline = _Outline(np.zeros(2))
    for _ in range(_ROUNDS):
        wanted = outline.wanted(tolerance)
        if not len(wanted):
            return outline.polygons(tolerance)
        points, normals, good = shoot(wanted)
        if not good.all() or np.linalg.norm(points, axis=1).min() <= tolerance:
            return None
        outline.add(points, normals)
    return None


class _Rays:
    """The questions to the kernel: moments about the points' middle, lengths in their spread."""

    def __init__(
        self, kernel: Callable[..., None], forces: PointForces, loads: Array, columns: Array
    ) -> None:
        self.kernel = kernel
        middle = forces.points.mean(axis=0)
        near = forces.about(middle)
        # columns in which the cones are Lorentz's, whatever friction
        self.G = near.scaled(1 / near.size).columns * forces.limits.scaling
        self.h = _moved(loads, middle, near.size)
        self.C = _moved(columns.transpose(0, 2, 1), middle, near.size).transpose(0, 2, 1)
        self.start, self.inside = self._insides()

    def _insides(self) -> tuple[Array, NDArray[np.bool_]]:
        """x₀ (n, 2) of the largest margin, whatever x: rows that C does not enter."""
        n, K = len(self.h), self.G.shape[1] // 3
        rows = np.linalg.qr(self.C, mode="complete")[0][:, :, 2:].transpose(0, 2, 1)
        normal = self.G[:, 2::3].sum(axis=1) / K
        pull = rows @ normal
        serves = np.linalg.norm(pull, axis=1) > _INSIDE
        pull[~serves] = 1.0
        A, w = rows @ self.G, -(rows @ self.h[:, :, None])[:, :, 0]
        margin, f, _ = self._ask(A.reshape(n, -1), w, pull)
        f[:, 2::3] += margin[:, None] / K
        given = self.h + f @ self.G.T
        start = -(np.linalg.pinv(self.C) @ given[:, :, None])[:, :, 0]
        return start, serves & (margin > _INSIDE) & np.isfinite(start).all(axis=1)

    def shoot(
        self, owner: NDArray[np.intp], d: Array, least: float
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return points (n, 2) where rays end, normals there (n, 2), and which answers check out.

        Args:
            owner: (n,), whose rays.
            d: (n, 2), unit directions.
            least: length of a ray; where they are shorter the region has hardly an area.
        """
        C, start = self.C[owner], self.start[owner]
        pull, h = (C @ d[:, :, None])[:, :, 0], self.h[owner]
        w = -(h + (C @ start[:, :, None])[:, :, 0])
        t, f, y = self._ask(self.G.reshape(1, -1), w, pull)
        left = np.abs(f @ self.G.T + t[:, None] * pull - w).max(axis=1)
        touch, u = f.reshape(len(f), -1, 3), (y @ self.G).reshape(len(f), -1, 3)
        outside = np.hypot(touch[:, :, 0], touch[:, :, 1]) - touch[:, :, 2]
        braked = np.hypot(u[:, :, 0], u[:, :, 1]) - u[:, :, 2]
        beyond = np.abs((w * y).sum(axis=1) - t)
        worst = np.maximum(np.maximum(left, beyond), np.maximum(outside, braked).max(axis=1))
        normals = (y[:, None] @ C)[:, 0]
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        good = (worst <= _PROOF) & (length[:, 0] > 0) & (t > least)
        return start + t[:, None] * d, normals / np.where(length > 0, length, 1.0), good

    def _ask(self, A: Array, w: Array, pull: Array) -> tuple[Array, Array, Array]:
        """The kernel's ε (n,), nan where there is none or no end to it; forces, multipliers."""
        K, columns = self.G.shape[1] // 3, A.reshape(len(A), w.shape[1], -1)
        e, f, y = plain_margins(self.kernel, columns, w, pull, np.ones((1, K)))
        return np.where(np.abs(e) < INFINITE, e, np.nan), f, y


def _moved(wrenches: Array, point: Array, length: float) -> Array:
    """Wrenches (…, 6) about another point, moments in units of a length."""
    force, moment = wrenches[..., :3], wrenches[..., 3:]
    return np.concatenate([force, (moment - np.cross(point, force)) / length], axis=-1)


class _Outline:
    """What is known of one region: points of its boundary around x₀, and lines through them."""

    def __init__(self, start: Array) -> None:
        self.start = start
        self.points, self.normals = np.zeros((0, 2)), np.zeros((0, 2))

    def add(self, points: Array, normals: Array) -> None:
        """Add answers; they stay in the order of their rays, counter-clockwise."""
        points, normals = np.vstack([self.points, points]), np.vstack([self.normals, normals])
        seen = points - self.start
        order = np.argsort(np.arctan2(seen[:, 1], seen[:, 0]))
        self.points, self.normals = points[order], normals[order]

    def corners(self, tolerance: float) -> tuple[Array, NDArray[np.bool_]]:
        """Return where neighbouring lines meet, and whether that lies between their rays.

        Where both lines are one it is the first point. Lines that meet elsewhere leave the region
        open between their rays, for all that is known.
        """
        after, across = np.roll(self.points, -1, axis=0), np.roll(self.normals, -1, axis=0)
        meet = meeting_points(self.normals, self.points, across, after)
        one = np.abs(cross(self.normals, across)) < _PARALLEL
        one &= (self.normals * across).sum(axis=1) > 0
        corners = np.where(one[:, None], self.points, meet)
        seen, first, last = corners - self.start, self.points - self.start, after - self.start
        slack = tolerance * np.linalg.norm(seen, axis=1)
        between = (cross(first, seen) >= -slack) & (cross(seen, last) >= -slack)
        return corners, between & ((seen * (first + last)).sum(axis=1) > 0)

    def wanted(self, tolerance: float) -> Array:
        """Return directions (k, 2) of the corners that are too far from the inner polygon."""
        if not len(self.points):
            angles = 2 * np.pi * np.arange(_FIRST) / _FIRST
            return np.column_stack([np.cos(angles), np.sin(angles)])
        corners, between = self.corners(tolerance)
        after = np.roll(self.points, -1, axis=0)
        far = distances_to_segments(corners, self.points, after) > tolerance
        halfway = _units(self.points - self.start) + _units(after - self.start)
        rays = np.where(between[:, None], corners - self.start, halfway)
        return _units(rays[far])

    def polygons(self, tolerance: float) -> Polygons | None:
        """Return both polygons; None if the outer one is open."""
        corners, between = self.corners(tolerance)
        apart = np.linalg.norm(corners - self.points, axis=1) > tolerance
        if (apart & ~between).any():
            return None
        return convex_hull(self.points, 1e-3 * tolerance), convex_hull(corners)


def _units(rays: Array) -> Array:
    return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))
