"""Planar sets of loads that contacts and torques can balance, by rays in the kernel of margins.

    {x : A f + P x = w for some f in Coulomb's cones with low ≤ G f ≤ high}

From a point x₀ inside, the largest t with x₀ + t d in the set is a margin, P d standing for the
normals: its forces prove the point, and its multipliers y a line that nothing crosses, with the
normal Pᵀy. x₀ is where equal normal forces nearly balance, or where the contacts have most normal
force to spare; the rays are chosen by `kernels.outline`, eight at first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array
from ...dynamics.spatial import skew
from ..equilibrium.balance import Balance
from ..equilibrium.problems import decided, plain_program
from ..kernels import compiled
from ..kernels.outline import CLOSED, FAILED, GUESSES, REFINED, SECTIONS, STARTS
from ..kernels.verdict import Found, Program
from ..point_forces import PointForces, wrenches_of

Polygons = tuple[Array, Array]

RAYS = 40  # verdicts that a region takes, about

_ANGLES = np.arange(8) * np.pi / 4
_FIRST = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_ROUNDS = 12
_INSIDE = 1e-4  # of the weight: x₀ has at least that much to spare
_NONE = np.zeros((0, 2))


class Kernels(NamedTuple):
    """Of verdicts, for problems side by side, and of `kernels.outline`."""

    verdicts: Any
    guesses: Any
    sections: Any
    starts: Any
    refined: Any


def _select(verdicts: Any) -> Kernels | None:
    found = verdicts, *(kernel.select(1) for kernel in (GUESSES, SECTIONS, STARTS, REFINED))
    return None if None in found else Kernels(*found)


@dataclass(frozen=True, eq=False)
class Rays:
    """The programs of N planar sets, scaled for the kernel of verdicts.

    Attributes:
        kernels: compiled.
        sizes: m, D, K, R.
        program: of one A, G and bounds, N loads w, and the margin for x₀.
        P: (N, 2, m), the columns of P.
    """

    kernels: Kernels
    sizes: tuple[int, int, int, int]
    program: Program
    P: Array

    @classmethod
    def of_body(cls, forces: PointForces, loads: Array, columns: Array) -> Rays | None:
        """Return the sets of x with load + C x balanced by forces on one body.

        None where the kernel does not serve: without Numba, or while the conic solver is sooner
        than compiling; with more than Coulomb's cones.

        Args:
            forces: at which points, with forces in weights.
            loads: (N, 6), about the points' origin, in weights.
            columns: (N, 6, 2), what a unit of x does, about that origin.
        """
        limits, K = forces.limits, len(forces.points)
        if not K or not limits.plain or limits.bilateral.any():
            return None
        kernels = _select(compiled.VERDICTS.select(RAYS * len(loads)))
        if kernels is None:
            return None
        # moments about the points' middle, lengths in their spread: numbers near one
        middle = forces.points.sum(axis=0) / K
        near = forces.points - middle
        size = float(np.sqrt((near * near).sum(axis=1).max())) or 1.0
        # columns in which the cones are Lorentz's, whatever friction, component by component
        G = wrenches_of(near / size, forces.axes) * limits.scaling
        w, P = -loads, np.array(columns.transpose(0, 2, 1), order="C")
        for wrenches in (w, P):
            wrenches[..., 3:] += wrenches[..., :3] @ skew(middle)
            wrenches[..., 3:] /= size
        program = plain_program(G, w, G[None, :, 2::3].sum(axis=2) / K, np.ones((1, 3 * K)))
        return cls(kernels, (6, 3, K, 0), program, P)

    @classmethod
    def of_balance(cls, balance: Balance, columns: Array) -> Rays | None:
        """Return the set of x with load + C x balanced, C (nv, 2) without rows of torques.

        None where the kernel does not serve: see above, and `Layout.known`.
        """
        scaling = compiled.select(RAYS) if balance.layout.known else None
        kernels = None if scaling is None else _select(scaling.verdicts)
        problem = balance.problem
        if kernels is None or problem is None:
            return None
        P, _ = problem.scaled(columns.T / balance.weight)
        return cls(kernels, problem.layout.sizes, problem.program, P[None])

    def regions(self, tolerance: float) -> list[Polygons | None]:
        """Return (inner, outer) of each set, as `geometry.planar.inner_and_outer` does.

        None for sets without area or without end, and where an answer does not check out.
        """
        found: list[Polygons | None] = [None] * len(self.P)
        for starts in self.guesses, self.starts:
            if None in found:
                start, inside = starts()
                left = [i for i in np.flatnonzero(inside).tolist() if found[i] is None]
                self._close(found, left, start, tolerance)
        return found

    def _close(
        self, found: list[Polygons | None], left: list[int], start: Array, tolerance: float
    ) -> None:
        """Write the polygons of the sets that are left, seen from `start` (N, 2)."""
        w = self.program.w - (start[:, None] @ self.P)[:, 0]
        live = {i: (_NONE, _NONE, _FIRST) for i in left}
        for _ in range(_ROUNDS):
            if not live:
                break
            answers, y = self._shots(w, {i: rays for i, (_, _, rays) in live.items()})
            first = 0
            for i, (points, normals, rays) in list(live.items()):
                own = slice(first, first := first + len(rays))
                known = points, normals, rays, answers[own], y[own], self.P[i], tolerance
                status, *outline, inner, outer = self.kernels.refined(*known)
                live[i] = tuple(outline)
                if status in (CLOSED, FAILED):
                    del live[i]
                if status == CLOSED:
                    found[i] = inner + start[i], outer + start[i]

    def guesses(self) -> tuple[Array, NDArray[np.bool_]]:
        """Return x₀ (N, 2) that may be inside: rays that end in all directions prove it."""
        x: Array = self.kernels.guesses(self.program.normal[0], self.program.w, self.P)
        return x, np.ones(len(x), dtype=bool)

    def starts(self) -> tuple[Array, NDArray[np.bool_]]:
        """Return x₀ (N, 2), of the largest margin whatever x, and whether that is inside (N,)."""
        p = self.program
        A, n = p.A.reshape(len(p.normal[0]), -1), p.normal[0]
        across, normals, w, Q = self.kernels.sections(A, n, p.w, self.P)
        found = self._solve(p._replace(A=across, normal=normals, w=w))
        starts: tuple[Array, NDArray[np.bool_]] = self.kernels.starts(
            A, n, p.w, self.P, Q, found.verdict, found.forces, _INSIDE
        )
        return starts

    def _shots(self, w: Array, rays: dict[int, Array]) -> tuple[Array, Array]:
        """Return the kernel's answers and multipliers for rays of some sets, one after the other.

        Args:
            w: (N, m), at the starts.
            rays: {set: (j, 2)}, units.
        """
        pulls = np.concatenate([d @ self.P[i] for i, d in rays.items()])
        if len(w) > 1:
            w = w[np.repeat(list(rays), [len(d) for d in rays.values()])]
        no_torques = np.zeros((1, self.sizes[3]))
        found = self._solve(self.program._replace(w=w, normal=pulls, g=no_torques))
        return found.verdict, found.y

    def _solve(self, program: Program) -> Found:
        return decided(self.kernels.verdicts, program, self.sizes)
