"""Height maps: ground as an array of heights, such as a measured or a random field."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ... import files
from ...arrays import Array
from ...dynamics.spatial import cross
from ...errors import ContactError
from ...options import names_checked
from ...robots.values import FARTHEST, array, length
from ..kernels.height_map import DISTANCES
from .edges import Edges
from .faces import FACES_UP, Face, Solid
from .part_values import Numbers, check_lengths, check_part
from .solids import SIDES, sides_of, turned

ROUGH = 0.01  # how far ground may be from the plane of a foothold: a sole rests on it still [m]
_LEAST = 1e-12
_FLAT = 1e-6  # largest difference of slopes of triangles that counts as zero
_LINE = 1e-9  # det(S)/tr(S)² of points in a line
_MAX_BYTES = 1 << 28  # of a file of heights


@names_checked
@dataclass(frozen=True, repr=False)
class HeightMap:
    """Ground whose height is known on a grid: two triangles a cell, and solid below them.

    Vertex (i, j) is at x = (i − (m − 1)/2) cell, y = (j − (n − 1)/2) cell, z = heights[i][j] from
    `at`; a cell is cut from (i, j) to (i + 1, j + 1), as MuJoCo cuts it. A foot stands on the plane
    fitted to the heights under its points, where the ground is within 1 cm of that.

    Attributes:
        name: what contacts call it.
        heights: (m, n), m, n ≥ 2, above `at` [m].
        cell: distance between neighbouring heights [m].
        at: the middle of the map, (x, y, z) [m].
        heading: of its x axis, seen from above [degrees from x to y].
        friction: Coulomb coefficient, None to leave it to the contacts.

    Raises:
        ContactError: heights that are no table of finite numbers, such as unknown ones (nan).
    """

    name: str
    heights: Any
    cell: float
    at: Numbers = (0.0, 0.0, 0.0)
    heading: float = 0.0
    friction: float | None = None

    def __post_init__(self) -> None:
        if callable(self.heights):
            raise ContactError(
                "heights: got a function, expected a table (m, n) [m]; HeightMap.of(function, "
                "cell=, x=, y=) samples one"
            )
        given = array(self.heights, "heights", (None, None), error=ContactError, at_least=-1e4)
        if min(given.shape) < 2:
            raise ContactError(f"heights: got shape {given.shape}, expected at least (2, 2)")
        check_part(self, "heading")
        check_lengths(self, "cell")

    @classmethod
    def of(
        cls,
        function: Callable[[Any, Any], Any],
        cell: float,
        x: ArrayLike,
        y: ArrayLike,
        name: str = "",
        friction: float | None = None,
    ) -> HeightMap:
        """Return the map of a function: z(x, y) in the world, sampled on an area.

        Args:
            function: (x, y) -> z [m], of arrays (m, n) of all places at once, or of two numbers.
            cell: distance between neighbouring heights [m].
            x, y: the area, each (from, to) [m]. Where its sides are no multiples of the cell, the
                map is larger, by the same on all sides.
            name: that of the function when empty.
            friction: Coulomb coefficient, None to leave it to the contacts.

        Raises:
            ContactError: no function, or one that fails or is not finite somewhere; no area, or
                more heights than fit.
        """
        if not callable(function):
            raise ContactError(
                f"function: got {function!r:.80}, expected one of (x, y); HeightMap(name, heights, "
                "cell) takes a table"
            )
        cell = length(cell, "cell", error=ContactError)
        along, across = _samples(x, "x", cell), _samples(y, "y", cell)
        if len(along) * len(across) > _MAX_BYTES // 8:
            raise ContactError(
                f"cell: got {cell:g} m, which is {len(along)} × {len(across)} heights; expected at "
                f"most {_MAX_BYTES // 8}"
            )
        named = name or getattr(function, "__name__", "").strip("<>") or "ground"
        at = ((along[0] + along[-1]) / 2, (across[0] + across[-1]) / 2, 0.0)
        heights = _heights_of(function, *np.meshgrid(along, across, indexing="ij"))
        return cls(named, heights, cell, at, friction=friction)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], cell: float, name: str = "", **more: Any
    ) -> HeightMap:
        """Return the map of a file: an array of numbers as .npy, or a table as .csv or .txt.

        Args:
            path: of the file; its rows are along x.
            cell: distance between neighbouring heights [m].
            name: that of the file when empty.
            more: at, heading, friction.

        Raises:
            ContactError: no such file, or no table of numbers.
        """
        found = files.as_path(path, "path", ContactError)
        return cls(name or found.stem, read_heights(found), cell, **more)

    def __repr__(self) -> str:
        rows, columns = self.grid.shape
        return f"HeightMap({self.name!r}, {rows} × {columns} heights, {self.cell:g} m apart)"

    @property
    def solids(self) -> tuple[Solid, ...]:
        """Itself."""
        return (self,)

    @cached_property
    def grid(self) -> Array:
        """The heights (m, n) above `at` [m], read-only."""
        return array(self.heights, "heights", frozen=True)

    @property
    def half_size(self) -> Array:
        """(2,), half of its sides [m]."""
        return np.asarray(self._last * self.cell / 2)

    @cached_property
    def _last(self) -> Array:
        """(2,), the largest indices of its vertices."""
        return np.array(self.grid.shape) - 1

    @cached_property
    def placement(self) -> Any:
        """T_world_map (`pin.SE3`), at its middle."""
        return pin.SE3(turned(self.heading, 0.0), np.array(self.at, dtype=float))

    @cached_property
    def vertices(self) -> Array:
        """(m n, 3), in the world, row by row [m]."""
        rows, columns = self.grid.shape
        x, y = (np.arange(count) * self.cell for count in (rows, columns))
        local = np.column_stack([np.repeat(x, columns), np.tile(y, rows), self.grid.ravel()])
        return self._in_world(local)

    @cached_property
    def triangles(self) -> Array:
        """(2 (m − 1) (n − 1), 3), indices of `vertices`, counter-clockwise seen from above."""
        rows, columns = self.grid.shape
        o = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        halves = [[o, o + columns, o + columns + 1], [o, o + columns + 1, o + 1]]
        return np.stack(halves).transpose(2, 0, 1).reshape(-1, 3)

    @cached_property
    def edges(self) -> Edges:
        """Ridges between its triangles, and the upper ends of its upright sides."""
        corners, places = self.triangles, self.vertices
        a, b, c = (places[corners[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        sides = np.sort(np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
        order = np.lexsort((sides[:, 1], sides[:, 0]))
        sides, owner = sides[order], np.tile(np.arange(len(corners)), 3)[order]
        shared = np.flatnonzero((sides[1:] == sides[:-1]).all(axis=1))
        one, other = owner[shared], owner[shared + 1]
        beyond = (a + b + c)[other] - 3 * places[sides[shared, 0]]  # of what is not shared
        ridge = np.einsum("ij,ij->i", normals[one], beyond) < -_FLAT * self.cell
        between = np.stack([normals[one], normals[other]], axis=1)[ridge]
        rim = np.setdiff1d(np.arange(len(sides)), np.concatenate([shared, shared + 1]))
        away = places[sides[rim]].mean(axis=1) - self.placement.translation
        beside = np.stack([normals[owner[rim]], self._outward(away)], axis=1)
        ends = places[np.concatenate([sides[shared[ridge]], sides[rim]])]
        return Edges(ends, np.concatenate([between, beside]))

    def _outward(self, away: Array) -> Array:
        """The normals (n, 3) of the upright sides at places (n, 3) on the rim, from the middle."""
        R = self.placement.rotation
        local = (away @ R)[:, :2] / self.half_size
        along = np.eye(2)[np.abs(local).argmax(axis=1)] * np.sign(local)
        return np.asarray(np.insert(along, 2, 0.0, axis=1) @ R.T)

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Its top, as a level rectangle of the mean height, and its front (+x), back, left, right,
        which have neither a lower nor an upper end: see `_met`."""
        T, half = self.placement, self.half_size
        level = T * pin.SE3(np.eye(3), np.array([0.0, 0.0, self.grid.mean()]))
        sides = sides_of(self, np.append(half, np.inf), SIDES[:4])
        return (Face(f"{self.name}, top", level, half, self.friction), *sides)

    def signed_distance(self, points: Array) -> Array:
        """Return (n,), exact; inside, the depth [m]."""
        return self._distances(points)[0]

    def contains(self, points: Array) -> NDArray[np.bool_]:
        """Return (n,), whether points (n, 3) are below its surface or on it."""
        local = self._local(points)
        return np.asarray(local[:, 2] <= self._heights(local[:, :2])[0])

    def _vertices_under(self, points: Array, radius: float) -> Array:
        """Return the vertices (k, 3) of all cells below or above the box that has points (n, 3)
        with balls of a radius around them, its sides along those of the map [m]."""
        local = self._local(points)[:, :2] / self.cell
        last, wide = self._last, radius / self.cell
        low = np.maximum(np.floor(local.min(axis=0) - wide), 0).astype(int)
        high = np.minimum(np.ceil(local.max(axis=0) + wide), last).astype(int)
        every = self.vertices.reshape(*self.grid.shape, 3)
        return every[low[0] : high[0] + 1, low[1] : high[1] + 1].reshape(-1, 3)

    def normal(self, points: Array) -> Array:
        """Return (n, 3): away from the nearest point; inside, towards it."""
        return np.asarray(self._distances(points)[1] @ self.placement.rotation.T)

    def planes(self, places: Array, under: Array) -> tuple[Array, Array]:
        """Return the planes under a foot at each of places: heights (n,) there [m], and upward unit
        normals (n, 3); −inf and zeros beside the map, and where they are too steep.

        Args:
            places: (n, 2), in the world [m].
            under: (k, 2), the points of the foot, from there [m]. A plane is fitted to three and
                more, and lies on the highest of them; that of fewer is the triangle's.
        """
        local = self._local(np.column_stack([places, np.zeros(len(places))]))[:, :2]
        h, slopes = self._fitted(local, under @ self.placement.rotation[:2, :2])
        up = 1 / np.sqrt(1 + slopes[:, 0] ** 2 + slopes[:, 1] ** 2)
        normals = np.column_stack([-slopes * up[:, None], up]) @ self.placement.rotation.T
        ground = ~np.isnan(h) & (up >= FACES_UP)
        return np.where(ground, h + self.at[2], -np.inf), np.where(ground[:, None], normals, 0.0)

    def elevations(self, places: Array) -> Array:
        """Return (n,), its height at places (n, 2); −inf beside it, or where it is steep [m]."""
        local = self._local(np.column_stack([places, np.zeros(len(places))]))[:, :2]
        h, slopes = self._heights(local)
        steep = (slopes**2).sum(axis=1) > 1 / FACES_UP**2 - 1
        return np.where(np.isnan(h) | steep, -np.inf, h + self.at[2])

    def met(self, origin: Array, direction: Array) -> tuple[float, Face] | None:
        """See `Solid`: triangles and upright sides."""
        hits = [(t, face) for face in self.faces[1:] if (t := self._met(face, origin, direction))]
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        normals = np.cross(b - a, c - a)
        slope = normals @ direction
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.einsum("ij,ij->i", normals, a - origin) / slope
        p = origin + t[:, None] * direction
        ahead = (slope < 0) & (t > 0) & np.isfinite(t)
        for start, end in ((a, b), (b, c), (c, a)):
            side = np.cross(end - start, p - start)
            ahead &= np.einsum("ij,ij->i", normals, side) >= -_LEAST
        if ahead.any():
            first = int(np.flatnonzero(ahead)[t[ahead].argmin()])
            n = normals[first] / np.linalg.norm(normals[first])
            hits.append((float(t[first]), self.face_at(p[first], n, np.zeros((1, 2)))))
        return min(hits, key=lambda hit: hit[0], default=None)

    def nearest_face(self, point: Array) -> Face:
        """See `Solid`: an upright side, or the plane through the nearest point of the surface."""
        n = self.normal(point[None])[0]
        nearest = point - self.signed_distance(point[None])[0] * n
        for side in self.faces[1:]:
            if abs(side.height(nearest)) < 1e-9 and n @ side.normal > 1 - 1e-9:
                return side
        return self.face_at(nearest, n, np.zeros((1, 2)))

    # --- in the axes of the map, from its first vertex ----------------------------------------

    def _local(self, points: Array) -> Array:
        return np.asarray(points @ self.placement.rotation - self._first)

    @cached_property
    def _first(self) -> Array:
        """(3,), its first vertex at the height of its middle, in axes along its own [m]."""
        T = self.placement
        return np.asarray(T.translation @ T.rotation - np.append(self.half_size, 0.0))

    def _in_world(self, local: Array) -> Array:
        R, o = self.placement.rotation, self.placement.translation
        return np.asarray((local - np.append(self.half_size, 0.0)) @ R.T + o)

    def _heights(self, places: Array) -> tuple[Array, Array]:
        """Heights (n,) at places (n, 2) in the axes of the map, nan beside it, and slopes
        (n, 2) there."""
        in_cells, (_, columns) = places / self.cell, self.grid.shape
        beside = ((in_cells < -1e-9) | (in_cells > self._last + 1e-9)).any(axis=1)
        first = np.minimum(np.maximum(in_cells.astype(int), 0), self._last - 1)
        u, w = (in_cells - first).T
        at, h = first[:, 0] * columns + first[:, 1], self.grid.ravel()
        o, ahead, aside, far = h[at], h[at + columns], h[at + 1], h[at + columns + 1]
        rise = np.where(u >= w, [ahead - o, far - ahead], [far - aside, aside - o])
        return np.where(beside, np.nan, o + rise[0] * u + rise[1] * w), rise.T / self.cell

    def _fitted(self, places: Array, around: Array) -> tuple[Array, Array]:
        """The planes z = c + g · (r − place) of `planes` at places (n, 2) in the axes of the map:
        their heights there (n,), nan beside it, and g (n, 2)."""
        if len(around) < 3:
            return self._heights(places)
        samples = np.vstack([np.zeros(2), 0.5 * around, around])
        found, _ = self._heights((places[:, None] + samples).reshape(-1, 2))
        found = found.reshape(len(places), -1)
        heights = np.where(np.isnan(found), found[:, :1], found)
        from_mean = samples - samples.mean(axis=0)
        g = heights @ from_mean @ _pseudo_inverse(from_mean.T @ from_mean)
        return (heights - g @ samples.T).max(axis=1), g

    @cached_property
    def _cells(self) -> tuple[Array, Array]:
        """The least and the largest height of each cell (m − 1, n − 1)."""
        h = self.grid
        corners = np.stack([h[:-1, :-1], h[1:, :-1], h[:-1, 1:], h[1:, 1:]])
        ends = corners.min(axis=0), corners.max(axis=0)
        for end in ends:  # as the kernel has them
            end.flags.writeable = False
        return ends

    def _distances(self, points: Array) -> tuple[Array, Array]:
        """d (n,), and its gradients (n, 3) in the axes of the map."""
        local = np.ascontiguousarray(self._local(points))
        found, normals = np.empty(len(local)), np.empty((len(local), 3))
        kernel = DISTANCES.select(len(local))
        with DISTANCES.uncompiled(len(local), counts=kernel is None):
            run = kernel or DISTANCES.function
            run(local, self.grid, *self._cells, self.cell, found, normals)
        return found, normals

    def face_at(self, point: Array, normal: Array, under: Array) -> Face:
        """A piece of the surface, as large as what stands on it, or as a cell."""
        across = cross(normal, self.placement.rotation[:, 0])
        if (size := float(np.linalg.norm(across))) < 0.1:  # an upright triangle that looks ahead
            across = cross(np.array([0.0, 0.0, 1.0]), normal)
            size = float(np.linalg.norm(across))
        across = across / size
        T = pin.SE3(np.column_stack([cross(across, normal), across, normal]), point)
        reach = 1.001 * np.linalg.norm(under, axis=1).max() / max(normal[2], FACES_UP)
        half = np.full(2, max(reach, self.cell / 2))
        return Face(f"{self.name}, top", T, half, self.friction, ROUGH)

    def _met(self, side: Face, origin: Array, direction: Array) -> float | None:
        """Where a ray meets an upright side below the surface's edge."""
        t = side.met(origin, direction)
        if t is None:
            return None
        p = self._local((origin + t * direction)[None])[0]
        edge, _ = self._heights(np.clip(p[None, :2], 0.0, 2 * self.half_size))
        return t if p[2] <= edge[0] else None


def _pseudo_inverse(S: Array) -> Array:
    """S⁺ of a symmetric S (2, 2) ≥ 0; S/tr(S)² of rank one, where points are in a line."""
    (a, b), (_, d) = S
    det, trace = a * d - b * b, a + d
    if det > _LINE * trace * trace:
        return np.asarray(np.array([[d, -b], [-b, a]]) / det)
    return np.asarray(S / trace**2 if trace > 0 else S)


def _samples(ends: ArrayLike, name: str, cell: float) -> Array:
    """Places a cell apart that cover an interval, about its middle."""
    meaning = "(from, to) [m]"
    low, high = array(
        ends, name, (2,), meaning=meaning, error=ContactError, largest=FARTHEST
    ).tolist()
    if not low < high:
        raise ContactError(f"{name}: got {[low, high]}, expected (from, to) [m], from < to")
    cells = max(int(np.ceil((high - low) / cell - 1e-9)), 1)
    return np.asarray((low + high) / 2 + cell * (np.arange(cells + 1) - cells / 2))


def _heights_of(function: Callable[[Any, Any], Any], X: Array, Y: Array) -> Array:
    """The heights (m, n) of a function, of all places at once or, where it takes numbers alone,
    one by one; refused where they are no finite numbers, with the place."""
    with np.errstate(all="ignore"):  # what is not finite is refused below
        try:
            found = np.asarray(function(X.copy(), Y.copy()))
        except Exception:  # of "if x > 1", or of anything else: one place then tells
            found = None
        if found is None or found.shape not in (X.shape, ()):
            places = zip(X.ravel().tolist(), Y.ravel().tolist(), strict=True)
            found = np.array([_height_at(function, x, y) for x, y in places]).reshape(X.shape)
    heights = np.broadcast_to(found, X.shape)
    if heights.dtype.kind not in "fiu":
        raise ContactError(
            f"function: got {heights.flat[0]!r:.60} at ({X[0, 0]:g}, {Y[0, 0]:g}), expected a "
            "height [m]"
        )
    if len(bad := np.argwhere(~np.isfinite(heights))):
        at = tuple(bad[0])
        raise ContactError(
            f"function: got {heights[at]} at ({X[at]:g}, {Y[at]:g}), expected a finite height [m]"
        )
    return np.array(heights, dtype=float)


def _height_at(function: Callable[[Any, Any], Any], x: float, y: float) -> Any:
    try:
        found = np.asarray(given := function(x, y))
    except Exception as failure:
        raise ContactError(
            f"function: at ({x:g}, {y:g}) {type(failure).__name__}: {failure}; expected a height "
            "[m]"
        ) from failure
    if found.ndim:
        raise ContactError(f"function: got {given!r:.60} at ({x:g}, {y:g}), expected a height [m]")
    return given


def read_heights(path: Any) -> ArrayLike:
    """Return the table of a file, .npy, .csv or .txt.

    Raises:
        ContactError: no such file, another kind of file, or no table of numbers.
    """
    if path.suffix not in (".npy", ".csv", ".txt"):
        raise ContactError(f"{path}: got {path.suffix or 'no suffix'}, expected .npy, .csv or .txt")
    data = io.BytesIO(files.read(path, _MAX_BYTES, "a table of heights", ContactError))
    try:
        if path.suffix == ".npy":
            return np.load(data, allow_pickle=False)  # type: ignore[no-any-return]
        return np.loadtxt(data, delimiter="," if path.suffix == ".csv" else None, ndmin=2)
    except (ValueError, EOFError) as error:
        raise ContactError(f"{path}: no table of numbers: {error}") from None
