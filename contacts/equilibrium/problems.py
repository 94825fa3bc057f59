"""Scaled problems of many balances, as the kernel of verdicts takes them.

The kernel (`kernels/verdict.py`) solves A f + ε n = w with low ≤ G f + ε g ≤ high: A are the
equations without a torque, G the torques and what limits contacts as a whole, each divided by its
largest entry, forces in units of the robot's weight and in contact axes, component by component. It
proves its own answers by putting them into these again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Index
from ...dynamics.kernels.scalars import LANES
from ...dynamics.workspace import KERNEL_MEMORY
from ..kernels import saddle_refinement, verdict
from ..kernels.state_program import Answer, Constants, Whole, Workspace
from ..kernels.verdict import MARGIN, Found, Program
from ..limits import ContactLimits

Kernel = Callable[..., Any]


class Layout:
    """Which entry is which, for contacts that the kernel knows, whatever the state.

    Attributes:
        limits: of the contacts.
        joints: (R,), rows of the equations of motion whose torque is limited; rows: (m,), those
            without a torque.
        limited: (na,), which actuated joints those are.
        weight: the unit of force [N].
    """

    def __init__(
        self,
        limits: ContactLimits,
        unactuated: Index,
        actuated: Index,
        limited: NDArray[np.bool_],
        weight: float,
    ) -> None:
        self._made = limits, unactuated, actuated, limited, weight
        self.limits, self.weight = limits, weight
        self.joints, self.limited = actuated[limited], limited
        self.rows, self.actuated = unactuated, actuated
        K, T = limits.point_count, len(limits.soft)
        self.D = 4 if T else 3
        self._of_thread = threading.local()
        self.sizes = len(unactuated), self.D, K, len(self.joints) + len(self.whole.high)

    def __reduce__(self) -> Any:
        return Layout, self._made

    @cached_property
    def known(self) -> bool:
        """Whether the kernel knows these contacts: points that push, with finite friction, and
        nothing besides."""
        limits = self.limits
        some = limits.point_count > 0 and bool(limits.presses.any())
        finite = bool(np.isfinite(limits.friction).all())
        closed = limits.free > 0  # multipliers of closures, which have no cones
        return some and finite and len(self.rows) > 1 and not limits.bilateral.any() and not closed

    @cached_property
    def circular(self) -> bool:
        """Whether all cones are circular ones of forces: then the kernel knows the least norm."""
        return self.limits.isotropic and self.D == 3

    @cached_property
    def entries(self) -> Index:
        """(n,), where the unknowns x of `ContactLimits` are among the kernel's D K."""
        K, D = self.limits.point_count, self.D
        # x is point by point, the kernel's vector component by component, normals last
        points = np.array([0, 1, D - 1]) * K + np.arange(K)[:, None]
        return np.append(points.ravel(), 2 * K + self.limits.first[self.limits.soft])

    @cached_property
    def units(self) -> Array:
        """(1, D K), newtons of each entry of a cone's vector."""
        return self.spread(self.limits.scaling)[None]

    def units_of(self, friction: Array) -> Array:
        """Return the same (N or 1, D K) for other friction (N or 1, K, 2).

        Tangential forces in units of μ make every cone Lorentz's: only the units change.
        """
        units, K = np.repeat(self.units, len(friction), axis=0), friction.shape[1]
        units[:, :K], units[:, K : 2 * K] = friction[..., 0], friction[..., 1]
        return units

    def bounds(self, torque_limits: Array) -> Array:
        """Return limits (N, na) or (na,) as the kernels have them, (N or 1, R)."""
        return np.ascontiguousarray(np.atleast_2d(torque_limits)[:, self.limited])

    def torques(self, columns: Array, loads: Array, f: Array) -> Array:
        """Return τ (N, na) that balances loads (N or 1, nv), given forces f (N, D K) /weight.

        Columns (N or 1, nv, D K): what a newton of each entry does to the robot.
        """
        given = (columns[:, self.actuated] @ f[:, :, None])[:, :, 0]
        return np.asarray(-(loads[:, self.actuated] + self.weight * given))

    def spread(self, x: Array) -> Array:
        """Return x (…, n) as the kernel has it (…, D K), 0 for the moments of hard points."""
        out = np.zeros((*x.shape[:-1], self.D * self.limits.point_count))
        out[..., self.entries] = x
        return out

    @cached_property
    def whole(self) -> Whole:
        """What limits contacts as a whole."""
        A, T, b = self.limits.whole_rows
        size = np.abs(A).max(axis=1, initial=0.0)  # one tolerance for newtons and newton-metres
        G, g = self.spread(A[:, : self.limits.own]), T @ self.limits.pulls
        return Whole(G / size[:, None], g / size, b / (self.weight * size), size)

    @cached_property
    def constants(self) -> Constants:
        """What the kernels take of the layout."""
        arrays = self.joints, self.rows, self.actuated, self.entries
        for array in (*arrays, *self.whole):  # kernels are compiled for arrays that they only read
            array.setflags(write=False)
        return Constants(self.sizes, self.weight, *arrays, self.whole)

    def program(self, columns: int = 1, pulls: int = 1, loads: int = 1) -> Program:
        """Return arrays for programs of so many columns, pulls and loads."""
        m, D, K, R = self.sizes
        n = D * K
        rows = np.empty((columns, m * n)), np.empty((loads, m)), np.empty((pulls, m)), self.units
        inequalities = np.empty((columns, R * n)), np.empty((pulls, R))
        bounds = np.empty((loads, R)), np.empty((loads, R))
        return Program(*rows, *inequalities, *bounds, np.zeros((2, max(m, R))))

    # --- of one state ----------------------------------------------------------------------------

    def workspace(self) -> Workspace:
        """Return arrays for the kernels of one state to overwrite, this thread's."""
        kept: Workspace | None = getattr(self._of_thread, "workspace", None)
        if kept is None:
            m, D, K, _ = self.sizes
            nv, C = m + len(self.actuated), self.limits.contact_count
            J, columns, pulls = np.zeros((1, C, 6, nv)), np.zeros((1, nv, D, K)), np.zeros((1, nv))
            found, memory = found_of(1, self.sizes), np.empty(memory_size(self.sizes))
            kept = self._of_thread.workspace = Workspace(J, columns, pulls, found, memory)
        return kept

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
        na, nv, r = len(self.actuated), len(self.rows) + len(self.actuated), len(self.whole.high)
        return [0, *accumulate([5, 9 * C, n, 3 * K, na, n, nv, r])]


@dataclass(frozen=True, eq=False)
class Problems:
    """N programs in weights, each row of about unit size.

    Attributes:
        layout: what they have in common.
        program: as the kernel takes them.
    """

    layout: Layout
    program: Program

    @classmethod
    def of(
        cls,
        layout: Layout,
        columns: Array,
        pulls: Array,
        loads: Array,
        torque_limits: Array,
        scaling: Kernel,
        scales: Array | None = None,
    ) -> Problems:
        """Return the problems of balancing loads.

        Args:
            layout: of the contacts.
            columns: (N or 1, nv, D K), what a newton of each entry does to the robot.
            pulls: (N or 1, nv), what a newton of the margin does.
            loads: (N or 1, nv).
            torque_limits: (N or 1, na), not more than loads.
            scaling: `kernels.contact_columns.scale_rows`, compiled or not.
            scales: 1/size of rows and inequalities; by default those of the first columns.
        """
        program = layout.program(len(columns), len(pulls), len(loads))
        if scales is not None:
            program.scales[:] = scales
        bounds = layout.bounds(torque_limits)
        scaling(columns, pulls, loads, bounds, layout.constants, program)
        return cls(layout, program)

    def velocity(self, y: Array, nu: Array) -> Array:
        """Return multipliers (…, m), (…, R) as velocities (…, nv) of the robot."""
        layout, (of_rows, of_joints) = self.layout, self._scales
        # rows were divided by their sizes, so their multipliers are too large by them
        velocity = np.zeros((*y.shape[:-1], len(layout.rows) + len(layout.actuated)))
        velocity[..., layout.rows] = y * of_rows
        velocity[..., layout.joints] = nu[..., : len(of_joints)] * of_joints
        return velocity

    @property
    def _scales(self) -> tuple[Array, Array]:
        """1/size of the rows (m,), and of the torques' inequalities."""
        scales, layout = self.program.scales, self.layout
        return scales[0, : len(layout.rows)], scales[1, : len(layout.joints)]

    def start(self, x: Array, velocity: Array, whole: Array) -> tuple[Array, Array, Array]:
        """Return f (D K,), y (m,) and ν (R,) of x (n,) [N], of a velocity (nv,), and of multipliers
        of `ContactLimits.whole_rows` (r,)."""
        layout, (of_rows, of_joints) = self.layout, self._scales
        nu = np.append(velocity[layout.joints] / of_joints, whole * layout.whole.size)
        return layout.spread(x) / layout.weight, velocity[layout.rows] / of_rows, nu

    def of_whole(self, nu: Array) -> Array:
        """Return multipliers (…, R) as those of the rows of `ContactLimits.whole_rows`, (…, r)."""
        return np.asarray(nu[..., len(self.layout.joints) :] / self.layout.whole.size)

    def with_friction(self, friction: Array) -> Problems:
        """Return the problems with other friction (N or 1, K, 2)."""
        return self._with(units=self.layout.units_of(friction))

    def pulled(self, pulls: Array) -> Problems:
        """Return the problems with other pulls (N, nv), which are no normal forces."""
        normal, g = self.scaled(pulls)
        return self._with(normal=normal, g=g)

    def scaled(self, columns: Array) -> tuple[Array, Array]:
        """Return the rows (N, m), (N, R) of what newtons (N, nv) do to the robot."""
        layout, (of_rows, of_joints) = self.layout, self._scales
        g = np.zeros((len(columns), layout.sizes[3]))
        g[:, : len(of_joints)] = columns.take(layout.joints, 1) * of_joints
        return columns.take(layout.rows, 1) * of_rows, g

    def for_torque_margin(self) -> Problems:
        """Return the problems whose margin is 1/(1 − s), for the torque margin s.

        Σ J_kᵀ f_k + h + Sᵀτ = 0 with |τ| ≤ (1 − s) limits, divided by 1 − s: as cones stay what
        they are, so many times the load can be balanced within the limits.
        """
        p, J = self.program, len(self.layout.joints)
        g, high = -p.high, np.zeros_like(p.high)  # of what limits contacts as a whole
        high[:, :J] = (p.high[:, :J] - p.low[:, :J]) / 2
        g[:, :J] = -(p.high[:, :J] + p.low[:, :J]) / 2
        low = np.where(np.arange(high.shape[1]) < J, -high, p.low)
        return self._with(w=np.zeros((1, p.w.shape[1])), normal=-p.w, g=g, low=low, high=high)

    def moved(self, A: Array, G: Array, friction: Array) -> Problems:
        """Return the problems with more of A (m D K,) and G (R D K,), and friction (K, 2)."""
        more = {"A": self.program.A + A, "G": self.program.G + G}
        return self._with(**more).with_friction(friction[None])

    def _with(self, **changes: Array) -> Problems:
        return replace(self, program=self.program._replace(**changes))


def decided(
    kernel: Kernel, program: Program, sizes: tuple[int, int, int, int], mode: int = MARGIN
) -> Found:
    """Return what `verdict.verdicts` finds for all programs of these sizes."""
    count = max(map(len, program[:4]))
    found = found_of(count, sizes)
    kernel(program, mode, sizes, found, 0, count, KERNEL_MEMORY.of(memory_size(sizes)))
    return found


def refined(
    kernel: Kernel, program: Program, sizes: tuple[int, int, int, int], found: Found
) -> Array:
    """Bring what `decided` found to rounding, in place, where margins are proved and finite.

    Args:
        kernel: `saddle_refinement.refine`, compiled or not.
        program, sizes, found: of all programs.

    Returns:
        (N, 3), as `saddle_refinement.refine` has them: ε, what its proof leaves open, and whether
        its multipliers are the only ones.
    """
    proofs = np.empty((len(found.verdict), 3))
    kernel(program, sizes, found, proofs, 0, len(proofs), KERNEL_MEMORY.of(memory_size(sizes)))
    return proofs


def found_of(count: int, sizes: tuple[int, int, int, int]) -> Found:
    """Return arrays for what the kernel finds."""
    m, D, K, R = sizes
    widths = 4, D * K, m, R, D * K
    return Found._make([np.empty((count, width)) for width in widths])


def in_newtons(margin: Array, weight: float) -> Array:
    """Return the kernel's margins [N], ∓inf as such."""
    found = margin * weight
    # the kernel marks infinity by a finite number, which scaling by the weight must not hide
    found[margin >= verdict.INFINITE] = np.inf
    found[margin <= -verdict.INFINITE] = -np.inf
    return found


@cache
def memory_size(sizes: tuple[int, int, int, int]) -> int:
    """Return how many numbers of memory the kernels need, in lanes or not."""
    needed: list[Any] = [verdict.memory_size, saddle_refinement.refine_size]
    return max(int(LANES * (size(*sizes) + 1)) for size in needed)


def plain_program(G: Array, w: Array, normal: Array, units: Array) -> Program:
    """Return programs of Coulomb's cones alone, without scaling: the data are near one in size.

    Args:
        G: (m, 3K), what units of force in contact axes do, point by point.
        w, normal, units: as for `Program`.
    """
    m, none = len(G), np.empty((1, 0))
    A = np.array(G.reshape(m, -1, 3).transpose(0, 2, 1), order="C").reshape(1, -1)
    return Program(A, w, normal, units, none, none, none, none, np.ones((2, m)))
