"""Scaled batch problems: balances in numbers near one, as the kernel of verdicts takes them.

The kernel (`kernels/verdict.py`) solves A f + ε n = w with low ≤ G f + ε g ≤ high: A are the
equations without a torque, G the torques and what limits contacts as a whole, each divided by its
largest entry, forces in units of the robot's weight and in contact axes, component by component. It
proves its own answers by putting them into these again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...dynamics.kernels.scalars import LANES
from ..kernels import verdict
from ..kernels.state_program import Answer, Constants, Workspace
from ..limits import ContactLimits

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Kernel = Callable[..., Any]


class Layout:
    """Which entry is which, for contacts that the kernel knows, whatever the state.

    Attributes:
        limits: of the contacts.
        joints: (R,), rows of the equations of motion whose torque is limited; rows: (m,), those
            without a torque.
        bounds: (R,), limits of the torques [N·m or N].
        weight: the unit of force [N].
    """

    def __init__(
        self,
        limits: ContactLimits,
        unactuated: Indices,
        actuated: Indices,
        torque_limits: Array,
        weight: float,
    ) -> None:
        self.limits, self.weight = limits, weight
        finite = np.isfinite(torque_limits)
        self.joints, self.bounds = actuated[finite], torque_limits[finite]
        self.rows, self.actuated = unactuated, actuated
        K, T = limits.point_count, len(limits.soft)
        self.D = 4 if T else 3
        self._of_thread = threading.local()
        self.sizes = len(unactuated), self.D, K, len(self.joints) + len(self.whole[2])

    @cached_property
    def known(self) -> bool:
        """Whether the kernel knows these contacts: points that push, with finite friction."""
        limits = self.limits
        some = limits.point_count > 0 and bool(limits.presses.any())
        finite = bool(np.isfinite(limits.friction).all())
        return some and finite and len(self.rows) > 1 and not limits.bilateral.any()

    @cached_property
    def circular(self) -> bool:
        """Whether all cones are circular ones of forces: then the kernel knows the least norm."""
        return self.limits.isotropic and self.D == 3

    @cached_property
    def entries(self) -> Indices:
        """(n,), where the unknowns x of `ContactLimits` are among the kernel's D K."""
        K, D = self.limits.point_count, self.D
        # x is point by point, the kernel's vector component by component, normals last
        points = np.array([0, 1, D - 1]) * K + np.arange(K)[:, None]
        return np.append(points.ravel(), 2 * K + self.limits.first[self.limits.soft])

    @cached_property
    def units(self) -> Array:
        """(D K,), newtons of each entry of a cone's vector."""
        return self.spread(self.limits.scaling)

    def spread(self, x: Array) -> Array:
        """Return x (…, n) as the kernel has it (…, D K), 0 for the moments of hard points."""
        out = np.zeros((*x.shape[:-1], self.D * self.limits.point_count))
        out[..., self.entries] = x
        return out

    def scales_of(self, columns: Array) -> Array:
        """Return 1/size (2, …) of the rows, and of the torques' ones, in columns (nv, n)."""
        (m, _, _, R), J = self.sizes, len(self.joints)
        scales = np.zeros((2, max(m, R)))
        for own, rows, count in zip(scales, (self.rows, self.joints), (m, J), strict=True):
            size = np.abs(columns[rows]).max(axis=1, initial=0.0)
            # a row that no force reaches is rounding: scaling would blow it up to size one
            own[:count] = 1.0 / np.where(size > 1e-9, size, 1.0)
        return scales

    @cached_property
    def whole(self) -> tuple[Array, Array, Array]:
        """G (r, D K), g (r,), high (r,): what limits contacts as a whole, G f + ε g ≤ high."""
        A, T, b = self.limits.whole_rows
        if not len(b):
            return np.zeros((0, self.D * self.limits.point_count)), b, b
        size = np.abs(A).max(axis=1)  # one tolerance for newtons and newton-metres
        G, g = self.spread(A), T @ self.limits.presses
        return G / size[:, None], g / size, b / (self.weight * size)

    # --- of one state ----------------------------------------------------------------------------

    @cached_property
    def constants(self) -> Constants:
        """What the kernel of one state takes of the layout."""
        whole = np.abs(self.limits.whole_rows.A).max(axis=1, initial=0.0)
        indices = self.joints, self.rows, self.actuated, self.entries
        return Constants(self.sizes, self.weight, self.bounds, *indices, self.units[None], whole)

    def workspace(self) -> Workspace:
        """Return arrays for the kernel of one state to overwrite, this thread's."""
        kept: Workspace | None = getattr(self._of_thread, "workspace", None)
        if kept is None:
            kept = self._of_thread.workspace = self._allocated()
        return kept

    def _allocated(self) -> Workspace:
        m, D, K, R = self.sizes
        n, nv, C = D * K, m + len(self.actuated), self.limits.contact_count
        rows, J = [(1, m * n), (1, m), (1, m)], len(self.joints)
        inequalities, answers = (
            [(1, R * n)] + 3 * [(1, R)],
            [(1, 4), (1, n), (1, m), (1, R), (1, n)],
        )
        shapes = [(1, C, 6, nv), (1, nv, D, K), (1, nv), *rows, *inequalities, (2, max(m, R))]
        size: Any = verdict.memory_size
        needed = LANES * (size(*self.sizes) + 1)
        made = Workspace._make([*map(np.zeros, (*shapes, *answers)), np.empty(needed)])
        G, g, high = self.whole
        made.G[:, J * n :], made.g[:, J:], made.high[:, J:] = G.ravel(), g, high
        made.low[:, J:] = -verdict.INFINITE  # one-sided, in the kernel's two-sided form
        return made

    def answer(self) -> Answer:
        """Return arrays for the answer of the kernel of one state."""
        flat, parts = np.empty(self._ends[-1]), []
        for first, last in pairwise(self._ends):
            parts.append(flat[first:last])
        parts[1], parts[3] = parts[1].reshape(1, -1, 3, 3), parts[3].reshape(-1, 3)
        return Answer._make(parts)

    @cached_property
    def _ends(self) -> list[int]:
        """Where the arrays of an answer start and end in one."""
        C, K, n = self.limits.contact_count, self.limits.point_count, len(self.entries)
        na, nv, r = len(self.actuated), len(self.rows) + len(self.actuated), len(self.whole[2])
        return [0, *accumulate([5, 9 * C, n, 3 * K, na, n, nv, r])]


class Answers(NamedTuple):
    """What the kernel says, in SI units.

    Attributes:
        feasible: (N,), 1 holds, 0 does not, −1 not decided, each with its proof.
        margin: (N,), ε [N], ∓inf where there is none or no end to it, nan where unsolved.
        proved: (N,), whether forces and multipliers prove the margin.
        residual: (N,), what the proof of `feasible` leaves open.
        forces: (N, n), x that has the margin; of no end a squeeze; y, nu: its multipliers (N, m),
            (N, R).
        least: (N, n), least-norm x, where it holds.
    """

    feasible: Array
    margin: Array
    proved: NDArray[np.bool_]
    residual: Array
    forces: Array
    y: Array
    nu: Array
    least: Array


@dataclass(frozen=True, eq=False)
class Problems:
    """N problems; arrays with one entry serve all.

    Attributes:
        layout: what they have in common.
        A, w, n, units, G, g, low, high: see the kernel.
        scales: (2, …), 1/size of the rows, of the inequalities (0 but for torques).
    """

    layout: Layout
    A: Array
    w: Array
    n: Array
    units: Array
    G: Array
    g: Array
    low: Array
    high: Array
    scales: Array

    @classmethod
    def of(
        cls,
        layout: Layout,
        columns: Array,
        pulls: Array,
        loads: Array,
        scaling: Kernel,
        scales: Array | None = None,
    ) -> Problems:
        """Return the problems of balancing loads.

        Args:
            layout: of the contacts.
            columns: (N or 1, nv, D K), what a newton of each entry does to the robot.
            pulls: (N or 1, nv), what a newton of the margin does.
            loads: (N or 1, nv).
            scaling: `kernels.contact_columns.scale_rows`, compiled or not.
            scales: 1/size of rows and inequalities; by default those of the first columns.
        """
        m, D, K, R = layout.sizes
        G_, g_, high_ = layout.whole
        J, r, n = len(layout.joints), len(g_), D * K
        N, P, L = len(columns), len(pulls), len(loads)
        A, w, pull = np.empty((N, m * n)), np.empty((L, m)), np.empty((P, m))
        G, g = np.empty((N, R * n)), np.empty((P, R))
        low, high = np.empty((L, R)), np.empty((L, R))
        scales = np.zeros((2, max(m, R))) if scales is None else scales
        out = A, w, pull, G, g, low, high, scales
        inputs = columns, pulls, loads, layout.weight, layout.bounds, layout.joints, layout.rows
        scaling(*inputs, *out)
        if r:
            G[:, J * n :], g[:, J:], high[:, J:] = G_.ravel(), g_, high_
            low[:, J:] = -verdict.INFINITE  # one-sided, in the kernel's two-sided form
        return cls(layout, A, w, pull, layout.units[None], G, g, low, high, scales)

    def __len__(self) -> int:
        return max(len(self.A), len(self.w), len(self.n), len(self.units))

    def solve(self, kernel: Kernel, lanes: int, mode: int) -> Answers:
        """Return the kernel's answers: `kernel` is `verdict.verdicts` for numbers of so many lanes.

        Args:
            kernel: compiled or not.
            lanes: problems side by side.
            mode: verdict.MARGIN, VERDICT or STRICT.
        """
        N, (m, D, K, R), weight = len(self), self.layout.sizes, self.layout.weight
        n = D * K
        answer, forces, least = np.empty((N, 4)), np.empty((N, n)), np.empty((N, n))
        y, nu = np.empty((N, m)), np.empty((N, R))
        arrays = self.A, self.w, self.n, self.units, self.G, self.g, self.low, self.high
        memory = workspace(self.layout.sizes, lanes)
        out = answer, forces, y, nu, least
        kernel(*arrays, self.scales, mode, self.layout.sizes, *out, 0, N, memory)
        if mode == verdict.MARGIN:  # then the kernel leaves them as its memory was
            least[:] = np.nan
        return Answers(
            answer[:, 0],
            in_newtons(answer[:, 1], weight),
            answer[:, 2] > 0,
            answer[:, 3],
            forces[:, self.layout.entries] * weight,
            y,
            nu,
            least[:, self.layout.entries] * weight,
        )

    def velocity(self, y: Array, nu: Array) -> Array:
        """Return multipliers (…, m), (…, R) as velocities (…, nv) of the robot."""
        layout, (m, _, _, _) = self.layout, self.layout.sizes
        J = len(layout.joints)
        size = m + len(layout.actuated)
        # rows were divided by their sizes, so their multipliers are too large by them
        velocity = np.zeros((*y.shape[:-1], size))
        velocity[..., layout.rows] = y * self.scales[0, :m]
        velocity[..., layout.joints] = nu[..., :J] * self.scales[1, :J]
        return velocity

    def multipliers(self, velocity: Array, whole: Array) -> tuple[Array, Array]:
        """Return y (m,) and ν (R,) of a velocity (nv,) and of `ContactLimits.whole_rows` (r,)."""
        layout, (m, _, _, _), J = self.layout, self.layout.sizes, len(self.layout.joints)
        nu = np.append(velocity[layout.joints] / self.scales[1, :J], whole * layout.constants.whole)
        return velocity[layout.rows] / self.scales[0, :m], nu

    def of_whole(self, nu: Array) -> Array:
        """Return multipliers (…, R) as those of the rows of `ContactLimits.whole_rows`, (…, r)."""
        A = self.layout.limits.whole_rows.A
        own = nu[..., len(self.layout.joints) :]
        return own / np.abs(A).max(axis=1) if len(A) else own

    def with_friction(self, friction: Array) -> Problems:
        """Return the problems with other friction (N or 1, K, 2)."""
        # tangential forces in units of μ make every cone Lorentz's: only the units change
        units = np.repeat(self.units, len(friction), axis=0)
        K = friction.shape[1]
        units[:, :K], units[:, K : 2 * K] = friction[..., 0], friction[..., 1]
        return replace(self, units=units)

    def pulled(self, pulls: Array) -> Problems:
        """Return the problems with other pulls (N, nv), which are no normal forces."""
        layout, (m, _, _, R), J = self.layout, self.layout.sizes, len(self.layout.joints)
        g = np.zeros((len(pulls), R))
        g[:, :J] = pulls[:, layout.joints] * self.scales[1, :J]
        return replace(self, n=pulls.take(layout.rows, 1) * self.scales[0, :m], g=g)

    def moved(self, columns: Array, friction: Array) -> Problems:
        """Return the problems with columns that differ by (nv, D K), and other friction (K, 2)."""
        layout, m, J = self.layout, self.layout.sizes[0], len(self.layout.joints)
        A, G, n = self.A.copy(), self.G.copy(), columns.shape[1]
        A += (columns[layout.rows] * self.scales[0, :m, None]).ravel()
        G[:, : J * n] += (columns[layout.joints] * self.scales[1, :J, None]).ravel()
        return replace(self, A=A, G=G).with_friction(friction[None])


def in_newtons(margin: Array, weight: float) -> Array:
    """Return the kernel's margins [N], ∓inf as such."""
    found = margin * weight
    # the kernel marks infinity by a finite number, which scaling by the weight must not hide
    found[margin >= verdict.INFINITE] = np.inf
    found[margin <= -verdict.INFINITE] = -np.inf
    return found


_kept = threading.local()


def workspace(sizes: tuple[int, int, int, int], lanes: int) -> Array:
    """Return memory for the kernel, this thread's."""
    size: Any = verdict.memory_size
    needed = lanes * size(*sizes) + lanes
    memory: Array | None = getattr(_kept, "memory", None)
    if memory is None or len(memory) < needed:
        memory = _kept.memory = np.empty(needed)
    return memory


def plain_margins(
    kernel: Kernel, A: Array, w: Array, n: Array, friction: Array
) -> tuple[Array, Array, Array]:
    """Return ε (N,), f (N, 3K), y (N, m) of A f + ε n = w with forces in Coulomb's cones.

    Without scaling: the data are near one in size. ε is ∓verdict.INFINITE where there is none or no
    end to it, nan where unsolved.

    Args:
        kernel: the compiled `verdict.verdicts`, for LANES problems side by side.
        A: (N or 1, m, 3K), forces in contact axes point by point.
        w, n: (N or 1, m).
        friction: (N or 1, K).
    """
    m, K = A.shape[1], friction.shape[1]
    parts = A.reshape(len(A), m, K, 3).transpose(0, 1, 3, 2)
    units = np.hstack([friction, friction, np.ones_like(friction)])
    flat = np.ascontiguousarray(parts).reshape(len(A), -1)
    none, N, sizes = np.empty((1, 0)), max(map(len, (A, w, n, units))), (m, 3, K, 0)
    answer, f, y = np.empty((N, 4)), np.empty((N, 3 * K)), np.empty((N, m))
    arrays = [np.ascontiguousarray(x) for x in (flat, w, n, units)]
    inputs = *arrays, none, none, none, none, np.ones((2, m))
    out = answer, f, y, np.empty((N, 0)), np.empty((N, 3 * K))
    kernel(*inputs, verdict.MARGIN, sizes, *out, 0, N, workspace(sizes, LANES))
    forces = f.reshape(N, 3, K).transpose(0, 2, 1).reshape(N, 3 * K)
    return answer[:, 1], forces, y
